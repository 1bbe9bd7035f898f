package source

import "strings"

// leastLiteral is the number of characters between two verbs of a literal from which a text that has them is made of it.
const leastLiteral = 12

var (
	// A text in the source.
	sourceLiteral = Lazy("\"((?:[^\"\\\\]|\\\\.)+)\"|'((?:[^'\\\\]|\\\\.)+)'|`([^`]+)`")
	// What stands in a text of the source for a value, and escaped characters.
	formatVerb = Lazy(`%(?:\(\w+\))?[-+# 0-9.*]*(?:hh|h|ll|l|z)?[a-zA-Z]|\$?\{[^{}]*\}|\\[nrt]`)
)

// LiteralsIn returns the texts in quotes of a line.
func LiteralsIn(line string) []string {
	var texts []string
	for _, l := range sourceLiteral().FindAllStringSubmatch(line, -1) {
		texts = append(texts, Unquoted(l[1]+l[2]+l[3]))
	}
	return texts
}

// Unquoted returns a text without the signs that escape quotes in it.
func Unquoted(text string) string { return strings.NewReplacer(`\"`, `"`, `\'`, `'`).Replace(text) }

// LiteralInText returns the number of characters that a literal of the source and a text have in common: all
// of the text, or all that the literal has beside its verbs, in this order. It is 0 if they differ, or
// if the literal is no longer than a few words.
func LiteralInText(literal, text string) int {
	if strings.Contains(literal, text) {
		return len(text)
	}
	rest, sum, longest := text, 0, 0
	for _, part := range formatVerb().Split(literal, -1) {
		i := strings.Index(rest, part)
		if i < 0 {
			return 0
		}
		rest = rest[i+len(part):]
		sum += len(part)
		longest = max(longest, len(strings.TrimSpace(part)))
	}
	if longest < leastLiteral {
		return 0
	}
	return sum
}
