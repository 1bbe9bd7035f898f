package fixtrain

import (
	"regexp"
	"slices"
	"strings"
)

// matching returns the signatures of the methods that an expression of an answer names.
func (b publishedBug) matching(expr string) []string {
	if !b.python {
		return b.where(func(signature string) bool { return namesJava(expr, signature) })
	}
	if list := b.namedLike(expr); list != nil {
		return list
	}
	if near := b.nearest(expr); near != "" {
		return b.namedLike(near)
	}
	return nil
}

// where returns the signatures that have a property, without repetitions.
func (b publishedBug) where(is func(signature string) bool) []string {
	var list []string
	for _, m := range b.methods {
		if is(m.Signature) && !slices.Contains(list, m.Signature) {
			list = append(list, m.Signature)
		}
	}
	return list
}

// namedLike returns the signatures with the whole name of an expression, whatever their
// parameters.
func (b publishedBug) namedLike(expr string) []string {
	name := beforeParen(expr)
	return b.where(func(signature string) bool { return beforeParen(signature) == name })
}

func beforeParen(expr string) string {
	name, _, _ := strings.Cut(expr, "(")
	return name
}

// nearest returns the signature that is closest to an expression which names no method; "" if
// several are equally close. Only signatures that contain the expression's last name count: those with
// the same parts and parameters before those with the same parts, the same last part, and the rest.
func (b publishedBug) nearest(expr string) string {
	name, args := methodName(expr)
	last := name[len(name)-1]
	var ranked [4][]string
	for _, signature := range b.where(func(s string) bool { return strings.Contains(s, last) }) {
		n, a := methodName(signature)
		at := 3
		switch {
		case slices.Equal(n, name) && slices.Equal(a, args):
			at = 0
		case slices.Equal(n, name):
			at = 1
		case n[len(n)-1] == last:
			at = 2
		}
		ranked[at] = append(ranked[at], signature)
	}
	for _, list := range ranked {
		switch len(list) {
		case 0:
			continue
		case 1:
			return list[0]
		}
		return ""
	}
	return ""
}

// namesJava reports whether an expression of an answer names a method of Java: by its signature, or
// by the end of its name, at least with the class, and the simple names of its parameters' types.
func namesJava(expr, signature string) bool {
	if expr == signature {
		return true
	}
	name, args := methodName(expr)
	whole, types := methodName(signature)
	return len(name) >= 2 && len(name) <= len(whole) && slices.Equal(whole[len(whole)-len(name):], name) && slices.Equal(args, types)
}

var (
	methodForm    = regexp.MustCompile(`^(\S+)\((.*)\)`)
	qualifiedType = regexp.MustCompile(`[\w+.]*\.(\w+)\s*\w*`)
	parameterName = regexp.MustCompile(` \w+$`)
)

// methodName returns the parts of a method's name, and the simple names of its parameters' types.
// A constructor has the name of its class.
func methodName(expr string) (name, types []string) {
	whole := expr
	if m := methodForm.FindStringSubmatch(expr); m != nil {
		whole = m[1]
		for _, arg := range splitParameters(strings.TrimSpace(m[2])) {
			types = append(types, parameterName.ReplaceAllString(qualifiedType.ReplaceAllString(arg, "$1"), ""))
		}
	}
	name = strings.Split(whole, ".")
	if n := len(name); n > 1 && name[n-1] == "<init>" {
		name[n-1] = name[n-2]
	}
	return name, types
}

// splitParameters splits at the commas outside of angle brackets.
func splitParameters(text string) []string {
	var list []string
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == ',' && depth == 0:
			list = append(list, strings.TrimSpace(text[from:i]))
			from = i + 1
		case r == '<':
			depth++
		case r == '>':
			depth--
		}
	}
	if from < len(text) {
		list = append(list, strings.TrimSpace(text[from:]))
	}
	return list
}
