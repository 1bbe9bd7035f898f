package mutate

import (
	"bytes"
	"slices"
	"strings"
)

// A statement is a group of whole lines of a function's body.
type statement struct {
	from, to int    // its lines, from 1, both included
	indent   string // white space before it
	opens    bool   // the statement begins a block, which ends at the line to
	text     string // the lines, with line breaks
}

// statements returns the statements of the body in the order of their first lines, including
// those inside of blocks.
func (fn *Function) statements() []statement {
	var list []statement
	for line := fn.extent.Body + 1; line < fn.extent.End || fn.lang.indented && line == fn.extent.End; line++ {
		if !fn.code(line) || fn.startsInside(line) {
			continue
		}
		first := fn.between(line, line)
		if len(first) == 0 || fn.isAny(first[0], "}", ")", "]", "case", "default", "else", "elif", "except", "catch", "finally") || fn.resumes(first[0]) {
			continue
		}
		if s, ok := fn.statementAt(line); ok {
			list = append(list, s)
		}
	}
	return list
}

// startsInside reports whether a line continues the statement of the line before it.
func (fn *Function) startsInside(line int) bool {
	before := fn.between(fn.extent.Start, line-1)
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	depth := 0
	for i := len(before) - 1; i >= 0 && len(before)-i < 400; i-- {
		switch {
		case fn.isAny(before[i], ")", "]"):
			depth++
		case fn.isAny(before[i], "(", "["):
			if depth--; depth < 0 {
				return !fn.functionLiteral(before[i:])
			}
		}
	}
	return fn.continues(last) && !fn.isAny(last, "{", ":", ";", "}", "return")
}

// functionLiteral reports whether tokens from an open parenthesis on contain an unclosed
// function body.
func (fn *Function) functionLiteral(toks []token) bool {
	depth := 0
	for _, t := range toks {
		switch {
		case fn.is(t, "{"):
			depth++
		case fn.is(t, "}"):
			depth--
		}
	}
	return depth > 0
}

// statementAt returns the statement that begins on a line: up to the line that closes its
// brackets, including its block.
func (fn *Function) statementAt(line int) (statement, bool) {
	depth := 0
	toks := fn.between(line, fn.extent.End)
	for i, t := range toks {
		switch {
		case fn.isAny(t, "(", "[", "{"):
			depth++
		case fn.isAny(t, ")", "]", "}"):
			depth--
		}
		if depth < 0 {
			return statement{}, false
		}
		last := i == len(toks)-1
		if !last && toks[i+1].line == t.line || depth > 0 || fn.continues(t) && !last && !(fn.lang.indented && fn.is(t, ":")) {
			continue
		}
		if !last && !fn.lang.indented && (fn.isAny(toks[i+1], "else", "catch", "finally", "{") || fn.resumes(toks[i+1])) {
			continue
		}
		to := t.line + bytes.Count(fn.Content[t.off:t.end], []byte("\n"))
		if fn.lang.indented && fn.is(t, ":") {
			to = fn.blockEnd(line, to)
		}
		s := statement{from: line, to: to, indent: fn.indent(line - 1), opens: fn.opensBlock(toks[:i+1])}
		s.text = fn.linesOf(s.from, s.to)
		return s, true
	}
	return statement{}, false
}

// opensBlock reports whether the tokens of a statement begin a block.
func (fn *Function) opensBlock(toks []token) bool {
	return fn.isAny(toks[0], "if", "for", "while", "switch", "select", "do", "try", "with", "def", "function", "else")
}

// blockEnd returns the last line of an indented block.
func (fn *Function) blockEnd(line, to int) int {
	width := len(fn.indent(line - 1))
	for l := to + 1; l <= fn.extent.End; l++ {
		if fn.code(l) && len(fn.indent(l-1)) <= width {
			break
		}
		if fn.code(l) {
			to = l
		}
	}
	return to
}

// linesOf returns the text of lines with their line breaks.
func (fn *Function) linesOf(from, to int) string {
	end := len(fn.Content)
	if to < len(fn.starts) {
		end = fn.starts[to]
	}
	s := string(fn.Content[fn.starts[from-1]:end])
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// remove returns the edit that removes a statement.
func (fn *Function) remove(s statement) Edit {
	off := fn.starts[s.from-1]
	return fn.edit(OpDelete, off, min(off+len(s.text), len(fn.Content)), "", "removes "+short(s.text))
}

// deletions removes statements. The further edits of these probes put a condition around the
// statement.
func (fn *Function) deletions() []Edit {
	var list []Edit
	for _, s := range fn.stmts {
		if s.to-s.from > 12 {
			continue
		}
		e := fn.remove(s)
		if !s.opens {
			e.More = func() []Edit { return fn.guarded(s) }
		}
		list = append(list, e)
	}
	return list
}

// guarded wraps a statement in an if statement, for each condition.
func (fn *Function) guarded(s statement) []Edit {
	var list []Edit
	for _, a := range fn.atomsAt(s.from, s.from) {
		off := fn.starts[s.from-1]
		e := fn.edit(
			OpGuard,
			off,
			min(off+len(s.text), len(fn.Content)),
			fn.block(s.indent, a.text, s.text),
			"does "+short(s.text)+" only if "+short(a.text),
		)
		e.Weight *= a.weight
		list = append(list, e)
	}
	return list
}

// block returns the text of an if statement around lines.
func (fn *Function) block(indent, cond, lines string) string {
	step := "\t"
	if !strings.Contains(indent, "\t") && (indent != "" || fn.lang != golang) {
		step = "    "
	}
	var b strings.Builder
	switch {
	case fn.lang.indented:
		b.WriteString(indent + "if " + cond + ":\n")
	case fn.lang.parens:
		b.WriteString(indent + "if (" + cond + ") {\n")
	default:
		b.WriteString(indent + "if " + cond + " {\n")
	}
	for l := range strings.Lines(lines) {
		b.WriteString(step + l)
	}
	if !fn.lang.indented {
		b.WriteString(indent + "}\n")
	}
	return b.String()
}

// An exit is a statement that leaves the function.
type exit struct {
	text  string
	roots []string
}

// exits returns the statements that leave the function around a line, and those that leave a loop around it.
func (fn *Function) exits(line int) (function, loop []string) {
	if fn.cache.exits == nil {
		fn.cache.exits = fn.findExits()
	}
	end := ""
	if fn.ends {
		end = ";"
	}
	for _, e := range fn.cache.exits {
		if (len(e.roots) == 0 || fn.known(e.roots, line)) && len(function) < maxExits {
			function = append(function, e.text+end)
		}
	}
	if fn.inLoop(line) {
		loop = []string{"continue" + end, "break" + end}
	}
	return function, loop
}

// findExits returns the short return statements of the function, the most frequent first.
func (fn *Function) findExits() []exit {
	count := map[string]int{}
	list := []exit{}
	for i, t := range fn.toks {
		if i < fn.body || !fn.is(t, "return") {
			continue
		}
		toks := fn.restOfStatement(i + 1)
		s := strings.TrimSpace("return " + fn.span(toks))
		if len(toks) > 12 || strings.Contains(s, "\n") {
			continue
		}
		if count[s]++; count[s] == 1 {
			list = append(list, exit{s, fn.roots(toks)})
		}
	}
	for _, text := range fn.clues.Known.Exits {
		if count[text] == 0 {
			list = append(list, exit{text: text})
			count[text]++
		}
	}
	if len(list) == 0 && !fn.returnsValue() {
		list = append(list, exit{text: "return"})
	}
	slices.SortStableFunc(list, func(a, b exit) int { return count[b.text] - count[a.text] })
	return list
}

// maxExits bounds the exits of the function that are tried at one place.
const maxExits = 5

// returnsValue reports whether the function's heading has a result.
func (fn *Function) returnsValue() bool {
	switch fn.lang {
	case golang:
		head := fn.toks[:fn.body]
		end := -1
		for i := range head {
			if fn.is(head[i], "(") && i > 0 && head[i-1].kind == ident && !fn.is(head[i-1], "func") {
				end = fn.close(head, i)
				break
			}
		}
		return end >= 0 && end+1 < len(head) && !fn.is(head[end+1], "{")
	case clike, java:
		return fn.names["void"] == 0
	}
	return false
}

// inLoop reports whether a line is in a loop of the function.
func (fn *Function) inLoop(line int) bool {
	if fn.cache.loops == nil {
		fn.cache.loops = []statement{}
		for _, s := range fn.stmts {
			if first := fn.between(s.from, s.from); s.opens && len(first) > 0 && fn.isAny(first[0], "for", "while", "do") {
				fn.cache.loops = append(fn.cache.loops, s)
			}
		}
	}
	return slices.ContainsFunc(fn.cache.loops, func(s statement) bool { return s.from < line && line <= s.to })
}

// guards inserts exits before statements. The probe always leaves; its further edits leave on a
// condition. In a loop, the exits of the loop come first: of 18 fixes in Python and JavaScript that
// only add an if statement with an exit to a loop, 13 continue, 4 break, and one returns (26 repositories).
func (fn *Function) guards() []Edit {
	var list []Edit
	for _, s := range fn.stmts {
		if fn.weight(s.from) <= 0 && fn.weight(s.from-1) <= 0 {
			continue
		}
		function, loop := fn.exits(s.from)
		for rank, exit := range append(loop, function...) {
			e := fn.insertion(OpLeave, s.from, fn.block(s.indent, fn.lang.yes, s.indent+exit+"\n"), "leaves by "+short(exit)+" before "+short(s.text))
			e.Weight /= float64(rank + 1)
			e.Probe, e.More = true, func() []Edit { return fn.leaves(s, exit, e.Weight) }
			list = append(list, e)
		}
	}
	return list
}

// leaves inserts an exit under each condition.
func (fn *Function) leaves(s statement, exit string, weight float64) []Edit {
	var list []Edit
	for _, a := range fn.atomsAt(s.from, s.from) {
		e := fn.insertion(OpLeave, s.from, fn.block(s.indent, a.text, s.indent+exit+"\n"), "leaves by "+short(exit)+" if "+short(a.text))
		e.Weight = weight * a.weight
		list = append(list, e)
	}
	return list
}

// jumps inserts exits at the ends of blocks without one.
func (fn *Function) jumps() []Edit {
	var list []Edit
	for i, s := range fn.stmts {
		lastOfBlock := i+1 == len(fn.stmts) || len(fn.stmts[i+1].indent) < len(s.indent)
		if s.opens || !lastOfBlock || fn.jumpsAway(s) || len(s.indent) <= len(fn.indent(fn.extent.Body)) {
			continue
		}
		function, loop := fn.exits(s.to)
		if !fn.returnsValue() && len(function) == 0 && len(loop) > 0 {
			loop = append(loop, "return")
		}
		for rank, exit := range append(function, loop...) {
			e := fn.insertion(OpJump, s.to+1, s.indent+exit+"\n", "leaves by "+short(exit)+" after "+short(s.text))
			e.Weight /= float64(rank + 1)
			list = append(list, e)
		}
	}
	return list
}

// jumpsAway reports whether a statement always leaves its block.
func (fn *Function) jumpsAway(s statement) bool {
	first := fn.between(s.from, s.from)
	return len(first) > 0 && fn.isAny(first[0], "return", "break", "continue", "goto", "throw", "raise", "panic")
}

// moves moves a statement before earlier statements of its block, and after later ones.
func (fn *Function) moves() []Edit {
	var list []Edit
	for i, s := range fn.stmts {
		if s.to-s.from > 6 {
			continue
		}
		for rank, o := range fn.neighbours(i) {
			list = append(list, fn.moved(s, o, rank))
		}
	}
	return list
}

// neighbours returns the statements of the same block, the nearest first: up to three
// before and two after it.
func (fn *Function) neighbours(i int) []statement {
	var list []statement
	s := fn.stmts[i]
	for j, n := i-1, 0; j >= 0 && n < 3 && len(fn.stmts[j].indent) >= len(s.indent); j-- {
		if fn.stmts[j].indent == s.indent {
			list = append(list, fn.stmts[j])
			n++
		}
	}
	for j, n := i+1, 0; j < len(fn.stmts) && n < 2 && len(fn.stmts[j].indent) >= len(s.indent); j++ {
		if fn.stmts[j].indent == s.indent {
			list = append(list, fn.stmts[j])
			n++
		}
	}
	return list
}

// moved moves a statement before an earlier one, or after a later one.
func (fn *Function) moved(s, o statement, rank int) Edit {
	lo, hi := min(s.from, o.from), max(s.to, o.to)
	rest := strings.Replace(fn.linesOf(lo, hi), s.text, "", 1)
	text := s.text + rest
	if o.from > s.from {
		text = rest + s.text
	}
	off := fn.starts[lo-1]
	e := fn.edit(OpMove, off, min(off+len(fn.linesOf(lo, hi)), len(fn.Content)), text, "moves "+short(s.text))
	e.Line = s.from
	e.Weight = weights[OpMove] * max(fn.weight(s.from), fn.weight(o.from)) / float64(rank+1)
	return e
}
