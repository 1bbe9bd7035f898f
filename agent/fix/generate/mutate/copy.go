package mutate

import (
	"slices"
	"strings"
)

// maxCopied bounds the statements of a file for copying.
const maxCopied = 12

// copies inserts statements from elsewhere in the file before and after statements of the
// function. 43% of the added code of changes exists elsewhere in the version before them (Barr
// and others, The Plastic Surgery Hypothesis, FSE 2014).
func (fn *Function) copies() []Edit {
	donors := fn.donors()
	var list []Edit
	for i, s := range fn.stmts {
		if fn.weight(s.from) <= 0 {
			continue
		}
		for _, d := range donors {
			if !fn.known(d.roots, s.from) || strings.TrimSpace(d.text) == strings.TrimSpace(s.text) ||
				i > 0 && strings.TrimSpace(fn.stmts[i-1].text) == d.text {
				continue
			}
			e := fn.insertion(OpCopy, s.from, s.indent+d.text+"\n", "inserts "+short(d.text)+", which stands elsewhere")
			e.Weight *= d.score
			list = append(list, e)
		}
		list = append(list, fn.insertedCalls(s)...)
	}
	return list
}

// insertedCalls inserts, before a statement, calls with arguments that are in scope there.
func (fn *Function) insertedCalls(s statement) []Edit {
	var list []Edit
	for _, c := range fn.clues.Known.Calls {
		if c.From < s.from && s.from <= c.To {
			e := fn.insertion(OpCopy, s.from, s.indent+c.Text+"\n", "inserts the call "+short(c.Text))
			e.Weight *= c.Weight
			list = append(list, e)
		}
	}
	return list
}

// A donor is a statement for copying.
type donor struct {
	text  string
	roots []string
	score float64
}

// donors returns the simple statements of the file with names in the function's scope.
// Statements with most names in common with the function come first.
func (fn *Function) donors() []donor {
	best := map[string]donor{}
	for n := range fn.lines {
		line := n + 1
		if !fn.code(line) {
			continue
		}
		toks := fn.File.between(line, line)
		text := strings.TrimSpace(string(fn.lines[n]))
		if !fn.simple(toks, text) || best[text].text != "" {
			continue
		}
		roots := fn.roots(toks)
		if !fn.known(roots, fn.extent.End) {
			continue
		}
		score := 0.5
		if line >= fn.extent.Start && line <= fn.extent.End {
			score = 1
		}
		best[text] = donor{text, roots, score * float64(len(roots)) / 4}
	}
	var list []donor
	for _, d := range best {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b donor) int {
		if c := compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	return list[:min(len(list), maxCopied)]
}

// ofObject reports whether a line begins with a member of the object of a method, in Java and Rust.
func (fn *Function) ofObject(toks []token) bool {
	return (fn.lang == java || fn.lang == rust) && fn.isAny(toks[0], "this", "self") && fn.is(toks[1], ".")
}

// simple reports whether a line is a whole statement that calls or assigns.
func (fn *Function) simple(toks []token, text string) bool {
	if len(toks) < 3 || len(toks) > 25 || toks[0].kind != ident || reserved[fn.str(toks[0])] && !fn.ofObject(toks) ||
		fn.continues(toks[len(toks)-1]) && !strings.HasSuffix(text, ";") {
		return false
	}
	depth := 0
	for _, t := range toks {
		switch {
		case fn.isAny(t, "(", "["):
			depth++
		case fn.isAny(t, ")", "]"):
			if depth--; depth < 0 {
				return false
			}
		case fn.isAny(t, "{", "}", ":=", ":", "var", "let", "const"):
			return false
		}
	}
	return depth == 0 && (!fn.ends || strings.HasSuffix(text, ";")) && strings.ContainsAny(text, "(=")
}
