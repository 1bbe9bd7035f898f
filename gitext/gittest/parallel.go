package gittest

import (
	"flag"
	"runtime"
	"strconv"
)

// MoreAtOnce lets n parallel tests of a package run at the same time where there are fewer processors, unless -parallel says
// otherwise: tests that wait for commands leave processors idle. It is called before the flags are parsed.
func MoreAtOnce(n int) {
	if f := flag.Lookup("test.parallel"); f != nil && n > runtime.GOMAXPROCS(0) {
		_ = f.Value.Set(strconv.Itoa(n)) // a number is a valid value
	}
}
