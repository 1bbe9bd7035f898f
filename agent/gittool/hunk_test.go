package gittool

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"git-agent/agent/condense"
	"git-agent/gitext"
)

func TestWithoutContextIsWhatU0Prints(t *testing.T) {
	// The parts of a hunk have the numbers of git diff -U0.
	h := Hunk{OldStart: 10, OldLines: 6, NewStart: 10, NewLines: 6, Lines: []string{" a", "-b", "+B", "+C", " d", " e", "-f", " g"}}
	var got []string
	for _, part := range h.withoutContext() {
		got = append(got, part.header())
	}
	want := []string{"@@ -11 +11,2 @@", "@@ -14 +14,0 @@"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	created := Hunk{OldStart: 0, OldLines: 0, NewStart: 1, NewLines: 2, Lines: []string{"+a", "+b"}}
	if got := created.withoutContext()[0].header(); got != "@@ -0,0 +1,2 @@" {
		t.Errorf("a created file has %q", got)
	}
}

func TestHunkShortSaysWhatIsMissing(t *testing.T) {
	// A shortened hunk ends with the counts of the cut lines, and is never shortened by
	// only one line.
	h := Hunk{Lines: []string{"-a", "-b", "+c", "+d"}}
	if got := h.short(1); !reflect.DeepEqual(got, []string{"-a", "+c", "... (+1 -1 more)"}) {
		t.Errorf("got %q", got)
	}
	h.Lines = h.Lines[:3]
	if got := h.short(1); len(got) != 3 || got[1] != "-b" {
		t.Errorf("got %q", got)
	}
}

func TestParseHunksCountsLines(t *testing.T) {
	// Lines that look like headers are content until the hunk ends.
	patch := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ int f()\n--- a/not a header\n+@@ -9 +9 @@\n \n\\ No newline at end of file\n@@ -7 +7 @@\n-p\n+q\r\n"
	got := parseHunks([]byte(patch))
	want := []Hunk{
		{1, 2, 1, 2, "", []string{"--- a/not a header", "+@@ -9 +9 @@", " "}},
		{7, 1, 7, 1, "", []string{"-p", "+q"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func FuzzParseHunks(f *testing.F) {
	// For any output of git, every line of a hunk has its sign, and all renderings of the
	// hunk work without a panic.
	f.Add([]byte("@@ -1,2 +1 @@\n-a\n b\n"))
	f.Add([]byte("@@ -0,0 +1,99999999999999999999 @@\n+a\n\n\\ x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, h := range parseHunks(data) {
			for _, l := range h.Lines {
				if !strings.ContainsRune(" +-", rune(l[0])) {
					t.Errorf("line %q of %q", l, data)
				}
			}
			excerpt(h, 2)
		}
	})
}

func TestCRLF(t *testing.T) {
	// Carriage returns are dropped only if every line has one.
	hunks := func(texts ...string) []gitext.Hunk {
		h := gitext.Hunk{OldStart: 1, NewStart: 1, NewLines: len(texts)}
		for _, s := range texts {
			h.Lines = append(h.Lines, gitext.PatchLine{Op: '+', Text: []byte(s)})
		}
		return []gitext.Hunk{h}
	}
	if got, crlf := hunksOf(hunks("a\r", "b\r")); !crlf || got[0].Lines[0] != "+a" {
		t.Errorf("got %+v, %v", got, crlf)
	}
	if got, crlf := hunksOf(hunks("a\r", "b")); crlf || got[0].Lines[0] != `+a\x0d` {
		t.Errorf("got %+v, %v", got, crlf)
	}
}

func TestHunkShortByKind(t *testing.T) {
	// A pure addition is shown at greater length, and a replacement by as many lines at
	// less.
	for name, c := range map[string]struct {
		lines       string
		keep, shown int
	}{
		"added":            {"+a +b +c +d +e +f +g +h +i +j +k +l", 6, 10},
		"added, little":    {"+a +b +c +d +e +f +g +h +i +j +k +l", 1, 4},
		"one for one":      {"-a -b -c -d -e +f +g +h +i +j", 6, 6},
		"replaced by more": {"-a -b -c -d +e +f +g +h +i +j", 2, 4},
	} {
		got := Hunk{Lines: strings.Fields(c.lines)}.short(c.keep)
		if len(got) != c.shown+1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestHunkFormsHaveRoom(t *testing.T) {
	// The many forms of a long hunk end at the limit of the room, and the choice among
	// them equals the choice among all forms.
	const lines, room = 5000, 2000
	h := Hunk{NewStart: 1, NewLines: lines}
	for n := range lines {
		h.Lines = append(h.Lines, fmt.Sprintf("+x += step(%d);", n))
	}
	bounded, all := h.forms("--- A work.c", room), h.forms("--- A work.c", math.MaxInt)
	for _, form := range bounded {
		if condense.Runes(form) > room {
			t.Errorf("a form has %d characters", condense.Runes(form))
		}
	}
	got, want := condense.Fill([][]string{bounded}, condense.InOrder(1), room), condense.Fill([][]string{all}, condense.InOrder(1), room)
	if condense.Runes(want[0].Text) < room/2 || got[0].Text != want[0].Text {
		t.Errorf("got %q, want %q", got[0].Text, want[0].Text)
	}
}

func TestFunctionHitCreates(t *testing.T) {
	// A function is created if its name comes with new lines; a new heading on old lines
	// is a rename, and older lines mean that git follows another function.
	for name, c := range map[string]struct {
		lines string
		want  bool
	}{
		"added":                       {"+int f(void)|+{|+\treturn g();|+}", true},
		"in place of another":         {"-int e(void)|+int f(void)| {|-\tsend();|+\tint x = g();|+\tprint(x);|+\treturn x;| }", true},
		"renamed":                     {"-int e(void)|+int f(void)| {| \tsend();| \treturn g();| }", false},
		"changed":                     {" int f(void)| {|-\tsend();|+\tint x = g();|+\tprint(x);|+\treturn x;| }", false},
		"another function, rewritten": {"+int e(void)|+{|+\treturn g();|+}", false},
	} {
		hit := FunctionHit{Hunks: []Hunk{{Lines: strings.Split(c.lines, "|")}}}
		if got := hit.creates("f(void)"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
