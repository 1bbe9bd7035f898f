package locate

import (
	"bytes"
	"strings"
)

// inLispName reports whether a character of Lisp may be a part of a name.
func inLispName(c byte) bool { return c > ' ' && !strings.ContainsRune("()[]'\"`,;#", rune(c)) }

// callsInLisp returns the first line from first to last that calls a function of Lisp, else the first one that names it, as 'f does, else 0.
// Names may have dashes, so that a part of a longer name is none.
func callsInLisp(lines [][]byte, first, last int, name string) int {
	named := 0
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		line, _, _ := bytes.Cut(lines[n-1], []byte(";"))
		for from := 0; ; {
			i := bytes.Index(line[from:], []byte(name))
			if i < 0 {
				break
			}
			i += from
			from = i + len(name)
			switch {
			case i > 0 && inLispName(line[i-1]) || from < len(line) && inLispName(line[from]):
			case i > 0 && line[i-1] == '(':
				return n
			case named == 0:
				named = n
			}
		}
	}
	return named
}
