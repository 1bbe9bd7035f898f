package execute

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A declaration is one top-level declaration of a Go test file.
type declaration struct {
	file    string
	name    string // of a function, a type, a variable or a constant; of its type for a method
	decl    ast.Decl
	outside bool // its package is the external test package
}

// minimalGoTests returns the test files of a Go package with only the wanted tests and their
// dependencies in the test files. A whole test file does not build at a commit that lacks a
// dependency of another test, which would hide the result of the wanted tests. It returns nil if
// a file cannot be parsed.
func minimalGoTests(files map[string][]byte, wanted []string) map[string][]byte {
	set := token.NewFileSet()
	parsed := map[string]*ast.File{}
	var all []declaration
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := parser.ParseFile(set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		parsed[name] = f
		for _, d := range f.Decls {
			all = append(all, declarationsOf(name, strings.HasSuffix(f.Name.Name, "_test"), d)...)
		}
	}
	kept := reachable(all, wanted)
	out := map[string][]byte{}
	for name, f := range parsed {
		var decls []ast.Decl
		for _, d := range all {
			if d.file == name && kept[d.decl] && !slices.Contains(decls, d.decl) {
				decls = append(decls, d.decl)
			}
		}
		if len(decls) == 0 {
			continue
		}
		text, err := printGo(set, f, decls)
		if err != nil {
			return nil
		}
		out[name] = text
	}
	return out
}

// declarationsOf lists the names in a declaration.
func declarationsOf(file string, outside bool, d ast.Decl) []declaration {
	one := func(name string) declaration { return declaration{file, name, d, outside} }
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return []declaration{one(d.Name.Name)}
		}
		return []declaration{one(receiver(d.Recv.List[0].Type))}
	case *ast.GenDecl:
		var list []declaration
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				list = append(list, one(spec.Name.Name))
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					list = append(list, one(name.Name))
				}
			}
		}
		return list
	}
	return nil
}

// receiver returns the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// reachable returns the declarations that the wanted tests need: those whose names occur in the
// tests, and so on recursively.
func reachable(all []declaration, wanted []string) map[ast.Decl]bool {
	kept := map[ast.Decl]bool{}
	var queue []ast.Decl
	keep := func(name string) {
		for _, d := range all {
			if d.name == name && !kept[d.decl] {
				kept[d.decl] = true
				queue = append(queue, d.decl)
			}
		}
	}
	for _, name := range append(slices.Clone(wanted), "TestMain") {
		keep(name)
	}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		ast.Inspect(next, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && !isTestName(id.Name) {
				keep(id.Name)
			}
			return true
		})
		if len(queue) == 0 {
			keepInits(all, kept, keep)
		}
	}
	return kept
}

// keepInits keeps the init functions of all files with a kept declaration.
func keepInits(all []declaration, kept map[ast.Decl]bool, keep func(string)) {
	for _, d := range all {
		if d.name == "init" && !kept[d.decl] && slices.ContainsFunc(all, func(o declaration) bool { return o.file == d.file && kept[o.decl] }) {
			keep("init")
		}
	}
}

var testName = regexp.MustCompile(`^(?:Test|Benchmark|Example|Fuzz)(?:\P{Ll}|$)`)

func isTestName(name string) bool { return testName.MatchString(name) }

// printGo prints a file with these declarations and the imports that they use.
func printGo(set *token.FileSet, f *ast.File, decls []ast.Decl) ([]byte, error) {
	used := map[string]bool{}
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok {
					used[id.Name] = true
				}
			}
			return true
		})
	}
	var out bytes.Buffer
	out.WriteString("package " + f.Name.Name + "\n\n")
	for _, spec := range f.Imports {
		if name, ok := importName(spec, used); ok {
			out.WriteString("import " + name + " " + spec.Path.Value + "\n")
		}
	}
	for _, d := range decls {
		out.WriteString("\n")
		if err := format.Node(&out, set, d); err != nil {
			return nil, err
		}
		out.WriteString("\n")
	}
	return out.Bytes(), nil
}

var versionEnd = regexp.MustCompile(`^v\d+$|\.v\d+$|^go-|-go$|\.go$`)

// importName returns the name of an import, and whether it is used. Without an explicit name, it
// guesses the package's name from the path.
func importName(spec *ast.ImportSpec, used map[string]bool) (string, bool) {
	if spec.Name != nil {
		return spec.Name.Name, spec.Name.Name == "." || spec.Name.Name == "_" || used[spec.Name.Name]
	}
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return "", false
	}
	last := path.Base(p)
	for _, name := range []string{last, versionEnd.ReplaceAllString(last, ""), versionEnd.ReplaceAllString(path.Base(path.Dir(p)), "")} {
		if used[name] {
			return "", true
		}
	}
	return "", false
}
