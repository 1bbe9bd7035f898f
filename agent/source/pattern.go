package source

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that is compiled when it is first asked
// for. There are dozens of them, which together would cost every start of the
// program 2 ms, whatever the verb.
type Pattern func() *regexp.Regexp

func Lazy(expr string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
