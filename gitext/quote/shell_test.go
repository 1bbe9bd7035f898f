package quote

import (
	"os"
	"os/exec"
	"path/filepath"
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

// git reads a path from the top as the file itself, whatever it begins with. Of ":/_a.py" git said
// that the magic is unimplemented.
func TestFromTop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(args string) string {
		cmd := exec.Command("sh", "-c", "git -c user.name=a -c user.email=a@b "+args)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	names := []string{"a.c", "_a.py", "-b", "!c", ":d", "^e", "#f", "(g", "it's", "@h", "~i", ".j", "é", "sub/k", "_sub/l"}
	git("init -q .")
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("add -A")
	dir = filepath.Join(dir, "sub")
	for _, name := range names {
		if got := git("ls-files -z --full-name -- " + FromTop(name)); got != name+"\x00" {
			t.Errorf("%s is %q", FromTop(name), got)
		}
	}
	if got := FromTop("src/a.c"); got != ":/src/a.c" {
		t.Errorf("got %s", got)
	}
}
