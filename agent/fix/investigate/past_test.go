package investigate

import (
	"fmt"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// The shown history belongs to the first suspected functions, without those whose only ground
// is similar words. If there is any history, some of it is shown.
func TestPast(t *testing.T) {
	t.Parallel()
	executed, words := fix.Ground{Source: fix.SourceCoverage}, fix.Ground{Source: fix.SourceReport}
	for _, c := range []struct {
		grounds []fix.Ground
		blamed  []int // locations
		want    string
	}{
		{[]fix.Ground{executed, executed, words, executed}, []int{3, 2, 1, 0}, "[1 0]"},
		{[]fix.Ground{words, executed}, []int{0, 1}, "[0 1]"},
		{[]fix.Ground{executed, executed, words, executed}, []int{3}, "[3]"},
	} {
		w := &work{}
		w.in.Localization = &fix.Localization{Spectrum: &fix.Spectrum{Failing: 1, Passing: 1}}
		for _, g := range c.grounds {
			w.in.Localization.Locations = append(w.in.Localization.Locations, fix.Location{Grounds: []fix.Ground{g}})
		}
		w.in.History = &fix.History{}
		for _, at := range c.blamed {
			w.in.History.Blamed = append(w.in.History.Blamed, fix.Blamed{Location: at})
		}
		var got []int
		for _, b := range w.past().Blamed {
			got = append(got, b.Location)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v of %v: %v", c.blamed, c.grounds, got)
		}
	}
}

// The texts for a search are the strings and the names of a line.
func TestTextsOf(t *testing.T) {
	t.Parallel()
	if got := fmt.Sprintf("%q", textsOf(`	assert.Equal(t, "help for x", cmd.HideHelp, 'a', "ok")`)); got != `["help for x" "assert" "Equal" "HideHelp"]` {
		t.Errorf("%s", got)
	}
}

// A search leaves out the variables that the failing test itself assigns, and not the names that it calls.
func TestTextsOfTestsAreNotItsOwn(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"test_p.py": "def test_a():\n    console = Console(width=80)\n    expected: str = render_it()\n    assert console.capture() == expected\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"test_p.py::test_a"}}
	got, err := w.textsOfTests(t.Context())
	if want := "[Console width render_it assert capture]"; err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v: %q, want %s", err, got, want)
	}
}
