package generate

import (
	"go/ast"
	"go/types"
	"strings"
)

const (
	maxFailures = 6  // ways out that are taken from elsewhere
	maxExit     = 90 // bytes of one
)

// failures returns statements by which other functions of the file with the same results
// leave, and those that return an error of the package beside zero values. They name
// nothing that only the other function knows.
func (s *scope) failures(f *ast.File) []string {
	results := s.resultsOf(s.fn)
	if results == nil {
		return nil
	}
	count, order := map[string]int{}, []string(nil)
	add := func(text string) {
		if count[text]++; count[text] == 1 && len(order) < maxFailures {
			order = append(order, text)
		}
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn == s.fn || fn.Body == nil || !same(s.resultsOf(fn), results) {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if _, ok := n.(*ast.FuncLit); ok {
				return false
			}
			ret, ok := n.(*ast.ReturnStmt)
			if text := ""; ok && len(ret.Results) > 0 && !s.namesLocals(ret) {
				if text = s.source(ret); len(text) <= maxExit && !strings.Contains(text, "\n") {
					add(text)
				}
			}
			return true
		})
	}
	if last := results[len(results)-1]; isError(last) {
		zeros := strings.TrimSuffix(s.zeros()[0], "nil")
		for _, name := range s.sentinels() {
			add(zeros + name)
		}
	}
	return order
}

// resultsOf returns the types of a function's results; nil if it has none.
func (s *scope) resultsOf(fn *ast.FuncDecl) []types.Type {
	f, ok := s.info.Defs[fn.Name].(*types.Func)
	if !ok {
		return nil
	}
	var list []types.Type
	for i := range f.Signature().Results().Len() {
		list = append(list, f.Signature().Results().At(i).Type())
	}
	return list
}

func same(a, b []types.Type) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !types.Identical(a[i], b[i]) || !resolved(a[i]) {
			return false
		}
	}
	return true
}

// namesLocals reports whether a statement names something that only its function knows.
func (s *scope) namesLocals(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found {
			return !found
		}
		o := s.info.Uses[id]
		if o == nil {
			return true // a member of something, or of an import that is not known
		}
		v, isVar := o.(*types.Var)
		found = isVar && !v.IsField() && o.Parent() != s.pkg.Scope()
		return !found
	})
	return found
}
