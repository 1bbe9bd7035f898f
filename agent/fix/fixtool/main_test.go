package fixtool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/symbol"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// TestMain lets the test binary act as the sandbox helper.
func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

// A bench is a box in its own work tree.
type bench struct {
	t     *testing.T
	box   *Box
	repo  *gitext.Repo
	space *trial.Workspace
}

// calcFiles are those of a small project, whose test compares the output of a script.
var calcFiles = gittest.Files{
	"calc.go":      "package calc\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a - b\n}\n\n// Mul multiplies.\nfunc Mul(a, b int) int {\n\treturn a * b\n}\n",
	"calc_test.go": "package calc\n\nfunc TestAdd() { Add(1, 2) }\n",
	"lib/x.py":     "def f(x):\n    return x\n\ndef g(x):\n    return f(x) + 1\n",
	"README":       "calc\n",
	"go.sum":       "x\n",
}

// failing is a test command that passes if Add adds. Its output has the form of go test.
const failing = `if grep -q 'a + b' calc.go; then echo ok; else echo "--- FAIL: TestAdd (0.00s)"; echo "    calc_test.go:5: got -1, want 3"; exit 1; fi`

// newBench makes a box for a problem in a repository with some files. The problem's commit
// is the newest, if it names none.
func newBench(t *testing.T, files gittest.Files, problem fix.Problem, opt Options) *bench {
	t.Helper()
	h := gittest.New(t)
	tip := h.Commit("Start\n\nAdds things.", files)
	return benchAt(t, h, tip, problem, opt)
}

func benchAt(t *testing.T, h *gittest.History, tip gitext.OID, problem fix.Problem, opt Options) *bench {
	t.Helper()
	problem.Tree.Commit = tip
	repo := h.Open()
	space, err := trial.Open(t.Context(), repo, trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(space.Close)
	b := &bench{t: t, repo: repo, space: space}
	b.open(problem, opt)
	return b
}

// open makes a new box in the work tree, without the changes of another.
func (b *bench) open(problem fix.Problem, opt Options) {
	t := b.t
	t.Helper()
	if err := b.space.Prepare(t.Context(), problem.Tree.Commit, problem.Tree.Over); err != nil {
		t.Fatal(err)
	}
	opt.Definitions = symbol.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "symbols")}
	box, err := New(t.Context(), b.repo, b.space, problem, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { box.Close() })
	b.box = box
}

// tool returns the tool called name.
func (b *bench) tool(name string) agent.Tool {
	b.t.Helper()
	i := slices.IndexFunc(append(b.box.Tools(), b.box.Reading()...), func(t agent.Tool) bool { return t.Spec().Name == name })
	if i < 0 {
		b.t.Fatalf("there is no tool %s", name)
	}
	return append(b.box.Tools(), b.box.Reading()...)[i]
}

// call calls a tool and returns the text for the model.
func (b *bench) call(name string, args any) string {
	b.t.Helper()
	return b.result(name, args).Text
}

func (b *bench) result(name string, args any) agent.Result {
	b.t.Helper()
	text, ok := args.(string)
	if !ok {
		data, err := json.Marshal(args)
		if err != nil {
			b.t.Fatal(err)
		}
		text = string(data)
	}
	res, err := b.tool(name).Call(context.WithoutCancel(b.t.Context()), json.RawMessage(text))
	var refused *agent.CallError
	switch {
	case errors.As(err, &refused):
		res.Text = refused.Answer()
	case err != nil:
		b.t.Fatalf("%s %.200s: %v", name, text, err)
	}
	if strings.ContainsFunc(res.Text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) {
		b.t.Errorf("%s: control characters in %q", name, res.Text)
	}
	return res
}

// file returns a file of the work tree.
func (b *bench) file(name string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.space.Dir(), name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

// patch describes the patch: path, mode and length of each file.
func (b *bench) patch() string {
	b.t.Helper()
	files, err := b.box.Files(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	var list []string
	for _, o := range files {
		list = append(list, fmt.Sprintf("%s %o %d", o.Path, o.Mode, len(o.Content)))
	}
	return strings.Join(list, "; ")
}

// m is the arguments of a call.
type m = map[string]any
