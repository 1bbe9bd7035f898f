package offline

import (
	"slices"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
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
