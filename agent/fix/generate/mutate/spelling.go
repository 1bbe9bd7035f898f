package mutate

import (
	"fmt"
	"strings"

	"git-agent/agent/source"
)

// maxMisspelt is the most changed letters of a misspelt name, and leastSpelling the least length
// of a name that counts as misspelt.
const (
	maxMisspelt   = 2
	leastSpelling = 4
)

// respelt replaces names that do not exist, by the output of the failing tests, by names of the
// file with nearly the same letters.
func (fn *Function) respelt() []Edit {
	var list []Edit
	seen := map[string]bool{}
	for i, t := range fn.toks {
		name := fn.str(t)
		if t.kind != ident || i < fn.body || len(name) < leastSpelling || !fn.unknown(name) {
			continue
		}
		op := OpVariable
		if fn.isAny(fn.toks[i-1], ".", "->", "?.") {
			op = OpMember
		}
		for _, other := range fn.spellings(name) {
			e := fn.edit(op, t.off, t.end, other.text, "corrects the name "+name+" to "+other.text)
			e.Weight = other.score * fn.weight(t.line)
			list = append(list, e)
			if all, ok := fn.everywhere(e, name); ok && !seen[name] {
				list = append(list, all)
			}
		}
		seen[name] = true
	}
	return list
}

// everywhere extends the correction of a name to all its places in the file; it reports false if there is
// only one. It takes the name for one that exists nowhere in the file; where a local variable of another function has it,
// the tests judge the edit.
func (fn *Function) everywhere(e Edit, name string) (Edit, bool) {
	var places []token
	for _, t := range fn.File.toks {
		if t.kind == ident && fn.str(t) == name {
			places = append(places, t)
		}
	}
	if len(places) < 2 {
		return e, false
	}
	var b strings.Builder
	at := places[0].off
	for _, t := range places {
		b.Write(fn.Content[at:t.off])
		b.WriteString(e.Text)
		at = t.end
	}
	e.Off, e.End, e.Text = places[0].off, at, b.String()
	e.Weight *= 2
	e.Why += fmt.Sprintf(" at %d places", len(places))
	return e, true
}

// spellings returns the names of the file with nearly the same letters as a name, which the
// output does not call unknown.
func (fn *Function) spellings(name string) []scored {
	seen := map[string]bool{name: true}
	var list []scored
	for _, t := range fn.File.toks {
		other := fn.str(t)
		if t.kind != ident || seen[other] || reserved[other] || fn.unknown(other) || len(seen) > maxCompared {
			continue
		}
		seen[other] = true
		if n := source.EditDistance(name, other, maxMisspelt); n <= maxMisspelt {
			list = append(list, scored{other, 3 / float64(n)})
		}
	}
	return firstNames(list)
}
