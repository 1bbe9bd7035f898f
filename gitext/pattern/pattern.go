// Package pattern holds regular expressions that are compiled when they are first used.
// There are hundreds of them. To compile all would take 2 ms at each start of the
// program, whatever the verb.
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
