package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"git-agent/agent/model"
)

func TestMain(m *testing.M) { os.Exit(runWithState(m)) }

// runWithState runs the tests with their own secret for traces.db, not the user's.
func runWithState(m *testing.M) int {
	dir, err := os.MkdirTemp("", "git-agent-loop-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_STATE_HOME", dir)
	return m.Run()
}

// longTalk is a model whose answers depend only on the request, so that each process of a
// run meets the same one. It makes most of the mistakes that the loop records.
func longTalk(req model.Request) turn {
	answers, size := 0, 0
	for _, m := range req.Messages {
		size += len(m.Text)
		if m.Role == model.Assistant {
			answers++
		}
	}
	switch {
	case answers == 0:
		return call("read", `{"at":1}`, "read", `{"at":2}`, "look", `{"at":3}`)
	case answers == 1 && req.MaxOutput == 0:
		return cutAt("so")
	case answers == 1:
		return call("read", `{"at":4}`, "look", `{`)
	case answers == 2:
		return say("let me think")
	case answers == 3 && size > 1700:
		return fails(model.ClassOverflow)
	case answers == 3:
		return call("read", `{"at":1}`, "look", `{"at":3}`)
	case answers == 6 && req.Messages[len(req.Messages)-1].Text == "rejected 2":
		return say("")
	case req.Choice == model.ChoiceNone:
		return say("verdict abc")
	default:
		return call("report", `{}`)
	}
}

// A mortalJournal is a Journal in memory. It takes a number of writes and refuses all
// later ones, like the journal of a killed process.
type mortalJournal struct {
	mu   sync.Mutex
	left int
	open []string // intents without a result
	kept map[string]string
}

var errKilled = errors.New("killed")

func (j *mortalJournal) Recall(_ context.Context, key string) ([]byte, bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	payload, ok := j.kept[key]
	return []byte(payload), ok, nil
}

func (j *mortalJournal) Open(context.Context) ([]string, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.open), nil
}

func (j *mortalJournal) Intend(_ context.Context, key string, _ []byte) error {
	return j.write(func() { j.open = append(j.open, key) })
}

func (j *mortalJournal) Record(_ context.Context, key string, payload []byte) error {
	return j.write(func() {
		j.kept[key] = string(payload)
		j.open = slices.DeleteFunc(j.open, func(k string) bool { return k == key })
	})
}

func (j *mortalJournal) Note(context.Context, string, []byte) error { return j.write(func() {}) }

func (j *mortalJournal) write(f func()) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.left--; j.left < 0 {
		return errKilled
	}
	f()
	return nil
}

// A run that ends after any of its writes and is resumed equals an undisturbed one, and
// sends at most one request again. The tests of package cache check that no acknowledged
// write is lost when a process is killed.
func TestResumedAfterEachWrite(t *testing.T) {
	t.Parallel()
	life := func(j *mortalJournal) (end string, asks int, err error) {
		l := newTestLoop(nil)
		l.Model, l.Journal, l.Limits.Turns = asker(func(ctx context.Context, req model.Request) (*model.Reply, error) {
			asks++
			return longTalk(req)(ctx, req)
		}), j, 9
		reports := 0 // the memory of the tool must survive as well
		l.Tools[len(l.Tools)-1] = judge{fake{"report", func(context.Context, json.RawMessage) (Result, error) {
			reports++
			return Result{Text: fmt.Sprintf("rejected %d", reports)}, nil
		}}}
		out, err := l.Run(t.Context())
		out.Resumed, out.Repeated = 0, 0
		text, _ := json.Marshal(out)
		return string(text), asks, err
	}
	const ever = 1 << 20
	calm := &mortalJournal{left: ever, kept: map[string]string{}}
	outcome, asks, err := life(calm)
	for _, key := range []string{"opening", "tool/1/3", "model/2", "user/4", "removed/5", "limit/10"} {
		if calm.kept[key] == "" || err != nil {
			t.Fatalf("the conversation has no %s; it ends with %s, %v and %q", key, outcome, err, slices.Sorted(maps.Keys(calm.kept)))
		}
	}
	for n := range ever - calm.left {
		j := &mortalJournal{left: n, kept: map[string]string{}}
		_, before, err := life(j)
		if !errors.Is(err, errKilled) {
			t.Errorf("the run of %d writes ends with %v", n, err)
		}
		j.left = ever
		end, after, err := life(j)
		if err != nil || end != outcome || !maps.Equal(j.kept, calm.kept) {
			t.Fatalf("resumed after %d writes, %v:\n%s\n%s\n%v\n%v", n, err, end, outcome, j.kept, calm.kept)
		}
		if before+after > asks+1 {
			t.Errorf("resumed after %d writes: %d and %d requests in place of %d", n, before, after, asks)
		}
	}
}

// asker is a model that is a function.
type asker func(context.Context, model.Request) (*model.Reply, error)

func (a asker) Ask(ctx context.Context, req model.Request) (*model.Reply, error) { return a(ctx, req) }
