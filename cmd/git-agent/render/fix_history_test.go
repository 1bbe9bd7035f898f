package render

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// A commit that wrote lines of two functions of a file is listed once: ractors.rb of Rails had it twice.
func TestCommitsOfOneFileAreListedOnce(t *testing.T) {
	t.Parallel()
	a, b := gitext.Commit{OID: "a"}, gitext.Commit{OID: "b"}
	list := joinFunctions([]fix.Blamed{
		{Commit: a, Path: "x.rb", Lines: []int{1, 2}},
		{Commit: b, Path: "x.rb", Lines: []int{9}},
		{Commit: a, Path: "x.rb", Lines: []int{5}},
		{Commit: a, Path: "x.rb", Lines: []int{8}, Nearby: true},
		{Commit: a, Path: "y.rb", Lines: []int{3}},
	})
	if len(list) != 4 || len(list[0].Lines) != 3 || list[1].Commit.OID != "b" || !list[2].Nearby || list[3].Path != "y.rb" {
		t.Errorf("%+v", list)
	}
}

// A patch whose proof is cut off passed the failing test, so that one was tried.
func TestProofCutOff(t *testing.T) {
	for stopped, want := range map[string]string{
		"stopped at --time" + fix.WhileProved + "reverts 0123abc": "no patch is proved: stopped at --time while a patch was proved that passes the failing test: reverts 0123abc",
		"interrupted": "no patch was tried: interrupted",
	} {
		if got := outcomeText(&fix.Answer{Engine: "offline", Stopped: stopped}, false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
