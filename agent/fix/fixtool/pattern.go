package fixtool

import (
	"bytes"
	"cmp"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// A reading is one interpretation of a search pattern.
type reading struct {
	literals   []string // every matching line contains one of these
	ignoreCase bool
	match      func(line []byte) bool
	name       string // the pattern, if it is an identifier
	note       string // a note about the interpretation; "" for the literal one
}

// These bound a pattern.
const (
	maxPattern  = 500
	maxProgram  = 600 // instructions of a regular expression
	maxLiterals = 6   // searches of one expression
	minLiteral  = 2   // bytes of a searched literal
)

// readingsOf returns the interpretations of a pattern, the most literal first.
func readingsOf(pattern string, regex bool) ([]reading, error) {
	const tool = "code_search"
	pattern = strings.TrimRight(pattern, "\n\r")
	switch {
	case strings.ContainsAny(pattern, "\n\r"):
		return nil, refuse(tool, "the pattern must be one line")
	case len(pattern) > maxPattern:
		return nil, refuse(tool, "the pattern has %d bytes, and at most %d are searched for; look for its rarest part", len(pattern), maxPattern)
	case strings.TrimSpace(pattern) == "":
		return nil, refuse(tool, "the pattern is blank")
	}
	if regex {
		r, err := expression(pattern)
		if err != nil {
			return nil, err
		}
		return []reading{r}, nil
	}
	list := []reading{text(pattern, false), text(pattern, true)}
	list[1].note = "upper and lower case differ"
	if strings.ContainsAny(pattern, `\*+?[|^$`) {
		if r, err := expression(pattern); err == nil {
			r.note = "taken as a regular expression"
			list = append(list, r)
		}
	}
	if words := strings.Fields(pattern); len(words) > 1 {
		list = append(list, allWords(words))
	}
	return list, nil
}

// isName matches an identifier.
var isName = source.Lazy(`^[A-Za-z_]\w*$`)

func text(pattern string, ignoreCase bool) reading {
	needle := []byte(pattern)
	match := func(line []byte) bool { return bytes.Contains(line, needle) }
	if ignoreCase {
		needle = bytes.ToLower(needle)
		match = func(line []byte) bool { return bytes.Contains(bytes.ToLower(line), needle) }
	}
	r := reading{literals: []string{pattern}, ignoreCase: ignoreCase, match: match}
	if isName().MatchString(pattern) {
		r.name = pattern
	}
	return r
}

// allWords returns the reading for lines with all words, in any order.
func allWords(words []string) reading {
	longest := slices.MaxFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return reading{literals: []string{longest}, note: "no line has the text as it is; these have all its words", match: func(line []byte) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !bytes.Contains(line, []byte(w)) })
	}}
}

// expression reads a Go regular expression. git finds the lines with one of its literal parts,
// and the expression filters them.
func expression(pattern string) (reading, error) {
	const tool = "code_search"
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return reading{}, refuse(
			tool,
			"%s is not a regular expression: %s",
			quoted(pattern),
			agent.CleanLine(strings.TrimPrefix(err.Error(), "error parsing regexp: ")),
		)
	}
	parsed = parsed.Simplify()
	program, err := syntax.Compile(parsed)
	if err != nil || len(program.Inst) > maxProgram {
		return reading{}, refuse(tool, "the pattern repeats too much: write * or + in place of large numbers, or look for a shorter part")
	}
	literals, folded := literalsOf(parsed)
	if len(literals) == 0 {
		return reading{}, refuse(
			tool,
			"%s may match lines that have no text in common; give at least %d characters that each line has",
			quoted(pattern),
			minLiteral,
		)
	}
	return reading{literals: literals, ignoreCase: folded, match: regexp.MustCompile(pattern).Match}, nil
}

// literalsOf returns a set of texts such that each match contains one of them, or none if there
// is no such set. folded says that case does not matter.
func literalsOf(re *syntax.Regexp) (literals []string, folded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		if s := string(re.Rune); len(s) >= minLiteral {
			return []string{s}, re.Flags&syntax.FoldCase != 0
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literalsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			some, fold := literalsOf(sub)
			if weight(some) > weight(literals) {
				literals, folded = some, fold
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some, fold := literalsOf(sub)
			if len(some) == 0 || len(literals)+len(some) > maxLiterals {
				return nil, false
			}
			literals, folded = append(literals, some...), folded || fold
		}
	}
	return literals, folded
}

// weight returns the length of the shortest text in a set; the longer it is, the fewer lines
// match.
func weight(literals []string) int {
	least := 0
	for _, s := range literals {
		if least == 0 || len(s) < least {
			least = len(s)
		}
	}
	return least
}
