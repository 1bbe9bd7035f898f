package investigate

import (
	"bytes"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The constants that a suspected function uses are shown as its file defines them, in the language of the file, as the
// table was at fault that zxing's dd156cba mends.
func TestConstantsOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"class A {\n  private static final int[] FIELD_WIDTHS = {\n    1, 2,\n    3};\n  int f() {\n    return FIELD_WIDTHS[0] + MISSING_ONE;\n  }\n}\n": "constants of this file:\n2: private static final int[] FIELD_WIDTHS = { 1, 2, 3};\n",
		"#define MAX_SIZE 4096\nint LIMIT = 3;\nint x;\nint g;\nint f(void)\n{\n\treturn LIMIT == MAX_SIZE;\n}\n":                                        "constants of this file:\n2: int LIMIT = 3;\n1: #define MAX_SIZE 4096\n",
		"MAX_SIZE = 4\nSIZES: dict[str, int] = {}\nif MAX_SIZE == 4: pass\n\ndef f():\n    return SIZES, MAX_SIZE\n":                                     "constants of this file:\n2: SIZES: dict[str, int] = {}\n1: MAX_SIZE = 4\n",
		"const MAX_SIZE: usize = 4;\n\n\n\nfn f() -> usize {\n    MAX_SIZE\n}\n":                                                                         "constants of this file:\n1: const MAX_SIZE: usize = 4;\n",
		"export const MAX_SIZE: number = 4;\n\n\n\nfunction f() {\n  return MAX_SIZE;\n}\n":                                                              "constants of this file:\n1: export const MAX_SIZE: number = 4;\n",
		"int a;\n\n\n\nint f(void)\n{\n\treturn NULL_PTR == MAX_SIZE;\n}\n":                                                                              "",
	} {
		l := fix.Location{Lines: gitext.LineRange{Start: 5, End: 7}}
		w := &work{}
		if got, err := w.constantsOf(t.Context(), l, bytes.Split([]byte(text), []byte("\n"))); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}

// A constant of another file is shown where the function or an import names the file; of several files of that name, the
// nearest counts.
func TestConstantsOfOtherFiles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("c", gittest.Files{
		"src/a/Limits.java": "class Limits {\n  static final int MAX_SIZE = 3;\n}\n",
		"src/b/Limits.java": "class Limits {\n  static final int MAX_SIZE = 4;\n}\n",
		"test/Limits.java":  "class Limits {\n  static final int MAX_SIZE = 5;\n}\n",
		"src/b/A.java":      "class A {\n  int f() {\n    return Limits.MAX_SIZE + Unknown.MAX_DEPTH + System.LINE_END;\n  }\n}\n",
		"lib/limits.py":     "MAX_SIZE = 4\n",
		"lib/a.py":          "from .limits import MAX_SIZE\ndef f():\n    return MAX_SIZE\n\n",
		"lib/limits.ts":     "export const MAX_SIZE = 4;\n",
		"lib/a.ts":          "import { MAX_SIZE } from './limits';\nfunction f() {\n  return MAX_SIZE;\n}\n",
		"lib/limits.rs":     "pub const MAX_SIZE: usize = 4;\n",
		"lib/a.rs":          "use crate::limits;\nfn f() -> usize {\n    limits::MAX_SIZE\n}\n",
		"lib/b.rs":          "\nfn f() -> usize {\n    MAX_SIZE\n}\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	for name, want := range map[string]string{
		"src/b/A.java": "src/b/Limits.java:2: static final int MAX_SIZE = 4;",
		"lib/a.py":     "lib/limits.py:1: MAX_SIZE = 4",
		"lib/a.ts":     "lib/limits.ts:1: export const MAX_SIZE = 4;",
		"lib/a.rs":     "lib/limits.rs:1: pub const MAX_SIZE: usize = 4;",
		"lib/b.rs":     "",
	} {
		lines, err := w.lines(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if want != "" {
			want = "constants of other files:\n" + want + "\n"
		}
		got, err := w.constantsOf(t.Context(), fix.Location{Path: name, Lines: gitext.LineRange{Start: 2, End: 4}}, lines)
		if got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
