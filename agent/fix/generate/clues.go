package generate

import (
	"slices"

	"git-agent/agent/source"
)

var (
	// raisedLine matches an exception in the output of Python's test tools.
	raisedLine = source.Lazy(`(?m)^(?:E {3,})?(?:[\w.]+\.)?([A-Z]\w*(?:Error|Exception|Interrupt|Iteration|Warning))(?::|$)`)
	// unknownName matches messages about a name that does not exist.
	unknownName = source.Lazy(`has no attribute '(\w+)'|name '(\w+)' is not defined|unexpected keyword argument '(\w+)'|\b(\w+) is not a function|(?:property|method|symbol|name) '(\w+)' does not exist`)
)

// maxClue bounds the read part of an output, and maxClues the names from it.
const (
	maxClue  = 64 << 10
	maxClues = 10
)

// raised returns the exceptions in an output, without those of failed assertions.
func raised(output []byte) []string {
	var list []string
	for _, m := range raisedLine().FindAllSubmatch(output[:min(len(output), maxClue)], -1) {
		name := string(m[1])
		if name != "AssertionError" && !slices.Contains(list, name) && len(list) < maxClues {
			list = append(list, name)
		}
	}
	return list
}

// unknownNames returns the names that do not exist, by an output.
func unknownNames(output []byte) []string {
	var list []string
	for _, m := range unknownName().FindAllSubmatch(output[:min(len(output), maxClue)], -1) {
		for _, name := range m[1:] {
			if len(name) > 0 && !slices.Contains(list, string(name)) && len(list) < maxClues {
				list = append(list, string(name))
			}
		}
	}
	return list
}
