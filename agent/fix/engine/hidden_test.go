package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

// Only a file that the command starts as a program or passes to an interpreter is a script.
func TestScriptsOf(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"./repro.sh":                              "./repro.sh",
		"/opt/r.sh a b && sh -e x.sh":             "/opt/r.sh",
		"A=1 python3 ../x.py | tee /dev/null":     "../x.py",
		"go test ./... > out; ~/bin/check":        "~/bin/check",
		"python3 -m pytest tests/a.py; make test": "",
		"\"$PWD\"/x.sh":                           "",
		"sh check.sh":                             "check.sh",
	} {
		if got := scriptsOf(command); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// A script that only the user can see is named, with advice; its absence is not taken for the
// bug.
func TestHiddenScript(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("begin", gittest.Files{"size.sh": badScript, "text": "one\ntwo\n", ".gitignore": "check.sh\n"})
	b := &Engine{Repo: h.Open(), Effort: Effort{Abstain: true}, Trial: trial.Options{Sandbox: sandbox.None, Scratch: t.TempDir(), MaxRuns: 100}}
	for name := range map[string]bool{"check.sh": true, "../outside.sh": true} {
		if err := os.WriteFile(filepath.Join(b.Repo.WorkTree(), name), []byte("exit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for command, want := range map[string]string{
		"sh check.sh":         "to which check.sh is not copied, because it is ignored",
		"sh ../outside.sh":    "from which there is no ../outside.sh: name it by its absolute path",
		"sh ../nowhere.sh":    "",
		"sh size.sh | grep 2": "",
	} {
		ans, err := b.Answer(t.Context(), fix.Question{Problem: fix.Problem{Tree: fix.Tree{Commit: h.Head()}, Test: command}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(ans.Declined, want) || want == "" && strings.Contains(ans.Declined, "scratch") {
			t.Errorf("%s: declined %q, want %q", command, ans.Declined, want)
		}
	}
}
