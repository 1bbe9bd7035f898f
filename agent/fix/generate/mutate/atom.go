package mutate

import (
	"math"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// An atom is a simple condition on values in a function's scope.
type atom struct {
	text   string
	weight float64
	roots  []string // the first names of its operands
	line   int      // line of the function where the atom or its parts are used; 0 elsewhere in the file
}

// maxAtoms bounds the tried atoms at one place.
const maxAtoms = 100

// atomsAt returns the atoms for a condition on a line, the most likely first. Atoms used near
// the line, or in the guarded body, are more likely.
func (fn *Function) atomsAt(line, body int) []atom {
	if fn.cache.atoms == nil {
		fn.cache.atoms = append(fn.foundAtoms(), fn.madeAtoms()...)
	}
	best := map[string]atom{}
	for _, a := range fn.cache.atoms {
		if !fn.known(a.roots, line) {
			continue
		}
		distance := 40.0 // another function
		if a.line > 0 {
			distance = math.Min(math.Abs(float64(a.line-line)), math.Abs(float64(a.line-body)))
		}
		a.weight *= 1 / (1 + distance/5)
		if a.weight > best[a.text].weight {
			best[a.text] = a
		}
	}
	for _, c := range fn.clues.Known.Conditions {
		if c.From < line && line <= c.To && c.Weight > best[c.Text].weight {
			best[c.Text] = atom{text: c.Text, weight: c.Weight}
		}
	}
	list := make([]atom, 0, len(best))
	for _, a := range best {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b atom) int {
		if c := compare(b.weight, a.weight); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	return list[:min(len(list), maxAtoms)]
}

// known reports whether names can be used on a line: whether the function uses them before it.
func (fn *Function) known(names []string, line int) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool {
		return fn.decl[n] == 0 || fn.decl[n] > line
	})
}

// foundAtoms returns the clauses of the conditions of the file, and their opposites.
func (fn *Function) foundAtoms() []atom {
	var list []atom
	whole := *fn
	whole.toks, whole.body = fn.File.toks, 0
	for _, c := range whole.conditions() {
		clauses, _ := fn.split(c.toks, fn.lang.and, fn.lang.or)
		for _, p := range clauses {
			if len(p) == 0 || len(p) > 14 || slices.ContainsFunc(p, func(t token) bool { return fn.isAny(t, "=", ":=", "{") }) {
				continue
			}
			a := atom{text: oneLine(fn.span(p)), weight: 1, roots: fn.roots(p)}
			if a.line = p[0].line; a.line < fn.extent.Start || a.line > fn.extent.End {
				a.line = 0
			}
			list = append(list, a)
			a.text = oneLine(fn.negation(p))
			a.weight = 0.6
			list = append(list, a)
		}
	}
	return list
}

// roots returns the names in an expression that are not members.
func (fn *Function) roots(toks []token) []string {
	var names []string
	for i, t := range toks {
		if t.kind != ident || fn.literal(t) || i > 0 && fn.isAny(toks[i-1], ".", "->", "?.", "::") {
			continue
		}
		if i+1 < len(toks) && fn.is(toks[i+1], "(") {
			continue // a function
		}
		names = append(names, fn.str(t))
	}
	return names
}

// literal reports whether a name is a constant of the language, such as true.
func (fn *Function) literal(t token) bool {
	return fn.isAny(
		t,
		"nil",
		"null",
		"NULL",
		"None",
		"nullptr",
		"undefined",
		"true",
		"false",
		"True",
		"False",
		"not",
		"is",
		"in",
		"typeof",
		"and",
		"or",
		"len",
	)
}

// A place is an expression of a name and members, such as r.handler, that the function uses.
type place struct {
	text, root string
	line       int
	deref      bool   // a member of the place is used
	indexed    bool   // an element or the length of the place is used
	compared   bool   // the place is compared with a string
	number     bool   // the place is compared with a number
	truth      bool   // the place alone is a clause
	size       string // what measures the place, such as ".length()"; "" if unknown
}

// places returns the places that the function uses.
func (fn *Function) places() []place {
	var list []place
	for i := 0; i < len(fn.toks); i++ {
		t := fn.toks[i]
		if t.kind != ident || fn.literal(t) || reserved[fn.str(t)] || i > 0 && fn.isAny(fn.toks[i-1], ".", "->", "?.", "::") {
			continue
		}
		for j := i; ; j += 2 {
			p := place{text: fn.span(fn.toks[i : j+1]), root: fn.str(t), line: t.line}
			next := fn.toks[min(j+1, len(fn.toks)-1)]
			member := j+2 < len(fn.toks) && fn.isAny(next, ".", "->", "?.") && fn.toks[j+2].kind == ident
			p.deref, p.indexed = member, fn.is(next, "[") || fn.measured(i, j)
			if fn.isAny(next, "==", "!=", "===", "!==") && j+2 < len(fn.toks) {
				p.compared, p.number = fn.toks[j+2].kind == text, fn.toks[j+2].kind == number
			} else if fn.lang == java || fn.lang == rust {
				p.number = fn.isAny(next, "<", "<=", ">=") || fn.is(next, ">") && fn.is(fn.toks[max(j-1, 0)], "(") || fn.isAny(next, "-", "*", "/", "%")
			}
			p.truth, p.size = fn.isTruth(i, j), fn.sizeAt(j)
			if !fn.is(next, "(") {
				list = append(list, p)
			}
			if !member || fn.is(fn.toks[min(j+3, len(fn.toks)-1)], "(") && false {
				break
			}
		}
	}
	return list
}

// measured reports whether the expression of the tokens from i to j is measured by its length
// or looped over.
func (fn *Function) measured(i, j int) bool {
	if i > 1 && fn.is(fn.toks[i-1], "(") && fn.isAny(fn.toks[i-2], "len", "cap", "strlen") || i > 0 && fn.is(fn.toks[i-1], "range") {
		return true
	}
	return j+2 < len(fn.toks) && fn.isAny(fn.toks[j+2], "length", "size", "isEmpty")
}

// isTruth reports whether the tokens from i to j are a clause.
func (fn *Function) isTruth(i, j int) bool {
	if i == 0 || j+1 >= len(fn.toks) {
		return false
	}
	before, after := fn.toks[i-1], fn.toks[j+1]
	return fn.isAny(before, "if", "!", "not", fn.lang.and, fn.lang.or, "elif", "(") && fn.isAny(after, "{", ")", ":", fn.lang.and, fn.lang.or) &&
		!(fn.is(before, "(") && (i < 2 || !fn.isAny(fn.toks[i-2], "if", "while")))
}

// reserved are keywords, which are not names.
var reserved = source.WordSet(`if else for while do switch case default return break continue goto func function def var let const
	type struct range go defer select chan map interface package import class new delete try catch finally throw raise except
	static int char void unsigned long short float double bool boolean string byte rune error size_t uint8 int64 this self
	in of instanceof with as from lambda pass yield await async enum union sizeof extern final public private protected any`)

// madeAtoms returns conditions on the places that the function uses.
func (fn *Function) madeAtoms() []atom {
	var list []atom
	asked := fn.asks()
	for _, p := range fn.places() {
		for text, weight := range fn.questions(p) {
			list = append(list, atom{text: text, weight: weight, roots: []string{p.root}, line: p.line})
		}
		for _, ask := range asked {
			if p.deref && p.text != "this" && p.text != "self" {
				list = append(list, atom{text: p.text + "." + ask + "()", weight: weightAsked, roots: []string{p.root}, line: p.line},
					atom{text: fn.lang.not + p.text + "." + ask + "()", weight: weightAsked, roots: []string{p.root}, line: p.line})
			}
		}
	}
	slices.SortFunc(list, func(a, b atom) int { return strings.Compare(a.text, b.text) })
	return list
}

// questions returns the conditions on a place with their weights.
func (fn *Function) questions(p place) map[string]float64 {
	q := map[string]float64{}
	if null := fn.lang.null; null != "" && p.text != "this" && p.text != "self" {
		equal, unequal := "==", "!="
		if fn.lang.indented {
			equal, unequal = "is", "is not"
		}
		w := 0.25
		if p.deref {
			w = 0.6
		}
		w *= fn.forRaised("null")
		q[p.text+" "+unequal+" "+null], q[p.text+" "+equal+" "+null] = w, w*0.8
	}
	if p.indexed {
		length := fn.length(p.text)
		if length != "" {
			q[length+" > 0"], q[length+" == 0"] = 0.6, 0.6
		}
	}
	if p.size != "" {
		length, w := p.text+p.size, fn.forRaised("size")
		q[length+" > 0"], q[length+" == 0"], q[length+" > 1"], q[length+" < 2"] = 0.6*w, 0.6*w, 0.3*w, 0.3*w
		if empty := emptyOf[fn.lang]; empty != "" && p.size != ".length" {
			q[p.text+empty], q[fn.lang.not+p.text+empty] = 0.5*w, 0.5*w
			delete(q, length+" > 0")
			delete(q, length+" == 0")
		}
	}
	if p.compared && fn.lang != java && fn.lang != rust {
		q[p.text+` == ""`], q[p.text+` != ""`] = 0.3, 0.3
	}
	if p.number {
		q[p.text+" > 0"], q[p.text+" == 0"] = 0.3, 0.3
		if fn.lang == java || fn.lang == rust {
			w := fn.forRaised("number")
			q[p.text+" < 0"], q[p.text+" >= 0"] = 0.3*w, 0.15*w
		}
	}
	if p.truth {
		q[p.text], q[fn.lang.not+p.text] = 0.7, 0.7
	}
	return q
}

// length returns the expression for a length, "" if there is none.
func (fn *Function) length(place string) string {
	switch fn.lang {
	case golang, python:
		return "len(" + place + ")"
	case script:
		return place + ".length"
	}
	return ""
}
