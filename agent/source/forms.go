package source

import (
	"bytes"
	"path"
	"strings"
)

// A function of Emacs Lisp is a form that begins at the margin. Emacs itself took a parenthesis at the margin for the beginning of one,
// so that programs hardly have other lines that begin with it.

// procedure matches the heading of a procedure or a method of Tcl, and its name without the namespace.
var procedure = Lazy(`^[ \t]*(?:proc|method|typemethod|(?:\w+::)*body)[ \t]+(?:[^\s{}"]*::)?([^\s{}":]+)[ \t].*\{$`)

func hasProcedures(filePath string) bool { return strings.ToLower(path.Ext(filePath)) == ".tcl" }

// procedure returns the procedure of Tcl around a line.
func (l layout) procedure(at int) (Extent, bool) {
	for i := at; i >= 0 && at-i < maxFunction; i-- {
		if name, e := l.procedureAt(i); name != "" && e.End > at {
			return e, true
		}
	}
	return Extent{}, false
}

// procedureAt returns the procedure whose heading is in a line, with the name "" if there is none. It ends with the first brace that has the
// indentation of the heading.
func (l layout) procedureAt(i int) (string, Extent) {
	m := procedure().FindSubmatch(bytes.TrimRight(l.lines[i], " \t\r"))
	if m == nil {
		return "", Extent{}
	}
	for j := i + 1; j < len(l.lines) && j-i < maxFunction; j++ {
		if t := l.text(j); t != "" && t[0] == '}' && l.indent(j) <= l.indent(i) {
			return string(m[1]), Extent{Start: i + 1, Body: i + 1, End: j + 1}
		}
	}
	return "", Extent{}
}

// form returns the function around a line.
func (l layout) form(at int) (Extent, bool) {
	for i := at; i >= 0 && at-i < maxFunction; i-- {
		if len(l.lines[i]) > 0 && l.lines[i][0] == '(' {
			name, e := l.formAt(i)
			return e, name != "" && e.End > at
		}
	}
	return Extent{}, false
}

// formAt returns the function whose form begins in a line, with the name "" if there is none.
func (l layout) formAt(i int) (string, Extent) {
	f, found := LispFormOf(string(l.lines[i]))
	if !found || f.Inner || f.IsValue() {
		return "", Extent{}
	}
	e := Extent{Start: i + 1, Body: i + 1, End: i + 1}
	for j := i + 1; j < len(l.lines) && j-i < maxFunction; j++ {
		line := l.lines[j]
		switch {
		case len(line) > 0 && line[0] == '(':
			return f.Name, e
		case l.text(j) == "" || line[0] == ';':
			continue // between forms, unless the form goes on
		}
		e.End = j + 1
	}
	return f.Name, e
}
