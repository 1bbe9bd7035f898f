package mutate

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
		}
	}
	return list
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
		if n := distance(name, other); n <= maxMisspelt {
			list = append(list, scored{other, 3 / float64(n)})
		}
	}
	return firstNames(list)
}

// distance returns the number of letters to insert, remove or replace between two names; a number
// above maxMisspelt if there are more.
func distance(a, b string) int {
	if max(len(a), len(b))-min(len(a), len(b)) > maxMisspelt {
		return maxMisspelt + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost = min(corner, row[j], row[j+1]) + 1
			}
			corner, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
