package mutate

import "strings"

// emptyOf are calls that ask whether a value has no elements.
var emptyOf = map[*language]string{java: ".isEmpty()", rust: ".is_empty()"}

// weightAsked is the weight of a question that the file asks another value, and maxAsked bounds the
// questions.
const (
	weightAsked = 0.15
	maxAsked    = 6
)

// sizeAt returns what measures the place that ends with the token at an index, by the use that
// follows: ".length()", ".size()", ".length" or ".len()". It returns "" if nothing says so.
func (fn *Function) sizeAt(j int) string {
	if j+2 >= len(fn.toks) {
		return ""
	}
	member := ""
	if fn.is(fn.toks[j+1], ".") {
		member = fn.str(fn.toks[j+2])
	}
	called := j+3 < len(fn.toks) && fn.is(fn.toks[j+3], "(")
	switch fn.lang {
	case java:
		switch {
		case fn.is(fn.toks[j+1], "[") && fn.toks[j].end == fn.toks[j+1].off && !fn.is(fn.toks[j+2], "]"), member == "length" && !called:
			return ".length"
		case called && (member == "length" || member == "charAt" || member == "substring" || member == "codePointAt" || member == "setLength"):
			return ".length()"
		case called && (member == "size" || member == "iterator"):
			return ".size()"
		}
	case rust:
		measured := member == "len" || member == "is_empty" || member == "first" || member == "last"
		if fn.is(fn.toks[j+1], "[") && fn.toks[j].end == fn.toks[j+1].off || called && measured {
			return ".len()"
		}
	}
	return ""
}

// asks returns the methods without arguments by whose names the file asks for a truth value, such as
// is_hidden and hasNext, the most frequent first.
func (fn *Function) asks() []string {
	if fn.lang != java && fn.lang != rust {
		return nil
	}
	count := map[string]float64{}
	for _, l := range fn.links(fn.File.toks) {
		if rest, ok := afterAsk(l.name); ok && rest != "empty" && rest != "Empty" {
			count[l.name]++
		}
	}
	var list []scored
	for name, n := range count {
		list = append(list, scored{name, n})
	}
	var names []string
	for _, s := range firstNames(list) {
		if len(names) < maxAsked {
			names = append(names, s.text)
		}
	}
	return names
}

// afterAsk returns the rest of a name that begins as those of questions do.
func afterAsk(name string) (string, bool) {
	for _, prefix := range []string{"is_", "has_", "can_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest, true
		}
	}
	for _, prefix := range []string{"is", "has", "can"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return rest, true
		}
	}
	return "", false
}
