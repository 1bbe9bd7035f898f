package symbol

import (
	"path"
	"regexp"
	"strings"

	"git-agent/agent/source"
)

// IsLisp reports whether a file is a program of Emacs Lisp, where names may have nearly all characters.
func IsLisp(p string) bool { return strings.EqualFold(path.Ext(p), ".el") }

var (
	lispName = source.Lazy(`^[\pL\pN_+*/<>=!?&%$@^~:.-]{1,200}$`)
	// The name may be quoted, as in (defalias 'f, and the name of an option of a structure is in parentheses.
	lispDefinition = source.Lazy(`^(\s*)\((?:cl-|ert-|transient-|magit-)?(def[a-z-]*\*?|define-[a-z-]+|[a-z][\w-]*-def(?:un|macro)[a-z]*\*?)\s+\(?'?([^\s()"';]+)`)
	lispTypes      = source.WordSet("defstruct defclass deftype defgroup define-error")
	lispValues     = source.WordSet("defvar defvar-local defconst defcustom defface defvaralias defvar-keymap")
)

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
	m := lispDefinition().FindStringSubmatch(text)
	if m == nil || m[3] != name || lispValues[m[2]] {
		return d, false
	}
	switch {
	case lispTypes[m[2]]:
		d.Kind, d.Score = Type, 9
	case strings.Contains(m[2], "macro"):
		d.Score = 9 // a frame may be one, when Emacs expands it
	case m[1] != "":
		d.Score = 6 // within another form
	}
	if source.IsTestPath(p) {
		d.Score -= 4
	}
	return d, true
}
