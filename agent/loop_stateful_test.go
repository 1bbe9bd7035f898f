package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// A counter is a Stateful tool that counts its calls.
type counter struct {
	fake
	n, resumed int
}

func newCounter() *counter {
	c := &counter{}
	c.fake = fake{"count", func(context.Context, json.RawMessage) (Result, error) {
		c.n++
		return Result{Text: fmt.Sprint("count ", c.n)}, nil
	}}
	return c
}

func (c *counter) Resume(_ context.Context, _ json.RawMessage, recorded CallResult) error {
	c.n, c.resumed = c.n+1, c.resumed+1
	if want := fmt.Sprint("count ", c.n); recorded.Text != want {
		return fmt.Errorf("recorded %q, want %q", recorded.Text, want)
	}
	return nil
}

// Equal calls of a Stateful tool run each time, in order, also within one answer. A
// resumed run brings the tool to its state without calling it.
func TestStatefulToolsRunInOrder(t *testing.T) {
	t.Parallel()
	talk := []turn{call("count", `{}`, "count", `{}`), call("count", `{}`), fails("transport")}
	journal := &mortalJournal{left: 1000, kept: map[string]string{}}
	s := &script{turns: talk}
	l, tool := newTestLoop(s), newCounter()
	l.Tools, l.Journal = append(l.Tools, tool), journal
	if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFailed || tool.n != 3 {
		t.Fatalf("%+v, %v, called %d times", out, err, tool.n)
	}
	if got := s.last().Text; got != "count 3" {
		t.Errorf("the third call is answered with %q", got)
	}
	s = &script{turns: []turn{call("count", `{}`), say("verdict x")}}
	l, tool = newTestLoop(s), newCounter()
	l.Tools, l.Journal = append(l.Tools, tool), journal
	if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFound || tool.resumed != 3 || s.last().Text != "count 4" {
		t.Errorf("%+v, %v, resumed %d calls, then %q", out, err, tool.resumed, s.last().Text)
	}
}

// A reason of Stop ends the conversation like a limit: the model may answer once more.
func TestStopEndsTheConversation(t *testing.T) {
	t.Parallel()
	s := &script{turns: []turn{call("count", `{}`), call("count", `{}`), say("verdict x")}}
	l, tool := newTestLoop(s), newCounter()
	l.Tools = append(l.Tools, tool)
	l.Stop = func() string {
		if tool.n < 2 {
			return ""
		}
		return "it goes in circles"
	}
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusFound || out.Reason != "it goes in circles" || tool.n != 2 || s.last().Text != "say it now" {
		t.Errorf("%+v, %v, asked %q", out, err, s.last().Text)
	}
}

// A doer is a Stateful tool with a deed.
type doer struct {
	counter
	deed Deed
}

func (d *doer) Spec() Spec {
	s := d.fake.Spec()
	s.Deed = d.deed
	return s
}

// If an edit fails, a test of the same answer does not run, but a test of the next answer
// does.
func TestNoTestAfterAFailedEdit(t *testing.T) {
	t.Parallel()
	s := &script{turns: []turn{call("edit", `{}`, "test", `{}`), call("test", `{}`), say("verdict x")}}
	l, edit, test := newTestLoop(s), &doer{deed: DeedEdit}, &doer{deed: DeedTest}
	edit.fake = fake{"edit", func(context.Context, json.RawMessage) (Result, error) {
		return Result{}, &CallError{Tool: "edit", Text: "the text is not there"}
	}}
	test.fake = fake{"test", func(context.Context, json.RawMessage) (Result, error) {
		test.n++
		return Result{Text: "it fails"}, nil
	}}
	l.Tools = append(l.Tools, edit, test)
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusFound || test.n != 1 {
		t.Fatalf("%+v, %v; the test ran %d times", out, err, test.n)
	}
}
