package symbol

import (
	"bytes"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// DefinedIn returns the numbers of the lines that look like a definition of a name, the surest
// first. Lines count from 1.
func DefinedIn(path string, lines [][]byte, name string) []int {
	if !source.IsLisp(path) {
		name = strings.TrimRight(Last(name), "?!") // of methods of Ruby and functions of Elixir
		if !IsIdentifier(name) {
			return nil
		}
	}
	var found []Definition
	word := []byte(name)
	for i, l := range lines {
		if !bytes.Contains(l, word) {
			continue
		}
		if d, ok := definition(path, string(l[:min(len(l), maxDefinition)]), name); ok {
			d.Line = i + 1
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b Definition) int { return b.Score - a.Score })
	found = withoutPrototypes(found, func(string) [][]byte { return lines })
	var at []int
	for _, d := range found {
		at = append(at, d.Line)
	}
	return at
}

// maxDefinition limits how much of a line is examined, in bytes.
const maxDefinition = 1000
