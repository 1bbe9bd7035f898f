package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pathspec quotes a path for a POSIX shell as a pathspec of git, which takes a colon at the
// beginning for magic: such a path is named from the top of the work tree.
func Pathspec(path string) string {
	if strings.HasPrefix(path, ":") {
		path = ":(top,literal)" + path
	}
	return Shell(path)
}

// FromTop quotes a path for a POSIX shell as a pathspec of git that counts from the top of the work
// tree, wherever it is typed. Signs behind the slash are more magic until a colon ends it: git calls
// ":/_a.py" unimplemented, and ":/!a.py" is everything else.
func FromTop(path string) string {
	if path != "" && strings.IndexByte("!\"#%&',-/:;<=>@^_`~", path[0]) >= 0 {
		return Shell(":/:" + path)
	}
	return Shell(":/" + path)
}

// Shell quotes a word for a POSIX shell if it needs quotes. The result is one
// line of printable text: bytes that control a terminal, or that JSON cannot
// represent, are written with printf, because not every sh knows $'...'. Only
// newlines at the end of a word are kept, because $(...) would drop them.
func Shell(word string) string {
	switch {
	case word != "" && !strings.ContainsFunc(word, needsShellQuote):
		return word
	case isPlainText(strings.TrimRight(word, "\n")):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	start := strings.TrimRight(word, "\n")
	var b strings.Builder
	for i, width := 0, 0; i < len(start); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(start[i:])
		switch {
		case r == '%':
			b.WriteString("%%")
		case r == '\\':
			b.WriteString(`\\`)
		case r == '\'':
			b.WriteString(`'\''`)
		case isPlainText(start[i : i+width]):
			b.WriteString(start[i : i+width])
		default:
			for _, c := range []byte(start[i : i+width]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
	}
	dash := ""
	if strings.HasPrefix(word, "-") {
		dash = "-- "
	}
	return `"$(printf ` + dash + `'` + b.String() + `')` + word[len(start):] + `"`
}

func needsShellQuote(r rune) bool {
	plain := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-_./+,:@%=^", r)
	return !plain
}

// isPlainText reports whether every terminal shows s unchanged.
func isPlainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || Hidden(r) })
}
