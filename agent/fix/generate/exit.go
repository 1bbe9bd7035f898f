package generate

import (
	"go/ast"
	"go/types"
	"strings"
)

const (
	maxFailures = 6  // exits that are copied from elsewhere
	maxExit     = 90 // bytes of one exit
)

// failures returns exit statements of other functions of the file with the same result types,
// and statements that return an error of the package with zero values. The statements use no
// local names of the other functions.
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

// namesLocals reports whether a statement uses a local name of its function.
func (s *scope) namesLocals(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || found {
			return !found
		}
		o := s.info.Uses[id]
		if o == nil {
			return true // a member of a local value or of an unknown import
		}
		v, isVar := o.(*types.Var)
		found = isVar && !v.IsField() && o.Parent() != s.pkg.Scope()
		return !found
	})
	return found
}
