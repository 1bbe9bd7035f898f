package gittool

import (
	"strings"
	"testing"

	"git-agent/gitext"
)

func TestMaskedLines(t *testing.T) {
	// The lines of files pass through the redactor in every tool, also in the headings of
	// hunks; the hashes that a tool prints itself do not.
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "int f(int a)\n{\n\treturn a;\n}\n")
	f.commit("first", "first\n")
	f.write("a.c", "int f(int a) // HINT\n{\n\tif (a > 1) // HINT one\n\t\treturn 1;\n\treturn a;\n}\n")
	last := f.commit("last", "last\n")
	f.write("a.c", "int f(int a) // HINT\n{\n\tif (a > 1) // HINT one\n\t\treturn 1;\n\ta++;\n\ta--;\n\ta++;\n\treturn a; // two\n}\n")
	f.commit("more", "more\n")
	box := f.toolbox(Scope{Tip: f.oid["more"], Redact: Redactor{Name: "t", Text: func(s string) string {
		return strings.NewReplacer("HINT", "<commit A>", string(last[:12]), "<commit B>").Replace(s)
	}}}, Options{})
	for _, call := range [][2]string{
		{"git_blame", `{"path":"a.c"}`},
		{"git_show", `{"commit":"` + string(last) + `"}`},
		{"git_show", `{"commit":"HEAD"}`},
		{"git_log_search", `{"pattern":"a > 1"}`},
		{"git_log_function", `{"path":"a.c","function":"f"}`},
		{"git_grep", `{"pattern":"a > 1"}`},
	} {
		text := f.transcript(box, [][2]string{call})
		if strings.Contains(text, "HINT") || !strings.Contains(text, "<commit A>") {
			t.Errorf("%s %s: %s", call[0], call[1], text)
		}
		if strings.Contains(text, "<commit B>") {
			t.Errorf("%s hides its own hash: %s", call[0], text)
		}
	}
}

func TestHiddenNames(t *testing.T) {
	// The answer to a call with the label of a hidden commit explains the label.
	t.Parallel()
	f := newFixture(t)
	f.write("a", "a\n")
	f.commit("first", "first\n")
	box := f.toolbox(Scope{Tip: gitext.OID(f.oid["first"])}, Options{})
	if text := f.transcript(box, [][2]string{{"git_show", `{"commit":"<commit A>"}`}}); !strings.Contains(text, "whose name is hidden") {
		t.Errorf("got %s", text)
	}
}

func TestSplitNameIsHidden(t *testing.T) {
	// A name split over subject and body of a message passes through the redactor in one
	// piece.
	t.Parallel()
	f := newFixture(t)
	f.write("a.c", "int a;\n")
	f.commit("first", "Regression of 01…\n\n…23 in it\n")
	box := f.toolbox(Scope{Tip: f.oid["first"], Redact: Redactor{Name: "t", Text: func(s string) string {
		return strings.ReplaceAll(s, "01…\n\n…23", "<commit A>")
	}}}, Options{})
	if text := f.transcript(box, [][2]string{{"git_show", `{"commit":"HEAD"}`}}); !strings.Contains(text, "Regression of <commit A> in it") || strings.Contains(text, "23 in") {
		t.Errorf("got %s", text)
	}
}
