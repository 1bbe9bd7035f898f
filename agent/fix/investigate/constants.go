package investigate

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// A fault is often in the value of a constant, which the suspected function only names.

// These bound the shown constants, and the lines and characters of each.
const (
	maxConstants     = 3
	maxConstantLines = 3
	maxConstant      = 240
)

// constantName matches names that are spelt as constants.
var constantName = source.Lazy(`\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z][A-Z0-9]{3,}\b`)

// constantsOf shows the definitions of the constants that a suspected function uses and that its file defines
// elsewhere, those of its suspicious lines first; "" if there are none.
func constantsOf(l fix.Location, lines [][]byte) string {
	var names []string
	add := func(start, end int) {
		for n := max(start, 1); n <= min(end, len(lines)); n++ {
			for _, name := range constantName().FindAllString(string(lines[n-1]), -1) {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	for _, r := range l.Hot {
		add(r.Start, r.End)
	}
	add(l.Lines.Start, l.Lines.End)
	var b strings.Builder
	shown := 0
	for _, name := range names {
		if shown == maxConstants {
			break
		}
		if at := definedAt(name, l, lines); at > 0 {
			shown++
			fmt.Fprintf(&b, "%d: %s\n", at, definition(lines[at-1:]))
		}
	}
	if shown == 0 {
		return ""
	}
	return "constants of this file:\n" + b.String()
}

// definedAt returns the line outside of the function that defines a constant, from 1; 0 if there is none.
// symbol.DefinedIn knows the constants of Go, JavaScript and the preprocessor, and not those of other languages.
func definedAt(name string, l fix.Location, lines [][]byte) int {
	defines := regexp.MustCompile(`^\s*(?:#\s*define\s+` + name + `\b|[\w<>\[\], :&'*]*\b` + name + `\b(?:\[\w*\])*(?:\s*:\s*[^=;]+|\s+[\w.*\[\]]+)?\s*:?=[^=])`)
	for i, text := range lines {
		if n := i + 1; (n < l.Lines.Start || n > l.Lines.End) && bytes.Contains(text, []byte(name)) && defines.Match(text) {
			return n
		}
	}
	return 0
}

// definition returns the first lines of a definition as one line: up to its end, if that is near.
func definition(lines [][]byte) string {
	var parts []string
	open := 0
	for _, text := range lines[:min(len(lines), maxConstantLines)] {
		parts = append(parts, strings.TrimSpace(string(text)))
		for _, c := range text {
			switch c {
			case '(', '[', '{':
				open++
			case ')', ']', '}':
				open--
			}
		}
		if open <= 0 {
			break
		}
	}
	return agent.Abridge(agent.CleanLine(strings.Join(parts, " ")), maxConstant)
}
