package symbol

import (
	"bytes"
	"slices"

	"git-agent/agent/source"
)

// Limits on the files that are read to tell prototypes from definitions.
const (
	maxFile  = 4 << 20 // bytes of one
	maxFiles = 10      // of one name
)

// withoutPrototypes removes the prototypes of C and C++ from a list of definitions of one name, the
// surest first. The first line of a prototype that is longer than a line looks like that of a
// definition, so the lines below it are read, if the same file has several such lines; lines
// returns the lines of a file.
func withoutPrototypes(list []Definition, lines func(path string) [][]byte) []Definition {
	headings := map[string]int{}
	for _, d := range list {
		if d.Kind == Function && familyOf(d.Path) == "c" {
			headings[d.Path]++
		}
	}
	texts := map[string][][]byte{}
	return slices.DeleteFunc(list, func(d Definition) bool {
		if d.Kind != Function || headings[d.Path] < 2 {
			return false
		}
		if _, read := texts[d.Path]; !read && len(texts) < maxFiles {
			texts[d.Path] = lines(d.Path)
		}
		return isPrototype(texts[d.Path], d.Line)
	})
}

// maxPrototype limits how many lines of a prototype are read.
const maxPrototype = 40

// attribute matches what may stand between the parameters of a prototype and its semicolon: a
// macro in capitals, or an attribute of a compiler, each with arguments or without.
var attribute = source.Lazy(`^(?:__\w+|[A-Z][A-Z0-9_]+|const|noexcept|override|asm)\b\s*`)

// isPrototype reports whether the function heading at a line, counted from 1, ends with a semicolon
// in place of a body.
func isPrototype(lines [][]byte, at int) bool {
	if at > len(lines) {
		return false
	}
	text := bytes.Join(lines[at-1:min(at-1+maxPrototype, len(lines))], []byte(" "))
	rest, ok := behindParentheses(text)
	for ok && len(rest) > 0 && rest[0] != ';' {
		n := len(attribute().Find(rest))
		if n == 0 {
			return false
		}
		if rest = rest[n:]; len(rest) > 0 && rest[0] == '(' {
			rest, ok = behindParentheses(rest)
		}
	}
	return ok && len(rest) > 0
}

// behindParentheses returns what follows the first pair of parentheses and the space behind it.
func behindParentheses(text []byte) ([]byte, bool) {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return bytes.TrimLeft(text[i+1:], " \t\r"), true
			}
		case '{', ';':
			return nil, false
		}
	}
	return nil, false
}
