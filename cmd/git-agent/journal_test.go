package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model/modeltest"
)

// Damage to the record that shows while the model works costs the rest of the
// record, with one warning, and not the answer; the next run is recorded.
func TestRecordIsLostAndTheAnswerIsNot(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"tables are gone": func(file string) error {
			for _, part := range []string{file, file + "-wal"} {
				if err := os.WriteFile(part, []byte(strings.Repeat("no database\n", 3000)), 0o600); err != nil {
					return err
				}
			}
			return nil
		},
		"cut":     func(file string) error { return os.Truncate(file, 4096) },
		"removed": func(file string) error { return os.RemoveAll(filepath.Dir(file)) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newDetectiveBench(t)
			damaged := false
			b.serve(func(req modeltest.Request) modeltest.Reply {
				if req.Turn() > 1 {
					return reports(b.bug)
				}
				if !damaged && req.Turn() == 1 {
					damaged = true
					found, err := filepath.Glob(filepath.Join(b.home, ".state", "git-agent", "r-*", "traces.db"))
					if err != nil || len(found) != 1 {
						t.Errorf("found %q, %v", found, err)
						return reports(b.bug)
					}
					if err := damage(found[0]); err != nil {
						t.Error(err)
					}
				}
				return modeltest.Call("git_show", `{"commit":"HEAD~2"}`)
			})
			out, errs := b.run(exitFound, "szz", "--no-cache", "--format=%H %(engine)")
			if out != b.bug+" agent\n" {
				t.Errorf("answer %q", out)
			}
			if n := strings.Count(errs, "warning: "); n > 1 {
				t.Errorf("%d warnings: %s", n, errs)
			}
			t.Log(errs)
			if out, _ := b.run(exitFound, "szz", "--no-cache", "--format=%H %(engine) %(trace)"); !strings.HasPrefix(out, b.bug+" agent 2") {
				t.Errorf("the next run: %q", out)
			}
			if out, _ := b.run(exitFound, "trace", "list"); strings.Count(out, "\n") < 1 {
				t.Errorf("listed %q", out)
			}
		})
	}
}

// Where no run can be recorded, the model is asked all the same.
func TestUnrecordedRun(t *testing.T) {
	b := newDetectiveBench(t)
	b.serve(always(reports(b.bug)))
	b.git("config", "--global", "agent.dataDir", "relative")
	out, errs := b.run(exitFound, "szz", "--format=%H %(engine)")
	if out != b.bug+" agent\n" || strings.Count(errs, "is not recorded") != 1 {
		t.Errorf("answer %q\n%s", out, errs)
	}
}

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

// The first error ends the record; what comes after it is neither written nor an error.
func TestOptionalJournal(t *testing.T) {
	told := 0
	f := &failing{left: 2}
	j := &optionalJournal{Journal: f, lost: func(error) { told++ }}
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
	j = &optionalJournal{Journal: &failing{}, lost: func(error) { told++ }}
	if err := j.Intend(canceled, "k", nil); err == nil || told != 1 {
		t.Errorf("a caller who stopped waiting: %v, told %d times", err, told)
	}
}
