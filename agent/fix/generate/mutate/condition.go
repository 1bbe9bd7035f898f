package mutate

import (
	"slices"
	"strings"
)

// A condition is a boolean expression.
type condition struct {
	toks []token
	word string // if, while, for, return
	body int    // the first line of the guarded body
}

// conditions returns the conditions of the function.
func (fn *Function) conditions() []condition {
	var list []condition
	for i, t := range fn.toks {
		if t.kind != ident || i < fn.body && fn.extent.End > fn.extent.Body {
			continue
		}
		switch word := fn.str(t); word {
		case "if", "while", "elif", "for":
			if toks := fn.headOf(i); len(toks) > 0 {
				list = append(list, condition{toks: toks, word: word, body: toks[len(toks)-1].line + 1})
			}
		case "return":
			toks := fn.restOfStatement(i + 1)
			if fn.boolean(toks) || len(toks) > 1 && fn.returnsBoolean() && !fn.ternary(toks) {
				list = append(list, condition{toks: toks, word: word})
			}
		default:
			if toks := fn.predicate(i); len(toks) > 0 {
				list = append(list, condition{toks: toks, word: word})
			}
		}
	}
	if toks := fn.tail(); len(toks) > 1 && fn.returnsBoolean() && !fn.ternary(toks) {
		list = append(list, condition{toks: toks, word: "return"})
	}
	return list
}

// returnsBoolean reports whether the function's heading says that it returns a truth value.
func (fn *Function) returnsBoolean() bool {
	for i, t := range fn.toks[:min(fn.body, len(fn.toks))] {
		after := i > 0 && fn.isAny(fn.toks[i-1], ")", ":", ">", "->") // the types of parameters stand behind names
		if fn.isAny(t, "boolean", "bool") && (after || fn.lang == java || fn.lang == clike) {
			return i+1 < len(fn.toks) && !fn.isAny(fn.toks[i+1], ",", ")", "[", "<")
		}
	}
	return false
}

// ternary reports whether an expression chooses between two values.
func (fn *Function) ternary(toks []token) bool {
	_, cuts := fn.split(toks, "?", "=>", ",")
	return len(cuts) > 0
}

// headOf returns the tokens of the condition after the keyword at index i.
func (fn *Function) headOf(i int) []token {
	toks := fn.toks[i+1:]
	switch {
	case len(toks) == 0:
		return nil
	case fn.lang.parens:
		if end := fn.close(toks, 0); fn.is(toks[0], "(") && end > 0 {
			toks = toks[1:end]
		} else {
			return nil
		}
	default:
		end := fn.headEnd(toks)
		if end < 0 {
			return nil
		}
		toks = toks[:end]
	}
	parts, _ := fn.split(toks, ";")
	cond := parts[0]
	if len(parts) > 1 {
		cond = parts[1]
	}
	if slices.ContainsFunc(cond, func(t token) bool { return fn.isAny(t, ":=", "range", "in", "of") }) && fn.is(fn.toks[i], "for") {
		return nil
	}
	return cond
}

// headEnd returns the index of the token that opens the block.
func (fn *Function) headEnd(toks []token) int {
	open := "{"
	if fn.lang.indented {
		open = ":"
	}
	depth := 0
	for j, t := range toks {
		switch {
		case depth == 0 && fn.lang == rust && fn.is(t, "=>"):
			return j // of an arm
		case depth == 0 && fn.is(t, open) && (j == len(toks)-1 || toks[j+1].line > t.line || fn.lang.indented || open == "{"):
			return j
		case fn.isAny(t, "(", "[", "{"):
			depth++
		case fn.isAny(t, ")", "]", "}"):
			depth--
		}
	}
	return -1
}

// restOfStatement returns the tokens up to the end of the statement.
func (fn *Function) restOfStatement(i int) []token {
	depth := 0
	for j := i; j < len(fn.toks); j++ {
		t := fn.toks[j]
		switch {
		case depth == 0 && (fn.is(t, ";") || fn.is(t, "}")):
			return fn.toks[i:j]
		case depth == 0 && j > i && t.line > fn.toks[j-1].line && !fn.ends && !fn.continues(fn.toks[j-1]) && !fn.resumes(t):
			return fn.toks[i:j]
		case depth == 0 && j == i && t.line > fn.toks[j-1].line:
			return nil
		case fn.isAny(t, "(", "[", "{"):
			depth++
		case fn.isAny(t, ")", "]", "}"):
			depth--
		}
	}
	if fn.lang.indented && depth == 0 && i < len(fn.toks) && fn.toks[i].line == fn.toks[i-1].line {
		return fn.toks[i:] // the last statement of the function, which no sign ends
	}
	return nil
}

// continues reports whether a statement cannot end after a token.
func (f *File) continues(t token) bool {
	return t.kind == sign && !f.isAny(t, ")", "]", "}", "++", "--", ";") || f.isAny(t, "and", "or", "not", "return")
}

// resumes reports whether a line that begins with a token goes on with the statement of the line before it.
func (f *File) resumes(t token) bool {
	return f.lang != golang && !f.lang.indented && f.isAny(t, ".", "?.", "&&", "||", "??", "?", ":", "===", "!==", "==", "!=", "=>")
}

// boolean reports whether an expression looks boolean.
func (fn *Function) boolean(toks []token) bool {
	if len(toks) == 0 {
		return false
	}
	parts, _ := fn.split(toks, ",")
	if len(parts) > 1 {
		return false
	}
	_, cuts := fn.split(toks, fn.lang.and, fn.lang.or, "==", "!=", "===", "!==", "<", ">", "<=", ">=")
	_, ternary := fn.split(toks, "?")
	return len(ternary) == 0 && (len(cuts) > 0 || fn.is(toks[0], strings.TrimSpace(fn.lang.not)))
}

// conditionEdits changes whole conditions and their clauses.
func (fn *Function) conditionEdits() []Edit {
	var list []Edit
	for _, c := range fn.conditions() {
		list = append(list, fn.forced(c)...)
		list = append(list, fn.negated(c))
		list = append(list, fn.fewerClauses(c)...)
		list = append(list, fn.replacedClauses(c)...)
	}
	return list
}

// forced makes a condition always false and always true. The further edits of these probes test
// its clauses in another way, which matters only if one of the probes does, and add a clause.
func (fn *Function) forced(c condition) []Edit {
	off, end, expr := c.toks[0].off, c.toks[len(c.toks)-1].end, fn.span(c.toks)
	never := fn.edit(
		OpNever,
		off,
		end,
		fn.lang.no+" "+fn.lang.and+" "+fn.grouped(c.toks, fn.lang.or),
		"makes the condition "+short(expr)+" always false",
	)
	never.Probe, never.More = true, func() []Edit { return append(fn.otherTruths(c), fn.withClauses(c, fn.lang.and, OpAnd)...) }
	always := fn.edit(OpAlways, off, end, fn.lang.yes+" "+fn.lang.or+" "+expr, "makes the condition "+short(expr)+" always true")
	always.Probe, always.More = true, func() []Edit { return append(fn.otherTruths(c), fn.withClauses(c, fn.lang.or, OpOr)...) }
	if c.word == "for" || c.word == "while" {
		always.Weight = 0 // the loop never ends
	}
	return []Edit{never, always}
}

// grouped returns the text of tokens, in parentheses if they contain the operator outside of
// brackets.
func (fn *Function) grouped(toks []token, op string) string {
	if _, cuts := fn.split(toks, op, "?"); len(cuts) > 0 {
		return "(" + fn.span(toks) + ")"
	}
	return fn.span(toks)
}

// withClauses adds each atom to a condition.
func (fn *Function) withClauses(c condition, op string, kind Op) []Edit {
	other := fn.lang.or
	if op == other {
		other = "?" // && binds more than ||
	}
	off, end := c.toks[0].off, c.toks[len(c.toks)-1].end
	base := fn.grouped(c.toks, other)
	var list []Edit
	for _, a := range fn.atomsAt(c.toks[0].line, c.body) {
		if strings.Contains(fn.span(c.toks), a.text) {
			continue
		}
		text := base + " " + op + " " + a.text
		if p := fn.asked(a.text); p != "" && (strings.Contains(base, p+".") || strings.Contains(base, p+"->") || strings.Contains(base, p+"[")) {
			text = a.text + " " + op + " " + base
		}
		e := fn.edit(kind, off, end, text, "adds the clause "+short(a.text)+" to the condition "+short(fn.span(c.toks)))
		e.Weight *= a.weight
		list = append(list, e)
	}
	return list
}

// receivers lets a condition ask first whether there is a value of which it uses a member or an
// element. Conditions are evaluated from the left, so the clause comes first.
func (fn *Function) receivers() []Edit {
	if fn.lang.null == "" {
		return nil
	}
	unequal, equal := " != ", " == "
	if fn.lang.indented {
		unequal, equal = " is not ", " is "
	}
	var list []Edit
	for _, c := range fn.conditions() {
		parts, _ := fn.split(c.toks, fn.lang.or)
		for _, or := range parts {
			ands, _ := fn.split(or, fn.lang.and)
			for _, clause := range ands {
				if len(clause) > 0 {
					list = append(list, fn.receiversOf(clause, unequal, equal, len(ands) == 1)...)
				}
			}
		}
	}
	return list
}

// receiversOf puts a clause before a clause of a condition for each value that it dereferences.
// alone says that no other clause must hold with it.
func (fn *Function) receiversOf(clause []token, unequal, equal string, alone bool) []Edit {
	var list []Edit
	for i := 0; i+2 < len(clause); i++ {
		t := clause[i]
		if t.kind != ident || fn.literal(t) || reserved[fn.str(t)] || i > 0 && fn.isAny(clause[i-1], ".", "->", "?.", "::") {
			continue
		}
		for j := i; j+2 < len(clause) && fn.isAny(clause[j+1], ".", "->"); j += 2 {
			place := fn.span(clause[i : j+1])
			if j > i && fn.is(clause[j+1], "(") || clause[j].kind != ident || strings.ToUpper(place[:1]) == place[:1] {
				break
			}
			off, end := clause[0].off, clause[len(clause)-1].end
			has, lacks := place+unequal+fn.lang.null, place+equal+fn.lang.null
			list = append(list, fn.edit(OpReceiver, off, off, has+" "+fn.lang.and+" ", "adds the clause "+short(has)+" before "+short(fn.span(clause))))
			text := lacks + " " + fn.lang.or + " " + fn.span(clause)
			if !alone {
				text = "(" + text + ")"
			}
			list = append(list, fn.edit(OpReceiver, off, end, text, "adds the clause "+short(lacks)+" before "+short(fn.span(clause))))
		}
	}
	return list
}

// asked returns the place of which a clause asks whether there is a value, or how many; "" if it
// asks something else. Such a clause has to come before a condition that uses the value.
func (fn *Function) asked(clause string) string {
	if place, ok := strings.CutSuffix(strings.TrimPrefix(clause, "!"), emptyOf[fn.lang]); ok && emptyOf[fn.lang] != "" {
		return place
	}
	p, _, found := strings.Cut(clause, " ")
	if !found {
		return ""
	}
	if inner, ok := strings.CutPrefix(p, "len("); ok {
		return strings.TrimSuffix(inner, ")")
	}
	for _, end := range []string{".length", ".length()", ".size()", ".len()"} {
		if place, ok := strings.CutSuffix(p, end); ok {
			return place
		}
	}
	if fn.lang.null != "" && strings.HasSuffix(clause, " "+fn.lang.null) {
		return p
	}
	return ""
}

// negated negates a condition.
func (fn *Function) negated(c condition) Edit {
	expr := fn.span(c.toks)
	return fn.edit(OpNegate, c.toks[0].off, c.toks[len(c.toks)-1].end, fn.negation(c.toks), "negates the condition "+short(expr))
}

// negation returns the opposite of an expression.
func (fn *Function) negation(toks []token) string {
	expr, not := fn.span(toks), strings.TrimSpace(fn.lang.not)
	_, logic := fn.split(toks, fn.lang.and, fn.lang.or)
	_, compared := fn.split(toks, "==", "!=", "===", "!==", "<", ">", "<=", ">=", "is")
	switch {
	case fn.is(toks[0], not) && len(logic) == 0 && len(compared) == 0:
		return strings.TrimSpace(strings.TrimPrefix(expr, not))
	case len(logic) == 0 && len(compared) == 1 && opposite[fn.str(compared[0])] != "":
		at := compared[0].off - toks[0].off
		return expr[:at] + opposite[fn.str(compared[0])] + expr[at+compared[0].end-compared[0].off:]
	case len(logic) == 0 && len(compared) == 0:
		return fn.lang.not + expr
	}
	return fn.lang.not + "(" + expr + ")"
}

// opposite maps comparison operators to their negations.
var opposite = map[string]string{"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// fewerClauses removes each clause of a condition, and negates each.
func (fn *Function) fewerClauses(c condition) []Edit {
	var list []Edit
	for _, op := range []string{fn.lang.and, fn.lang.or} {
		parts, cuts := fn.split(c.toks, op)
		if len(parts) < 2 {
			continue
		}
		for i, p := range parts {
			if len(p) == 0 {
				continue
			}
			off, end := p[0].off, p[len(p)-1].end
			list = append(list, fn.edit(OpNegate, off, end, fn.negation(p), "negates the clause "+short(fn.span(p))))
			if i == 0 {
				end = cuts[0].end + spaces(fn.Content[cuts[0].end:])
			} else {
				off = cuts[i-1].off - spacesBefore(fn.Content[:cuts[i-1].off])
			}
			list = append(list, fn.edit(OpDropClause, off, end, "", "removes the clause "+short(fn.span(p))))
		}
	}
	return list
}

// replacedClauses replaces comparisons of two values by a comparison of the first value with
// null.
func (fn *Function) replacedClauses(c condition) []Edit {
	var list []Edit
	clauses, _ := fn.split(c.toks, fn.lang.and, fn.lang.or)
	for _, p := range clauses {
		sides, cuts := fn.split(p, "==", "!=", "===", "!==")
		if len(cuts) != 1 || len(sides[0]) == 0 || len(sides[1]) == 0 {
			continue
		}
		off, end := cuts[0].off, sides[1][len(sides[1])-1].end
		for _, other := range []string{fn.lang.null, `""`, "0"} {
			if op := fn.str(cuts[0]); other != "" && other != fn.span(sides[1]) {
				why := "compares " + short(fn.span(sides[0])) + " with " + other
				list = append(
					list,
					fn.edit(OpCompareNull, off, end, opposite[op]+" "+other, why),
					fn.edit(OpCompareNull, off, end, op+" "+other, why),
				)
			}
		}
	}
	return list
}

// short returns a text on one line, quoted and cut.
func short(s string) string {
	s = oneLine(s)
	if len(s) > maxShort {
		s = strings.ToValidUTF8(s[:maxShort], "") + "..."
	}
	return "`" + s + "`"
}

// maxShort bounds the bytes of code in an explanation.
const maxShort = 60

func spaces(s []byte) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	return n
}

func spacesBefore(s []byte) int {
	n := 0
	for n < len(s) && (s[len(s)-1-n] == ' ' || s[len(s)-1-n] == '\t') {
		n++
	}
	return n
}
