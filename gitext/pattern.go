package gitext

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern on first use: most processes use none of them, and
// all would pay at start.
func lazy(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
