package htmlpage

import (
	"fmt"
	"strings"
	"testing"
)

const small = `diff --git a/x.c b/x.c
index 1..2 100644
--- a/x.c
+++ b/x.c
@@ -1,3 +1,3 @@ int main
 a
--- b
+++ c
 d
`

// Each line has its class, and a removed line that looks like a heading is a removed line.
func TestDiff(t *testing.T) {
	var got []string
	d := newDiff(small)
	for _, l := range d.Lines {
		got = append(got, l.Class)
	}
	if s := strings.Join(got, " "); s != "file file file file place  minus plus " || d.Cut != "" {
		t.Errorf("%q, %q", s, d.Cut)
	}
}

// Of a patch of 10 MB only the beginning is on the page, which says so; long lines lose their ends.
func TestLargeDiff(t *testing.T) {
	many := small + strings.Repeat("+a line of some length, of which there are very many\n", 200_000)
	if d := newDiff(many); len(d.Lines) != maxDiffLines || d.Cut != fmt.Sprintf("Not shown: %d more lines.", 200_009-maxDiffLines) {
		t.Errorf("%d lines, %q", len(d.Lines), d.Cut)
	}
	long := small + "+" + strings.Repeat("é", 5_000_000)
	d := newDiff(long)
	last := d.Lines[len(d.Lines)-1]
	if len(last.Text) > maxDiffLine+3 || !strings.HasSuffix(last.Text, "é…") || last.Class != "plus" || d.Cut != "Not shown: the end of 1 long line." {
		t.Errorf("%d bytes, ending with %q, %q", len(last.Text), last.Text[len(last.Text)-6:], d.Cut)
	}
	wide := strings.Repeat("+"+strings.Repeat("x", 2000)+"\n", 3000)
	if d := newDiff(wide); len(d.Lines) > maxDiffBytes/maxDiffLine+1 || !strings.Contains(d.Cut, "more lines, and the ends of") {
		t.Errorf("%d lines, %q", len(d.Lines), d.Cut)
	}
}

// Texts are escaped wherever a template puts them, and characters that are not seen are shown.
func TestHostileTexts(t *testing.T) {
	tmpl, err := Parse("t", `{{template "head"}}<title>{{line .}}</title></head><p title="{{line .}}">{{text .}}</p>{{template "diff" .}}`, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Write(&b, tmpl, "</title><script>alert(1)</script>\" onclick=x \x1b[31m\u202e\n\xff"); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<script") || strings.Contains(page, `" onclick`) || strings.ContainsAny(page, "\x1b\u202e") || !strings.Contains(page, "default-src 'none'") {
		t.Errorf("%s", page)
	}
}
