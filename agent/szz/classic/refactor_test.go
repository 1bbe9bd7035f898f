package classic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// cFile returns a file of three functions, the second of which is middle.
func cFile(middle ...string) string {
	all := append([]string{"void before(void) {", "    start_the_engine();", "}", ""}, middle...)
	return gittest.Lines(append(all, "", "void after(void) {", "    stop_the_engine();", "}")...)
}

// ra looks behind a rename in all places: the bug is in the commit that wrote the call.
func TestRefactoringRename(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("int f(int count) {", "    if (count < 3)", "        return count;", "    return 0;", "}")})
	h.Commit("rename", gittest.Files{"a.c": cFile("int f(int total) {", "    if (total < 3)", "        return total;", "    return 0;", "}")})
	h.Commit("fix", gittest.Files{"a.c": cFile("int f(int total) {", "    if (total <= 3)", "        return total;", "    return 0;", "}")})
	h.head("b ag ma: rename; ra: origin")
}

// A name that is still used, or was used before, is a change of meaning.
func TestNoRename(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("int f(int low, int high) {", "    g(low, 1);", "    return low;", "}")})
	h.Commit("change", gittest.Files{"a.c": cFile("int f(int low, int high) {", "    g(high, 1);", "    return high;", "}")})
	h.Commit("fix", gittest.Files{"a.c": cFile("int f(int low, int high) {", "    g(high, 2);", "    return high;", "}")})
	h.head("ma ra: change")
}

// Calling another function in all places is a change. Renaming the function with
// its calls is a refactoring.
func TestOtherCallIsNoRename(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("    get(one, 1);", "    get(two, 2);")})
	h.Commit("change", gittest.Files{"a.c": cFile("    fetch(one, 1);", "    fetch(two, 2);")})
	h.Commit("fix", gittest.Files{"a.c": cFile("    fetch(one, 3);", "    fetch(two, 2);")})
	h.head("ma ra: change")

	h = newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("int get(int a, int b);", "    get(one, 1);", "    get(two, 2);")})
	h.Commit("rename", gittest.Files{"a.c": cFile("int fetch(int a, int b);", "    fetch(one, 1);", "    fetch(two, 2);")})
	h.Commit("fix", gittest.Files{"a.c": cFile("int fetch(int a, int b);", "    fetch(one, 3);", "    fetch(two, 2);")})
	h.head("ma: rename; ra: origin")
}

// A name that changes in one place is a change, not a rename.
func TestSingleUseIsNoRename(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("    g(one, 1);")})
	h.Commit("change", gittest.Files{"a.c": cFile("    g(two, 1);")})
	h.Commit("fix", gittest.Files{"a.c": cFile("    g(three, 1);")})
	h.head("ma ra: change")
}

// ra looks behind a reformatting inside a larger change; blame names the commit that
// broke the line in two.
func TestRefactoringReformat(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("    compute_it(first_argument, second_argument, third_argument);"), "b.c": "b();\n"})
	h.Commit("format", gittest.Files{"a.c": cFile("    compute_it(first_argument,", "               second_argument, third_argument);"), "b.c": "bb();\n"})
	h.Commit("fix", gittest.Files{"a.c": cFile("    compute_it(first_argument,", "               second_argument, 3);")})
	h.head("b: format; ra: origin")
}

// A function moved to a new file, re-indented and with a changed name, is followed; git's
// own -C needs the unchanged text.
func TestRefactoringMovedFunction(t *testing.T) {
	h := newHistory(t)
	body := []string{"def compute(first, second):", "    answer = first * second", "    answer = answer + first", "    return answer - offset(second)"}
	inClass := []string{"class Computer:", "    def compute(self, first, second):", "        answer = first * second", "        answer = answer + first", "        return answer - offset(second)"}
	h.Commit("origin", gittest.Files{"a.py": gittest.Lines(append([]string{"import x", "", "def other():", "    return x.y()", ""}, body...)...)})
	h.Commit("move", gittest.Files{"a.py": gittest.Lines("import x", "", "def other():", "    return x.y()"), "b.py": gittest.Lines(inClass...)})
	inClass[4] = "        return answer"
	h.Commit("fix", gittest.Files{"b.py": gittest.Lines(inClass...)})
	h.head("b ag: move; ra: origin")
}

// New lines of an extracted function stay with the commit that extracted it; the others
// are followed.
func TestRefactoringExtractedFunction(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": gittest.Lines(
		"int run_all(struct job *list) {",
		"    for (; list; list = list->next) {",
		"        int cost = list->price * list->count;",
		"        int limit = list->budget + list->credit;",
		"        if (cost > limit)",
		"            reject_the_job(list);",
		"        account_for(list, cost);",
		"    }",
		"    return 0;",
		"}")})
	extracted := []string{
		"static void run_one(struct job *list) {",
		"    int cost = list->price * list->count;",
		"    trace(list);",
		"    int limit = list->budget + list->credit;",
		"    if (cost > limit)",
		"        reject_the_job(list);",
		"    account_for(list, cost);",
		"}",
		"",
		"int run_all(struct job *list) {",
		"    for (; list; list = list->next)",
		"        run_one(list);",
		"    return 0;",
		"}"}
	h.Commit("extract", gittest.Files{"a.c": gittest.Lines(extracted...)})
	extracted[3] = "    int limit = list->budget;"
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines(extracted...)})
	h.head("b: extract; ra: origin")
	extracted[2] = "    trace_it(list);"
	h.Commit("fix", gittest.Files{"a.c": gittest.Lines(extracted...)})
	h.head("ra: extract")
}

// Blame looks behind two successive refactorings one by one.
func TestRefactoringsInARow(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("int f(int count) {", "    if (count < 3)", "        return count;", "    return 0;", "}")})
	h.Commit("rename", gittest.Files{"a.c": cFile("int f(int total) {", "    if (total < 3)", "        return total;", "    return 0;", "}")})
	h.Commit("again", gittest.Files{"a.c": cFile("int f(int sum) {", "    if (sum < 3)", "        return sum;", "    return 0;", "}")})
	h.Commit("fix", gittest.Files{"a.c": cFile("int f(int sum) {", "    if (sum <= 3)", "        return sum;", "    return 0;", "}")})
	h.head("ma: again; ra: origin")
}

// Lines that the fix itself only renames or reformats are left out.
func TestRefactoringsOfTheFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("int f(int count) {", "    g(count);", "    h(count); i(count);", "    done();", "    return 0;", "}")})
	h.Commit("bug", gittest.Files{"a.c": cFile("int f(int count) {", "    g(count);", "    h(count); i(count);", "    done();", "    return 1 / 2;", "}")})
	h.Commit("fix", gittest.Files{"a.c": cFile("int f(int total) {", "    g(total);", "    h(total);", "    i(total);", "    done();", "    return 1 / 3;", "}")})
	h.head("ma: bug origin; ra: bug")
}

// A line that the fix puts under a condition counts as changed.
func TestWrappedByTheFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile("    g(count);")})
	h.Commit("bug", gittest.Files{"a.c": cFile("    h(count);")})
	h.Commit("fix", gittest.Files{"a.c": cFile("    if (count)", "        h(count);")})
	h.head("ma ra: bug")
}

// Statements put in another order can be the fix; they are not left out.
func TestReorderingFix(t *testing.T) {
	h := newHistory(t)
	h.Commit("origin", gittest.Files{"a.c": cFile(
		"    release_the_lock(some_object);", "    forget_everything(some_object);",
		"    use_the_object(some_object);", "    use_it_again(some_object);", "    and_once_more(some_object);")})
	h.Commit("fix", gittest.Files{"a.c": cFile(
		"    use_the_object(some_object);", "    use_it_again(some_object);", "    and_once_more(some_object);",
		"    release_the_lock(some_object);", "    forget_everything(some_object);")})
	h.head("ma ra: origin")
}

// Words are sequences of letters, digits and underscores, or single other
// characters. A word that begins with a digit is no name.
func TestWords(t *testing.T) {
	got := ""
	for _, w := range words("x_1 = é+2;\n\treturn\r\n") {
		n := ""
		if w.Name {
			n = "'"
		}
		got += fmt.Sprintf("%s%s@%d ", w.Text, n, w.Line)
	}
	if want := "x_1'@1 =@1 é'@1 +@1 2@1 ;@1 return'@2 "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The time for a fix of very many changes is in proportion to its size.
func TestRefactoringsOfAHugeFix(t *testing.T) {
	p := &gitext.Patch{}
	for i := range 20000 {
		f := gitext.FileChange{Status: 'M', OldPath: fmt.Sprintf("%d.c", i)}
		f.NewPath = f.OldPath
		f.Hunks = []gitext.Hunk{{Lines: []gitext.PatchLine{
			{Op: '-', Old: 1, Text: fmt.Appendf(nil, "the_old_function(%d, first_argument);", i)},
			{Op: '-', Old: 2, Text: []byte("the_same_line_everywhere(argument);")},
			{Op: '+', New: 1, Text: fmt.Appendf(nil, "the_old_function(%d, first_argument);", (i+1)%20000)},
			{Op: '+', New: 2, Text: []byte("the_same_line_everywhere( argument );")},
		}}}
		p.Files = append(p.Files, f)
	}
	if got := match(collect(p), nil); len(got) != 20000 {
		t.Errorf("%d lines have an origin, want 20000", len(got))
	}
}

// A fix of many megabytes is not searched for refactorings, and the answer says so.
func TestRefactoringsOfAFixOfMegabytes(t *testing.T) {
	h := newHistory(t)
	text := func(indent string) string {
		return strings.Repeat(indent+"the_same_line_everywhere(argument);\n", 70_000)
	}
	h.Commit("origin", gittest.Files{"a.c": text("")})
	v := h.trace(h.Commit("fix", gittest.Files{"a.c": text("\t") + "last();\n"}), "ra")
	if notes := strings.Join(v.Notes, "\n"); !strings.Contains(notes, "too large to look for refactorings") {
		t.Errorf("notes are %q", notes)
	}
}

// The words around a name distinguish declarations from uses.
func TestDeclares(t *testing.T) {
	for line, want := range map[string]bool{
		"int NAME;": true, "NAME = 0": true, "NAME := f()": true, "def f(self, NAME):": true, "char *NAME = x;": true,
		"func NAME() {": true, "static int f(char *NAME)": true, "f(x * NAME);": false, "void f(struct a *NAME, int b)": true, "let NAME = 1;": true, "for NAME in x:": true, "#define NAME 1": true,
		"f(NAME);": false, "return NAME;": false, "NAME(1);": false, "x = a * NAME;": false, "if (x & NAME)": false,
		"if NAME == 1:": false, "x.NAME = 1": false, "p->NAME = 1;": false, "x = NAME(y)": false,
	} {
		ws := words(line)
		i := slices.IndexFunc(ws, func(w token) bool { return w.Text == "NAME" })
		if got := declares(ws, i); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}
