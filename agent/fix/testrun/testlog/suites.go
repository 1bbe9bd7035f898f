package testlog

import (
	"slices"
	"strings"
)

// suites are the names of the suites around a line, outermost first. Tools show the nesting by
// indentation.
type suites []suite

type suite struct {
	indent int
	name   string
}

// nodeSign stands between the names of the suites and the test of node:test.
const nodeSign = " > "

// withoutSuites returns failing tests without the suites that failed only because of tests that are among them, too.
func (r *reader) withoutSuites(failing []string) []string {
	above := map[string]bool{}
	for _, test := range failing {
		for at := strings.LastIndex(test, nodeSign); at > 0; at = strings.LastIndex(test[:at], nodeSign) {
			above[test[:at]] = true
		}
	}
	return slices.DeleteFunc(failing, func(test string) bool {
		itself, suite := r.suites[test]
		return suite && !itself && above[test] && !r.died[test]
	})
}

// suite notes a failed suite, and whether it failed by itself.
func (r *reader) suite(name string, itself bool) {
	name = clip(name)
	if before, known := r.suites[name]; known || len(r.suites) < maxNames {
		r.suites[name] = before || itself
	}
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
