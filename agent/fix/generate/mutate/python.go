package mutate

import (
	"slices"
	"strings"

	"git-agent/agent/source"
)

// pythonEdits makes the changes that only Python needs: a string lacks its prefix, an except clause
// lacks exceptions, a literal stands for a parameter.
func (fn *Function) pythonEdits() []Edit {
	if fn.lang != python {
		return nil
	}
	return slices.Concat(fn.formats(), fn.moreExceptions(), fn.unusedDefaults())
}

// otherTruths tests the clauses of a condition of Python for truth in another way, because a value
// that may be None is.
func (fn *Function) otherTruths(c condition) []Edit {
	if fn.lang != python {
		return nil
	}
	var list []Edit
	clauses, _ := fn.split(c.toks, fn.lang.and, fn.lang.or)
	for _, p := range clauses {
		list = append(list, fn.otherTruth(p)...)
	}
	return list
}

// otherTruth replaces a test for truth by a comparison with None, and a comparison by a test.
func (fn *Function) otherTruth(clause []token) []Edit {
	negated := len(clause) > 0 && fn.is(clause[0], "not")
	value := clause
	if negated {
		value = clause[1:]
	}
	before, cuts := fn.split(value, "is")
	var text string
	switch {
	case len(value) == 0:
		return nil
	case len(cuts) == 1 && len(before[0]) > 0 && fn.is(value[len(value)-1], "None"):
		text = fn.span(before[0])
		if isNot := fn.is(before[1][0], "not"); isNot == negated {
			text = "not " + text
		}
	case fn.isPlace(value) && negated:
		text = fn.span(value) + " is None"
	case fn.isPlace(value):
		text = fn.span(value) + " is not None"
	default:
		return nil
	}
	e := fn.edit(OpCompareNull, clause[0].off, clause[len(clause)-1].end, text, "tests "+short(text)+" instead of "+short(fn.span(clause)))
	e.Weight *= 3 // the one change of this kind at the clause
	return []Edit{e}
}

// isPlace reports whether tokens are a name with members, elements or calls.
func (fn *Function) isPlace(toks []token) bool {
	if toks[0].kind != ident || reserved[fn.str(toks[0])] && !fn.is(toks[0], "self") || fn.literal(toks[0]) {
		return false
	}
	depth := 0
	for _, t := range toks[1:] {
		switch {
		case fn.isAny(t, "(", "["):
			depth++
		case fn.isAny(t, ")", "]"):
			depth--
		case depth == 0 && t.kind == ident && (reserved[fn.str(t)] || fn.literal(t)), depth == 0 && t.kind == sign && !fn.is(t, "."):
			return false
		}
	}
	return true
}

// pythonField matches a field of an f-string in a string without a prefix.
var pythonField = source.Lazy(`\{([A-Za-z_]\w*)[^{}]*\}`)

// formats puts an f before strings with fields, a whole row of neighbouring strings at once. A
// string that is formatted by a method has another use for its fields.
func (fn *Function) formats() []Edit {
	var list []Edit
	for i := fn.body; i < len(fn.toks); {
		from := i
		for i < len(fn.toks) && (fn.toks[i].kind == text || fn.prefixes(i)) {
			i++
		}
		if i == from {
			i++
			continue
		}
		if i < len(fn.toks) && fn.is(fn.toks[i], ".") {
			continue
		}
		if e, ok := fn.format(fn.toks[from:i]); ok {
			list = append(list, e)
		}
	}
	return list
}

// prefixes reports whether a token is the prefix of a string.
func (fn *Function) prefixes(i int) bool {
	t := fn.toks[i]
	return t.kind == ident && t.end-t.off <= 2 && i+1 < len(fn.toks) && fn.toks[i+1].kind == text && fn.toks[i+1].off == t.end
}

// format makes the edit for a row of strings; it reports false if none has a field that the
// function knows.
func (fn *Function) format(row []token) (Edit, bool) {
	off, end := row[0].off, row[len(row)-1].end
	var b strings.Builder
	at, found := off, false
	for i, t := range row {
		if t.kind != text || i > 0 && row[i-1].kind == ident && row[i-1].end == t.off {
			continue
		}
		m := pythonField().FindStringSubmatch(fn.str(t))
		if m == nil || fn.decl[m[1]] == 0 && !fn.holds(m[1]) {
			continue
		}
		b.Write(fn.Content[at:t.off])
		b.WriteString("f")
		at, found = t.off, true
	}
	b.Write(fn.Content[at:end])
	return fn.edit(OpFormat, off, end, b.String(), "makes "+short(fn.span(row))+" an f-string"), found
}

// holds reports whether the file uses a name.
func (fn *Function) holds(name string) bool {
	for _, t := range fn.File.toks {
		if t.kind == ident && fn.str(t) == name {
			return true
		}
	}
	return false
}

// maxRaised bounds the exceptions that are added to a clause.
const maxRaised = 4

// moreExceptions adds the exceptions of the failing output to except clauses.
func (fn *Function) moreExceptions() []Edit {
	var list []Edit
	for i, t := range fn.toks {
		if i < fn.body || !fn.is(t, "except") {
			continue
		}
		end := fn.headEnd(fn.toks[i+1:])
		if end <= 0 {
			continue
		}
		names, _ := fn.split(fn.toks[i+1:i+1+end], "as")
		if len(names[0]) == 0 {
			continue
		}
		old := fn.span(names[0])
		inner := strings.TrimSuffix(strings.TrimPrefix(old, "("), ")")
		catch := func(raised string, share float64) {
			e := fn.edit(OpExcept, names[0][0].off, names[0][len(names[0])-1].end,
				"("+strings.TrimRight(inner, ", ")+", "+raised+")", "catches "+raised+" too")
			// The line of the clause runs only if another exception is raised.
			e.Weight = weights[OpExcept] * max(fn.weight(t.line), fn.weight(t.line-1)) * share
			list = append(list, e)
		}
		var uncaught []string
		for rank, raised := range fn.clues.Raised {
			if rank < maxRaised && !strings.Contains(old, raised) {
				uncaught = append(uncaught, raised)
				catch(raised, 1/float64(rank+1))
			}
		}
		if len(uncaught) > 1 { // one alone leaves a test failing
			catch(strings.Join(uncaught, ", "), float64(2*len(uncaught)))
		}
	}
	return list
}
