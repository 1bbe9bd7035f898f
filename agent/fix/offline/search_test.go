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
