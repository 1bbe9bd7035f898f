package culprit

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A fixture is a small history of two functions, in which the commit "guard" broke
// the second one.
type fixture struct {
	*gittest.History
	repo              *gitext.Repo
	first, guard, tip gitext.OID
}

var (
	top  = []string{"int open_it(struct s *s)", "{", "\tif (!s)", "\t\treturn -1;", "\treturn read_it(s);", "}", ""}
	base = []string{"static int", "read_it(struct s *s)", "{", "\tint n = 0;", "", "\tn = s->head->size;", "\treturn n;", "}"}
)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := gittest.New(t)
	f := &fixture{History: h}
	f.first = h.Commit("import", gittest.Files{"src/io.c": gittest.Lines(slices.Concat(base, []string{""}, top)...), "src/other.c": "int other;\n"})
	h.Commit("io: say what is opened", gittest.Files{"src/io.c": gittest.Lines(slices.Concat(base, []string{""}, top[:2], []string{"\tlog_open(s);"}, top[2:])...)})
	changed := slices.Clone(base)
	changed[5] = "\tn = s->tail->size;"
	f.guard = h.Commit("io: read_it reads from the tail", gittest.Files{"src/io.c": gittest.Lines(slices.Concat(changed, []string{""}, top[:2], []string{"\tlog_open(s);"}, top[2:])...)})
	f.tip = h.Commit("docs", gittest.Files{"README": "x\n"})
	f.repo = h.Open()
	return f
}

// report returns a report of a crash in read_it, which open_it called.
func (f *fixture) report() (*crash.Report, []crash.File) {
	r := &crash.Report{
		Problems: []crash.Problem{{Kind: "SIGSEGV", Signal: 11}},
		Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{
			{Function: "memcpy", Module: "libc.so.6"},
			{Function: "read_it", File: "src/io.c", Path: "src/io.c", Line: 6},
			{Function: "open_it", File: "src/io.c", Path: "src/io.c", Line: 15},
		}}},
	}
	return r, []crash.File{{Path: "src/io.c", Score: 0.8, Probability: 0.8, Frames: []crash.FrameRef{{Stack: 0, Frame: 1}, {Stack: 0, Frame: 2}}}}
}

func find(t *testing.T, f *fixture, opt Options) *Found {
	t.Helper()
	report, files := f.report()
	found, err := Find(t.Context(), f.repo, f.Head(), report, files, opt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func subjects(list []suspect.Suspect) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.Commit.Subject())
	}
	return out
}

func TestFind(t *testing.T) {
	// The commit that wrote the line of the first frame comes first. Its reason names frame and
	// line, and its evidence is the line, with a working command.
	t.Parallel()
	f := newFixture(t)
	found := find(t, f, Options{Max: 5})
	if len(found.Suspects) == 0 || found.Suspects[0].Commit.OID != f.guard {
		t.Fatalf("%q", subjects(found.Suspects))
	}
	s := found.Suspects[0]
	if want := "It wrote line 6 of src/io.c, where frame 1 is, and 1 of the 8 lines of read_it()"; s.Reason != want {
		t.Errorf("reason %q, want %q", s.Reason, want)
	}
	if s.Probability <= 0 || s.Probability >= 1 || len(s.Signals) == 0 {
		t.Errorf("probability %v, signals %v", s.Probability, s.Signals)
	}
	if len(s.Evidence) != 1 || s.Evidence[0].Line != 6 || s.Evidence[0].Path != "src/io.c" || s.Evidence[0].Text != "n = s->tail->size;" {
		t.Errorf("%+v", s.Evidence)
	}
	want := fmt.Sprintf("git blame -w -L1,8 %s -- src/io.c", f.tip.Short())
	if s.Evidence[0].Command != want {
		t.Errorf("command %q, want %q", s.Evidence[0].Command, want)
	}
	cmd := exec.Command("sh", "-c", s.Evidence[0].Command)
	cmd.Dir = f.Dir
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), string(f.guard)[:7]) {
		t.Errorf("%s: %v\n%s", s.Evidence[0].Command, err, out)
	}
	if slices.Contains(subjects(found.Suspects), "docs") {
		t.Errorf("a commit that has nothing to do with the stack: %q", subjects(found.Suspects))
	}
	if again := find(t, f, Options{Max: 5}); !slices.Equal(subjects(again.Suspects), subjects(found.Suspects)) {
		t.Errorf("%q, then %q", subjects(found.Suspects), subjects(again.Suspects))
	}
}

func TestFindSince(t *testing.T) {
	// Only commits after the good one are suspects, and the reason counts them.
	t.Parallel()
	f := newFixture(t)
	found := find(t, f, Options{Max: 5, Since: f.first})
	if got := subjects(found.Suspects); slices.Contains(got, "import") || got[0] != "io: read_it reads from the tail" {
		t.Errorf("%q", got)
	}
	if want := "; it is one of 3 commits since " + f.first.Short(); !strings.HasSuffix(found.Suspects[0].Reason, want) {
		t.Errorf("reason %q, want the end %q", found.Suspects[0].Reason, want)
	}
	found = find(t, f, Options{Max: 5, Since: f.guard})
	if len(found.Suspects) > 0 || len(found.Notes) != 1 || !strings.HasPrefix(found.Notes[0], "none of the commits since ") {
		t.Errorf("%q, notes %q", subjects(found.Suspects), found.Notes)
	}
}

func TestFindLooksPastIgnoredCommits(t *testing.T) {
	// A commit that the project lists in .git-blame-ignore-revs owns nothing.
	t.Parallel()
	f := newFixture(t)
	f.Commit("ignore", gittest.Files{".git-blame-ignore-revs": "# Reformatted\n" + string(f.guard) + " # all\n" + strings.Repeat("0", 40) + "\nnonsense\n"})
	found := find(t, f, Options{Max: 5})
	if got := subjects(found.Suspects); slices.Contains(got, "io: read_it reads from the tail") || got[0] != "import" {
		t.Errorf("%q", got)
	}
	if c := found.Suspects[0].Evidence[0].Command; !strings.Contains(c, " --ignore-rev="+f.guard.Short()+" ") {
		t.Errorf("command %q", c)
	}
}

// The command that shows the owners of lines works in a repository without a work tree, too, if the
// project lists many commits to ignore.
func TestBlameCommandInABareRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	f := newFixture(t)
	list := []string{string(f.guard)}
	for i := range 5 {
		list = append(list, string(f.Commit(fmt.Sprintf("doc %d", i), gittest.Files{"README": fmt.Sprint(i)})))
	}
	f.Commit("ignore", gittest.Files{".git-blame-ignore-revs": gittest.Lines(list...)})
	bare := filepath.Join(t.TempDir(), "bare")
	f.Git("clone", "-q", "--bare", ".", bare)
	for _, dir := range []string{f.Dir, bare} {
		repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer repo.Close()
		report, files := f.report()
		found, err := Find(t.Context(), repo, f.Head(), report, files, Options{Max: 5})
		if err != nil {
			t.Fatal(err)
		}
		run := exec.Command("sh", "-c", found.Suspects[0].Evidence[0].Command)
		run.Dir = dir
		out, err := run.Output()
		if err != nil || !strings.Contains(string(out), "n = s->tail->size;") || strings.Contains(string(out), string(f.guard[:8])) {
			t.Errorf("%s: %s, %v", found.Suspects[0].Evidence[0].Command, out, err)
		}
	}
}

func TestFindWhatOnlyRemovedLines(t *testing.T) {
	// A commit that only removed lines of a function is a suspect because of the function's
	// history.
	t.Parallel()
	f := newFixture(t)
	changed := slices.Delete(slices.Concat(base, []string{""}, top), 11, 13)
	removed := f.Commit("io: no check", gittest.Files{"src/io.c": gittest.Lines(changed...)})
	report, files := f.report()
	report.Stacks[0].Frames = report.Stacks[0].Frames[2:]
	report.Stacks[0].Frames[0].Line = 12
	found, err := Find(t.Context(), f.repo, removed, report, files, Options{Max: 5})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.Suspects, func(s suspect.Suspect) bool { return s.Commit.OID == removed })
	if i < 0 {
		t.Fatalf("%q", subjects(found.Suspects))
	}
	s := found.Suspects[i]
	if want := "It is the latest commit to change open_it(), of which it left no line"; s.Reason != want {
		t.Errorf("reason %q, want %q", s.Reason, want)
	}
	if want := fmt.Sprintf("git log -1 -L10,13:src/io.c %s", removed.Short()); s.Evidence[0].Command != want {
		t.Errorf("command %q, want %q", s.Evidence[0].Command, want)
	}
}

func TestFindByFunctionsOnly(t *testing.T) {
	// If the report has no lines, the functions that were looked up count.
	t.Parallel()
	f := newFixture(t)
	report, files := f.report()
	for i := range report.Stacks[0].Frames {
		fr := &report.Stacks[0].Frames[i]
		fr.File, fr.Line, fr.DefinedAt = "", 0, []int{0, 2, 10}[i]
	}
	found, err := Find(t.Context(), f.repo, f.tip, report, files, Options{Max: 5})
	if err != nil {
		t.Fatal(err)
	}
	got := subjects(found.Suspects)
	slices.Sort(got)
	if want := []string{"import", "io: read_it reads from the tail", "io: say what is opened"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLatestCommitOfAFile(t *testing.T) {
	// A commit that only changed the caller's file is shown with that file, and by a command that
	// lists it.
	t.Parallel()
	f := newFixture(t)
	const start = "int launch(void)\n{\n\treturn open_it(0);\n}\n"
	f.Commit("other: start", gittest.Files{"src/other.c": start + "int more;\n"})
	report, files := f.report()
	report.Stacks[0].Frames = append(report.Stacks[0].Frames, crash.Frame{Function: "launch", File: "src/other.c", Path: "src/other.c", Line: 3})
	files = append(files, crash.File{Path: "src/other.c", Score: 0.1, Probability: 0.1, Frames: []crash.FrameRef{{Stack: 0, Frame: 3}}})
	last := f.Commit("other: one line less", gittest.Files{"src/other.c": start})
	found, err := Find(t.Context(), f.repo, last, report, files, Options{Max: 9})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(found.Suspects, func(s suspect.Suspect) bool { return s.Commit.OID == last })
	if i < 0 {
		t.Fatalf("%q", subjects(found.Suspects))
	}
	e := found.Suspects[i].Evidence[0]
	if want := fmt.Sprintf("git log --oneline --no-merges -10 %s -- src/io.c src/other.c", last.Short()); e.Path != "src/other.c" || e.Command != want {
		t.Errorf("%s by %q, want %q", e.Path, e.Command, want)
	}
	args := strings.Fields(e.Command)
	out, err := exec.Command("git", append([]string{"-C", f.Dir}, args[1:]...)...).Output()
	if err != nil || !strings.Contains(string(out), "other: one line less") {
		t.Errorf("%s: %s, %v", e.Command, out, err)
	}
}

func TestFindNothing(t *testing.T) {
	// A report without a line of the project has no suspects, and a note says so.
	t.Parallel()
	f := newFixture(t)
	report, files := f.report()
	for _, c := range []func(*crash.Frame){
		func(fr *crash.Frame) { fr.Path = "" },
		func(fr *crash.Frame) { fr.Line = 0 },
		func(fr *crash.Frame) { fr.Line = 1 << 30 },
		func(fr *crash.Frame) { fr.Line = -1 },
		func(fr *crash.Frame) { fr.Path = "src" },
	} {
		r := *report
		r.Stacks = []crash.Stack{report.Stacks[0]}
		r.Stacks[0].Frames = slices.Clone(report.Stacks[0].Frames)
		for i := range r.Stacks[0].Frames {
			c(&r.Stacks[0].Frames[i])
		}
		found, err := Find(t.Context(), f.repo, f.tip, &r, files, Options{Max: 5})
		if err != nil || len(found.Suspects) > 0 || len(found.Notes) != 1 {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

// No commit is suspected for frames that only handle the panic of others, and the note says so, as for derailed/k9s#99.
func TestFramesThatOnlyHandleThePanic(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	report, files := f.report()
	for i := range report.Stacks[0].Frames {
		report.Stacks[0].Frames[i].Handler = true
	}
	found, err := Find(t.Context(), f.repo, f.Head(), report, files, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Suspects) > 0 || len(found.Notes) != 1 || !strings.Contains(found.Notes[0], "only handle the signal or the panic") {
		t.Errorf("suspects %v, notes %q", found.Suspects, found.Notes)
	}
}
