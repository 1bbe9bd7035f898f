package mutate

import (
	"slices"
	"strings"
)

const (
	maxNames    = 8   // tried replacements of one name
	maxCompared = 600 // names of a function or a file for comparison with each name
)

// nameEdits replaces names: members by other members of the same value, variables by others
// with a similar use, functions by others with a similar name.
func (fn *Function) nameEdits() []Edit {
	members := fn.members()
	var list []Edit
	for i, t := range fn.toks {
		if t.kind != ident || i < fn.body || reserved[fn.str(t)] || fn.literal(t) {
			continue
		}
		name, called := fn.str(t), i+1 < len(fn.toks) && fn.is(fn.toks[i+1], "(")
		if i > 0 && fn.isAny(fn.toks[i-1], ".", "->", "?.") {
			list = append(list, fn.otherNames(t, fn.rank(name, members, called), OpMember)...)
			continue
		}
		if fn.decl[name] == t.line || called {
			continue // the variable's declaration, or a function
		}
		list = append(list, fn.otherNames(t, fn.variables(name, t.line), OpVariable)...)
	}
	for _, r := range fn.clues.Known.Names {
		old := string(fn.Content[r.Off:r.End])
		e := fn.edit(r.Op, r.Off, r.End, r.Text, "replaces the name "+old+" by "+r.Text)
		e.Weight *= 0.4 + similarity(old, strings.TrimSuffix(r.Text, "()"))
		list = append(list, e)
	}
	return append(append(list, fn.calledMembers()...), fn.respelt()...)
}

// otherNames makes an edit for each replacement of a token by a name.
func (fn *Function) otherNames(t token, names []scored, op Op) []Edit {
	var list []Edit
	for _, n := range names {
		e := fn.edit(op, t.off, t.end, n.text, "replaces the name "+fn.str(t)+" by "+n.text)
		e.Weight *= n.score
		list = append(list, e)
	}
	return list
}

// A scored is a text with a score of its fit; 1 is a very good fit.
type scored struct {
	text  string
	score float64
}

// members returns the names after a dot in the file; true means that the member is called.
func (fn *Function) members() map[string]bool {
	set := map[string]bool{}
	for i, t := range fn.File.toks {
		if len(set) >= maxCompared {
			break
		}
		if t.kind == ident && i > 0 && i+1 < len(fn.File.toks) && fn.isAny(fn.File.toks[i-1], ".", "->", "?.") {
			name := fn.str(t)
			set[name] = set[name] || fn.is(fn.File.toks[i+1], "(")
		}
	}
	return set
}

// rank returns the possible replacements of a member, similar names first.
func (fn *Function) rank(name string, members map[string]bool, called bool) []scored {
	key := name
	if called {
		key += "("
	}
	if list, ok := fn.cache.members[key]; ok {
		return list
	}
	var list []scored
	for other, isCalled := range members {
		if s := similarity(name, other); other != name && isCalled == called && s >= 0.4 {
			list = append(list, scored{other, s})
		}
	}
	fn.cache.members[key] = firstNames(list)
	return fn.cache.members[key]
}

func firstNames(list []scored) []scored {
	sortScored(list)
	return list[:min(len(list), maxNames)]
}

// sortScored sorts by score, the best first.
func sortScored(list []scored) {
	slices.SortFunc(list, func(a, b scored) int {
		if c := compare(b.score, a.score); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
}

// variables returns the possible replacements of a variable: names of the function with a
// similar use.
func (fn *Function) variables(name string, line int) []scored {
	if list, ok := fn.cache.variables[name]; ok {
		return fn.declared(list, line)
	}
	var list []scored
	uses := fn.uses(name)
	if len(fn.names) > maxCompared {
		return nil
	}
	for other := range fn.names {
		if other == name || reserved[other] || fn.isType(other) {
			continue
		}
		shared := 0
		theirs := fn.uses(other)
		for u := range uses {
			if theirs[u] {
				shared++
			}
		}
		s := similarity(name, other)/2 + 0.5*float64(shared)/float64(len(uses)+1)
		if shared > 0 {
			list = append(list, scored{other, s})
		}
	}
	sortScored(list)
	fn.cache.variables[name] = list
	return fn.declared(list, line)
}

// declared returns the first names of a list that are used before a line.
func (fn *Function) declared(list []scored, line int) []scored {
	var known []scored
	for _, n := range list {
		if fn.decl[n.text] <= line && len(known) < maxNames {
			known = append(known, n)
		}
	}
	return known
}

// isType reports whether a name is only used as a function or a type in the function.
func (fn *Function) isType(name string) bool {
	fn.readUses()
	return !fn.cache.values[name]
}

// uses returns the neighbours of a name in the function.
func (fn *Function) uses(name string) map[string]bool {
	fn.readUses()
	return fn.cache.uses[name]
}

// readUses finds the neighbours of all names once.
func (fn *Function) readUses() {
	if fn.cache.uses != nil {
		return
	}
	fn.cache.uses, fn.cache.values = map[string]map[string]bool{}, map[string]bool{}
	for i, t := range fn.toks {
		if t.kind != ident || i == 0 || i+1 == len(fn.toks) || fn.isAny(fn.toks[i-1], ".", "->") {
			continue
		}
		name := fn.str(t)
		if fn.cache.uses[name] == nil {
			fn.cache.uses[name] = map[string]bool{}
		}
		before, after := fn.str(fn.toks[i-1]), fn.str(fn.toks[i+1])
		if i > 1 && before == "(" {
			before = fn.str(fn.toks[i-2]) + before
		}
		fn.cache.uses[name]["<"+before], fn.cache.uses[name][">"+after] = true, true
		fn.cache.values[name] = fn.cache.values[name] || after != "(" && after != "{"
	}
}

// calledMembers replaces a read member by a call of a method with a similar name, and a call by
// a read member.
func (fn *Function) calledMembers() []Edit {
	members := fn.members()
	var list []Edit
	for i := max(fn.body, 1); i < len(fn.toks); i++ {
		t := fn.toks[i]
		if t.kind != ident || !fn.isAny(fn.toks[i-1], ".", "->") {
			continue
		}
		next := fn.toks[min(i+1, len(fn.toks)-1)]
		if fn.is(next, "(") || fn.isAny(next, "=", ":=", "+=", "++") {
			continue
		}
		for _, other := range fn.rank(fn.str(t), members, true) {
			if other.score >= 0.6 {
				list = append(list, fn.edit(OpMember, t.off, t.end, other.text+"()", "calls "+other.text+" in place of reading "+fn.str(t)))
			}
		}
	}
	return list
}

// similarity compares two names by their parts; it is 1 if they differ only in case.
func similarity(a, b string) float64 {
	if strings.EqualFold(a, b) {
		return 1
	}
	x, y := parts(a), parts(b)
	shared := 0
	for _, p := range x {
		if slices.Contains(y, p) {
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(x)+len(y)+1)
}

// parts cuts a name at inner capitals and underscores.
func parts(name string) []string {
	var list []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i == len(name) || name[i] == '_' || isUpper(name[i]) && !isUpper(name[i-1]) {
			if p := strings.ToLower(strings.Trim(name[from:i], "_")); p != "" {
				list = append(list, p)
			}
			from = i
		}
	}
	return list
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
