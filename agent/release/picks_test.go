package release

import (
	"slices"
	"testing"

	"git-agent/gitext"
)

func TestNamed(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef01234567"
	for _, message := range []string{
		"a fix\n\n(cherry picked from commit " + id + ")", "a fix\n\n(cherry-picked from " + id + ")",
		"a fix\n\ncommit " + id + " upstream.", "a fix\n\n[ Upstream commit " + id + " ]", "a fix\n\nUpstream-commit: " + id,
		"a fix\n\nBackport of commit " + id + " to 1.2", "a fix\n\n(backported from commit " + id + ")", "a fix\n\nCherry-picked-from: " + id,
		"a fix\n\nCherry-pick: " + id, "a fix\n\nBackported-from: " + id,
	} {
		if picks, _ := named(message); !slices.Equal(picks, []string{id}) {
			t.Errorf("%q names %q", message, picks)
		}
	}
	for _, message := range []string{
		"a fix\n\nFixes: " + id, "a fix of commit " + id, "a fix\n\nunpicked " + id, "see the upstream discussion in " + id[:12], "picked from the list, and 123",
	} {
		if picks, reverts := named(message); len(picks)+len(reverts) > 0 {
			t.Errorf("%q names %q %q", message, picks, reverts)
		}
	}
	if picks, reverts := named("Revert \"x\"\n\nThis reverts commit " + id + "."); len(picks) > 0 || !slices.Equal(reverts, []string{id}) {
		t.Errorf("a revert names %q %q", picks, reverts)
	}
}

func TestChangesOf(t *testing.T) {
	patch := func(path, context string, lines ...string) *gitext.Patch {
		h := gitext.Hunk{Lines: []gitext.PatchLine{{Op: ' ', Text: []byte(context)}}}
		for _, l := range lines {
			h.Lines = append(h.Lines, gitext.PatchLine{Op: l[0], Text: []byte(l[1:])})
		}
		return &gitext.Patch{Files: []gitext.FileChange{{OldPath: path, NewPath: path, Hunks: []gitext.Hunk{h}}}}
	}
	one := ChangesOf(patch("f", "x", "-a b", "+c"))
	if one != ChangesOf(patch("f", "other", "-a\tb ", "+ c")) {
		t.Error("white space and lines around a change count")
	}
	for _, other := range []*gitext.Patch{patch("g", "x", "-a b", "+c"), patch("f", "x", "-a b", "-c"), patch("f", "x", "-a b", "+d"), patch("f", "x", "-a b")} {
		if one == ChangesOf(other) {
			t.Errorf("%+v is the same change", other.Files)
		}
	}
}
