package mutate

import "strings"

// A parameter has a literal as its default.
type parameter struct{ name, value string }

// defaulted returns the parameters of a function in Python with a literal default that the function does not
// use; the fields of its strings count as uses.
func (fn *Function) defaulted() []parameter {
	head := fn.toks[:min(fn.body, len(fn.toks))]
	for len(head) > 0 && !fn.is(head[0], "def") {
		head = head[1:] // decorators
	}
	if len(head) < 3 || !fn.is(head[2], "(") {
		return nil
	}
	end := fn.close(head, 2)
	if end < 0 {
		return nil
	}
	parts, _ := fn.split(head[3:end], ",")
	var list []parameter
	for _, part := range parts {
		sides, _ := fn.split(part, "=")
		if len(sides) != 2 || len(sides[0]) == 0 || len(sides[1]) != 1 {
			continue
		}
		name, value := fn.str(sides[0][0]), sides[1][0]
		if (value.kind == text || value.kind == number) && fn.names[name] == 1 && !fn.inStrings(name) {
			list = append(list, parameter{name, fn.str(value)})
		}
	}
	return list
}

// inStrings reports whether a field of a string begins with a name.
func (fn *Function) inStrings(name string) bool {
	for _, t := range fn.toks[fn.body:] {
		if t.kind == text && strings.Contains(fn.str(t), "{"+name) {
			return true
		}
	}
	return false
}

// unusedDefaults replaces a literal by the parameter that has it as its default, and that the function does
// not use.
func (fn *Function) unusedDefaults() []Edit {
	if fn.lang != python || fn.body > len(fn.toks) {
		return nil
	}
	var list []Edit
	for _, p := range fn.defaulted() {
		for i, t := range fn.toks[fn.body:] {
			alone := i == 0 || !fn.prefixes(fn.body+i-1)
			if (t.kind == text || t.kind == number) && alone && sameLiteral(fn.str(t), p.value) {
				list = append(list, fn.edit(OpParameter, t.off, t.end, p.name, "replaces "+short(p.value)+" by the parameter "+p.name+", whose default it is"))
			}
		}
	}
	return list
}

// sameLiteral compares two literals; the quotes of a string do not count.
func sameLiteral(a, b string) bool {
	quoted := func(s string) bool { return len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[0] == s[len(s)-1] }
	return a == b || quoted(a) && quoted(b) && a[1:len(a)-1] == b[1:len(b)-1]
}
