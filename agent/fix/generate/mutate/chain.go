package mutate

import (
	"slices"
	"strings"
)

// A link is a call of a method without arguments on a result: the tokens from the dot to the
// parenthesis.
type link struct {
	dot, end int // indexes of the first token, and after the last one
	name     string
}

// links returns the calls of methods without arguments.
func (f *File) links(toks []token) []link {
	var list []link
	for i := 1; i+3 < len(toks); i++ {
		if f.is(toks[i], ".") && toks[i+1].kind == ident && f.is(toks[i+2], "(") && f.is(toks[i+3], ")") && !f.isAny(toks[i-1], ".", "}") {
			list = append(list, link{i, i + 4, f.str(toks[i+1])})
		}
	}
	return list
}

// commonLinks are methods of standard libraries that a fix often calls on a result.
var commonLinks = map[*language][]string{
	java: {"trim", "toString", "clone", "normalize"},
	rust: {"clone", "trim", "to_string", "to_owned", "as_bytes", "cloned"},
}

// chains adds a call without arguments to what a call or an argument results in, takes one away, and
// exchanges two that follow each other.
func (fn *Function) chains() []Edit {
	names := fn.linkNames()
	if len(names) == 0 {
		return nil
	}
	var list []Edit
	links := fn.links(fn.toks)
	for i, l := range links {
		if l.dot < fn.body {
			continue
		}
		text := "." + l.name + "()"
		list = append(list, fn.edit(OpChain, fn.toks[l.dot].off, fn.toks[l.end-1].end, "", "does not call "+l.name))
		if i+1 < len(links) && links[i+1].dot == l.end {
			next := links[i+1]
			list = append(list, fn.edit(OpChain, fn.toks[l.dot].off, fn.toks[next.end-1].end, "."+next.name+"()"+text, "calls "+next.name+" before "+l.name))
		}
	}
	for i := max(fn.body, 1); i+1 < len(fn.toks); i++ {
		t, next := fn.toks[i], fn.toks[i+1]
		value := fn.is(t, ")") || t.kind == ident && !reserved[fn.str(t)] && !fn.literal(t) && fn.isAny(fn.toks[i-1], "(", ",", "=", "return")
		if !value || !fn.isAny(next, ")", ",", ";") || fn.is(t, ")") && fn.heads(i) {
			continue
		}
		for rank, name := range names {
			e := fn.edit(OpChain, t.end, t.end, "."+name+"()", "calls "+name+" on the result")
			e.Weight /= float64(rank + 1)
			list = append(list, e)
		}
	}
	return list
}

// heads reports whether the parenthesis that ends at an index is that of a statement, or of no call.
func (fn *Function) heads(i int) bool {
	open := fn.open(i)
	return open < 1 || fn.toks[open-1].kind != ident || reserved[fn.str(fn.toks[open-1])]
}

// linkNames returns the methods to call on results: those that the file calls without arguments, the
// most frequent first, and some of standard libraries.
func (fn *Function) linkNames() []string {
	if commonLinks[fn.lang] == nil {
		return nil
	}
	count := map[string]float64{}
	for _, name := range commonLinks[fn.lang] {
		count[name]++
	}
	for _, l := range fn.links(fn.File.toks) {
		count[l.name]++
	}
	for _, l := range fn.links(fn.toks) {
		count[l.name] += 3
	}
	var list []scored
	for name, n := range count {
		list = append(list, scored{name, n})
	}
	var names []string
	for _, s := range firstNames(list) {
		names = append(names, s.text)
	}
	return names
}

// assigned keeps the result of a call that the function throws away, as x.replace(a, b) does.
func (fn *Function) assigned() []Edit {
	if !fn.inJava() {
		return nil
	}
	var list []Edit
	for _, s := range fn.stmts {
		toks := fn.between(s.from, s.to)
		if s.opens || len(toks) < 6 || toks[0].kind != ident || reserved[fn.str(toks[0])] || !fn.lowerCase(toks[0]) {
			continue
		}
		if !fn.is(toks[1], ".") || toks[2].kind != ident || !fn.is(toks[3], "(") || fn.close(toks, 3) != len(toks)-2 {
			continue
		}
		name := fn.str(toks[0])
		list = append(list, fn.edit(OpAssign, toks[0].off, toks[0].off, name+" = ", "keeps the result of "+short(strings.TrimSpace(s.text))))
	}
	return list
}

// unnested moves the last statement of a block behind the block.
func (fn *Function) unnested() []Edit {
	if fn.lang != java && fn.lang != rust {
		return nil
	}
	var list []Edit
	for i, s := range fn.stmts {
		if !s.opens || s.to-s.from > 20 {
			continue
		}
		last := -1
		for j := i + 1; j < len(fn.stmts) && fn.stmts[j].to < s.to; j++ {
			if last < 0 || len(fn.stmts[j].indent) <= len(fn.stmts[last].indent) {
				last = j
			}
		}
		if last < 0 || fn.stmts[last].to != s.to-1 || fn.stmts[last].from == s.from+1 {
			continue
		}
		inner := fn.stmts[last]
		var out strings.Builder
		out.WriteString(fn.linesOf(s.from, inner.from-1))
		out.WriteString(fn.linesOf(s.to, s.to))
		for l := range strings.Lines(inner.text) {
			out.WriteString(s.indent + strings.TrimPrefix(l, inner.indent))
		}
		off := fn.starts[s.from-1]
		e := fn.edit(OpLeaveBlock, off, min(off+len(s.text), len(fn.Content)), out.String(), "moves "+short(inner.text)+" behind the block")
		e.Line = inner.from
		e.Weight = fn.weightOf(OpLeaveBlock) * max(fn.weight(inner.from), fn.weight(s.from))
		list = append(list, e)
	}
	return list
}

// contexts inserts the statement that elsewhere in the file follows the same line, or precedes it.
func (fn *Function) contexts() []Edit {
	if fn.lang != java && fn.lang != rust {
		return nil
	}
	places := map[string][]int{}
	for n := range fn.lines {
		if key := fn.trimmed(n); fn.code(n+1) && len(key) > minContext {
			places[key] = append(places[key], n)
		}
	}
	var list []Edit
	for _, s := range fn.stmts {
		if s.to != s.from {
			continue
		}
		at := places[fn.trimmed(s.from-1)]
		if len(at) < 2 || len(at) > maxCalls {
			continue
		}
		seen := []string{fn.trimmed(s.from), fn.trimmed(s.from - 2)}
		for _, n := range at {
			for _, step := range []int{1, -1} {
				text := fn.donated(n + step)
				if n == s.from-1 || text == "" || slices.Contains(seen, text) {
					continue
				}
				seen = append(seen, text)
				why := "inserts " + short(text) + ", which stands beside " + short(strings.TrimSpace(s.text)) + " elsewhere"
				list = append(list, fn.insertion(OpContext, s.from+max(step, 0), s.indent+text+"\n", why))
			}
		}
	}
	return list
}

// minContext is the least length of a line that says where it stands.
const minContext = 8

// trimmed returns a line, counted from 0, without its indentation; "" outside of the file.
func (fn *Function) trimmed(n int) string {
	if n < 0 || n >= len(fn.lines) {
		return ""
	}
	return strings.TrimSpace(string(fn.lines[n]))
}

// donated returns the whole statement of a line, counted from 0; "" if there is none.
func (fn *Function) donated(n int) string {
	text := fn.trimmed(n)
	if text == "" || !fn.code(n+1) || !fn.simple(fn.File.between(n+1, n+1), text) {
		return ""
	}
	if !strings.HasSuffix(text, ";") {
		return ""
	}
	return text
}
