package coverage

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// The place of a crash comes from a sanitizer's stack: the program's own output is lost in a
// buffer, or ends before the place.
func TestCrashPlaceOfABufferedProgram(t *testing.T) {
	t.Parallel()
	needProgram(t, "gcc", "make")
	files := gittest.Files{
		"list.c":   "struct n { struct n *next; };\n\nint last(struct n *n)\n{\n\twhile (n->next != 0)\n\t\tn = n->next;\n\treturn n->next->next == 0;\n}\n",
		"check.c":  "#include <stdio.h>\nstruct n { struct n *next; };\nint last(struct n *);\nint main(void)\n{\n\tstruct n a = {0};\n\tprintf(\"ok 1 - first\\n\");\n\treturn last(&a);\n}\n",
		"Makefile": "CFLAGS = -O0\ncheck: check.c list.c\n\t$(CC) $(CFLAGS) -o $@ $^\n",
	}
	h := gittest.New(t)
	p := fix.Problem{Test: "make -s check && ./check"}
	p.Tree.Commit = h.Commit("c", files)
	w := workspace(t, h)
	rep := fix.Reproduction{State: fix.Failing, How: "fails (exit 139)"}
	got, err := Crash(t.Context(), w, p, rep, Options{})
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?m)^\s*#0 .*`).FindString(string(got))
	if !strings.HasSuffix(first, " in last list.c:7") {
		t.Errorf("%q of\n%s", first, got)
	}
	rep.How = "fails (exit 1)"
	if got, err := Crash(t.Context(), w, p, rep, Options{}); got != nil || err != nil {
		t.Errorf("a failure is no crash: %s, %v", got, err)
	}
}

// An endless recursion is shortened, and a report ends with a whole line.
func TestAbridgedReport(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("==1==ERROR: AddressSanitizer: stack-overflow\n    #0 0x1 in malloc ../../src/libsanitizer/asan/a.cpp:1\n")
	for range 200 {
		b.WriteString("    #1 0x2 in copy a.c:7\n")
	}
	b.WriteString("    #9 0x3 in main b.c:3\n")
	got := string(abridged([]byte(b.String())))
	want := "==1==ERROR: AddressSanitizer: stack-overflow\n    #1 0x2 in copy a.c:7\n    #1 0x2 in copy a.c:7\n    (in copy a.c:7 is there 200 times in a row)\n    #9 0x3 in main b.c:3\n"
	if got != want {
		t.Errorf("%s", got)
	}
	for i := range 500 {
		fmt.Fprintf(&b, "    #1 0x2 in f%d a.c:7\n", i)
	}
	if got := abridged([]byte(b.String())); len(got) > maxReport+100 || got[len(got)-1] != '\n' || !strings.HasSuffix(string(got), " a.c:7\n") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
