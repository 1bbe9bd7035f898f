package app

import (
	"context"
	"sync"
	"time"

	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/gitconfig"
)

// OTelKey is the setting for sending runs to a collector as they happen. A repository cannot set it,
// because data leaves the machine.
const OTelKey = "agent.otel"

// These bound the telemetry, which must not delay a run.
const (
	maxUnsent   = 1000            // spans that wait
	maxFailures = 3               // failures after which no more is sent
	flushWait   = 3 * time.Second // for what is left at the end
)

// CheckOTel returns an error for an invalid value of agent.otel.
func CheckOTel(v gitconfig.Value) error {
	if _, err := gitconfig.ParseBool(v); err != nil {
		return &gitconfig.BadValueError{Key: OTelKey, Value: v, Err: err}
	}
	return nil
}

// telemetry sends the spans of runs to a collector, one after the other and beside the work. A failure
// is a warning.
type telemetry struct {
	to   *Collector
	warn func(string)
	stop context.CancelFunc
	done chan struct{}

	mu    sync.Mutex
	queue chan []byte // nil after the end
	lost  int         // spans for which there was no room
}

// follow returns what sends runs as they happen; nil unless the user wants it and the environment
// names a collector.
func (a *App) follow(ctx context.Context) (session.Follow, error) {
	config, err := a.Data.Config(ctx)
	if err != nil {
		return nil, err
	}
	wanted := false
	for _, v := range config[OTelKey] {
		if !v.Trusted() {
			a.WarnUntrusted(OTelKey, v.Scope)
			continue
		}
		if err := CheckOTel(v); err != nil {
			return nil, err
		}
		wanted, _ = gitconfig.ParseBool(v)
	}
	if !wanted {
		return nil, nil
	}
	to, err := FindCollector(a.Env)
	if err != nil {
		a.WarnOnce("no spans are sent: " + err.Error())
		return nil, nil
	}
	if to == nil {
		return nil, nil
	}
	if a.telemetry == nil {
		a.telemetry = newTelemetry(context.WithoutCancel(ctx), to, a.WarnOnce)
	}
	return a.telemetry.follow, nil
}

func newTelemetry(ctx context.Context, to *Collector, warn func(string)) *telemetry {
	ctx, stop := context.WithCancel(ctx)
	t := &telemetry{to: to, warn: warn, stop: stop, done: make(chan struct{}), queue: make(chan []byte, maxUnsent)}
	go t.send(ctx, t.queue)
	return t
}

// send sends what is in the queue until its end.
func (t *telemetry) send(ctx context.Context, queue <-chan []byte) {
	defer close(t.done)
	failures := 0
	for body := range queue {
		if failures >= maxFailures {
			continue
		}
		if err := t.to.Send(ctx, body); err != nil {
			failures++
			t.warn("spans are not sent, and the work goes on: " + ui.Printable(err.Error()))
			continue
		}
		failures = 0
	}
}

// follow returns the follower of a run.
func (t *telemetry) follow(run cache.Run) session.Follower {
	return &followedRun{trace.NewLive(run), t}
}

// put adds a document to the queue, or drops it if there is no room.
func (t *telemetry) put(body []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if body == nil || t.queue == nil {
		return
	}
	select {
	case t.queue <- body:
	default:
		t.lost++
	}
}

// close sends what is left, for a short time. A nil telemetry is closed already.
func (t *telemetry) close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	if t.queue != nil {
		close(t.queue)
	}
	t.queue = nil
	lost := t.lost
	t.mu.Unlock()
	timer := time.AfterFunc(flushWait, t.stop)
	<-t.done
	timer.Stop()
	t.stop()
	if lost > 0 {
		t.warn("the collector was too slow: some spans were not sent")
	}
}

// followedRun sends the spans of one run.
type followedRun struct {
	live *trace.Live
	to   *telemetry
}

func (r *followedRun) Recalled(step cache.Step) { r.live.Recalled(step) }
func (r *followedRun) Step(step cache.Step)     { r.to.put(r.live.Step(step)) }
