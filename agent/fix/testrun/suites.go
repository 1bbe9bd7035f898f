package testrun

import "strings"

// suites are the names of the suites that a line belongs to, outermost first. Tools
// show by indentation what belongs to what.
type suites []suite

type suite struct {
	indent int
	name   string
}

// maxSuites bounds how deep suites are nested.
const maxSuites = 100

// enter adds a suite that lines with a larger indentation belong to.
func (s *suites) enter(indent int, name string) {
	s.leave(indent)
	if len(*s) < maxSuites {
		*s = append(*s, suite{indent, clip(name)})
	}
}

// leave forgets the suites that a line with this indentation does not belong to.
func (s *suites) leave(indent int) {
	for len(*s) > 0 && (*s)[len(*s)-1].indent >= indent {
		*s = (*s)[:len(*s)-1]
	}
}

// path joins the name of a test with the suites that it belongs to.
func (s *suites) path(indent int, name, sep string) string {
	s.leave(indent)
	parts := make([]string, 0, len(*s)+1)
	for _, suite := range *s {
		parts = append(parts, suite.name)
	}
	return strings.Join(append(parts, name), sep)
}
