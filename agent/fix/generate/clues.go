package generate

import (
	"slices"

	"git-agent/agent/source"
)

var (
	// raisedLine matches an exception in the output of test tools of Python and Java.
	raisedLine = source.Lazy(`(?m)^(?:E {3,}|Caused by: )?(?:[\w.]+\.)?([A-Z]\w*(?:Error|Exception|Interrupt|Iteration|Warning))(?::|$)`)
	// panicked matches what programs of Rust say of a panic that names no value of the project.
	panicked = source.Lazy(`index out of bounds|out of range for slice|byte index \d+ is (?:out of bounds|not a char boundary)|attempt to \w+ (?:with overflow|by zero)`)
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
	for _, m := range panicked().FindAll(output[:min(len(output), maxClue)], maxClues) {
		if text := string(m); !slices.Contains(list, text) {
			list = append(list, text)
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
