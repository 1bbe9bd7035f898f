package quote

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A shell reads a quoted word as the original word, and the quoted word is
// printable text.
func TestShellQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"":                  "''",
		"src/a-b_c.go":      "src/a-b_c.go",
		"HEAD~3":            "'HEAD~3'",
		"$(rm -rf x);&":     "'$(rm -rf x);&'",
		"--format=%H":       "--format=%H",
		"last\n":            "'last\n'",
		"HEAD^":             "HEAD^",
		"a b/ünï.c":         "'a b/ünï.c'",
		"it's":              `'it'\''s'`,
		"50% \\ done":       `'50% \ done'`,
		"new\nline.c":       `"$(printf 'new\012line.c')"`,
		"it's\t50%\\":       `"$(printf 'it'\''s\01150%%\\')"`,
		"bad\xff1.c":        `"$(printf 'bad\3771.c')"`,
		"\x1b[31mred":       `"$(printf '\033[31mred')"`,
		"rtl\u202eoverride": `"$(printf 'rtl\342\200\256override')"`,
		"\x1b[2J\n\n":       "\"$(printf '\\033[2J')\n\n\"",
		"filler\u3164":      `"$(printf 'filler\343\205\244')"`,
		"vs\U000e0100":      `"$(printf 'vs\363\240\204\200')"`,
		"-dash $(x) `y`\n2": "\"$(printf -- '-dash $(x) `y`\\0122')\"",
	} {
		got := Shell(word)
		if got != want {
			t.Errorf("%q is quoted %s, want %s", word, got, want)
		}
		if !utf8.ValidString(got) || Text(got) != got || strings.ContainsFunc(strings.Trim(got, "'\"\n"), unicode.IsControl) {
			t.Errorf("%q is no text", got)
		}
		out, err := exec.Command("sh", "-c", "printf %s "+got).Output()
		if err != nil || string(out) != word {
			t.Errorf("sh reads %s as %q (%v), want %q", got, out, err, word)
		}
	}
}

// A path that begins with a colon is no pathspec with magic: git show printed nothing for it.
func TestPathspec(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"a.c": "a.c", "a b.c": "'a b.c'", ":colon.c": "':(top,literal):colon.c'", "a:b": "a:b"} {
		if got := Pathspec(path); got != want {
			t.Errorf("%q: %s, want %s", path, got, want)
		}
	}
}
