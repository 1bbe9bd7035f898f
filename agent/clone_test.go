package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"git-agent/gitext"
)

// cloneOf is a clone of f with the given options.
func cloneOf(f *fixture, options ...string) *fixture {
	f.t.Helper()
	f.git("config", "uploadpack.allowFilter", "true")
	c := &fixture{t: f.t, dir: f.t.TempDir(), oid: f.oid, hash: f.hash}
	c.git(append(append([]string{"clone", "-q", "--no-checkout"}, options...), "file://"+f.dir, ".")...)
	return c
}

func TestShallowClone(t *testing.T) {
	// Where history is cut the answers say so, and blame goes on.
	f := calcHistory(t)
	c := cloneOf(f, "--depth=2")
	repo, err := gitext.Open(context.Background(), gitext.OpenOptions{Dir: c.dir, AllowShallow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	box, err := NewToolbox(repo, Scope{Tip: f.oid["last"]}, ToolOptions{})
	if err != nil {
		t.Fatal(err)
	}
	answers := c.transcript(box, [][2]string{
		{"git_blame", `{"path":"src/calc.c"}`},
		{"git_show", `{"commit":"{last}"}`},
		{"git_show", `{"commit":"{last}^"}`},
		{"git_show", `{"commit":"{zero}"}`},
	})
	for _, want := range []string{"older history is not in this clone", "shallow clone", "no visible commit is called"} {
		if !strings.Contains(answers, want) {
			t.Errorf("no %q in\n%s", want, answers)
		}
	}
}

func TestPartialClone(t *testing.T) {
	// A call that needs a missing object is answered with its name, nothing is
	// fetched, nothing is kept, and what is at hand is answered.
	f := calcHistory(t)
	c := cloneOf(f, "--filter=blob:none")
	memory := &recorder{}
	box := c.toolbox(Scope{}, ToolOptions{Memory: memory})
	for _, call := range [][2]string{
		{"git_blame", `{"path":"src/calc.c"}`},
		{"git_show", `{"commit":"{zero}"}`},
		{"git_log_search", `{"pattern":"divide"}`},
		{"git_log_function", `{"path":"src/calc.c","function":"divide"}`},
	} {
		res, err := box.Call(context.Background(), call[0], json.RawMessage(f.expand(call[1])))
		var refused *CallError
		if !errors.As(err, &refused) || !strings.Contains(refused.Text, "this clone lacks object") {
			t.Errorf("%s: %v, %q", call, err, res.Text)
		}
	}
	if memory.puts > 0 {
		t.Errorf("%d answers were kept", memory.puts)
	}
	if missing := c.git("rev-list", "--objects", "--all", "--missing=print"); !strings.Contains(missing, "\n?") {
		t.Error("objects were fetched")
	}
}

func TestSHA256(t *testing.T) {
	// Names of 64 digits work like those of 40.
	f := newFixture(t)
	f.hash = "sha256"
	f.git("init", "-q", "--object-format=sha256", "sub")
	f.dir += "/sub"
	f.write("a.c", "int a;\n")
	f.commit("one", "one\n")
	f.write("a.c", "int b;\n")
	f.commit("two", "two\n")
	answers := f.transcript(f.toolbox(Scope{Tip: f.oid["two"]}, ToolOptions{}), [][2]string{
		{"git_blame", `{"path":"a.c"}`},
		{"git_show", `{"commit":"{one12}"}`},
		{"git_show", `{"commit":"{one}"}`},
		{"git_log_search", `{"pattern":"int a"}`},
		{"git_log_function", `{"path":"a.c","start":1,"end":1}`},
		{"git_grep", `{"pattern":"int"}`},
	})
	if strings.Contains(answers, "error: ") || len(f.oid["one"]) != 64 {
		t.Errorf("got %s", answers)
	}
}

func TestConcurrentCalls(t *testing.T) {
	// A toolbox serves many callers at once, each with its own notes.
	f := calcHistory(t)
	box := f.toolbox(Scope{}, ToolOptions{Memory: &recorder{}})
	want := f.transcript(box, goodCalls)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := f.transcript(box, goodCalls); got != want {
				t.Errorf("got %s", got)
			}
		})
	}
	wg.Wait()
}
