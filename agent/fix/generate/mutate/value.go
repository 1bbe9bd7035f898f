package mutate

import (
	"slices"
	"strings"
)

// defaultsOf are what Java returns in place of null, by the type of a result.
var defaultsOf = map[string]string{
	"String": `""`, "CharSequence": `""`, "Object": `""`,
	"List": "Collections.emptyList()", "Collection": "Collections.emptyList()", "Iterable": "Collections.emptyList()",
	"Set": "Collections.emptySet()", "Map": "Collections.emptyMap()", "Optional": "Optional.empty()", "Boolean": "false", "Integer": "0", "Long": "0L",
}

// defaults returns, in Java, another value where an expression or its receiver is null.
func (fn *Function) defaults() []Edit {
	if !fn.inJava() {
		return nil
	}
	other := defaultsOf[fn.resultType()]
	var list []Edit
	for i, t := range fn.toks {
		if i < fn.body || !fn.is(t, "return") {
			continue
		}
		toks := fn.restOfStatement(i + 1)
		if len(toks) == 0 || len(toks) > 14 || fn.plain(toks) || fn.ternary(toks) || fn.boolean(toks) {
			continue
		}
		expr, off, end := fn.span(toks), toks[0].off, toks[len(toks)-1].end
		if other != "" && toks[len(toks)-1].kind != text {
			list = append(list, fn.edit(OpDefault, off, end, expr+" != null ? "+expr+" : "+other, "returns "+other+" if "+short(expr)+" is null"))
		}
		if len(toks) > 3 && toks[0].kind == ident && fn.is(toks[1], ".") && fn.lowerCase(toks[0]) {
			root := fn.str(toks[0])
			e := fn.edit(OpDefault, off, end, root+" == null ? null : "+expr, "returns null if "+root+" is null")
			list = append(list, e)
		}
	}
	return list
}

// lowerCase reports whether a name begins as those of variables do.
func (fn *Function) lowerCase(t token) bool { return fn.str(t) != "this" && fn.str(t)[0] >= 'a' }

// resultType returns the name of the type of the function's result, without its parameters.
func (fn *Function) resultType() string {
	for i, t := range fn.toks[:min(fn.body, len(fn.toks))] {
		if !fn.is(t, "(") || i < 2 || fn.toks[i-1].kind != ident {
			continue
		}
		j := i - 2
		if fn.is(fn.toks[j], ">") { // List<String> name(
			for j > 0 && !fn.is(fn.toks[j], "<") {
				j--
			}
			j--
		}
		if j >= 0 && fn.toks[j].kind == ident {
			return fn.str(fn.toks[j])
		}
		return ""
	}
	return ""
}

// units leaves out one that is added or subtracted.
func (fn *Function) units() []Edit {
	if fn.lang != java && fn.lang != rust {
		return nil
	}
	var list []Edit
	for i := max(fn.body, 1); i+2 < len(fn.toks); i++ {
		t, one := fn.toks[i], fn.toks[i+1]
		if !fn.isAny(t, "+", "-") || fn.str(one) != "1" || one.kind != number || unary(fn, i) || fn.isAny(fn.toks[i+2], "*", "/", "%", ".") {
			continue
		}
		before := fn.toks[i-1]
		list = append(list, fn.edit(OpUnit, before.end, one.end, "", "leaves out "+fn.str(t)+" 1 after "+short(fn.str(before))))
	}
	return list
}

// unwraps replaces the calls of Rust that panic without a value, and the sign that returns then.
func (fn *Function) unwraps() []Edit {
	if fn.lang != rust {
		return nil
	}
	var list []Edit
	for i := max(fn.body, 1); i+1 < len(fn.toks); i++ {
		t := fn.toks[i]
		switch {
		case fn.is(t, "?") && fn.toks[i-1].end == t.off:
			for _, text := range []string{".unwrap_or_default()", ".ok()?"} {
				list = append(list, fn.edit(OpCheckless, t.off, t.end, text, "puts "+text+" in place of ?"))
			}
		case fn.isAny(t, "unwrap", "expect") && fn.is(fn.toks[i-1], ".") && fn.is(fn.toks[i+1], "("):
			end := fn.close(fn.toks, i+1)
			if end < 0 {
				continue
			}
			for _, text := range []string{"?", ".unwrap_or_default()", ".ok()?"} {
				list = append(list, fn.edit(OpCheckless, fn.toks[i-1].off, fn.toks[end].end, text, "puts "+text+" in place of "+fn.str(t)))
			}
		}
	}
	return list
}

// overflows gives additions, subtractions and multiplications of Rust a result where they overflow.
func (fn *Function) overflows() []Edit {
	if fn.lang != rust {
		return nil
	}
	names := map[string]string{"+": "add", "-": "sub", "*": "mul"}
	var list []Edit
	for i := max(fn.body, 1); i+1 < len(fn.toks); i++ {
		name := names[fn.str(fn.toks[i])]
		if name == "" || fn.toks[i].kind != sign || unary(fn, i) {
			continue
		}
		from, to := fn.operandBefore(i), fn.operandAfter(i)
		if from < 0 || to < 0 {
			continue
		}
		a, b := fn.span(fn.toks[from:i]), fn.span(fn.toks[i+1:to])
		for _, kind := range []string{"saturating_", "wrapping_"} {
			text := a + "." + kind + name + "(" + b + ")"
			e := fn.edit(OpOverflow, fn.toks[from].off, fn.toks[to-1].end, text, "computes "+short(text))
			e.Weight *= fn.forRaised("number")
			list = append(list, e)
		}
	}
	return list
}

// operandBefore returns the index at which the operand before an operator begins: a name with its
// members, calls and indexes, or a number; -1 for anything else.
func (fn *Function) operandBefore(i int) int {
	j := i - 1
	for j >= fn.body {
		switch {
		case fn.isAny(fn.toks[j], ")", "]"):
			open := fn.open(j)
			if open < 0 {
				return -1
			}
			j = open - 1
			if j < fn.body || fn.toks[j].kind != ident || reserved[fn.str(fn.toks[j])] {
				return open
			}
			continue
		case fn.toks[j].kind == ident && !reserved[fn.str(fn.toks[j])] || fn.toks[j].kind == number || fn.is(fn.toks[j], "self"):
			if j > fn.body && fn.isAny(fn.toks[j-1], ".", "::") {
				j -= 2
				continue
			}
			return j
		}
		return -1
	}
	return -1
}

// open returns the index of the token that opens the bracket that ends at an index; -1 if there is
// none.
func (fn *Function) open(i int) int {
	depth := 0
	for j := i; j >= 0; j-- {
		switch {
		case fn.isAny(fn.toks[j], ")", "]", "}"):
			depth++
		case fn.isAny(fn.toks[j], "(", "[", "{"):
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// operandAfter returns the index after the operand that follows an operator; -1 if it is not simple.
func (fn *Function) operandAfter(i int) int {
	j := i + 1
	if j >= len(fn.toks) || fn.toks[j].kind != ident && fn.toks[j].kind != number {
		return -1
	}
	for j++; j < len(fn.toks); j++ {
		switch {
		case fn.isAny(fn.toks[j], ".", "::") && j+1 < len(fn.toks) && fn.toks[j+1].kind != sign:
			j++
		case fn.isAny(fn.toks[j], "(", "["):
			end := fn.close(fn.toks, j)
			if end < 0 {
				return -1
			}
			j = end
		case fn.is(fn.toks[j], "as"):
			return -1
		default:
			return j
		}
	}
	return -1
}

// alternatives gives an arm of a match of Rust one more pattern: the same letter in the other case,
// or another name of the same kind that the file uses.
func (fn *Function) alternatives() []Edit {
	if fn.lang != rust {
		return nil
	}
	var list []Edit
	for i := max(fn.body, 1); i+1 < len(fn.toks); i++ {
		t, next, before, letter := fn.toks[i], fn.toks[i+1], fn.toks[i-1], fn.str(fn.toks[i])
		if t.kind == text && fn.is(before, "b") && before.end == t.off && i > 1 {
			before, letter = fn.toks[i-2], "b"+letter
		}
		if !fn.isAny(next, "=>", "|", "if") || !fn.isAny(before, "{", ",", "|", "}", "::") {
			continue
		}
		var others []string
		switch {
		case t.kind == text:
			others = otherCase(letter)
		case t.kind == ident && i > 1 && fn.is(fn.toks[i-1], "::") && fn.toks[i-2].kind == ident:
			others = fn.siblings(fn.str(fn.toks[i-2]), fn.str(t))
		}
		for _, o := range others {
			list = append(list, fn.edit(OpAlternative, t.end, t.end, " | "+o, "also matches "+short(o)))
		}
	}
	return list
}

// otherCase returns a quoted letter in the other case, nil if it is no letter.
func otherCase(quoted string) []string {
	if len(quoted) > 4 {
		return nil
	}
	for _, other := range []string{strings.ToUpper(quoted), strings.ToLower(quoted)} {
		if strings.HasPrefix(quoted, "b") {
			other = "b" + other[1:]
		}
		if other != quoted {
			return []string{other}
		}
	}
	return nil
}

// siblings returns paths with another last name that the file uses, at most a few.
func (fn *Function) siblings(kind, name string) []string {
	var list []string
	toks := fn.File.toks
	for i := 2; i < len(toks) && len(list) < maxNames; i++ {
		if toks[i].kind != ident || !fn.is(toks[i-1], "::") || !fn.is(toks[i-2], kind) {
			continue
		}
		other := fn.str(toks[i])
		text := kind + "::" + other
		if other != name && other[0] >= 'A' && other[0] <= 'Z' && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
