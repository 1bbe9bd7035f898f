package render

import (
	"bytes"
	"strings"
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
	ans := &fix.Answer{Engine: "offline", Stopped: "stopped at --time", Unproved: &fix.Trial{
		Origin: "reverts 0123abc", Verdict: fix.Unproved, Patch: fix.Patch{Diff: []byte("diff --git a/x b/x\n")},
	}}
	var b bytes.Buffer
	if err := (&FixHuman{W: &b, Width: 200}).Fix("0123", ans); err != nil {
		t.Fatal(err)
	}
	const want = "no patch is proved: stopped at --time after a patch passed the failing test, and before its proof by\nthe wider tests ended"
	if got := b.String(); !strings.Contains(got, want) || !strings.Contains(got, "patch (unproved)  reverts 0123abc\n\ndiff --git a/x b/x\n") {
		t.Error(got)
	}
	if out := FixAnswerOf("0123", ans); out.Repaired || out.Unproved == nil || out.Unproved.Verdict != "unproved" {
		t.Errorf("%+v", out)
	}
	if got := outcomeText(&fix.Answer{Engine: "offline", Stopped: "interrupted"}, false); got != "no patch was tried: interrupted" {
		t.Error(got)
	}
}
