package mutate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// swaps maps operators to their usual replacements in fixes.
var swaps = map[string][]string{
	"<": {"<=", ">", "!="}, "<=": {"<", ">="}, ">": {">=", "<", "!="}, ">=": {">", "<="},
	"==": {"!=", ">=", "<="}, "!=": {"==", ">", "<"}, "===": {"!==", "=="}, "!==": {"===", "!="},
	"&&": {"||"}, "||": {"&&"}, "and": {"or"}, "or": {"and"},
	"+": {"-"}, "-": {"+"}, "+=": {"-=", "="}, "-=": {"+=", "="}, "=": {"+=", "|="}, "|=": {"=", "&="}, "&": {"|"}, "|": {"&"},
	"++": {"--"}, "--": {"++"}, "<<": {">>"}, ">>": {"<<"}, "*": {"/"}, "/": {"*"}, ":=": {"="},
}

// operatorEdits replaces single operators.
func (fn *Function) operatorEdits() []Edit {
	var list []Edit
	for i, t := range fn.toks {
		if i < fn.body || i == 0 || t.kind == text || t.kind == number {
			continue
		}
		op := fn.str(t)
		for n, other := range swaps[op] {
			if unary(fn, i) {
				break
			}
			e := fn.edit(opOf(op, other), t.off, t.end, other, "replaces the operator "+op+" by "+other)
			e.Weight /= float64(n + 1)
			list = append(list, e)
		}
	}
	return list
}

// unary reports whether the sign at an index has no left operand.
func unary(fn *Function, i int) bool {
	before := fn.toks[i-1]
	if fn.isAny(fn.toks[i], "++", "--") {
		return false
	}
	return before.kind == sign && !fn.isAny(before, ")", "]", "}") || reserved[fn.str(before)]
}

// opOf returns the kind of a replacement of operators.
func opOf(from, to string) Op {
	both := from + " " + to
	switch {
	case strings.ContainsAny(from, "<>") && len(from) <= 2 && strings.ContainsAny(to, "<>"):
		return OpRelation
	case strings.Contains(both, "==") || strings.Contains(both, "!="):
		return OpEquality
	case slices.Contains([]string{"&&", "||", "and", "or"}, from):
		return OpLogic
	}
	return OpArithmetic
}

// constantEdits replaces numbers, truth values and strings, and adds one to lengths and indexes
// or subtracts one.
func (fn *Function) constantEdits() []Edit {
	var list []Edit
	for i, t := range fn.toks {
		if i < fn.body {
			continue
		}
		switch {
		case t.kind == number:
			list = append(list, fn.otherNumbers(t)...)
		case t.kind == text:
			list = append(list, fn.otherTexts(t)...)
		case fn.isAny(t, "true", "false", "True", "False"):
			flip := map[string]string{"true": "false", "false": "true", "True": "False", "False": "True"}[fn.str(t)]
			list = append(list, fn.edit(OpBoolean, t.off, t.end, flip, "replaces "+fn.str(t)+" by "+flip))
		}
	}
	return append(list, fn.offByOne()...)
}

// otherNumbers replaces a number by its neighbours and by zero and one.
func (fn *Function) otherNumbers(t token) []Edit {
	n, err := strconv.Atoi(fn.str(t))
	if err != nil {
		return nil
	}
	var list []Edit
	for rank, other := range []int{n + 1, n - 1, 0, 1, -n} {
		if other == n || slices.ContainsFunc(list, func(e Edit) bool { return e.Text == strconv.Itoa(other) }) {
			continue
		}
		e := fn.edit(OpNumber, t.off, t.end, strconv.Itoa(other), fmt.Sprintf("replaces the number %d by %d", n, other))
		e.Weight /= float64(rank + 1)
		list = append(list, e)
	}
	return list
}

// offByOne adds and subtracts one at bounds: the sides of comparisons, indexes and the ends of
// slices.
func (fn *Function) offByOne() []Edit {
	var list []Edit
	for i := max(fn.body, 1); i+1 < len(fn.toks); i++ {
		t, before, after := fn.toks[i], fn.toks[i-1], fn.toks[i+1]
		bound := fn.isAny(after, "]", ":", "<", "<=", ">", ">=") && (t.kind == ident && !reserved[fn.str(t)] || fn.is(t, ")")) ||
			t.kind == ident && fn.isAny(before, "<", "<=", ">", ">=") && !fn.isAny(after, "(", ".", "[", "->")
		if !fn.endsLength(i) && (!bound || fn.is(after, ":") && !fn.inBrackets(i)) {
			continue
		}
		for _, delta := range []string{" - 1", " + 1"} {
			list = append(list, fn.edit(OpOffByOne, t.end, t.end, delta, "puts"+delta+" after "+short(fn.str(t))))
		}
	}
	return list
}

// endsLength reports whether a token ends an expression for a length.
func (fn *Function) endsLength(i int) bool {
	t := fn.toks[i]
	if fn.isAny(t, "length", "size") && fn.is(fn.toks[i-1], ".") {
		return !fn.is(fn.toks[i+1], "(")
	}
	if !fn.is(t, ")") {
		return false
	}
	for j := i - 1; j > 0 && i-j < 12; j-- {
		if fn.is(fn.toks[j], "(") {
			return fn.isAny(fn.toks[j-1], "len", "strlen", "size", "length")
		}
	}
	return false
}

// inBrackets reports whether the innermost bracket around a token is a square one.
func (fn *Function) inBrackets(i int) bool {
	depth := 0
	for j := i; j >= 0 && i-j < 40; j-- {
		switch {
		case fn.isAny(fn.toks[j], ")", "]", "}") && j < i:
			depth++
		case fn.isAny(fn.toks[j], "(", "[", "{"):
			if depth == 0 {
				return fn.is(fn.toks[j], "[")
			}
			depth--
		}
	}
	return false
}

// otherTexts replaces a string by similar strings of the failing tests, and by the empty
// string.
func (fn *Function) otherTexts(t token) []Edit {
	quoted := fn.str(t)
	if len(quoted) < 2 || quoted[0] == '/' {
		return nil
	}
	quote, inner := quoted[:1], quoted[1:len(quoted)-1]
	var list []Edit
	for _, word := range fn.clues.Words {
		if word == inner || strings.ContainsAny(word, "\n\\"+quote) || !resembles(word, inner) {
			continue
		}
		list = append(list, fn.edit(OpText, t.off, t.end, quote+word+quote, "replaces the string "+short(quoted)+" by "+short(quote+word+quote)))
	}
	return list
}

// resembles reports whether two texts differ in one place, in less than half of their bytes.
func resembles(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < min(len(a), len(b))-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return 2*(n+m) > max(len(a), len(b))
}
