package symbol

import (
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// addLocal puts the local variable or parameter at the use first. If the use is a call and a
// definition of the name was found, addLocal adds nothing, because its pattern may confuse a
// declaration with an expression.
func (l *lookup) addLocal() {
	used := l.found.Used
	if used.Line == 0 || l.at.Line == 0 || l.form == fieldForm || l.form == typeForm || len(l.qualifiers) > 0 {
		return
	}
	if l.form == callForm && len(l.found.Definitions) > 0 {
		return
	}
	extent, ok := source.FunctionAround(used.Path, l.lines, used.Line)
	if !ok {
		return
	}
	d, ok := l.localIn(extent, used.Line)
	if !ok && len(l.found.Definitions) == 0 {
		d, ok = l.assignment(extent, used.Line)
	}
	if !ok {
		return
	}
	d.Path = used.Path
	l.found.Definitions = slices.DeleteFunc(l.found.Definitions, func(o Definition) bool {
		return l.weak || o.Path == d.Path && o.Line == d.Line
	})
	d.Text = strings.TrimRight(d.Text[:min(len(d.Text), maxText)], " \t\r")
	l.found.Definitions = slices.Insert(l.found.Definitions, 0, d)
	l.found.By, l.local = ByGrep, true
}

// maxLocal limits how many lines above a use are searched for its declaration.
const maxLocal = 2000

// localIn finds the nearest declaration of the name above a line of a function, or else the
// parameter.
func (l *lookup) localIn(extent source.Extent, line int) (Definition, bool) {
	return l.declared(extent, line, l.name)
}

// declared is like localIn, for any name.
func (l *lookup) declared(extent source.Extent, line int, name string) (Definition, bool) {
	declares := localPattern(l.at.Path, name)
	first := max(extent.Body, line-maxLocal)
	comments := l.comments(first, line)
	for n := line; n > first; n-- {
		text := l.line(n)
		if strings.Contains(text, name) && !comments[n-first] && !controlled(text) && declares.MatchString(text) {
			return Definition{Line: n, Text: text, Kind: Local}, true
		}
	}
	for n := extent.Start; n <= min(extent.Body, extent.Start+20); n++ {
		text := l.line(n)
		at := source.WordIndex(text, name)
		if at < 0 {
			continue
		}
		before, after := text[:at], strings.TrimLeft(text[at+len(name):], " \t")
		if (n > extent.Start || strings.Contains(before, "(")) && !strings.HasPrefix(after, "(") {
			return Definition{Line: n, Text: text, Kind: Parameter}, true
		}
	}
	return Definition{}, false
}

// comments reports for each line from first to last whether it begins within a C comment.
func (l *lookup) comments(first, last int) []bool {
	within := make([]bool, last-first+1)
	open := false
	for n := first; n <= last; n++ {
		within[n-first] = open
		text := l.line(n)
		if i, j := strings.LastIndex(text, "/*"), strings.LastIndex(text, "*/"); i != j {
			open = i > j
		}
	}
	return within
}

// ownerTypes returns the words of the declaration of the variable before the member: "struct
// queue" if q->length is used and "struct queue *q" is declared above.
func (l *lookup) ownerTypes() []string {
	used := l.found.Used
	if used.Line == 0 || l.at.Line == 0 {
		return nil
	}
	owner := ""
	if n := len(l.qualifiers); n > 0 && l.form == fieldForm {
		owner = l.qualifiers[n-1]
	} else if n > 0 {
		return nil
	} else if m := regexp.MustCompile(`(?:^|[^\w.>\])])(\w+)(?:\[[^\]]*\])?\s*(?:->|\.)\s*` + regexp.QuoteMeta(l.name) + `\b`).FindStringSubmatch(l.line(used.Line)); m != nil {
		owner = m[1]
	}
	extent, ok := source.FunctionAround(used.Path, l.lines, used.Line)
	if !ok || owner == "" {
		return nil
	}
	d, ok := l.declared(extent, used.Line, owner)
	at := source.WordIndex(d.Text, owner)
	if !ok || at < 0 {
		return nil
	}
	text := d.Text[:at]
	if i := strings.LastIndexAny(text, "(,"); i >= 0 && d.Kind == Parameter {
		text = text[i+1:]
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r >= 0x80 || !source.IsIdentByte(byte(r)) })
}

// assignment finds the nearest assignment of the name above a line of a function.
func (l *lookup) assignment(extent source.Extent, line int) (Definition, bool) {
	assigns := regexp.MustCompile(`(?:^|[^\w.>])` + regexp.QuoteMeta(l.name) + `(?:\[[^\]]*\])?\s*=(?:[^=]|$)`)
	for n := line; n > extent.Body && n > line-maxLocal; n-- {
		if text := l.line(n); strings.Contains(text, l.name) && assigns.MatchString(text) {
			return Definition{Line: n, Text: text, Kind: Local}, true
		}
	}
	return Definition{}, false
}

// line returns the beginning of a line of the file of the use.
func (l *lookup) line(n int) string {
	if n < 1 || n > len(l.lines) {
		return ""
	}
	return string(l.lines[n-1][:min(len(l.lines[n-1]), maxText)])
}

var firstControl = source.Lazy(
	`^\s*(?:return|goto|else|case|delete|throw|assert|new|await|yield|print|echo|break|continue|extern|using|typedef|import|from)\b`,
)

func controlled(text string) bool {
	t := strings.TrimSpace(text)
	return firstControl().MatchString(text) || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*")
}

// localPattern matches the lines that declare a local variable.
func localPattern(p, name string) *regexp.Regexp {
	n := regexp.QuoteMeta(name)
	expr := `^\s*(?:for\s*(?:await\s*)?\(|if\s*\(|while\s*\()?\s*(?:let|const|var|my|local|val|our|auto|final)\b[^=;(]*\b` + n + `\b`
	switch familyOf(p) {
	case "go":
		expr = `^\s*(?:(?:if|for|switch|case)\s+)?(?:\w+,\s*)*` + n + `(?:,\s*\w+)*\s*:=|^\s*var\s+(?:\w+,\s*)*` + n + `\b`
	case "python", "ruby", "shell", "php", "perl":
		expr = `^\s*(?:local\s+|my\s+|declare\s+)?[\w$@, (]*(?:^|[\s$@,(])` + n + `\s*(?:,[\w\s$@,)]*)?(?::[^=]*)?=(?:[^=]|$)|\bfor\s+[\w, (]*\b` + n + `\b[\w, )]*\s+in\b|\bas\s+\(?\$?` + n + `\b|\bforeach\b.*\$` + n + `\b`
	case "rust":
		expr = `\blet\s+(?:mut\s+)?[\w(), &]*\b` + n + `\b|\bfor\s+[\w(), &]*\b` + n + `\b[\w(), ]*\s+in\b|\blet\s+(?:Some|Ok|Err)\([^)]*\b` + n + `\b`
	case "script":
	default:
		// A type, then names: "struct x *a, *b = c;", "List<String> a = b;", "for (int i = 0;"
		expr = `^\s*(?:(?:for|if|while|catch|try|switch|foreach)\s*\(\s*)?(?:[A-Za-z_][\w:.]*(?:<[^;=()]*>)?(?:\[\])?[\s*&]+)+(?:(?:\w+(?:\[[^\]]*\])*(?:\s*=[^,;]*)?\s*,\s*)[*&\s]*)*` +
			n + `\s*(?:=(?:[^=]|$)|;|,|\[|\{|\))|^\s*for\s*\([\w<>, .]+\s` + n + `\s*:|` + expr
	}
	return regexp.MustCompile(expr)
}
