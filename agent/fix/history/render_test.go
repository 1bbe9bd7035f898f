package history

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// rendered renders a history and fails the test on an error.
func rendered(t *testing.T, repo *gitext.Repo, h *fix.History, tokens int, kinds ...fix.Heuristic) (string, []string) {
	t.Helper()
	text, said, err := Render(t.Context(), repo, h, kinds, tokens)
	if err != nil {
		t.Fatal(err)
	}
	return text, said
}

func TestRender(t *testing.T) {
	// The text has the commit, its message and lines, and a section for each heuristic in the
	// given order.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("int f(int a)", "{", "    return a;", "}"), "b.c": gittest.Lines("int g(void)", "{", "    return 1;", "}")})
	h.Commit("counts from one\n\nIt counted from zero.\n\nSigned-off-by: A <a@x>", gittest.Files{"a.c": gittest.Lines("int f(int a)", "{", "    return a + 1;", "}"), "b.c": gittest.Lines("int g(void)", "{", "    return 2;", "}")})
	tip := h.Commit("third", gittest.Files{"README": "s\n"})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: tip}, hot("a.c", gitext.LineRange{Start: 1, End: 4}, 3, 3))
	found.Notes = []string{"a note"}
	text, said := rendered(t, repo, found, 1000, fix.FnAll, fix.FnPair, fix.FlDiff)
	want := `## ` + found.Blamed[0].Commit.OID.Short() + `, 2020-09-13, 1 commit ago: counts from one
    It counted from zero.
It wrote this line of f in a.c:
    3: return a + 1;
It also changed b.c.

fn_all: the functions of the files that it changed, a star for those that it changed itself:
a.c: f*
b.c: g*

fn_pair: the function before and after it:
Before (f in a.c, line 1):
` + "```" + `
int f(int a)
{
    return a;
}
` + "```" + `
After (f in a.c, line 1):
` + "```" + `
int f(int a)
{
    return a + 1;
}
` + "```" + `

fl_diff: what it changed in a.c:
` + "```diff" + `
@@ -1,4 +1,4 @@
 int f(int a)
 {
-    return a;
+    return a + 1;
 }
` + "```" + `

fl_diff: what it changed in other files:
` + "```diff" + `
--- b.c
@@ -1,4 +1,4 @@
 int g(void)
 {
-    return 1;
+    return 2;
 }
` + "```" + `

Note: a note`
	if text != want || len(said) > 0 {
		t.Errorf("said %q, got:\n%s\nwant:\n%s", said, text, want)
	}
	if diff, _ := rendered(t, repo, found, 1000, fix.FlDiff); !strings.Contains(diff, "fl_diff") {
		t.Errorf("fl_diff:\n%s", diff)
	}
	if text, _ := rendered(t, repo, &fix.History{}, 1000, fix.FlDiff); text != "" {
		t.Errorf("empty: %q", text)
	}
}

func TestRenderKeepsItsBudget(t *testing.T) {
	// The text has no more bytes than the tokens allow, apart from the commits' headings.
	// Omissions are mentioned. The first commit gets most of the room.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	var all []int
	for i := range 40 {
		all = append(all, i)
	}
	h.Commit("first", gittest.Files{"a.c": spread(40)})
	h.Commit("second", gittest.Files{"a.c": spread(40, all[:30]...), "b.c": spread(40)})
	h.Commit("third", gittest.Files{"a.c": spread(40, all...), "b.c": spread(40, all...)})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, fix.Location{Path: "a.c"}, fix.Location{Path: "b.c"})
	heads, _ := rendered(t, repo, found, 0)
	for _, tokens := range []int{0, 100, 300, 700, 1500, 4000, 20000} {
		for _, kinds := range [][]fix.Heuristic{{fix.FnAll}, {fix.FnPair}, {fix.FlDiff}, fix.Heuristics} {
			text, said := rendered(t, repo, found, tokens, kinds...)
			if len(text) > max(4*tokens, len(heads)) {
				t.Errorf("%d tokens, %s: %d bytes", tokens, fix.Name(kinds), len(text))
			}
			if tokens < 700 && len(said) == 0 {
				t.Errorf("%d tokens, %s: nothing said", tokens, fix.Name(kinds))
			}
		}
	}
	text, _ := rendered(t, repo, found, 2000, fix.FlDiff)
	blocks := strings.Split(text, "\n## ")
	if len(blocks) != 3 || len(blocks[0]) < len(blocks[2]) {
		t.Errorf("%d blocks:\n%s", len(blocks), text)
	}
}

func TestRenderIsSafe(t *testing.T) {
	// Characters that a terminal acts on are escaped wherever they come from, and a fence
	// in the code does not end the code.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("one\x1b[31m\n\nbody\x1b[2J\u202e", gittest.Files{"a\x1b.c": gittest.Lines("int f(int a)", "{", "    s = \"```\x1b[0m\xff\";", "}"), "b\x07.c": "int b;\n"})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, fix.Location{Path: "a\x1b.c", Function: "f\x1b"})
	text, _ := rendered(t, repo, found, 4000, fix.Heuristics...)
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == '\u202e' || r == '\ufffd' }); i >= 0 {
		t.Errorf("%q", text[max(i-30, 0):min(i+30, len(text))])
	}
	if !strings.Contains(text, "````diff\n") || !strings.Contains(text, `a\x1b.c`) || !strings.Contains(text, `body\x1b[2J`) {
		t.Errorf("%s", text)
	}
}

func TestRenderOfLongTexts(t *testing.T) {
	// Long messages, lines and lists are cut, with a mark.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	files := gittest.Files{"a.js": "var x = '" + strings.Repeat("y", 5000) + "';\n"}
	for i := range 20 {
		files[fmt.Sprintf("f%d.js", i)] = "x\n"
	}
	h.Commit(strings.Repeat("subject ", 100)+"\n\n"+strings.Repeat("a line of the body\n", 50), files)
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, fix.Location{Path: "a.js"})
	text, _ := rendered(t, repo, found, 4000, fix.FlDiff)
	if len(text) > 2000 || !strings.Contains(text, "    [...]\n") || !strings.Contains(text, "f12.js, f13.js and 14 other files.") || !strings.Contains(text, "…(+") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
}

func TestSpans(t *testing.T) {
	// Numbers are joined to ranges, and of very many the first ones are written.
	t.Parallel()
	for want, lines := range map[string][]int{
		"":                                     nil,
		"3":                                    {3},
		"3-5, 9":                               {9, 4, 3, 5},
		"1-2, 4":                               {1, 2, 2, 4},
		"1, 3, 5, 7, 9, 11, 13, 15 and 2 more": {1, 3, 5, 7, 9, 11, 13, 15, 17, 19},
	} {
		if got := spans(lines); got != want {
			t.Errorf("%v: %q, want %q", lines, got, want)
		}
	}
}

// A commit that also changed many files is told with as many names as have room: of those in Java,
// six would be 400 characters (commons-validator before 6cddb3cb).
func TestCochanged(t *testing.T) {
	t.Parallel()
	files := []string{"src/Field.java"}
	for _, name := range []string{"Arg", "CreditCardValidator", "Form", "FormSet", "Msg", "UrlValidator"} {
		files = append(files, "src/main/java/org/apache/commons/validator/"+name+".java")
	}
	got := cochanged([]fix.Blamed{{Path: "src/Field.java", Files: files, Changed: 20}})
	dir := "src/main/java/org/apache/commons/validator/"
	if want := "It also changed " + dir + "Arg.java, " + dir + "CreditCardValidator.java, " + dir + "Form.java and 16 other files.\n"; got != want {
		t.Errorf("%s", got)
	}
	if got = cochanged([]fix.Blamed{{Path: "a.go", Files: strings.Fields("a.go b.go c.go d.go e.go f.go g.go"), Changed: 7}}); got != "It also changed b.go, c.go, d.go, e.go, f.go and g.go.\n" {
		t.Errorf("%s", got)
	}
}
