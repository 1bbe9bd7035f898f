package investigate

import (
	"bytes"
	"context"
	"fmt"
	"path"
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
// elsewhere, or a file that the function or an import names, those of its suspicious lines first; "" if there
// are none.
func (w *work) constantsOf(ctx context.Context, l fix.Location, lines [][]byte) (string, error) {
	var own, others strings.Builder
	shown := 0
	for _, name := range constantsIn(l, lines) {
		if shown == maxConstants {
			break
		}
		if at := definedAt(name, l, lines); at > 0 {
			shown++
			fmt.Fprintf(&own, "%d: %s\n", at, definition(lines[at-1:]))
			continue
		}
		text, err := w.definedElsewhere(ctx, name, l, lines)
		if err != nil {
			return "", err
		}
		if text != "" {
			shown++
			others.WriteString(text)
		}
	}
	text := ""
	if own.Len() > 0 {
		text = "constants of this file:\n" + own.String()
	}
	if others.Len() > 0 {
		text += "constants of other files:\n" + others.String()
	}
	return text, nil
}

// constantsIn returns the names of the constants in a function, those of its suspicious lines first.
func constantsIn(l fix.Location, lines [][]byte) []string {
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
	return names
}

// definedElsewhere shows the definition of a constant in another file in the same language: one that is called
// like the class or module before its name, or like a word of the import of its name. It returns "" if there is
// none.
func (w *work) definedElsewhere(ctx context.Context, name string, l fix.Location, lines [][]byte) (string, error) {
	words := holdersOf(name, l, lines)
	if len(words) == 0 {
		return "", nil
	}
	if w.entries == nil {
		var err error
		if w.entries, err = w.repo.Tree(ctx, w.in.Problem.Tree.Commit); err != nil {
			return "", err
		}
	}
	ext := path.Ext(l.Path)
	var files []string
	for _, e := range w.entries {
		holds := path.Ext(e.Path) == ext && slices.Contains(words, strings.TrimSuffix(path.Base(e.Path), ext))
		if holds && e.Path != l.Path && !source.IsTestPath(e.Path) {
			files = append(files, e.Path)
		}
	}
	slices.SortStableFunc(files, func(a, b string) int { return shared(b, l.Path) - shared(a, l.Path) })
	for _, file := range files[:min(len(files), maxHolders)] {
		text, err := w.lines(ctx, file)
		if err != nil {
			return "", err
		}
		if at := definedAt(name, fix.Location{}, text); at > 0 {
			return fmt.Sprintf("%s:%d: %s\n", agent.CleanLine(file), at, definition(text[at-1:])), nil
		}
	}
	return "", nil
}

// maxHolders bounds the files in which the definition of one constant is looked for.
const maxHolders = 3

var (
	importLine = source.Lazy(`^\s*(?:import|from|use)\s|\brequire\(`)
	pathWord   = source.Lazy(`\w+`)
)

// holdersOf returns the words that may name the file of a constant: before a dot or colons in the function, and in
// the imports with its name.
func holdersOf(name string, l fix.Location, lines [][]byte) []string {
	held := regexp.MustCompile(`(\w+)(?:\.|::)` + name + `\b`)
	var words []string
	for i, text := range lines {
		within := i+1 >= l.Lines.Start && i+1 <= l.Lines.End
		if !bytes.Contains(text, []byte(name)) || !within && i >= importLines {
			continue
		}
		if m := held.FindSubmatch(text); m != nil && within {
			words = append(words, string(m[1]))
		} else if importLine().Match(text) {
			words = append(words, pathWord().FindAllString(string(text), -1)...)
		}
	}
	return words
}

// shared returns the number of equal bytes at the beginnings of two paths.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
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
