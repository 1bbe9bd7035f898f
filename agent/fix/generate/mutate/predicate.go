package mutate

import (
	"strings"

	"git-agent/agent/source"
)

// predicates are functions of standard libraries whose last argument is a function that returns a
// truth value.
var predicates = map[*language]map[string]bool{
	java: source.WordSet("filter anyMatch allMatch noneMatch removeIf takeWhile dropWhile"),
	rust: source.WordSet("filter any all position rposition find take_while skip_while retain is_some_and is_none_or map_or"),
}

// predicate returns the tokens of the condition in a call of one of the predicates at an index, as
// in list.filter(x -> x > 0); nil if there is none.
func (fn *Function) predicate(i int) []token {
	if i == 0 || i+2 >= len(fn.toks) || !predicates[fn.lang][fn.str(fn.toks[i])] || !fn.is(fn.toks[i-1], ".") || !fn.is(fn.toks[i+1], "(") {
		return nil
	}
	end := fn.close(fn.toks, i+1)
	if end < 0 {
		return nil
	}
	args, _ := fn.split(fn.toks[i+2:end], ",")
	last := args[len(args)-1]
	body := fn.lambda(last)
	if len(body) == 0 || fn.is(body[0], "{") {
		return nil
	}
	return body
}

// lambda returns the body of a function without a name, nil if tokens are none.
func (fn *Function) lambda(toks []token) []token {
	switch fn.lang {
	case java:
		for i, t := range toks {
			if fn.is(t, "->") {
				return toks[i+1:]
			}
			if fn.is(t, "{") {
				return nil
			}
		}
	case rust:
		if len(toks) == 0 || !fn.is(toks[0], "|") {
			return nil
		}
		for i := 1; i < len(toks); i++ {
			if fn.is(toks[i], "|") {
				return toks[i+1:]
			}
		}
	}
	return nil
}

// tail returns the expression that ends a function of Rust, which is its result.
func (fn *Function) tail() []token {
	last := len(fn.toks) - 1
	if fn.lang != rust || last < 1 || fn.body >= last || !fn.is(fn.toks[last], "}") {
		return nil
	}
	depth, from := 0, fn.body
	for i := fn.body; i < last; i++ {
		t := fn.toks[i]
		switch {
		case fn.isAny(t, "(", "[", "{"):
			depth++
		case fn.isAny(t, ")", "]", "}"):
			if depth--; depth == 0 && fn.is(t, "}") && !fn.isAny(fn.toks[i+1], ".", "?", "else", ")", ",") {
				from = i + 1
			}
		case depth == 0 && fn.is(t, ";"):
			from = i + 1
		}
	}
	toks := fn.toks[from:last]
	if len(toks) == 0 || fn.isAny(toks[0], "if", "match", "for", "while", "loop", "unsafe", "let", "return", "#") {
		return nil
	}
	return toks
}

// swappedClauses exchanges neighbouring clauses of a condition: the second one may have to hold
// before the first one can be asked.
func (fn *Function) swappedClauses() []Edit {
	if fn.lang != java && fn.lang != rust {
		return nil
	}
	var list []Edit
	for _, c := range fn.conditions() {
		for _, op := range []string{fn.lang.and, fn.lang.or} {
			parts, _ := fn.split(c.toks, op)
			for i := 0; i+1 < len(parts); i++ {
				list = append(list, fn.exchanged(OpSwapClauses, parts[i], parts[i+1], "the clauses")...)
			}
		}
	}
	return list
}

// exchanged exchanges two expressions.
func (fn *Function) exchanged(op Op, a, b []token, what string) []Edit {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	off, end := a[0].off, b[len(b)-1].end
	between := string(fn.Content[a[len(a)-1].end:b[0].off])
	return []Edit{fn.edit(op, off, end, fn.span(b)+between+fn.span(a), "exchanges "+what+" "+short(fn.span(a))+" and "+short(fn.span(b)))}
}

// branches exchanges the two values of a choice: c ? a : b.
func (fn *Function) branches() []Edit {
	if !fn.inJava() {
		return nil
	}
	var list []Edit
	for i := fn.body; i < len(fn.toks); i++ {
		if !fn.is(fn.toks[i], "?") {
			continue
		}
		colon, end := fn.choiceEnds(i)
		if colon > i+1 && end > colon+1 {
			list = append(list, fn.exchanged(OpSwapBranches, fn.toks[i+1:colon], fn.toks[colon+1:end], "the values")...)
		}
	}
	return list
}

// choiceEnds returns the indexes of the colon of a choice, and of the end of it.
func (fn *Function) choiceEnds(question int) (colon, end int) {
	depth, nested := 0, 0
	for j := question + 1; j < len(fn.toks); j++ {
		t := fn.toks[j]
		switch {
		case fn.isAny(t, "(", "[", "{"):
			depth++
		case fn.isAny(t, ")", "]", "}", ";") || depth == 0 && fn.is(t, ","):
			if depth--; depth < 0 {
				return colon, j
			}
		case depth == 0 && fn.is(t, "?"):
			nested++
		case depth == 0 && fn.is(t, ":"):
			if nested--; nested < 0 && colon == 0 {
				colon = j
			}
		}
	}
	return 0, 0
}

// equalities compares objects of Java by equals in place of ==, and does so without a null receiver.
func (fn *Function) equalities() []Edit {
	if !fn.inJava() {
		return nil
	}
	var list []Edit
	for _, c := range fn.conditions() {
		clauses, _ := fn.split(c.toks, fn.lang.and, fn.lang.or)
		for _, p := range clauses {
			sides, cuts := fn.split(p, "==", "!=")
			if len(cuts) != 1 || len(sides[0]) == 0 || len(sides[1]) == 0 || fn.plain(sides[0]) || fn.plain(sides[1]) {
				continue
			}
			not := strings.Repeat("!", len(fn.str(cuts[0]))-len(strings.TrimPrefix(fn.str(cuts[0]), "!")))
			a, b := fn.span(sides[0]), fn.span(sides[1])
			for _, text := range []string{not + a + ".equals(" + b + ")", not + "Objects.equals(" + a + ", " + b + ")"} {
				list = append(list, fn.edit(OpEquals, p[0].off, p[len(p)-1].end, text, "compares "+short(a)+" with "+short(b)+" by equals"))
			}
		}
	}
	return list
}

// plain reports whether an expression is no object: a number, a character, null or a truth value.
func (fn *Function) plain(toks []token) bool {
	t := toks[len(toks)-1]
	return t.kind == number || t.kind == text && fn.Content[t.off] == '\'' || len(toks) == 1 && (fn.literal(t) || fn.is(t, "this"))
}
