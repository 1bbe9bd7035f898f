package history

import (
	"strings"

	"git-agent/agent/source"
)

// functions returns the functions of a file. The name of a method begins with the receiver's
// type in Go, and with the class in C++, because several methods of a file may have the same
// name.
func functions(path string, lines [][]byte) []source.Function {
	all := source.Functions(path, lines)
	all = all[:min(len(all), maxFunctions)]
	for i, f := range all {
		if scope := scopeOf(path, heading(lines, f.Extent), f.Name); scope != "" {
			all[i].Name = scope + "." + f.Name
		}
	}
	return all
}

const maxFunctions = 2000 // of one file

// nameOf returns the name of the function at start, or "".
func nameOf(path string, lines [][]byte, start int) string {
	for _, f := range functions(path, lines) {
		if f.Start == start {
			return f.Name
		}
	}
	return ""
}

// heading returns the heading of a function on one line.
func heading(lines [][]byte, e source.Extent) string {
	var b strings.Builder
	for i := max(e.Start, 1); i <= min(e.Body, len(lines)) && b.Len() < maxHeadingBytes; i++ {
		b.Write(lines[i-1][:min(len(lines[i-1]), maxHeadingBytes)])
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

const maxHeadingBytes = 2000

// receiver matches the receiver's type of a Go method.
var receiver = source.Lazy(`^func\s*\(\s*(?:\w+\s+)?\*?\s*(\w+)`)

// scopeOf returns the type or class in the heading of a function.
func scopeOf(path, heading, name string) string {
	if strings.HasSuffix(path, ".go") {
		if m := receiver().FindStringSubmatch(heading); m != nil {
			return m[1]
		}
		return ""
	}
	before, _, found := strings.Cut(heading, "::"+name)
	if !found {
		return ""
	}
	return lastWord().FindString(before)
}

var lastWord = source.Lazy(`\w+$`)
