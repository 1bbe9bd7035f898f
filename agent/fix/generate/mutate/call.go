package mutate

import (
	"slices"
	"strings"
)

// A call is a call of a function in the file.
type call struct {
	name string // name with its qualifiers
	at   int    // index of the name's last token
	open int    // index of the parenthesis
	args [][]token
	end  int // index of the closing parenthesis
}

// calls returns the calls among tokens.
func (f *File) calls(toks []token) []call {
	var list []call
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].kind != ident || reserved[f.str(toks[i])] || !f.is(toks[i+1], "(") {
			continue
		}
		end := f.close(toks, i+1)
		if end < 0 {
			continue
		}
		first := i
		for first >= 2 && f.isAny(toks[first-1], ".", "->") && toks[first-2].kind == ident {
			first -= 2
		}
		args, _ := f.split(toks[i+2:end], ",")
		if len(args) == 1 && len(args[0]) == 0 {
			args = nil
		}
		list = append(list, call{f.span(toks[first : i+1]), i, i + 1, args, end})
	}
	return list
}

// callEdits replaces arguments by those of other calls of the same function, swaps arguments,
// and adds arguments from other calls.
func (fn *Function) callEdits() []Edit {
	all := map[string][]call{}
	for _, o := range fn.File.calls(fn.File.toks) {
		if len(all[o.name]) < maxCalls {
			all[o.name] = append(all[o.name], o)
		}
	}
	var list []Edit
	for _, c := range fn.calls(fn.toks) {
		if c.at < fn.body {
			continue
		}
		list = append(list, fn.swapped(c)...)
		for _, o := range all[c.name] {
			if len(o.args) > 0 && !fn.sameCall(c, o) {
				list = append(list, fn.argumentsOf(c, o)...)
			}
		}
		list = append(list, fn.placedArguments(c)...)
	}
	return list
}

// maxCalls bounds the calls of one function as sources of arguments.
const maxCalls = 40

// sameCall reports whether two calls are the same.
func (fn *Function) sameCall(c, o call) bool {
	return fn.toks[c.open].off == fn.File.toks[o.open].off
}

// swapped exchanges each pair of neighbouring arguments.
func (fn *Function) swapped(c call) []Edit {
	var list []Edit
	for i := 0; i+1 < len(c.args); i++ {
		a, b := c.args[i], c.args[i+1]
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		list = append(list, fn.edit(OpSwapArguments, a[0].off, b[len(b)-1].end, fn.span(b)+", "+fn.span(a),
			"swaps the arguments "+short(fn.span(a))+" and "+short(fn.span(b))+" of "+c.name))
	}
	return list
}

// argumentsOf copies the different arguments of another call of the same function, one at a
// time.
func (fn *Function) argumentsOf(c, o call) []Edit {
	var list []Edit
	for i := 0; i < min(len(c.args), len(o.args)); i++ {
		a, b := c.args[i], o.args[i]
		if len(a) == 0 || len(b) == 0 || fn.span(a) == fn.span(b) || len(b) > 8 || len(fn.roots(b)) > 0 && !fn.known(fn.roots(b), a[0].line) {
			continue
		}
		list = append(
			list,
			fn.edit(OpArgument, a[0].off, a[len(a)-1].end, fn.span(b), "gives "+c.name+" the argument "+short(fn.span(b))+" as another call has it"),
		)
	}
	if n := len(c.args); n > 0 && len(o.args) == n+1 && fn.known(append(fn.roots(o.args[n]), fn.names1()...), fn.toks[c.open].line) {
		last := c.args[n-1]
		if len(last) > 0 {
			end := last[len(last)-1].end
			list = append(list, fn.edit(OpArgument, end, end, ", "+fn.span(o.args[n]), "gives "+c.name+" one more argument, as another call has it"))
		}
	}
	return list
}

// names1 returns a name that is always in scope: the first name of the function.
func (fn *Function) names1() []string {
	for _, t := range fn.toks {
		if t.kind == ident {
			return []string{fn.str(t)}
		}
	}
	return nil
}

// placedArguments replaces a simple argument by other variables and constants of the
// function.
func (fn *Function) placedArguments(c call) []Edit {
	var list []Edit
	for _, a := range c.args {
		if len(a) != 1 {
			continue
		}
		others := fn.argumentChoices(a[0])
		for _, o := range others {
			e := fn.edit(OpArgument, a[0].off, a[0].end, o.text, "gives "+c.name+" the argument "+short(o.text)+" in place of "+short(fn.str(a[0])))
			e.Weight *= o.score
			list = append(list, e)
		}
	}
	return list
}

// argumentChoices returns possible replacements of an argument.
func (fn *Function) argumentChoices(t token) []scored {
	switch {
	case fn.literal(t):
		// Fixes often replace an empty argument by a known value.
		var list []scored
		for name := range fn.names {
			if fn.known([]string{name}, t.line) && !reserved[name] && !fn.isType(name) && !fn.literalName(name) {
				list = append(list, scored{name, 0.3 / (1 + float64(t.line-fn.decl[name])/10)})
			}
		}
		return firstNames(list)
	case t.kind == ident && fn.decl[fn.str(t)] > 0 && fn.lang.null != "":
		return []scored{{fn.lang.null, 0.1}}
	}
	return nil
}

func (fn *Function) literalName(name string) bool {
	return slices.Contains([]string{"nil", "null", "NULL", "None", "true", "false", "True", "False", "undefined"}, name)
}

// wrapEdits wraps values in calls of functions with one argument that the function or the file
// uses, and removes calls with one argument around values.
func (fn *Function) wrapEdits() []Edit {
	wrappers := fn.wrappers()
	var list []Edit
	for i, t := range fn.toks {
		if i < fn.body || !fn.is(t, "return") {
			continue
		}
		toks := fn.restOfStatement(i + 1)
		parts, _ := fn.split(toks, ",")
		if len(parts) != 1 || len(toks) == 0 {
			continue
		}
		list = append(list, fn.wrapped(toks, wrappers, 1)...)
	}
	for _, c := range fn.calls(fn.toks) {
		if c.at < fn.body {
			continue
		}
		if len(c.args) == 1 && len(c.args[0]) > 0 && !strings.Contains(c.name, ".") {
			first := fn.toks[c.at]
			list = append(list, fn.edit(OpUnwrap, first.off, fn.toks[c.end].end, fn.span(c.args[0]), "takes the call of "+c.name+" away"))
		}
		for _, a := range c.args {
			if len(a) > 0 && len(a) <= 5 {
				list = append(list, fn.wrapped(a, wrappers, 0.3)...)
			}
		}
	}
	return list
}

// wrapped makes an edit for each wrapper around an expression.
func (fn *Function) wrapped(toks []token, wrappers []scored, weight float64) []Edit {
	var list []Edit
	expr := fn.span(toks)
	for _, w := range wrappers {
		if strings.HasPrefix(expr, w.text+"(") || !fn.known([]string{fn.rootOf(w.text)}, toks[0].line) && strings.Contains(w.text, ".") {
			continue
		}
		e := fn.edit(OpWrap, toks[0].off, toks[len(toks)-1].end, w.text+"("+expr+")", "puts "+short(expr)+" into a call of "+w.text)
		e.Weight *= w.score * weight
		list = append(list, e)
	}
	return list
}

func (fn *Function) rootOf(name string) string {
	root, _, _ := strings.Cut(name, ".")
	return root
}

// wrappers returns the functions that are called with one argument: first those called in the
// function, then those called in the file.
func (fn *Function) wrappers() []scored {
	count := map[string]float64{}
	for _, c := range fn.calls(fn.toks) {
		if len(c.args) == 1 {
			count[c.name] += 3
		}
	}
	for _, c := range fn.File.calls(fn.File.toks) {
		if len(c.args) == 1 {
			count[c.name]++
		}
	}
	var list []scored
	for name, n := range count {
		list = append(list, scored{name, min(n/6, 1)})
	}
	return firstNames(list)
}
