package source

import (
	"cmp"
	"strings"
)

// A Function is a function of a file.
type Function struct {
	// Name is the name in the heading, without the receiver or the class. An anonymous function
	// that is passed to another function is named "callback of" the latter.
	Name string
	Extent
}

// maxListed limits the functions that are listed for one file.
const maxListed = 20000

// Functions lists the functions of a file in order. It finds their lines by the rules of
// FunctionAround. It does not list functions within functions, except in a JavaScript function
// that wraps a whole file: it lists the functions inside instead of the wrapper.
func Functions(filePath string, lines [][]byte) []Function {
	if found, known := (layout{lines: lines}).functionsWithoutBraces(filePath); known {
		return found
	}
	l := newLayout(filePath, lines)
	var found []Function
	for i := 0; i < len(lines) && len(found) < maxListed && *l.followed < max(maxFollowed, 4*len(lines)); i++ {
		e, ok := l.headingAt(i)
		if !ok || l.rules.wraps && e.End-e.Start >= wideFunction {
			continue
		}
		if name := nameIn(l.join(e.Start-1, e.Body-1), l.rules); name != "" {
			found = append(found, Function{Name: name, Extent: e})
			i = max(i, e.End-1)
		}
	}
	return found
}

// nameIn returns the name of a function from its heading, or "".
func nameIn(heading string, r rules) string {
	if r.word != "" {
		return cmp.Or(nameAfter(heading, r.word), variableIn(heading))
	}
	if name := javaBlock(heading); r.java && name != "" {
		return name
	}
	if name := nameAfter(heading, "function"); name != "" {
		return name
	}
	if m := assignedName().FindStringSubmatch(heading); m != nil && !isMethod(heading, r) {
		return LastName(m[1])
	}
	if isMethod(heading, r) {
		return calledIn(typeParameters().ReplaceAllString(heading, "("))
	}
	name := calledIn(heading)
	if i := anonymous().FindStringIndex(heading); r.wraps && i != nil && name != "" && strings.Contains(heading[:i[0]], "(") {
		return "callback of " + name
	}
	return name
}

// isMethod reports whether a heading of a script is that of a method: it then ends with a
// parameter list or a type, and arrows in it are types of parameters.
func isMethod(heading string, r rules) bool {
	return r.wraps && strings.HasSuffix(heading, "{") && !strings.HasSuffix(strings.TrimRight(heading, "{ "), "=>") && !hasWord(heading, "function") &&
		!strings.HasPrefix(heading, "const ") && !strings.HasPrefix(heading, "export const ")
}

var (
	// A receiver in parentheses may stand between the keyword of Go and the name.
	namedAfter = Lazy(`^\s*(?:\([^)]*\)\s*)?\*?\s*(?:[\w<>,?&\[\] ]+\.)?([\pL_$][\pL\pN_$]*)\s*[(\[<]`)
	// The target of an assignment of a function in a script: "exports.f = function (", "f: async
	// (a) =>". In TypeScript, with its type, its type parameters and the type of its result.
	assignedName = Lazy(`([\w$.]+)\s*(?::[^=;(){}]*)?[:=]\s*(?:async\s+)?(?:function\b|(?:<[^()]*?>\s*)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*(?::[^=;]*?)?=>|\w+\s*=>)`)
	// The type parameters of a method of TypeScript.
	typeParameters = Lazy(`<[^()<>]*(?:<[^()<>]*>[^()<>]*)*>\s*\(`)
	// An anonymous function in a script.
	anonymous = Lazy(`\bfunction\s*\(|=>`)
	// A variable of Go, perhaps with its type.
	variable = Lazy(`^(?:var\s+)?(\w+)[ \t]*(?:[\w.*]+[ \t]*)?:?[:=]`)
)

// nameAfter returns the name after the first use of a keyword.
func nameAfter(heading, word string) string {
	for from := 0; ; {
		i := strings.Index(heading[from:], word)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(word)
		if i > 0 && IsIdentByte(heading[i-1]) || from < len(heading) && IsIdentByte(heading[from]) {
			continue
		}
		if m := namedAfter().FindStringSubmatch(heading[from:]); m != nil {
			return m[1]
		}
		return ""
	}
}

// variableIn returns the name of the variable or the field that a heading sets, or "".
func variableIn(heading string) string {
	if m := variable().FindStringSubmatch(heading); m != nil {
		return m[1]
	}
	return ""
}

// calledIn returns the name before the parameters of a heading without a keyword. A macro with
// arguments may precede the name: "API(int) f(void) {".
func calledIn(heading string) string {
	name := ""
	for from := 0; ; {
		open := strings.IndexByte(heading[from:], '(')
		if open < 0 {
			return name
		}
		open += from
		before := strings.TrimRight(heading[from:open], " \t")
		if name != "" && strings.ContainsAny(before, ":={;,-") && !strings.Contains(before, "::") {
			return name // the parameters have ended
		}
		next := lastIdentifier(before)
		if next == "" || name != "" && (afterParameters[next] || strings.HasPrefix(next, "__")) {
			return name
		}
		name = next
		if from = closing(heading, open); from == 0 {
			return name
		}
	}
}

// afterParameters are words with parentheses that may follow a function's parameters.
var afterParameters = WordSet("noexcept requires decltype throw throws alignas when where")

// lastIdentifier returns the identifier at the end of a text, or "".
func lastIdentifier(text string) string {
	i := len(text)
	for i > 0 && (IsIdentByte(text[i-1]) || text[i-1] == '$') {
		i--
	}
	return text[i:]
}

// closing returns the index of the parenthesis that closes the one at open, or 0.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
