package gittool

import (
	"strconv"
	"strings"
)

// Git passes a regular expression to the C library, which expands every repetition to the
// largest number of copies: a{1,32767} takes 2.5 GB, and an expression with a
// back-reference may take extremely long. So the tools estimate the cost of an expression
// before git sees it. The bounds on git's memory and time cover the cost of matching
// texts.
const (
	maxExpression = 1000 // bytes
	maxStates     = 1000 // characters, after expanding all repetitions
	maxNesting    = 50   // groups within groups
	maxRepeated   = 3    // nested repetitions without a bound
)

// checkExpression refuses an extended regular expression that is too expensive.
// Invalid ones are left for git to refuse.
func checkExpression(pattern string) error {
	if len(pattern) > maxExpression {
		return refusef("the regular expression has %d bytes, and at most %d are searched for; look for its rarest part", len(pattern), maxExpression)
	}
	m := measure{text: pattern}
	size := m.alternatives(0)
	switch {
	case m.reference != "":
		return refusef(
			`back-references such as %s are not searched for: write out what is to stand there twice, or look for one of the two places`,
			m.reference,
		)
	case m.nested:
		return refusef(
			"the regular expression has groups in groups in groups: at most %d deep, and at most %d of them repeated; leave the outer ones out",
			maxNesting,
			maxRepeated,
		)
	case size.states > maxStates:
		return refusef(
			"the regular expression repeats too much: written out, it has more than %d characters. Write * or + in place of large numbers such as {1,%d}, or look for a shorter part",
			maxStates,
			maxStates,
		)
	}
	return nil
}

// A measure parses an expression like the C library, and counts.
type measure struct {
	text      string
	at        int
	reference string // the first back-reference
	nested    bool   // deeper than allowed
}

// A size is the cost of a part of an expression.
type size struct {
	states  int // at most tooMany
	repeats int // nested unbounded repetitions
}

const tooMany = 1 << 20

func (s size) plus(o size) size {
	return size{min(s.states+o.states, tooMany), max(s.repeats, o.repeats)}
}

func (s size) times(n int) size { return size{min(s.states*min(n, tooMany), tooMany), s.repeats} }

// alternatives measures up to the end, or to the parenthesis that closes depth.
func (m *measure) alternatives(depth int) size {
	if depth > maxNesting {
		m.nested, m.at = true, len(m.text)
	}
	all := size{states: 1}
	for m.at < len(m.text) {
		switch c := m.text[m.at]; {
		case c == ')' && depth > 0:
			return all
		case c == '|':
			m.at++
			all.states = min(all.states+1, tooMany)
		default:
			all = all.plus(m.repeated(m.atom(depth)))
		}
	}
	return all
}

// atom measures one character, set or group.
func (m *measure) atom(depth int) size {
	c := m.text[m.at]
	m.at++
	switch c {
	case '(':
		inner := m.alternatives(depth + 1)
		m.at = min(m.at+1, len(m.text)) // the parenthesis that closes it
		return inner.plus(size{states: 1})
	case '[':
		m.set()
	case '\\':
		if m.at < len(m.text) {
			if d := m.text[m.at]; d >= '1' && d <= '9' && m.reference == "" {
				m.reference = `\` + string(d)
			}
			m.at++
		}
	}
	return size{states: 1}
}

// set skips the rest of a bracket expression.
func (m *measure) set() {
	rest := m.text[m.at:]
	i := 0
	if strings.HasPrefix(rest, "^") {
		i++
	}
	if i < len(rest) && rest[i] == ']' { // a leading ] is literal
		i++
	}
	for i < len(rest) && rest[i] != ']' {
		if rest[i] == '[' && i+1 < len(rest) && strings.IndexByte(":.=", rest[i+1]) >= 0 {
			if end := strings.Index(rest[i+2:], rest[i+1:i+2]+"]"); end >= 0 {
				i += end + 3
			}
		}
		i++
	}
	m.at = min(m.at+i+1, len(m.text))
}

// repeated returns the cost of an atom with the repetitions that follow it.
func (m *measure) repeated(s size) size {
	for m.at < len(m.text) {
		switch m.text[m.at] {
		case '*':
			s.states, s.repeats = min(s.states+1, tooMany), s.repeats+1
		case '+': // aa*
			s = s.times(2)
			s.states, s.repeats = min(s.states+1, tooMany), s.repeats+1
		case '?':
			s.states = min(s.states+1, tooMany)
		case '{':
			from, to, end, ok := bounds(m.text[m.at:])
			if !ok {
				return s // a literal brace
			}
			if to < 0 {
				to = from + 1
				s.repeats++
			}
			s = s.times(max(from, to, 1))
			s.states, m.at = min(s.states+1, tooMany), m.at+end-1
		default:
			return s
		}
		if m.nested = m.nested || s.repeats > maxRepeated; m.nested {
			m.at = len(m.text)
			return s
		}
		m.at++
	}
	return s
}

// bounds parses {m}, {m,}, {,n} and {m,n} at the beginning of text; to is -1 if
// there is no upper bound.
func bounds(text string) (from, to, end int, ok bool) {
	end = strings.IndexByte(text, '}') + 1
	if end == 0 {
		return 0, 0, 0, false
	}
	least, most, two := strings.Cut(text[1:end-1], ",")
	from, ok = intervalNumber(least)
	if !ok && !(least == "" && two) {
		return 0, 0, 0, false
	}
	switch {
	case !two:
		return from, from, end, true
	case most == "":
		return from, -1, end, true
	}
	to, ok = intervalNumber(most)
	return from, to, end, ok
}

// intervalNumber parses digits; a number larger than git accepts becomes
// tooMany.
func intervalNumber(s string) (int, bool) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > tooMany {
		n = tooMany
	}
	return n, true
}
