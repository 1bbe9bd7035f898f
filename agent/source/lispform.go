package source

import (
	"path"
	"strings"
)

// IsLisp reports whether a file is a program of Emacs Lisp.
func IsLisp(filePath string) bool { return strings.EqualFold(path.Ext(filePath), ".el") }

// A LispForm is the beginning of a form of Emacs Lisp that defines a name: (defun f (x), (cl-defstruct (s, (my-define-command c.
type LispForm struct {
	Name    string
	Keyword string // without the prefix of a library, as defun of cl-defun
	Inner   bool   // the form is indented, and so within another one
}

// lispForm matches the beginning of a form, with the keyword in one of two groups. The name may be quoted, as in (defalias 'f, and the
// name of an option of a structure is in parentheses.
var lispForm = Lazy(`^(\s*)\((?:(?:cl-|ert-|transient-|magit-)?(def[a-z-]*\*?|define-[a-z-]+)|[a-z][\w-]*-(def(?:un|macro|subst|method|generic|alias|struct|class|ine-)[a-z-]*\*?))\s+\(?'?([^\s()"';]+)`)

var (
	lispTypes  = WordSet("defstruct defclass deftype define-error")
	lispValues = WordSet("defvar defvar-local defconst defcustom defgroup defface defvaralias defvar-keymap default-value default-toplevel-value")
)

// LispFormOf returns the form that begins in a line of Emacs Lisp, and false if the line begins none that defines a name.
func LispFormOf(line string) (LispForm, bool) {
	m := lispForm().FindStringSubmatch(line)
	if m == nil {
		return LispForm{}, false
	}
	return LispForm{Name: m[4], Keyword: m[2] + m[3], Inner: m[1] != ""}, true
}

// IsType reports whether the form defines a type.
func (f LispForm) IsType() bool { return lispTypes[f.Keyword] }

// IsValue reports whether the form defines no function and no type: it defines a variable, a group or a face.
func (f LispForm) IsValue() bool { return lispValues[f.Keyword] }
