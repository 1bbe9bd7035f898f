package candidate

import (
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

func TestOnlyLayout(t *testing.T) {
	// Formatters break and join lines, and so own them. In strsim-rs, "format code base (#54)" led with .46
	// for the fix 5b512dce; in ufo, "style: lint with prettier defaults" with .49 for 229e83e6.
	t.Parallel()
	const (
		rust     = "-            (Some(x), Some(y)) => if x != y { count += 1 },\n+            (Some(x), Some(y)) => {\n+                if x != y {\n+                    count += 1\n+                }\n+            }"
		prettier = "-    path.replace(/\\/(?=[A-Za-z]:)/, \"\")\n+    path.replace(/\\/(?=[A-Za-z]:)/, \"\"),"
		joined   = "-    if min <= j &&\n-        j <= max {\n+    if min <= j && j <= max {"
		comma    = "-    \"a\",\n+    \"a\""
		black    = "-    def f(self, text='a', more=None,\n-          rest=()):\n+    def f(\n+        self, text=\"a\", more=None, rest=(),\n+    ):"
		number   = "-    count += 1\n+    count += 2"
	)
	for _, c := range []struct {
		subject, path, change string
		others                string // another file that the commit changes
		want                  bool
	}{
		{"format code base (#54)", "src/lib.rs", rust, "Cargo.toml", true},
		{"style: lint with prettier defaults", "src/parse.ts", prettier, "src/url.ts", true},
		{"go fmt", "merge.go", comma, "", true},                                       // mergo 7fe0c75 led for 28c15b0
		{"Apply spotless to all java projects (#3184)", "Mock.java", comma, "", true}, // in mockito it led for 4f469c83
		{"cargo fmt", "src/lib.rs", rust, "", true},
		{"format code base", "src/lib.rs", number, "", false},
		{"Count once", "src/lib.rs", rust, "", false}, // moved brackets may be the fault
		{"Shorten the list", "names.c", comma, "", false},
		{"Tidy up", "src/lib.rs", joined, "", true},
		{"Tidy up", "src/lib.rs", joined, "README.md", true},
		{"Tidy up", "src/lib.rs", joined, "src/main.rs", false},
		{"Tidy up", "src/lib.rs", joined, "Cargo.toml", false},
		{"Fix whitespace", "lib.py", "-    return a+b\n-\n+    return a + b  ", "", true},
		{"Fix whitespace", "lib.py", "-    return [a, b]\n+    return [a b]", "", false},
		{"Fix whitespace", "lib.py", "-        return a\n+    return a", "", false},
		{"Fix whitespace", "lib.sh", "-a\n-b\n+a b", "", false},
		{"Split lines", "lib.py", "-    if a: b()\n+    if a:\n+        b()", "", false},
		{"format bleach code and tests", "lib.py", black, "", true}, // of mozilla/bleach, which led with .81
		{"Count once", "lib.py", black, "", false},
		{"format the code", "lib.py", number, "", false},
	} {
		f := gitext.FileChange{Status: 'M', OldPath: c.path, NewPath: c.path, Hunks: []gitext.Hunk{{}}}
		for _, l := range strings.Split(c.change, "\n") {
			f.Hunks[0].Lines = append(f.Hunks[0].Lines, gitext.PatchLine{Op: l[0], Text: []byte(l[1:])})
		}
		got := Candidate{Commit: gitext.Commit{Message: c.subject}, Files: 1, Paths: []string{c.path}}
		if c.others != "" {
			got.Files, got.Paths = 2, append(got.Paths, c.others)
		}
		got.Diff = digest(&gitext.Patch{Files: []gitext.FileChange{f}})
		if got.OnlyLayout() != c.want {
			t.Errorf("%s: %s %s: only layout: %t", c.subject, c.path, c.change, got.OnlyLayout())
		}
	}
}

func TestFormatsLines(t *testing.T) {
	// mockito's "Apply spotless to all java projects" also reorders modifiers, in other lines than those of the fix 4f469c83.
	t.Parallel()
	broken := gitext.Hunk{OldStart: 7, OldLines: 1, NewStart: 7, NewLines: 2, Lines: []gitext.PatchLine{
		{Op: '-', Text: []byte("    store.remove(MOCKS).close();")},
		{Op: '+', Text: []byte("    store")}, {Op: '+', Text: []byte("        .remove(MOCKS).close();")},
	}}
	reordered := gitext.Hunk{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []gitext.PatchLine{
		{Op: '-', Text: []byte("private final static int N = 3;")}, {Op: '+', Text: []byte("private static final int N = 3;")},
	}}
	added := gitext.Hunk{OldStart: 20, NewStart: 21, NewLines: 1, Lines: []gitext.PatchLine{{Op: '+', Text: []byte("stop();")}}}
	patch := &gitext.Patch{Files: []gitext.FileChange{
		{Status: 'M', OldPath: "A.java", NewPath: "A.java", Hunks: []gitext.Hunk{reordered, broken, added}},
	}}
	for _, c := range []struct {
		subject, path string
		lines         []int
		want          bool
	}{
		{"Apply spotless", "A.java", []int{7, 8}, true},
		{"Apply spotless", "A.java", []int{7, 1}, false},
		{"Apply spotless", "A.java", []int{7, 21}, false},
		{"Apply spotless", "A.java", []int{30}, false},
		{"Apply spotless", "B.java", []int{7}, false},
		{"Apply spotless", "A.java", nil, false},
		{"Close mocks", "A.java", []int{7, 8}, false},
	} {
		var lines []suspect.OwnedLine
		for _, n := range c.lines {
			lines = append(lines, suspect.OwnedLine{Path: c.path, OrigLine: n})
		}
		if got := onlyFormats(gitext.Commit{Message: c.subject}, patch, lines); got != c.want {
			t.Errorf("%s, lines %d of %s: %t", c.subject, c.lines, c.path, got)
		}
	}
}
