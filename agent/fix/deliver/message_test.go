package deliver

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
	"git-agent/gitext/gittest"
)

func TestMessage(t *testing.T) {
	// The subject is one line of at most 72 characters, paragraphs are wrapped, items of
	// lists keep their lines, and git finds the trailer.
	bug := &gitext.Commit{OID: gitext.OID(strings.Repeat("ab", 20)), Message: "lib: say \"x\"\n\nbody\n"}
	got := Message("lib: check\tthe\nlength\x1b[31m", "The loop reads one byte too many, because the length includes the final zero byte of each name.\r\n\r\n- first item\n- second item\nof two lines\n\n", bug)
	want := gittest.Lines(
		"lib: check the length [31m", "",
		"The loop reads one byte too many, because the length includes the final", "zero byte of each name.", "",
		"- first item", "- second item of two lines", "",
		`Fixes: abababababab ("lib: say "x"")`)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, trailers := commitmsg.Trailers(got); len(trailers) != 1 || trailers[0] != (commitmsg.Trailer{Key: "Fixes", Value: `abababababab ("lib: say "x"")`}) {
		t.Errorf("trailers %q", trailers)
	}
	long := Message(strings.Repeat("ü", 80), "", nil)
	if long != strings.Repeat("ü", 69)+"...\n" {
		t.Errorf("long subject: %q", long)
	}
	if got := Message(" \n", "\xff\x00", nil); got != "Fix a bug\n\n\uFFFD\n" {
		t.Errorf("nothing said: %q", got)
	}
}

func TestMessageOfATrial(t *testing.T) {
	// The explanation of a trial becomes the message. A commit that cannot be read is left out.
	h := gittest.New(t)
	bug := h.Commit("lib: introduce the bug", gittest.Files{"lib.c": "x\n"})
	repo := h.Open()
	patch := fix.Patch{Files: []gitext.Overlay{text("src/lib.c", "y\n")}}
	fixes := "Fixes: " + bug.Short() + " (\"lib: introduce the bug\")\n"
	for want, c := range map[string]fix.Trial{
		"Check the length first\n\nIt may be zero. Then nothing is read.\n\n" + fixes:         {Why: "Check the length first. It may be zero. Then nothing is read.", Commit: bug, Origin: "trajectory 2"},
		"Fix a bug in lib.c\n\nThe change reverts a hunk of " + bug.Short() + ".\n\n" + fixes: {Commit: bug, Origin: "reverts a hunk of " + bug.Short()},
		"Revert \"lib: introduce the bug\"\n\nOne of the newest.\n\nThe change reverts " + bug.Short() + ".\n\n" + fixes: {
			Why: "One of the newest.", Commit: bug, Origin: "reverts " + bug.Short(),
		},
		"Fix a bug in lib.c\n\nOne sentence that is much too long to be the subject of a commit, in\nevery project\n": {
			Why: "One sentence that is much too long to be the subject of a commit, in every project", Commit: gitext.OID(strings.Repeat("0", 39) + "1")},
	} {
		c.Patch = patch
		if got := messageOf(t.Context(), repo, c); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
