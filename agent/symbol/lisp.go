package symbol

import (
	"regexp"
	"strings"

	"git-agent/agent/source"
)

// lispName matches a name of Emacs Lisp, which may have nearly all characters.
var lispName = source.Lazy(`^[\pL\pN_+*/<>=!?&%$@^~:.-]{1,200}$`)

// isLispName reports whether a text may be the name of a function of Emacs Lisp, which no other language has.
func isLispName(name string) bool {
	return strings.ContainsAny(name, "-+*/<>=!?") && strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && source.IsIdentByte(byte(r)) }) &&
		lispName().MatchString(name)
}

// pattern returns an extended regular expression for names.
func pattern(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		if quoted[i] = n; isLispName(n) {
			quoted[i] = regexp.QuoteMeta(n)
		}
	}
	return strings.Join(quoted, "|")
}

// ofLisp judges a line of Emacs Lisp, where forms such as defun and cl-defmethod define functions.
func ofLisp(p, text, name string) (Definition, bool) {
	d := Definition{Path: p, Text: strings.TrimRight(text, " \t\r"), Kind: Function, Score: 10}
	f, found := source.LispFormOf(text)
	if !found || f.Name != name || f.IsValue() {
		return d, false
	}
	switch {
	case f.IsType():
		d.Kind, d.Score = Type, 9
	case strings.Contains(f.Keyword, "macro"):
		d.Score = 9 // a frame may be one, when Emacs expands it
	case f.Inner:
		d.Score = 6 // within another form
	}
	if source.IsTestPath(p) {
		d.Score -= 4
	}
	return d, true
}
