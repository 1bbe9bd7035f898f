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
