package generate

import (
	"go/ast"
	"go/types"
	"strings"

	"git-agent/agent/fix/generate/mutate"
)

const (
	maxMethods = 24  // methods of one type
	maxCalls   = 80  // calls in one function
	maxSame    = 6   // replacements for one name
	maxNames   = 400 // replacements of names in one function
)

// methods returns the methods of a type of the package, without embedded ones.
func (s *scope) methods(t types.Type) []*types.Func {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() != s.pkg {
		return nil
	}
	var list []*types.Func
	for i := range min(named.NumMethods(), maxMethods) {
		list = append(list, named.Method(i))
	}
	return list
}

// calls returns calls of the package's functions, and of methods of values in the function's
// scope, with variables of the right types as arguments.
func (s *scope) calls() []mutate.Condition {
	var list []mutate.Condition
	add := func(prefix string, from, to int, f *types.Func) {
		if f.Name() == s.fn.Name.Name || len(list) >= maxCalls {
			return
		}
		args, argsFrom, argsTo, ok := s.arguments(f.Type().(*types.Signature))
		if !ok {
			return
		}
		text := prefix + f.Name() + "(" + strings.Join(args, ", ") + ")"
		if !strings.Contains(s.body, text) {
			list = append(list, mutate.Condition{Text: text, From: max(from, argsFrom), To: min(to, argsTo), Weight: 0.3})
		}
	}
	for _, v := range s.vars {
		for _, m := range s.methods(v.Type()) {
			add(v.Name()+".", v.from, v.to, m)
		}
	}
	first, last := s.line(s.fn.Pos()), s.line(s.fn.End())
	for _, name := range s.pkg.Scope().Names() {
		if f, ok := s.pkg.Scope().Lookup(name).(*types.Func); ok && f.Signature().Params().Len() > 0 && f.Signature().TypeParams() == nil {
			add("", first, last, f)
		}
	}
	return list
}

// arguments returns variables for the parameters of a function, the latest variable of the
// right type for each, and the lines where all of them are in scope.
func (s *scope) arguments(sig *types.Signature) (args []string, from, to int, ok bool) {
	from, to = s.line(s.fn.Pos()), s.line(s.fn.End())
	if sig.Variadic() || sig.Params().Len() > 3 {
		return nil, 0, 0, false
	}
	for i := range sig.Params().Len() {
		found := -1
		for k, v := range s.vars {
			if resolved(v.Type()) && types.Identical(v.Type(), sig.Params().At(i).Type()) {
				found = k
			}
		}
		if found < 0 {
			return nil, 0, 0, false
		}
		v := s.vars[found]
		args, from, to = append(args, v.Name()), max(from, v.from), min(to, v.to)
	}
	return args, from, to, true
}

// sameType returns, for each used variable of the function, other variables of the same type.
func (s *scope) sameType() []mutate.Replacement {
	var list []mutate.Replacement
	ast.Inspect(s.fn.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		used, ok := s.info.Uses[id].(*types.Var)
		if !ok || used.IsField() || !resolved(used.Type()) || len(list) >= maxNames {
			return true
		}
		off, line, n1 := s.set.Position(id.Pos()).Offset, s.line(id.Pos()), 0
		for _, v := range s.vars {
			if v.Name() != id.Name && v.from < line && line <= v.to && n1 < maxSame && types.Identical(v.Type(), used.Type()) {
				list = append(list, mutate.Replacement{Off: off, End: off + len(id.Name), Text: v.Name(), Op: mutate.OpVariable})
				n1++
			}
		}
		return true
	})
	return list
}
