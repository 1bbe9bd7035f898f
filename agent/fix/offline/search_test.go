package offline

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The candidates that are made ahead are those that are made otherwise, in their order. Nothing is made ahead on one
// core, or if Go has to build something before.
func TestCandidatesAreMadeAhead(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("a", gittest.Files{"a.c": "int f(int a, int b)\n{\n\treturn 0;\n}\n"})
	commit := h.Commit("b", gittest.Files{"a.c": script})
	in := &Input{Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "false"}, Localization: all("a.c", script), Jobs: 2}
	s := &search{in: in, whole: t.Context(), repo: h.Open()}
	var want []string
	for c := range generate.Candidates(t.Context(), s.repo, s.generate()) {
		want = append(want, describe(c))
	}
	<-s.ahead(t.Context())
	defer s.stop()
	if err := s.generates(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		c, ok := s.pull()
		if !ok {
			break
		}
		got = append(got, describe(c))
	}
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("candidates made ahead:\n%q\nwant:\n%q", got, want)
	}
	for name, in := range map[string]*Input{
		"one core": {Problem: in.Problem, Localization: in.Localization, Jobs: 1},
		"Go":       {Problem: in.Problem, Localization: all("a.go", script), Jobs: 2},
	} {
		s := &search{in: in, whole: t.Context(), repo: s.repo}
		if <-s.ahead(t.Context()); s.pull != nil {
			t.Errorf("%s: candidates are made ahead", name)
		}
	}
}

// The newest changes that a shared process could not try are still undone before all other candidates: guesses that were
// made of one of them came first.
func TestLeadsThatASharedProcessGivesBack(t *testing.T) {
	t.Parallel()
	s := &search{in: &Input{}, seen: map[string]bool{}, order: newOrder(), leads: 2}
	list := []generate.Candidate{
		{Files: []gitext.Overlay{{Path: "a.py", Content: []byte("a\n")}}, Origin: "reverts a hunk"},
		{Files: []gitext.Overlay{{Path: "a.py", Content: []byte("b\n")}}, Origin: "reverts the file"},
	}
	var batch []waiting
	for _, c := range list {
		lead, _ := s.takeLead(c)
		batch = append(batch, lead)
	}
	(&screen{search: s}).giveUp(batch, true)
	if n := s.returned(); n != 2 || s.leads != 0 || s.started != 0 {
		t.Errorf("%d of 2 came back, %d are left, %d began", n, s.leads, s.started)
	}
	for _, c := range list {
		if lead, ok := s.takeLead(c); !ok || lead.Origin != c.Origin {
			t.Errorf("%s: %t, %s", c.Origin, ok, lead.Origin)
		}
	}
	if _, ok := s.takeLead(list[0]); ok || s.started != 2 || len(s.window) != 0 {
		t.Errorf("a change is undone again: %d began, %d wait", s.started, len(s.window))
	}
}

// Where few runs of the test fit into the time, all uncommitted changes of a file are undone before each of them.
func TestWholeFileComesFirstInShortTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for took, want := range map[time.Duration]string{time.Minute: "hunk file other commit", 10 * time.Minute: "file other hunk commit"} {
		list := []generate.Candidate{
			{Origin: "hunk", Kind: generate.Hunk}, {Origin: "file", Kind: generate.FileHunks}, {Origin: "other", Kind: generate.FileHunks},
			{Origin: "commit", Kind: generate.FileHunks, Commit: "1"},
		}
		s := &search{baseline: baseline{took: took}}
		s.wholeFirst(ctx, list)
		var got []string
		for _, c := range list {
			got = append(got, c.Origin)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s", took, got)
		}
	}
}

// The uncommitted changes of all files are undone together after those of two files, and before those of more files, which may
// all be tried in vain until the time for the newest changes is over.
func TestAllFilesComeFirstWhereTheyAreMany(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for _, c := range []struct{ files, want string }{{"ab", "a b all part"}, {"abc", "all a b c part"}} {
		list := []generate.Candidate{{Origin: "part", Kind: generate.Hunk, Files: []gitext.Overlay{{Path: "a"}}}}
		together := generate.Candidate{Origin: "all", Kind: generate.FileHunks}
		for _, name := range strings.Split(c.files, "") {
			one := generate.Candidate{Origin: name, Kind: generate.Hunk, Files: []gitext.Overlay{{Path: name}}}
			if name == "a" {
				one.Kind = generate.FileHunks
			}
			together.Files = append(together.Files, one.Files...)
			list = append(list, one)
		}
		s := &search{baseline: baseline{took: 10 * time.Minute}}
		list = append(list, together)
		s.wholeFirst(ctx, list)
		var got []string
		for _, c := range list {
			got = append(got, c.Origin)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s", c.files, got)
		}
	}
}

// The time for the newest changes may be over before the uncommitted changes of all files are undone together, which are tried all the
// same, in one run.
func TestAllFilesAreTriedWhenItIsLate(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	files := []gitext.Overlay{{Path: "a"}, {Path: "b"}}
	for _, c := range []struct {
		ago  time.Duration
		c    generate.Candidate
		want bool
	}{
		{0, generate.Candidate{Files: files[:1]}, false}, {time.Hour, generate.Candidate{Files: files[:1]}, true},
		{time.Hour, generate.Candidate{Files: files}, false}, {time.Hour, generate.Candidate{Files: files, Commit: "1"}, true},
	} {
		if got := late(ctx, time.Now().Add(-c.ago), c.c); got != c.want {
			t.Errorf("%s ago, %+v: %t", c.ago, c.c, got)
		}
	}
}

// Of two files with uncommitted changes that fail together, no single one repairs the test: all changes are undone together. The
// test stays as it is.
func TestUncommittedChangesOfTwoFilesAreUndoneTogether(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const tests = "grep -q 'n - 1' a.c && grep -q 'n - 1' b.c || { echo '--- FAIL: TestF'; exit 1; }\n"
	before := "int f(int n)\n{\n\treturn n - 1;\n}\n"
	commit := h.Commit("c", gittest.Files{"a.c": before, "b.c": before, "f_test.sh": "exit 0\n"})
	over := []gitext.Overlay{{Path: "f_test.sh", Mode: 0o100644, Content: []byte(tests)}}
	after := strings.Replace(before, "n - 1", "g(n)", 1)
	for _, name := range []string{"a.c", "b.c"} {
		over = append(over, gitext.Overlay{Path: name, Mode: 0o100644, Content: []byte(after)})
	}
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem:      fix.Problem{Tree: fix.Tree{Commit: commit, Over: over}, Test: "sh f_test.sh"},
		Localization: all("a.c", after), Trial: options(t), Budget: Budget{Tries: 20, Want: 1, GallopRuns: -1},
	})
	if err != nil || len(trials) != 3 {
		t.Fatalf("%d trials, %v", len(trials), err)
	}
	best := trials[0]
	if best.Verdict != fix.Plausible || len(best.Patch.Files) != 2 || best.Origin != "reverts all uncommitted changes of 2 files" {
		t.Errorf("%+v", best)
	}
}
