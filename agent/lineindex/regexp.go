package lineindex

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// matchesLine returns the question whether a changed line may match a POSIX extended
// regular expression of git log -G. The answer is maybe for every match of git, and
// hardly ever maybe for other lines. matchesLine returns false for an expression that it
// cannot judge.
func matchesLine(expr string) (question, bool) {
	goExpr, ok := translate(expr)
	if !ok {
		return question{}, false
	}
	tree, err := syntax.Parse(goExpr, syntax.Perl)
	if err != nil {
		return question{}, false
	}
	re, err := regexp.Compile(goExpr)
	if err != nil || re.MatchString("") || re.MatchString("\n") {
		return question{}, false // git also matches the empty text after the last line
	}
	q := question{anyOf: required(tree.Simplify())}
	q.changed = func(r *record) verdict {
		switch {
		case r.flags&isPartial != 0:
			return maybe
		case mayMatch(re, q.anyOf, r.added), mayMatch(re, q.anyOf, r.removed):
			return maybe
		}
		return no
	}
	return q, true
}

// mayMatch reports whether a line of text may match. Characters outside ASCII depend on
// git's locale, so for lines with such characters only the required texts decide.
func mayMatch(re *regexp.Regexp, anyOf []string, text []byte) bool {
	if !containsAny(text, anyOf) {
		return false
	}
	if re.Match(text) {
		return true
	}
	if !nonASCII(text) {
		return false
	}
	for line := range bytes.Lines(text) {
		if nonASCII(line) && containsAny(line, anyOf) {
			return true
		}
	}
	return false
}

func nonASCII(text []byte) bool {
	return slices.ContainsFunc(text, func(c byte) bool { return c >= 0x80 })
}

// required returns texts such that every match contains at least one; none if there are
// no such texts.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if texts := required(sub); rarer(texts, best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := required(sub)
			if len(texts) == 0 || len(all) > maxAlternatives {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

const maxAlternatives = 20

// rarer reports whether the texts of a are a better condition than the texts of b: their
// shortest is longer.
func rarer(a, b []string) bool { return shortest(a) > shortest(b) }

func shortest(texts []string) int {
	n := 0
	for i, s := range texts {
		if i == 0 || len(s) < n {
			n = len(s)
		}
	}
	return n
}

// translate writes a POSIX extended regular expression in Go's syntax. It returns false
// for syntax that may have another meaning in Go, in a line of ASCII characters.
func translate(expr string) (string, bool) {
	var b strings.Builder
	b.WriteString("(?m)")
	repeatable := false // the preceding part can be repeated
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch {
		case c >= 0x80:
			return "", false // one character or several, depending on git's locale
		case c == '[':
			class, n, ok := translateClass(expr[i:])
			if !ok {
				return "", false
			}
			b.WriteString(class)
			i += n - 1
			repeatable = true
		case c == '\\':
			i++
			if i == len(expr) {
				return "", false
			}
			text, ok := translateEscape(expr[i])
			if !ok {
				return "", false
			}
			b.WriteString(text)
			repeatable = !strings.Contains("<>bB", expr[i:i+1])
		case c == '{':
			end := strings.IndexByte(expr[i:], '}')
			if end < 0 || !repeatable || !interval().MatchString(expr[i:i+end+1]) {
				return "", false
			}
			b.WriteString(expr[i : i+end+1])
			i += end
			repeatable = false
		case strings.IndexByte("*+?", c) >= 0:
			if !repeatable {
				return "", false // at the beginning, or after another repetition
			}
			b.WriteByte(c)
			repeatable = false
		case strings.IndexByte("(|^$", c) >= 0:
			if c == '(' && strings.HasPrefix(expr[i+1:], "?") {
				return "", false
			}
			b.WriteByte(c)
			repeatable = false
		case c == '}':
			b.WriteString(`\}`)
			repeatable = true
		default:
			b.WriteByte(c)
			repeatable = true
		}
	}
	return b.String(), true
}

// translateEscape translates the character after a backslash.
func translateEscape(c byte) (string, bool) {
	switch {
	case c == 'w' || c == 'W' || c == 'b' || c == 'B':
		return `\` + string(c), true
	case c == 's':
		return `[\s\v]`, true
	case c == 'S':
		return `[^\s\v]`, true
	case c == '<' || c == '>':
		return `\b`, true // at a word boundary, which is weaker than git's condition
	case source.IsDigit(c) || c == '`' || c == '\'' || c >= 0x80:
		return "", false // a back-reference, or an end of the whole text
	}
	return regexp.QuoteMeta(string(c)), true
}

// translateClass translates the bracket expression at the beginning of s, and returns its
// length. A backslash in it is an ordinary character.
func translateClass(s string) (string, int, bool) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if i < len(s) && s[i] == '^' {
		b.WriteString(`^\n`)
		i++
	}
	for first := true; i < len(s); first = false {
		c := s[i]
		switch {
		case c == ']' && !first:
			return b.String() + "]", i + 1, true
		case c >= 0x80:
			return "", 0, false
		case c == '[' && i+1 < len(s) && (s[i+1] == '=' || s[i+1] == '.'):
			return "", 0, false // a collating element
		case c == '[' && i+1 < len(s) && s[i+1] == ':':
			end := strings.Index(s[i:], ":]")
			if end < 0 {
				return "", 0, false
			}
			b.WriteString(s[i : i+end+2])
			i += end + 2
			continue
		case c == '-':
			if last := i+1 < len(s) && s[i+1] == ']'; first || last || s[i-1] == '^' {
				b.WriteString(`\-`)
			} else {
				b.WriteByte('-')
			}
		case strings.IndexByte(`\[]^`, c) >= 0:
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
		i++
	}
	return "", 0, false
}

// interval matches a repetition count.
var interval = source.Lazy(`^\{[0-9]+(,[0-9]*)?\}$`)
