package rank

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/stat"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// stackOf makes a stack of frames given as "function path", or "function" for one
// outside the project.
func stackOf(kind crash.StackKind, frames ...string) crash.Stack {
	s := crash.Stack{Kind: kind, Format: "gdb"}
	for i, f := range frames {
		function, path, _ := strings.Cut(f, " ")
		s.Frames = append(s.Frames, crash.Frame{Function: function, Path: path, File: path, Line: i + 1})
	}
	return s
}

func pathsOf(files []crash.File) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

// ranked orders the files of a report without a repository.
func ranked(report *crash.Report) string {
	return pathsOf(choose(report, collect(report), committed()))
}

func TestBaselines(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{
		stackOf(crash.StackException, "throw io.c", "f b.c"),
		stackOf(crash.StackCrash, "abort", "g a.c", "f b.c", "main main.c"),
		stackOf(crash.StackThread, "poll loop.c"),
	}}
	if got := pathsOf(inOrder(report, false)); got != "a.c b.c main.c loop.c io.c" {
		t.Errorf("baseline 1: %s", got)
	}
	got := inOrder(report, true)
	if pathsOf(got) != "io.c b.c a.c main.c loop.c" {
		t.Errorf("baseline 2: %s", pathsOf(got))
	}
	if want := []crash.FrameRef{{Stack: 0, Frame: 1}, {Stack: 1, Frame: 2}}; !slices.Equal(got[1].Frames, want) {
		t.Errorf("frames of b.c: %v", got[1].Frames)
	}
}

func TestMainStack(t *testing.T) {
	// A pending exception comes before the stack of an abort, but not before the stack of a
	// signal. The search does not start in a stack without the project's frames.
	t.Parallel()
	for _, test := range []struct {
		signal int
		want   int
	}{{0, 1}, {6, 1}, {11, 2}} {
		report := &crash.Report{
			Problems: []crash.Problem{{Kind: "x", Signal: test.signal}},
			Stacks: []crash.Stack{
				stackOf(crash.StackCrash, "abort"),
				stackOf(crash.StackException, "throw io.c"),
				stackOf(crash.StackCrash, "g a.c"),
			},
		}
		if got := MainStack(report); got != test.want {
			t.Errorf("signal %d: stack %d, want %d", test.signal, got, test.want)
		}
	}
	if got := MainStack(&crash.Report{Stacks: []crash.Stack{stackOf(crash.StackCrash, "abort")}}); got != -1 {
		t.Errorf("no frame of the project: %d", got)
	}
}

func TestReadCalls(t *testing.T) {
	// The file that called with a null pointer is distinguished from the called file.
	t.Parallel()
	stack := stackOf(crash.StackCrash, "read_header a.c", "open_it b.c", "run b.c", "main c.c")
	stack.Frames[0].NullArgument = "header"
	files := collect(&crash.Report{Stacks: []crash.Stack{stack}})
	for i, want := range []bool{false, true, false} {
		if got := files[i]; got.gaveNull != want {
			t.Errorf("%s: gave null %v", got.path, got.gaveNull)
		}
	}
}

func TestRankByTheModel(t *testing.T) {
	// The model must have learned these rules: helpers, generic files, headers and tests rank
	// after their callers, and the file that freed the memory ranks before the one that runs the
	// loop.
	t.Parallel()
	for name, test := range map[string]struct {
		stacks []crash.Stack
		first  string
	}{
		"innermost":         {[]crash.Stack{stackOf(crash.StackCrash, "f a.c", "g b.c", "main main.c")}, "a.c"},
		"helpers":           {[]crash.Stack{stackOf(crash.StackCrash, "abort", "xabort src/log.c", "log_fatal src/log.c", "f src/a.c", "g src/b.c")}, "src/a.c"},
		"generic":           {[]crash.Stack{stackOf(crash.StackCrash, "list_add lib/list.c", "f src/a.c", "g src/b.c")}, "src/a.c"},
		"header":            {[]crash.Stack{stackOf(crash.StackCrash, "at vec.h", "f a.c", "g b.c")}, "a.c"},
		"harness":           {[]crash.Stack{stackOf(crash.StackCrash, "run tests/fuzz_x.c", "f a.c")}, "a.c"},
		"use after free":    {[]crash.Stack{stackOf(crash.StackCrash, "run loop.c", "step loop.c", "main main.c"), stackOf(crash.StackFree, "free", "drop own.c", "main main.c")}, "own.c"},
		"uninitialized":     {[]crash.Stack{stackOf(crash.StackCrash, "send net.c", "flush out.c", "main main.c"), stackOf(crash.StackOrigin, "make msg.c")}, "msg.c"},
		"assertion's place": {[]crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{{Path: "b.c", Assertion: true}}}, stackOf(crash.StackCrash, "abort", "f a.c", "g b.c")}, "b.c"},
	} {
		got := ranked(&crash.Report{Stacks: test.stacks})
		if first, _, _ := strings.Cut(got, " "); first != test.first {
			t.Errorf("%s: %s, want %s first", name, got, test.first)
		}
	}
}

func TestReasons(t *testing.T) {
	// Only the file that freed the memory is said to have freed it, and only the first
	// frame is the innermost one.
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{
		stackOf(crash.StackCrash, "abort", "xabort log.c", "f lib/a.c", "g b.c", "h b.c", "main main.c"),
		stackOf(crash.StackFree, "free", "obj_free mem.c", "drop own.c", "main main.c"),
	}}
	got := map[string]string{}
	for _, e := range collect(report) {
		got[e.path] = strings.Join(e.reasons(report), "; ")
	}
	for path, want := range map[string]string{
		"log.c":   "innermost frame of the project; its functions there only report or allocate",
		"lib/a.c": "innermost frame of the project that does more than report or allocate; in lib/, a usual name for shared code",
		"b.c":     "2 frames from the innermost of the project; 2 frames of that stack are in it",
		"mem.c":   "in the stack that freed the memory",
		"own.c":   "freed the memory",
		"main.c":  "4 frames from the innermost of the project; in the stack that freed the memory",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
}

func TestModelIsWhole(t *testing.T) {
	// Every feature has a weight in both halves, and the model describes its training data.
	t.Parallel()
	m := committed()
	for _, name := range append(FeatureNames(), stat.NoneWeight) {
		_, native := m.Native[name]
		_, managed := m.Managed[name]
		if !native || !managed {
			t.Errorf("%s: native %v, managed %v", name, native, managed)
		}
	}
	if len(m.Native) != len(FeatureNames())+1 || m.Made.Cases < 500 || len(m.Made.Repositories) < 30 {
		t.Errorf("%d weights, %+v", len(m.Native), m.Made)
	}
	if lo, hi := m.Calibration.Probability(0.1, true), m.Calibration.Probability(0.9, true); lo <= 0 || lo >= hi || hi >= 1 {
		t.Errorf("probabilities %f, %f", lo, hi)
	}
}

func TestRelatedFiles(t *testing.T) {
	// Files that changed with the ranked ones follow, the most frequent first. Deleted files,
	// documents, very large commits, and changes after the crash do not count.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.c": "1\n", "b.c": "1\n", "gone.c": "1\n", "README.md": "1\n"})
	h.Commit("two", gittest.Files{"a.c": "2\n", "b.c": "2\n", "README.md": "2\n"})
	h.Commit("three", gittest.Files{"a.c": "3\n", "c.c": "3\n"})
	sweep := gittest.Files{"a.c": "4\n"}
	for i := range relatedWide + 1 {
		sweep[fmt.Sprintf("s%d.c", i)] = "4\n"
	}
	h.Commit("sweep", sweep)
	h.Git("rm", "-q", "gone.c")
	crashed := h.Commit("remove", gittest.Files{"d.c": "1\n"})
	h.Commit("later", gittest.Files{"a.c": "5\n", "late.c": "5\n"})
	repo := h.Open()
	history, err := pastOf(t.Context(), repo, crashed, []*evidence{{path: "a.c"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := history.related(t.Context(), repo, crashed, []crash.File{{Path: "a.c"}}, map[string]bool{"a.c": true})
	if err != nil || pathsOf(got) != "b.c c.c" {
		t.Errorf("%s, %v", pathsOf(got), err)
	}
	for _, f := range got {
		if !f.Related || len(f.Reasons) != 1 {
			t.Errorf("%+v", f)
		}
	}
	if got, err := history.related(t.Context(), repo, gitext.OID(crashed), nil, nil); err != nil || len(got) != 0 {
		t.Errorf("without files: %v, %v", got, err)
	}
}
