package format

import (
	"strings"

	"git-agent/agent/source"

	"github.com/ianlancetaylor/demangle"
)

var (
	// Suffixes that compilers and linkers add to the name of a function.
	cloneSuffix = source.Lazy(
		`(?:(?:\.(?:isra|part|constprop|cold|lto_priv|llvm|clone|resolver|specialized|warm|hot)(?:\.\d+)*)|\.\d+| ?\[clone [^\]]*\]| ?\(\.[\w.]+\)|@@?[\w.]*|\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?)+$`,
	)
	mangledName = source.Lazy(`^_{1,2}(?:Z|R)[\w.$]+`)
	// The hash at the end of a legacy Rust name, and the closures in a function.
	rustHash    = source.Lazy(`::h[0-9a-f]{16}$`)
	rustClosure = source.Lazy(`(?:::\{\{closure\}\}|::\{closure#\d+\}|::\{\{constant\}\}|::_\$u7b\$\$u7b\$closure\$u7d\$\$u7d\$)+$`)
)

// functionName converts the symbol in a report to a function's name as people write it:
// demangled, without arguments, template arguments, return type, and compiler suffixes.
func functionName(symbol string) string {
	s := strings.TrimSpace(symbol)
	if s == "" || s == "??" || s == "n/a" || s == "<unknown>" {
		return ""
	}
	if m := mangledName().FindString(s); m != "" {
		if d, err := demangle.ToString(m, demangle.NoParams, demangle.NoTemplateParams, demangle.NoClones); err == nil {
			s = d
		}
	}
	s = rustHash().ReplaceAllString(withoutClones(s), "")
	s = rustClosure().ReplaceAllString(s, "")
	if name := withoutArguments(s); strings.HasPrefix(s[len(name):], " (") {
		s = withoutArguments(name) // gdb shows the values after the parameters' types
	} else {
		s = name
	}
	s = withoutTemplates(withoutClones(s))
	return strings.TrimSpace(withoutReturnType(s))
}

func withoutClones(s string) string {
	if m := cloneSuffix().FindStringIndex(s); m != nil && m[0] > 0 {
		return strings.TrimSpace(s[:m[0]])
	}
	return s
}

// qualifiers are the words that may follow the arguments of a C++ function.
var qualifiers = []string{" const", " volatile", " noexcept", " &&", " &"}

// withoutArguments removes the arguments at the end of a name, and the qualifiers after them.
// "(anonymous namespace)::f" and "operator()" have none.
func withoutArguments(s string) string {
	t := s
	for again := true; again; {
		again = false
		for _, q := range qualifiers {
			if strings.HasSuffix(t, ")"+q) {
				t, again = strings.TrimSuffix(t, q), true
			}
		}
	}
	if !strings.HasSuffix(t, ")") {
		return s
	}
	open := matchingOpen(t)
	if open <= 0 || strings.HasSuffix(t[:open], "operator") || t[open:] == "(anonymous namespace)" {
		return s
	}
	if strings.HasPrefix(t[open:], "(*") && strings.HasSuffix(t[:open], ".") {
		return s // the receiver of a method in Go
	}
	return strings.TrimRight(t[:open], " ")
}

// matchingOpen returns the index of the parenthesis that the last byte of s closes, or -1.
func matchingOpen(s string) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// withoutTemplates removes "<...>" after identifiers. It keeps "<...>" at the beginning of a
// name, as in Rust's "<T as Trait>::f" and gdb's "<signal handler called>", and operators.
func withoutTemplates(s string) string {
	if strings.IndexByte(s, '<') < 0 || strings.HasPrefix(s, "<") {
		return s
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '<' && depth == 0 && (i == 0 || !source.IsIdentByte(s[i-1]) || strings.HasSuffix(s[:i], "operator")):
			if strings.HasPrefix(s[i:], "<lambda") || strings.HasPrefix(s[i:], "<impl") {
				return s
			}
			b.WriteByte(c)
		case c == '<':
			depth++
		case c == '>' && depth > 0 && s[i-1] != '-':
			depth--
		case depth == 0:
			b.WriteByte(c)
		}
	}
	if depth != 0 {
		return s
	}
	return strings.TrimSuffix(b.String(), "::")
}

// withoutReturnType removes the return type before the name of a template instance.
func withoutReturnType(s string) string {
	rest := s
	for _, anonymous := range []string{"(anonymous namespace)", "`anonymous namespace'", "'anonymous namespace'"} {
		rest = strings.ReplaceAll(rest, anonymous, strings.Repeat("_", len(anonymous)))
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || strings.ContainsAny(rest, "<{(\"'") || strings.Contains(rest, "operator") || strings.Contains(rest, " in ") {
		return s
	}
	return s[i+1:]
}
