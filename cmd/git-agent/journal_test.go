package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// Damage to the record that appears during the model's work costs only the rest
// of the record, with one warning, but not the answer; the next run is recorded.
func TestRecordIsLostAndTheAnswerIsNot(t *testing.T) {
	t.Parallel()
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
			b := newAgentBench(t)
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
			out, errs := b.run(app.ExitFound, "szz", "--no-cache", "--format=%H %(engine)")
			if out != b.bug+" agent\n" {
				t.Errorf("answer %q", out)
			}
			if n := strings.Count(errs, "warning: "); n > 1 {
				t.Errorf("%d warnings: %s", n, errs)
			}
			t.Log(errs)
			if out, _ := b.run(app.ExitFound, "szz", "--no-cache", "--format=%H %(engine) %(trace)"); !strings.HasPrefix(out, b.bug+" agent 2") {
				t.Errorf("the next run: %q", out)
			}
			if out, _ := b.run(app.ExitFound, "trace", "list"); strings.Count(out, "\n") < 1 {
				t.Errorf("listed %q", out)
			}
		})
	}
}

// If no run can be recorded, the model is still asked.
func TestUnrecordedRun(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.serve(always(reports(b.bug)))
	b.git("config", "--global", "agent.dataDir", "relative")
	out, errs := b.run(app.ExitFound, "szz", "--format=%H %(engine)")
	if out != b.bug+" agent\n" || strings.Count(errs, "is not recorded") != 1 {
		t.Errorf("answer %q\n%s", out, errs)
	}
}
