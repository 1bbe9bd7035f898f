package session

import (
	"context"
	"errors"
	"testing"

	"git-agent/agent"
)

// failing is a journal whose disk is full from the n-th step on.
type failing struct {
	agent.Journal
	left int
}

func (f *failing) write() error {
	if f.left--; f.left < 0 {
		return errors.New("no space")
	}
	return nil
}

func (f *failing) Recall(context.Context, string) ([]byte, bool, error) { return nil, false, f.write() }
func (f *failing) Intend(context.Context, string, []byte) error         { return f.write() }
func (f *failing) Record(context.Context, string, []byte) error         { return f.write() }
func (f *failing) Note(context.Context, string, []byte) error           { return f.write() }

// The first error ends the record; later steps are neither written nor an error.
func TestOptionalJournal(t *testing.T) {
	told := 0
	f := &failing{left: 2}
	j := &optionalJournal{Journal: f, onEnd: func(error) { told++ }}
	ctx := t.Context()
	for range 3 {
		_, found, err := j.Recall(ctx, "k")
		if err = errors.Join(err, j.Intend(ctx, "k", nil), j.Record(ctx, "k", nil), j.Note(ctx, "k", nil)); err != nil || found {
			t.Errorf("found %t, %v", found, err)
		}
	}
	if told != 1 || f.left != -1 {
		t.Errorf("told %d times, %d steps left", told, f.left)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	j = &optionalJournal{Journal: &failing{}, onEnd: func(error) { told++ }}
	if err := j.Intend(canceled, "k", nil); err == nil || told != 1 {
		t.Errorf("a caller who stopped waiting: %v, told %d times", err, told)
	}
}
