package gittool

import (
	"fmt"
	"testing"

	"git-agent/agent/condense"
	"git-agent/gitext"
)

func TestStandingTells(t *testing.T) {
	// The remaining copies of a text are counted by line and file; a file for secrets
	// does not count, and only a change that removed lines ends a text.
	match := func(paths ...string) *Presence {
		var found []gitext.GrepMatch
		for _, p := range paths {
			found = append(found, gitext.GrepMatch{Path: p, Line: 1})
		}
		return presenceOf(found)
	}
	var many []string
	for i := range maxPresenceLines {
		many = append(many, fmt.Sprintf("f%03d.c", i/2))
	}
	took := &SearchHit{Commit: Commit{OID: "0123456789abcdef"}, Lines: []HitLine{{Op: "+"}, {Op: "-"}}}
	gave := &SearchHit{Commit: Commit{OID: "0123456789abcdef"}, Lines: []HitLine{{Op: "+"}}}
	elsewhere := match("b.c")
	elsewhere.Elsewhere = true
	for _, test := range []struct {
		standing *Presence
		newest   *SearchHit
		want     string
	}{
		{match("a.c", "a.c", "b.c"), took, "still there at feedfacefeed: 3 line(s) in a.c, b.c"},
		{match("a.c", "b.c", "c.c", "d.c", "d.c", "e.c"), nil, "still there at feedfacefeed: 6 line(s) in a.c, b.c, c.c and 2 more file(s)"},
		{match(many...), nil, "still there at feedfacefeed: 1000 lines or more in f000.c, f001.c, f002.c and 497 more file(s)"},
		{match(".env"), nil, "not there at feedfacefeed"},
		{match(), took, "no longer there at feedfacefeed: gone with 0123456789ab"},
		{match(), gave, "not there at feedfacefeed"},
		{elsewhere, took, "no longer below this path at feedfacefeed, but elsewhere: 1 line(s) in b.c"},
	} {
		if got := test.standing.render("feedfacefeedface", test.newest); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestGrepGathersEqualLines(t *testing.T) {
	// Consecutive equal lines are shown once, after all their numbers.
	var v Grep
	for i, text := range []string{"\tlock();", "lock();", "unlock();", "lock();", "lock();", "lock();", "lock();", "lock();", "lock();", "lock();", "lock();", "lock();"} {
		v.Matches = append(v.Matches, GrepMatch{Path: "a.c", Line: i + 1, Text: text})
	}
	got, err := condense.Compose(v.render, condense.Full, 0, nil, "")
	want := `grep '' (literal) at : 12 line(s) in 1 file(s)
a.c
  L1, L2: 	lock();
  L3: unlock();
  L4, L5, L6, L7, L8, L9, L10, L11, ... (1 more): lock();
`
	if err != nil || got.Text != want {
		t.Errorf("got %s, %v, want %s", got.Text, err, want)
	}
	if got, want := shortMatches(v.Matches, 1), "a.c\n  L1, L2: lock();\n  and L3, L4, L5, L6, L7, L8, L9, L10, ... (2 more)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
