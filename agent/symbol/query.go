package symbol

import (
	"fmt"
	"strings"

	"git-agent/agent/source"
)

// A form is the syntax of a use of a name.
type form uint8

const (
	anyForm   form = iota
	callForm       // name(
	fieldForm      // x.name or x->name
	typeForm       // struct name
)

// A query is a name to look up.
type query struct {
	name       string   // the last part
	full       string   // the name with the tilde of a destructor
	qualifiers []string // the parts before, the nearest last
	form       form     // the syntax of the text that was given
}

// maxName limits a name that is looked up, in bytes.
const maxName = 1000

// typeWord matches the words that may precede the name of a type.
var typeWord = source.Lazy(`^(?:struct|class|union|enum|interface|trait|type|typedef)\s+`)

// parseName splits a name into its parts. The text may contain more than the name, as copied by a
// model: arguments, an index, the arguments of a template, an ampersand.
func parseName(text string) (query, error) {
	var q query
	rest := strings.TrimSpace(text)
	if len(rest) > maxName {
		return q, fmt.Errorf("%.60q... is %w", rest, ErrNoName)
	}
	if loc := typeWord().FindStringIndex(rest); loc != nil {
		q.form, rest = typeForm, rest[loc[1]:]
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "#define "), "def ")
	rest = strings.ReplaceAll(rest, "(anonymous namespace)::", "")
	rest = withoutReceiver(rest)
	if i := strings.IndexAny(rest, "(["); i > 0 {
		if rest[i] == '(' {
			q.form = callForm
		}
		rest = rest[:i]
	}
	parts := splitName(withoutTemplates(rest))
	if len(parts) == 0 {
		return q, fmt.Errorf("%q is %w", text, ErrNoName)
	}
	last := strings.TrimRight(strings.TrimLeft(parts[len(parts)-1], "&*$@!"), "?!;, ")
	q.name, q.full = strings.TrimPrefix(last, "~"), last
	if !IsIdentifier(q.name) {
		return q, fmt.Errorf("%q is %w", text, ErrNoName)
	}
	for _, p := range parts[:len(parts)-1] {
		if p = strings.Trim(p, "&*$@!~ "); IsIdentifier(p) {
			q.qualifiers = append(q.qualifiers, p)
		}
	}
	if q.form == anyForm && (strings.Contains(rest, "->") || strings.HasPrefix(rest, ".")) {
		q.form = fieldForm
	}
	return q, nil
}

// withoutReceiver turns Go's "pkg.(*Type).Method" into "pkg.Type.Method".
func withoutReceiver(text string) string {
	for {
		open := strings.Index(text, "(*")
		if open < 0 {
			return text
		}
		end := strings.IndexByte(text[open:], ')')
		if end < 0 || !IsIdentifier(text[open+2:open+end]) {
			return text
		}
		text = text[:open] + text[open+2:open+end] + text[open+end+1:]
	}
}

// withoutTemplates removes the text between angle brackets. It keeps the bracket of an arrow.
func withoutTemplates(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	var b strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// splitName returns the parts of a qualified name.
func splitName(text string) []string {
	text = strings.NewReplacer("::", "\x00", "->", "\x00", ".", "\x00", "/", "\x00", "#", "\x00").Replace(text)
	var parts []string
	for part := range strings.SplitSeq(text, "\x00") {
		// A nested class of Java is written with a dollar.
		for i, p := range strings.Split(part, "$") {
			if p = strings.TrimSpace(p); p != "" && (i == 0 || p[0] < '0' || p[0] > '9') {
				parts = append(parts, p)
			}
		}
	}
	return parts
}

// formOf returns the form of the first use of the name in a line.
func formOf(line, name string) form {
	at := source.WordIndex(line, name)
	if at < 0 {
		return anyForm
	}
	before, after := strings.TrimRight(line[:at], " \t"), strings.TrimLeft(line[at+len(name):], " \t")
	switch {
	case strings.HasPrefix(after, "("):
		return callForm
	case strings.HasSuffix(before, "->") || strings.HasSuffix(before, ".") && !strings.HasSuffix(before, ".."):
		return fieldForm
	case endsWithTypeWord().MatchString(before):
		return typeForm
	}
	return anyForm
}

var endsWithTypeWord = source.Lazy(`\b(?:struct|class|union|enum|new|extends|implements)$`)

// fitsForm reports whether a use with this form can mean a definition of this kind.
func fitsForm(f form, k Kind) bool {
	switch f {
	case callForm:
		return k == Function || k == Macro || k == "method" || k == "prototype" || k == Type || k == "class" || k == "struct"
	case fieldForm:
		return k == "member" || k == "method" || k == "property" || k == "prototype" || k == "accessor"
	case typeForm:
		return k == Type || k == "struct" || k == "class" || k == "union" || k == "enum" || k == "interface" || k == "trait" || k == "typedef"
	}
	return true
}
