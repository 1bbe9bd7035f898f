package investigate

import (
	"bytes"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
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
		if got := constantsOf(l, bytes.Split([]byte(text), []byte("\n"))); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
