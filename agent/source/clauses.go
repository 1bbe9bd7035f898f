package source

import (
	"path"
	"strings"
)

// Functions of some languages have no braces: those of Ruby and Elixir go from def to end, and those of
// Erlang are clauses up to a full stop. Each of the two kinds of languages is read by its layout. Those of Lisp and Tcl are in forms.go.

var (
	defHeading  = Lazy(`^(?:(?:private|protected|public|memoize|private_class_method) )?def(?:p|macro|macrop)?\b`)
	endOfBlock  = Lazy(`^end\b`)
	partOfBlock = Lazy(`^(?:rescue|ensure|else|catch|after)\b|^\)`)
	hereStart   = Lazy("<<(?:[-~][\"'`]?([A-Za-z_]\\w*)|[\"'`]?([A-Z][A-Z0-9_]*)\\b)")
)

// The names in such headings: "def self.each_pair(", "def ==(other)", "defp valid?(x) when", "'a name'(".
var (
	definedName = Lazy(`^[a-z_ ]*?def(?:p|macro|macrop)?\s+(?:[\w:]+\.)?([\pL_][\pL\pN_]*(?:[?!]|=(?:[ \t]*\(|\z))?|\[\]=?|[-+~!]@|[-+*/%<>=!~&|^]+)`)
	clauseName  = Lazy(`^(?:([a-z][\w@]*)|'([^']+)')\(`)
)

// hasDefinitions and hasClauses report whether the functions of a file's language go from def to end, or are
// clauses.
func hasDefinitions(filePath string) bool {
	switch strings.ToLower(path.Ext(filePath)) {
	case ".rb", ".rake", ".ex", ".exs":
		return true
	}
	return false
}

func hasClauses(filePath string) bool { return strings.ToLower(path.Ext(filePath)) == ".erl" }

// functionsWithoutBraces lists the functions of a file in a language without braces. known is false for other
// languages.
func (l layout) functionsWithoutBraces(filePath string) (found []Function, known bool) {
	at := l.definitionAt
	switch {
	case hasDefinitions(filePath):
	case hasClauses(filePath):
		at = l.clausesAt
	case IsLisp(filePath):
		at = l.formAt
	case hasProcedures(filePath):
		at = l.procedureAt
	default:
		return nil, false
	}
	for i := 0; i < len(l.lines) && len(found) < maxListed; i++ {
		if name, e := at(i); name != "" && e.End > i {
			found = append(found, Function{Name: name, Extent: e})
			i = e.End - 1
		}
	}
	return found, true
}

// definitionAt returns the function whose def is in a line, with the name "" if there is none.
func (l layout) definitionAt(i int) (string, Extent) {
	t := l.text(i)
	if !defHeading().MatchString(t) {
		return "", Extent{}
	}
	return nameOfDefinition(t), l.toEnd(i, l.indent(i))
}

// clausesAt returns the function of Erlang whose first clause begins in a line, with the name "" if there is none.
func (l layout) clausesAt(i int) (string, Extent) {
	m := clauseName().FindStringSubmatch(l.erlang(i))
	if m == nil || l.indent(i) > 0 {
		return "", Extent{}
	}
	e, _ := l.clauses(i)
	return m[1] + m[2], e
}

// nameOfDefinition returns the name in a heading of Ruby or Elixir, without the class or "self".
func nameOfDefinition(heading string) string {
	if m := definedName().FindStringSubmatch(heading); m != nil {
		return strings.TrimRight(m[1], "( \t")
	}
	return ""
}

// withoutBraces returns the function around a line of a language without braces. known is false for
// other languages.
func withoutBraces(filePath string, lines [][]byte, line int) (e Extent, found, known bool) {
	l := layout{lines: lines}
	switch {
	case hasDefinitions(filePath):
		e, found = l.definition(line - 1)
		return e, found, true
	case hasClauses(filePath):
		e, found = l.clauses(line - 1)
		return e, found, true
	case IsLisp(filePath):
		e, found = l.form(line - 1)
		return e, found, true
	case hasProcedures(filePath):
		e, found = l.procedure(line - 1)
		return e, found, true
	}
	return Extent{}, false, false
}

// definition returns the function from def to end around a line.
func (l layout) definition(at int) (Extent, bool) {
	limit := -1 // the indentation that a heading may have at most
	for i := at; i >= 0 && at-i < maxFunction; i-- {
		t := l.text(i)
		if t == "" || t[0] == '#' {
			continue
		}
		n := l.indent(i)
		if limit >= 0 && n > limit {
			continue
		}
		if defHeading().MatchString(t) {
			if e := l.toEnd(i, n); e.End > at {
				return e, true
			}
			return Extent{}, false // the line is behind the function
		}
		if limit < 0 || n < limit {
			limit = n
		}
	}
	return Extent{}, false
}

// toEnd returns the lines from a heading to the end with its indentation. A function in one statement, "def f(x),
// do: x", goes on in the lines that are indented deeper.
func (l layout) toEnd(i, indent int) Extent {
	e := Extent{Start: i + 1, Body: l.headingTo(i) + 1}
	e.End = e.Body
	short := !strings.HasSuffix(l.text(e.Body-1), " do") && strings.Contains(l.join(i, e.Body-1), ", do:")
	for j := e.Body; j < len(l.lines) && j-i < maxFunction; j++ {
		if j = l.hereDocument(j-1) + 1; j == len(l.lines) {
			break
		}
		t := l.text(j)
		switch {
		case t == "" || t[0] == '#' && l.indent(j) <= indent:
			continue
		case l.indent(j) > indent:
			e.End = j + 1
			continue
		case !short && l.indent(j) == indent && endOfBlock().MatchString(t):
			e.End = j + 1
		case l.indent(j) == indent && partOfBlock().MatchString(t):
			e.End = j + 1
			continue
		}
		return e
	}
	return e
}

// hereDocument returns the last line of the text of Ruby that begins behind a line, as in "x = <<-END", or the line
// itself. Such a text may be at the margin.
func (l layout) hereDocument(at int) int {
	m := hereStart().FindStringSubmatch(l.text(at))
	if m == nil {
		return at
	}
	for j := at + 1; j < len(l.lines) && j-at < maxFunction; j++ {
		if l.text(j) == m[1]+m[2] {
			return j
		}
	}
	return at
}

// headingTo returns the last line of a heading whose parameters may be on several lines.
func (l layout) headingTo(i int) int {
	depth := 0
	for j := i; j < len(l.lines) && j < i+maxHeading; j++ {
		t := l.text(j)
		depth += strings.Count(t, "(") + strings.Count(t, "{") + strings.Count(t, "[") - strings.Count(t, ")") - strings.Count(t, "}") - strings.Count(t, "]")
		if depth <= 0 && !strings.HasSuffix(t, ",") {
			return j
		}
	}
	return i
}

// clauses returns the function of Erlang around a line: from its first clause to the full stop.
func (l layout) clauses(at int) (Extent, bool) {
	first := -1
	for i := at; i >= 0 && at-i < maxFunction; i-- {
		t := l.erlang(i)
		if t == "" {
			continue
		}
		if i < at && strings.HasSuffix(t, ".") {
			break // the end of what is before
		}
		if l.indent(i) == 0 && clauseName().MatchString(t) {
			first = i
		}
	}
	if first < 0 {
		return Extent{}, false
	}
	e := Extent{Start: first + 1, Body: first + 1, End: first + 1}
	for i := first; i < len(l.lines) && i-first < maxFunction; i++ {
		t := l.erlang(i)
		if t == "" {
			continue
		}
		e.End = i + 1
		if strings.HasSuffix(t, ".") {
			break
		}
	}
	return e, e.End > at
}

// erlang returns the text of a line of Erlang without its comment, which begins outside of strings and quoted atoms.
func (l layout) erlang(i int) string {
	t := l.text(i)
	quote := byte(0)
	for at := 0; at < len(t); at++ {
		switch c := t[at]; {
		case c == '\\' && quote != 0, c == '$' && quote == 0:
			if at++; at < len(t) && t[at] == '\\' && quote == 0 {
				at++ // $\" is a character
			}
		case c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '%':
			return strings.TrimSpace(t[:at])
		}
	}
	return t
}
