package coverage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

func TestMeasureSaysWhyNot(t *testing.T) {
	// Without a command, without files of a known ecosystem, or if the command starts no tests
	// of one, Measure returns a note and no spectrum.
	t.Parallel()
	for _, c := range []struct {
		files gittest.Files
		test  string
		note  string
	}{
		{gittest.Files{"a": "a\n"}, "", "no test command"},
		{gittest.Files{"a.rb": "a\n"}, "rake test", "measured for Go"},
		{gittest.Files{"go.mod": "module a\n"}, "exit 1", "did not call go test"},
		{gittest.Files{"go.mod": "module a\n"}, "go test ./...; exit 1", "no packages with tests"},
		{gittest.Files{"go.mod": "module a\n", "a_test.go": "not go\n"}, "go test .", "."},
		{gittest.Files{"package.json": "{}\n"}, "exit 1", "No process"},
		{gittest.Files{"a.py": "1\n"}, "exit 1", "No Python process"},
	} {
		sp, note := measured(t, c.files, fix.Problem{Test: c.test}, fix.Reproduction{})
		if sp != nil || !strings.Contains(note, c.note) {
			t.Errorf("%q: %v, %q", c.test, sp, note)
		}
	}
}

func TestMeasureEndsWithItsBudget(t *testing.T) {
	// A command that never ends is cut off, and the note says so.
	t.Parallel()
	h := gittest.New(t)
	w := workspace(t, h)
	p := fix.Problem{Tree: fix.Tree{Commit: h.Commit("c", gittest.Files{"package.json": "{}\n"})}, Test: "sleep 1000"}
	var said []string
	sp, note, err := Measure(t.Context(), w, p, fix.Reproduction{}, Options{Budget: time.Second, OnEvent: func(e agent.Event) {
		said = append(said, e.(agent.Progress).Text)
	}})
	if sp != nil || err != nil || !strings.Contains(note, "cut off after 1s") || len(said) == 0 {
		t.Errorf("%v, %q, %v, %q", sp, note, err, said)
	}
}

func TestMeasureEndsWithItsContext(t *testing.T) {
	// The end of the context is an error.
	t.Parallel()
	h := gittest.New(t)
	w := workspace(t, h)
	p := fix.Problem{Tree: fix.Tree{Commit: h.Commit("c", gittest.Files{"package.json": "{}\n"})}, Test: "sleep 1000"}
	ctx, cancel := context.WithCancel(t.Context())
	opt := Options{OnEvent: func(agent.Event) { cancel() }}
	if sp, note, err := Measure(ctx, w, p, fix.Reproduction{}, opt); sp != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %q, %v", sp, note, err)
	}
}

// workspace opens a workspace that is closed at the end of the test. Its path needs to be
// quoted in a shell.
func workspace(t *testing.T, h *gittest.History) *trial.Workspace {
	t.Helper()
	w, err := trial.Open(t.Context(), h.Open(), trial.Options{
		Command: "exit 1", Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "it's scratch"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func TestCandidates(t *testing.T) {
	// The command decides if it names a tool. Otherwise the files do.
	t.Parallel()
	all := newTree("/w", []string{"go.mod", "package.json", "a.py", "a.c"}, false)
	for command, want := range map[string]string{
		"make check":                              "Go JavaScript Python C and C++",
		"GOFLAGS=-mod=mod go test ./...":          "Go",
		"cd x && npx mocha":                       "JavaScript",
		".venv/bin/pytest -x":                     "Python",
		"python3.12 -m unittest":                  "Python",
		"cmake -S . -B b && make -C b && b/tests": "C and C++",
		"rake go testing":                         "Go JavaScript Python C and C++",
	} {
		var got []string
		for _, e := range candidates(command, all) {
			got = append(got, e.name())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

func TestTreeOfFiles(t *testing.T) {
	// Only tracked files below the work tree count, and tests only on request.
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name  string
		tests bool
		want  string
	}{
		{"/a.go", false, "a.go"}, {"/x/../a.go", false, "a.go"}, {"/b.go", false, ""}, {"/a_test.go", false, ""},
		{"/a_test.go", true, "a_test.go"}, {"/../a.go", false, ""}, {"", false, ""}, {"x/a.go", false, ""},
	} {
		tr := newTree(dir, []string{"a.go", "a_test.go"}, c.tests)
		got, ok := tr.measured(dir + c.name)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: %q, %v", c.name, got, ok)
		}
	}
}
