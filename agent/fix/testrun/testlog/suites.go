package testlog

import "strings"

// suites are the names of the suites around a line, outermost first. Tools show the nesting by
// indentation.
type suites []suite

type suite struct {
	indent int
	name   string
}

// maxSuites bounds the nesting of suites.
const maxSuites = 100

// enter adds a suite for lines with a larger indentation.
func (s *suites) enter(indent int, name string) {
	s.leave(indent)
	if len(*s) < maxSuites {
		*s = append(*s, suite{indent, clip(name)})
	}
}

// leave removes the suites that do not contain a line with this indentation.
func (s *suites) leave(indent int) {
	for len(*s) > 0 && (*s)[len(*s)-1].indent >= indent {
		*s = (*s)[:len(*s)-1]
	}
}

// path joins the names of a test's suites and its own name.
func (s *suites) path(indent int, name, sep string) string {
	s.leave(indent)
	parts := make([]string, 0, len(*s)+1)
	for _, suite := range *s {
		parts = append(parts, suite.name)
	}
	return strings.Join(append(parts, name), sep)
}
