package generate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"git-agent/agent/fix/generate/mutate"
)

// This file finds the names and expressions that a Go function can use, with go/types:
// conditions on values in its scope, zero values to return, possible calls, and other names of
// the same type for each used name. Package mutate, which knows no types, makes edits from
// them.
//
// Names of an imported package have no known type unless newImporter finds its export data. Some
// of the results do not compile.

// knownAt returns the available names and expressions in the Go function around a line of a file.
// others are the other files of the package, parsed with set. It returns the zero value if
// there is no such function.
func knownAt(set *token.FileSet, imports types.Importer, others []*ast.File, path string, content []byte, line int) (known mutate.Known) {
	defer func() {
		if recover() != nil {
			known = mutate.Known{} // go/types panics on damaged export data
		}
	}()
	f, err := parser.ParseFile(set, path, content, parser.SkipObjectResolution)
	if err != nil {
		return mutate.Known{}
	}
	defer set.RemoveFile(set.File(f.FileStart))
	s := &scope{set: set, text: content, info: &types.Info{
		Scopes: map[ast.Node]*types.Scope{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	conf := types.Config{FakeImportC: true, Importer: imports, Error: func(error) {}}
	s.pkg, _ = conf.Check("p", set, append(others[:len(others):len(others)], f), s.info)
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Body != nil && s.line(fn.Pos()) <= line && line <= s.line(fn.End()) && s.pkg != nil {
			s.fn, s.body = fn, s.source(fn)
			s.findVariables()
			return mutate.Known{
				Conditions: s.conditions(),
				Exits:      append(s.zeros(), s.failures(f)...),
				Names:      append(s.members(), s.sameType()...),
				Calls:      s.calls(),
			}
		}
	}
	return mutate.Known{}
}

// A scope is a function with its known types.
type scope struct {
	set  *token.FileSet
	text []byte
	pkg  *types.Package
	info *types.Info
	fn   *ast.FuncDecl
	body string // the function's text
	vars []variable
}

// A variable is in scope on the lines after from, up to the line to.
type variable struct {
	*types.Var
	from, to int
}

// findVariables finds the parameters and the local variables of the function.
func (s *scope) findVariables() {
	for node, sc := range s.info.Scopes {
		if node.Pos() < s.fn.Pos() || node.End() > s.fn.End() {
			continue
		}
		to := s.line(sc.End())
		if _, ok := node.(*ast.FuncType); ok {
			to = s.line(s.fn.End())
		}
		for _, name := range sc.Names() {
			if v, ok := sc.Lookup(name).(*types.Var); ok && name != "_" {
				s.vars = append(s.vars, variable{v, s.line(v.Pos()), to})
			}
		}
	}
	slices.SortFunc(s.vars, func(a, b variable) int { return int(a.Pos() - b.Pos()) })
}

func (s *scope) line(p token.Pos) int { return s.set.Position(p).Line }

// source returns the text of a node.
func (s *scope) source(n ast.Node) string {
	return string(s.text[s.set.Position(n.Pos()).Offset:s.set.Position(n.End()).Offset])
}

const (
	maxConditions = 400 // of one function
	maxFields     = 24  // of one struct
	maxDepth      = 2   // members of members
)

// conditions returns conditions on the variables in the function's scope, and on their fields,
// the likeliest first.
func (s *scope) conditions() []mutate.Condition {
	var list []mutate.Condition
	for _, v := range s.vars {
		s.ask(v.Name(), v.Type(), 0, func(text string, weight float64) {
			list = append(list, mutate.Condition{Text: text, From: v.from, To: v.to, Weight: weight})
		})
	}
	slices.SortFunc(list, func(a, b mutate.Condition) int {
		switch {
		case a.Weight != b.Weight && a.Weight > b.Weight:
			return -1
		case a.Weight != b.Weight:
			return 1
		}
		return strings.Compare(a.Text, b.Text)
	})
	return list[:min(len(list), maxConditions)]
}

// ask adds the conditions on a value and on its fields. Values that the function already uses
// are likelier.
func (s *scope) ask(text string, t types.Type, depth int, add func(text string, weight float64)) {
	weight := 0.3 / float64(1+depth)
	if strings.Contains(s.body, text) {
		weight = 0.5
	}
	for _, format := range questions(t) {
		add(strings.ReplaceAll(format, "$", text), weight)
	}
	if isError(t) {
		for _, name := range s.sentinels() {
			add(text+" == "+name, weight/2)
			add(text+" != "+name, weight/2)
		}
	}
	for _, m := range s.methods(t) {
		sig := m.Type().(*types.Signature)
		if sig.Params().Len() == 0 && sig.Results().Len() == 1 {
			for _, format := range questions(sig.Results().At(0).Type()) {
				add(strings.ReplaceAll(format, "$", text+"."+m.Name()+"()"), weight/2)
			}
		}
	}
	if depth == maxDepth {
		return
	}
	st := structOf(t)
	if st == nil {
		return
	}
	for i := range min(st.NumFields(), maxFields) {
		if f := st.Field(i); f.Name() != "_" {
			s.ask(text+"."+f.Name(), f.Type(), depth+1, add)
		}
	}
}

// questions returns conditions on a value of a type; $ stands for the value.
func questions(t types.Type) []string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Kind() == types.Invalid:
			return []string{"$ != nil", "$ == nil"}
		case u.Info()&types.IsBoolean != 0:
			return []string{"$", "!$"}
		case u.Info()&types.IsString != 0:
			return []string{`$ != ""`, `$ == ""`}
		case u.Info()&types.IsUnsigned != 0:
			return []string{"$ > 0", "$ == 0"}
		case u.Info()&types.IsNumeric != 0:
			return []string{"$ > 0", "$ == 0", "$ != 0", "$ < 0"}
		}
	case *types.Slice, *types.Map:
		return []string{"len($) > 0", "len($) == 0", "$ != nil", "$ == nil"}
	case *types.Pointer, *types.Interface, *types.Signature, *types.Chan:
		return []string{"$ != nil", "$ == nil"}
	}
	return nil
}

// structOf returns the struct type of a value or a pointer; nil if it has none.
func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, _ := t.Underlying().(*types.Struct)
	return st
}

func isError(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() == nil && n.Obj().Name() == "error"
}

// sentinels returns the package's variables with names of errors.
func (s *scope) sentinels() []string {
	var list []string
	for _, name := range s.pkg.Scope().Names() {
		if _, ok := s.pkg.Scope().Lookup(name).(*types.Var); ok && (strings.HasPrefix(name, "Err") || strings.HasPrefix(name, "err")) {
			list = append(list, name)
		}
	}
	return list[:min(len(list), 8)]
}

// zeros returns the return statement with zero values.
func (s *scope) zeros() []string {
	if s.fn.Type.Results == nil {
		return []string{"return"}
	}
	var values []string
	for _, field := range s.fn.Type.Results.List {
		for range max(len(field.Names), 1) {
			values = append(values, s.zero(field.Type))
		}
	}
	return []string{"return " + strings.Join(values, ", ")}
}

// zero returns the zero value of a type.
func (s *scope) zero(e ast.Expr) string {
	if t := s.info.TypeOf(e); t != nil {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			switch {
			case u.Info()&types.IsBoolean != 0:
				return "false"
			case u.Info()&types.IsString != 0:
				return `""`
			case u.Info()&types.IsNumeric != 0:
				return "0"
			}
		case *types.Struct:
			return s.source(e) + "{}"
		case *types.Slice, *types.Map, *types.Pointer, *types.Interface, *types.Signature, *types.Chan:
			if _, param := t.(*types.TypeParam); !param {
				return "nil"
			}
		}
	}
	return "*new(" + s.source(e) + ")"
}

// members returns, for each used member of the function, the fields and methods of the same
// value with the same type.
func (s *scope) members() []mutate.Replacement {
	var list []mutate.Replacement
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		selection := s.info.Selections[sel]
		if selection == nil || !resolved(selection.Type()) {
			return true
		}
		off, end := s.set.Position(sel.Sel.Pos()).Offset, s.set.Position(sel.Sel.End()).Offset
		for _, name := range s.alike(selection) {
			list = append(list, mutate.Replacement{Off: off, End: end, Text: name, Op: mutate.OpMember})
		}
		return true
	})
	return list
}

// resolved reports whether a type is known.
func resolved(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return !ok || b.Kind() != types.Invalid
}

// alike returns the fields and methods of the same value that can replace a member. A method
// without parameters can replace a field of its result type.
func (s *scope) alike(selection *types.Selection) []string {
	var list []string
	want := selection.Type()
	if st := structOf(selection.Recv()); st != nil {
		for i := range min(st.NumFields(), maxFields) {
			if f := st.Field(i); f.Name() != selection.Obj().Name() && types.Identical(f.Type(), want) {
				list = append(list, f.Name())
			}
		}
	}
	recv := selection.Recv()
	if _, ok := recv.Underlying().(*types.Pointer); !ok {
		recv = types.NewPointer(recv)
	}
	methods := types.NewMethodSet(recv)
	for i := range min(methods.Len(), 2*maxFields) {
		m := methods.At(i)
		sig, ok := m.Type().(*types.Signature)
		if !ok || m.Obj().Name() == selection.Obj().Name() {
			continue
		}
		switch {
		case types.Identical(sig, want):
			list = append(list, m.Obj().Name())
		case selection.Kind() == types.FieldVal && sig.Params().Len() == 0 && sig.Results().Len() == 1 &&
			types.Identical(sig.Results().At(0).Type(), want):
			list = append(list, m.Obj().Name()+"()")
		}
	}
	return list[:min(len(list), maxFields)]
}
