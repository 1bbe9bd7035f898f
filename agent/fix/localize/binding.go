package localize

import (
	"bytes"
	"go/ast"
	"path"

	"git-agent/agent/source"
)

// A binding says which code can call a function at all. A name alone does not tell the
// matches of a Matcher from a static method matches of another class in Java, or the package minify that a test of Go
// names from a function minify of another package.
type binding int

const (
	free   binding = iota // any code
	named                 // code that names the class, because the method is static
	within                // code of the same file, because the method is private
	beside                // code of the same folder, because the function is not exported from its package
)

// maxHeading bounds the lines of a heading that are searched for modifiers.
const maxHeading = 8

var (
	privateWord = source.Lazy(`\bprivate\b`)
	staticWord  = source.Lazy(`\bstatic\b`)
	className   = source.Lazy(`\b[A-Z]\w*`)
)

// bindingOf reads the modifiers of a method of Java, and the first letter of a function of Go. Functions of other
// languages are free.
func bindingOf(f *file, fn source.Function) binding {
	if path.Ext(f.path) == ".go" && fn.Name != "" && !ast.IsExported(fn.Name) {
		return beside
	}
	if path.Ext(f.path) != ".java" || fn.Start < 1 {
		return free
	}
	var head []byte
	for n := fn.Start; n <= min(fn.End, fn.Start+maxHeading, len(f.lines)); n++ {
		line := f.lines[n-1]
		if text := bytes.TrimSpace(line); bytes.HasPrefix(text, []byte("@")) && !bytes.ContainsAny(text, " \t") {
			continue // an annotation, which may have parentheses
		}
		before, _, found := bytes.Cut(line, []byte("("))
		if head = append(append(head, before...), ' '); found {
			break
		}
	}
	switch {
	case privateWord().Match(head):
		return within
	case staticWord().Match(head):
		return named
	}
	return free
}

// unbound reports whether code of a file cannot call a function because of the function's binding.
func (g *graph) unbound(callee int, from *file) bool {
	n := g.nodes[callee]
	switch {
	case n.bound == free || n.file == from || path.Ext(from.path) != path.Ext(n.file.path):
		return false
	case n.bound == beside:
		return n.file.dir() != from.dir()
	}
	if n.bound == within {
		return true
	}
	names, ok := g.named[from]
	if !ok {
		names = map[string]bool{}
		for _, line := range from.lines {
			for _, name := range className().FindAll(line, -1) {
				names[string(name)] = true
			}
		}
		g.named[from] = names
	}
	base := path.Base(n.file.path)
	return !names[base[:len(base)-len(".java")]]
}
