// Package mutate makes small changes of a function, of kinds that are frequent in bug fixes: a
// condition gets a further clause, an operator or a constant is replaced, a call gets another
// argument, a guard returns early, a statement is removed, moved or copied from nearby.
//
// It works on tokens and lines, so that one implementation serves Go, C, JavaScript, Python,
// Java and similar languages. It knows no types: many of the changes do not compile, and the
// caller has to test that. It reads no repository and starts no program.
//
// The probabilities of the kinds of changes were measured in the histories of projects
// (weights.go).
package mutate

import (
	"bytes"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// An Edit replaces the bytes from Off up to End of a file.
type Edit struct {
	Off, End int
	Text     string
	Op       Op
	Line     int     // the changed line of the file, from 1
	Weight   float64 // probability, relative to other edits of the same function
	Why      string  // description that begins with a verb: "adds a condition"
	// Probe says that the edit shows whether the place matters, and is hardly ever a fix. An
	// example makes a condition always true.
	Probe bool
	// More returns further edits, worth trying only if this one changes the result of the
	// failing tests. It may be nil.
	More func() []Edit
}

// Apply returns the content of the file after the edit.
func (e Edit) Apply(content []byte) []byte {
	return slices.Concat(content[:e.Off], []byte(e.Text), content[e.End:])
}

// A File is a source file with functions to change.
type File struct {
	Path    string
	Content []byte
	lang    *language
	lines   [][]byte // without line breaks
	starts  []int    // offset of each line
	kinds   []source.LineKind
	toks    []token // without comments
	ends    bool    // a statement ends with a semicolon
}

// maxFile bounds the size of a file in bytes.
const maxFile = 1 << 20

// Read prepares a file. It reports false if the file is too large or its language is unknown.
func Read(path string, content []byte) (*File, bool) {
	lang := languageOf(path)
	if lang == nil || len(content) > maxFile || bytes.IndexByte(content, 0) >= 0 {
		return nil, false
	}
	f := &File{Path: path, Content: content, lang: lang}
	for at := 0; at < len(content); {
		n := lineLength(content[at:])
		f.lines = append(f.lines, bytes.TrimSuffix(content[at:at+n], []byte("\r")))
		f.starts = append(f.starts, at)
		at += n + 1
	}
	f.kinds = source.LineKinds(path, content, len(f.lines))
	for _, t := range lex(lang, content) {
		if t.kind != comment {
			f.toks = append(f.toks, t)
		}
	}
	f.ends = lang.semicolon && (lang != script || f.endsStatements())
	return f, true
}

// endsStatements reports whether the lines of a file end with semicolons, which authors of JavaScript
// may leave out.
func (f *File) endsStatements() bool {
	with, without := 0, 0
	for i := 1; i < len(f.toks); i++ {
		last := f.toks[i-1]
		switch {
		case f.toks[i].line == last.line:
		case f.is(last, ";"):
			with++
		case last.kind != sign || f.is(last, ")"):
			without++
		}
	}
	return 3*with >= without
}

// Lines returns the file's lines without their line breaks.
func (f *File) Lines() [][]byte { return f.lines }

// code reports whether a line, counted from 1, has code other than braces.
func (f *File) code(line int) bool {
	return line >= 1 && line <= len(f.kinds) && f.kinds[line-1] == source.LineCode
}

// unknown reports whether a name does not exist, by the output of the failing tests.
func (fn *Function) unknown(name string) bool { return slices.Contains(fn.clues.Unknown, name) }

// str returns the text of a token.
func (f *File) str(t token) string { return string(f.Content[t.off:t.end]) }

// span returns the text from the first token to the last.
func (f *File) span(toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return string(f.Content[toks[0].off:toks[len(toks)-1].end])
}

// is reports whether a token has the text s and is not a string.
func (f *File) is(t token, s string) bool {
	return t.kind != text && t.end-t.off == len(s) && string(f.Content[t.off:t.end]) == s
}

// isAny reports whether a token is one of the words of a list.
func (f *File) isAny(t token, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return f.is(t, w) })
}

// indent returns the white space at the beginning of a line, counted from 0.
func (f *File) indent(line int) string {
	l := f.lines[line]
	return string(l[:len(l)-len(bytes.TrimLeft(l, " \t"))])
}

// between returns the tokens that begin on a range of lines, counted from 1.
func (f *File) between(from, to int) []token {
	lo, _ := slices.BinarySearchFunc(f.toks, from, func(t token, line int) int { return t.line - line })
	hi, _ := slices.BinarySearchFunc(f.toks, to+1, func(t token, line int) int { return t.line - line })
	return f.toks[lo:hi]
}

// A Function is the function to change.
type Function struct {
	*File
	extent source.Extent
	toks   []token // tokens of the function
	body   int     // index in toks of the first token of the body
	hot    map[int]float64
	clues  Clues
	names  map[string]int // number of occurrences of each name
	decl   map[string]int // the first line on which each name occurs
	stmts  []statement
	cache  cache
}

// A cache holds facts about a function, computed at their first use.
type cache struct {
	atoms     []atom
	uses      map[string]map[string]bool // the neighbours of each name
	values    map[string]bool            // names that are not only called
	variables map[string][]scored        // possible replacements of a variable
	members   map[string][]scored        // possible replacements of a member
	exits     []exit
	loops     []statement
}

// Clues are further information about the bug.
type Clues struct {
	// Hot gives suspicious lines a weight above 0, from 1. Edits of other lines are left
	// out. A nil map makes all lines alike.
	Hot map[int]float64
	// Words are texts of the failing tests and of their output, as a source of constants.
	Words []string
	// Raised are the exceptions in the output of the failing tests, and Unknown the names that do
	// not exist by this output.
	Raised, Unknown []string
	// Known is the result of type checking for the function.
	Known Known
}

// Known lists the names and expressions that a function can use by its types, besides those in
// its text.
type Known struct {
	Conditions []Condition
	Exits      []string    // statements that leave the function
	Calls      []Condition // calls for insertion
	Names      []Replacement
}

// A Condition is valid on the lines after From, up to To.
type Condition struct {
	Text     string
	From, To int
	Weight   float64 // relative to a nearby condition of the function, which has 1
}

// A Replacement is a name that can replace the bytes from Off up to End.
type Replacement struct {
	Off, End int
	Text     string
	Op       Op // OpMember or OpVariable
}

// Function prepares a function of the file. It reports false if the file does not have its
// lines.
func (f *File) Function(e source.Extent, clues Clues) (*Function, bool) {
	if e.Start < 1 || e.End > len(f.lines) || e.Start > e.End {
		return nil, false
	}
	fn := &Function{File: f, extent: e, toks: f.between(e.Start, e.End), clues: clues, hot: clues.Hot,
		names: map[string]int{}, decl: map[string]int{}, cache: cache{variables: map[string][]scored{}, members: map[string][]scored{}}}
	for i, t := range fn.toks {
		if t.line <= e.Body {
			fn.body = i + 1
		}
		if t.kind == ident && (i == 0 || !f.isAny(fn.toks[i-1], ".", "->", "?.", "::")) {
			name := f.str(t)
			fn.names[name]++
			if fn.decl[name] == 0 {
				fn.decl[name] = t.line
			}
		}
	}
	fn.stmts = fn.statements()
	return fn, true
}

// weight returns the suspicion of a line; 0 excludes the line.
func (fn *Function) weight(line int) float64 {
	if fn.hot == nil {
		return 1
	}
	return fn.hot[line]
}

// Edits returns the changes of the function, the most likely first.
func (fn *Function) Edits() []Edit {
	var all []Edit
	for _, make := range []func() []Edit{
		fn.conditionEdits, fn.operatorEdits, fn.constantEdits, fn.nameEdits, fn.callEdits, fn.wrapEdits,
		fn.deletions, fn.guards, fn.jumps, fn.moves, fn.copies, fn.pythonEdits, fn.kin, fn.optional, fn.patterns, fn.ranges, fn.receivers,
		fn.swappedClauses, fn.branches, fn.equalities, fn.defaults, fn.chains, fn.units, fn.unwraps, fn.overflows, fn.alternatives,
		fn.assigned, fn.unnested, fn.contexts,
	} {
		all = append(all, make()...)
	}
	all = slices.DeleteFunc(all, func(e Edit) bool {
		return e.Weight <= 0 || string(fn.Content[e.Off:e.End]) == e.Text
	})
	slices.SortStableFunc(all, func(a, b Edit) int { return compare(b.Weight, a.Weight) })
	return all
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// edit makes an edit of the bytes of a range, with the weight of its kind and line.
func (fn *Function) edit(op Op, off, end int, text, why string) Edit {
	line, _ := slices.BinarySearch(fn.starts, off+1)
	return Edit{Off: off, End: end, Text: text, Op: op, Line: line, Weight: fn.weightOf(op) * fn.weight(line), Why: why}
}

// insertion makes an edit that inserts lines before a line, counted from 1.
func (fn *Function) insertion(op Op, before int, text, why string) Edit {
	at := len(fn.Content)
	if before <= len(fn.starts) {
		at = fn.starts[before-1]
	}
	e := fn.edit(op, at, at, text, why)
	e.Line = before
	e.Weight = fn.weightOf(op) * max(fn.weight(before), fn.weight(before-1))
	return e
}

// close returns the index of the token that closes the bracket at index i, or -1.
func (f *File) close(toks []token, i int) int {
	depth := 0
	for j := i; j < len(toks); j++ {
		switch {
		case f.isAny(toks[j], "(", "[", "{"):
			depth++
		case f.isAny(toks[j], ")", "]", "}"):
			if depth--; depth == 0 {
				return j
			}
		}
	}
	return -1
}

// split cuts tokens at some signs outside of brackets.
func (f *File) split(toks []token, signs ...string) (parts [][]token, cuts []token) {
	depth, from := 0, 0
	for i, t := range toks {
		switch {
		case f.isAny(t, "(", "[", "{"):
			depth++
		case f.isAny(t, ")", "]", "}"):
			depth--
		case depth == 0 && f.isAny(t, signs...):
			parts, cuts, from = append(parts, toks[from:i]), append(cuts, t), i+1
		}
	}
	return append(parts, toks[from:]), cuts
}

// oneLine replaces each stretch of white space in a text by one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
