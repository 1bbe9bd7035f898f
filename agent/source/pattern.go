package source

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression that is compiled when it is first used. There
// are dozens of them. To compile all would take 2 ms at each start of the program,
// whatever the verb.
type Pattern func() *regexp.Regexp

// Lazy makes a pattern, which panics on first use if expr is no regular expression.
func Lazy(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
