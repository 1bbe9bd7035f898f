package trace

import (
	"bytes"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/cache"
)

// Live makes OpenTelemetry spans of the steps of a run while it goes on: one when a request or a call
// ends, and that of the run itself at its end. The spans are those that [Trajectory.WriteOTel] writes
// of the whole run later, without prompts, replies and answers of tools. It is safe for concurrent
// use.
type Live struct {
	mu sync.Mutex
	t  *Trajectory
}

// NewLive returns the spans of a run that begins, or is resumed.
func NewLive(run cache.Run) *Live {
	t := &Trajectory{Run: run}
	t.About, _ = decode[About](run.Spec)
	return &Live{t: t}
}

// Recalled adds a step that an earlier process of the run recorded, whose span has been sent.
func (l *Live) Recalled(step cache.Step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(step)
}

// Step adds a step. It returns a document of OTLP with the span that ends with it, or nil if none
// does.
func (l *Live) Step(step cache.Step) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.add(step) || step.Kind == cache.Intent {
		return nil
	}
	x := &otelExport{t: l.t}
	where, numbers := splitKey(step.Key)
	switch {
	case step.Key == agent.StepClosing:
		x.run()
	case where == "model" && len(numbers) == 1:
		x.request(numbers[0]-1, l.t.Turns[numbers[0]-1])
	case where == "tool" && len(numbers) == 2:
		turn := l.t.Turns[numbers[0]-1]
		x.call(turn, turn.Calls[numbers[1]-1])
	}
	if len(x.spans) == 0 {
		return nil
	}
	var b bytes.Buffer
	if writeJSON(&b, x.document()) != nil {
		return nil
	}
	return b.Bytes()
}

// add adds a step, without the texts that no span has. It reports whether it made sense.
func (l *Live) add(step cache.Step) bool {
	l.t.Last = step.At
	if l.t.add(step) != nil {
		return false
	}
	if strings.HasPrefix(step.Key, "tool/") {
		for i := range l.t.Turns {
			for k := range l.t.Turns[i].Calls {
				if r := l.t.Turns[i].Calls[k].Result; r != nil && !r.Final {
					r.Text, r.Full = "", ""
				}
			}
		}
	}
	return true
}
