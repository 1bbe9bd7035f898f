package candidate

import (
	"strings"
	"testing"

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
		{"go fmt", "merge.go", comma, "", true}, // mergo 7fe0c75 led for 28c15b0
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
