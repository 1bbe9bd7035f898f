package testcmd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

var update = flag.Bool("update", false, "write what is said into the golden files")

// TestBroken judges the outputs in testdata/broken, which are of broken set-ups: none is a failing
// test, and each ends in one sentence with its cure. A file says what is broken, the exit code and
// the command; behind the output and what is said of it are files of the tree that the cure rests on.
func TestBroken(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil || len(a.Files) < 2 {
			t.Fatal(name, err)
		}
		about := strings.SplitN(strings.TrimSpace(string(a.Comment)), "\n", 3)
		res := trial.Result{Outcome: trial.Fails, Output: a.Files[0].Data, How: "fails"}
		if _, err := fmt.Sscanf(about[1], "exit %d", &res.Exit); err != nil {
			t.Fatal(name, err)
		}
		switch res.Exit {
		case 0:
			res.Outcome = trial.Passes
		case 127:
			res.Outcome, res.How = trial.Unknown, "found no program to run (exit 127)"
		}
		e := testrun.Judge(res, "/src", about[2], time.Now())
		rep := testrun.Summarize(about[2], []testrun.Ending{e})
		files := gittest.Files{"README": ""}
		for _, f := range a.Files[2:] {
			files[f.Name] = string(f.Data)
		}
		h := gittest.New(t)
		cure, err := CureOf(t.Context(), h.Open(), fix.Tree{Commit: h.Commit("c", files)}, rep)
		if err != nil {
			t.Fatal(name, err)
		}
		got := fmt.Sprintf("%s: it %s; %s\n", e.State, e.How, cure.Text()+cure.Install)
		if *update {
			a.Files[1].Data = []byte(got)
			if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if string(a.Files[1].Data) != got {
			t.Errorf("%s: got %s", name, got)
		}
		if e.State != fix.Broken {
			t.Errorf("%s: %s", name, e.State)
		}
	}
}
