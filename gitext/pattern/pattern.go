// Package pattern compiles regular expressions at their first use. The program has hundreds of
// them; compiling all would take 2 ms at each start.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern returns its regular expression.
type Pattern func() *regexp.Regexp

// Lazy makes a pattern, which panics on first use if expr is no regular expression.
func Lazy(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
