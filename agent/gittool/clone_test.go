package gittool

import (
	"context"
	"os"
	"path/filepath"
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
	// At the end of a shallow history the answers say so, and blame continues.
	f := calcHistory(t)
	c := cloneOf(f, "--depth=2")
	repo, err := gitext.Open(context.Background(), gitext.OpenOptions{Dir: c.dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	box, err := New(repo, Scope{Tip: f.oid["last"]}, Options{})
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
	// An answer that needs a missing object names it or omits the part that needs it;
	// nothing is fetched, and nothing is kept.
	f := calcHistory(t)
	c := cloneOf(f, "--filter=blob:none")
	memory := &recorder{}
	box := c.toolbox(Scope{}, Options{Memory: memory})
	for _, call := range [][3]string{
		{"git_blame", `{"path":"src/calc.c"}`, `error: this clone lacks object`},
		{"git_blame", `{"path":"src/calc.c"}`, `, which the answer about "src/calc.c" needs; `},
		{"git_show", `{"commit":"{zero}"}`, "note: this clone lacks object"},
		{"git_show", `{"commit":"{zero}"}`, "M lib/calc.c +0 -0"},
		{"git_log_search", `{"pattern":"divide"}`, "error: this clone lacks object"},
		{"git_log_function", `{"path":"src/calc.c","function":"divide"}`, "error: this clone lacks object"},
		{"git_grep", `{"pattern":"divide","path":"nowhere"}`, `error: "nowhere" is not in`},
	} {
		if got := f.transcript(box, [][2]string{{call[0], call[1]}}); !strings.Contains(got, call[2]) {
			t.Errorf("no %q in %s", call[2], got)
		}
	}
	if memory.puts > 0 {
		t.Errorf("%d answers were kept", memory.puts)
	}
	if missing := c.git("rev-list", "--objects", "--all", "--missing=print"); !strings.Contains(missing, "\n?") {
		t.Error("objects were fetched")
	}
}

func TestMissingBlobCostsOnlyItsPart(t *testing.T) {
	// With one old blob gone, searches answer from the newer commits and name their end,
	// and a commit is shown without the file that needs the blob.
	f := newFixture(t)
	f.write("a.c", "int old;\n")
	f.write("b.c", "int b;\n")
	f.commit("one", "one\n")
	f.write("a.c", "int changed;\n")
	f.write("b.c", "int bb;\n")
	f.commit("two", "two\n")
	f.write("a.c", "int changed;\nint more;\n")
	f.commit("three", "three\n")
	gone := f.git("rev-parse", string(f.oid["one"])+":a.c")
	if err := os.Remove(filepath.Join(f.dir, ".git", "objects", gone[:2], gone[2:])); err != nil {
		t.Fatal(err)
	}
	memory := &recorder{}
	box := f.toolbox(Scope{Tip: f.oid["three"]}, Options{Memory: memory})
	got := f.transcript(box, [][2]string{
		{"git_show", `{"commit":"{two}"}`},
		{"git_log_search", `{"pattern":"more"}`},
		{"git_log_function", `{"path":"a.c","start":1,"end":2}`},
		{"git_grep", `{"pattern":"int","commit":"{one}"}`},
	})
	for _, want := range []string{"b.c\n  L1: int b;", "files that need them were not searched", "-int b;\n+int bb;", "M a.c +0 -0", "+ a.c:2: int more;", "three +1 -0", gone[:12]} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "this clone lacks object"); n != 4 || memory.puts != 0 {
		t.Errorf("%d answers say what is missing, %d were kept:\n%s", n, memory.puts, got)
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
	answers := f.transcript(f.toolbox(Scope{Tip: f.oid["two"]}, Options{}), [][2]string{
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
	box := f.toolbox(Scope{}, Options{Memory: &recorder{}})
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
