package coverage

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"git-agent/gitext/disk"
)

// A goCall is one call of go test by the test command.
type goCall struct {
	dir      string   // absolute
	env      string   // file with the call's environment, as commands of the shell
	build    []string // flags for the compilation
	test     []string // flags and arguments for the test binary, without the selection of tests
	run      string   // -run, the expression that selects tests; "" for all
	packages []string
}

// goRecorder is a program that PATH has before go. For go test it records its directory,
// environment and arguments, and succeeds.
const goRecorder = `for arg in "$@"; do
	test "$arg" = -c && exec @REAL@ "$@"
done
if test "$1" = test; then
	to=@DIR@/call.$$
	PATH=${PATH#@DIR@/bin:}
	mkdir "$to" && pwd >"$to/dir" && export -p >"$to/env" && printf '%s\0' "$@" >"$to/args"
	exit 0
fi
exec @REAL@ "$@"
`

// maxGoCalls bounds the measured calls of go test.
const maxGoCalls = 8

// goTestCalls runs the test command with the recorder and returns the calls of go test.
func (j *job) goTestCalls(ctx context.Context) ([]goCall, error) {
	if ok, err := j.shim("go", goRecorder); err != nil || !ok {
		return nil, err
	}
	if _, err := j.sh(ctx, time.Minute, j.p.Test, j.shimPath()); err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(disk.GlobQuote(j.dir), "call.*"))
	if err != nil {
		return nil, err
	}
	var calls []goCall
	for _, at := range dirs[:min(len(dirs), maxGoCalls)] {
		name := filepath.Base(at)
		args := strings.Split(strings.TrimSuffix(string(j.profile(name+"/args")), "\x00"), "\x00")
		call := parseGoTest(args)
		dir := strings.TrimSuffix(string(j.profile(name+"/dir")), "\n")
		if !filepath.IsAbs(call.dir) {
			call.dir = filepath.Join(dir, call.dir)
		}
		call.env = filepath.Join(at, "env")
		calls = append(calls, call)
	}
	return calls, nil
}

// A goFlag says how parseGoTest uses a flag of go test.
type goFlag int

const (
	goDrop    goFlag = iota // the flag has no meaning for a single test
	goBuild                 // a flag of the compilation
	goTest                  // a flag of the test binary, with "test." before its name
	goPattern               // the flag selects tests
	goChdir                 // the flag names the directory of the call
)

// goFlags maps the flags of go test with a value to their use.
var goFlags = map[string]goFlag{
	"C": goChdir, "run": goPattern,
	"asmflags": goBuild, "buildmode": goBuild, "buildvcs": goBuild, "compiler": goBuild, "gccgoflags": goBuild,
	"gcflags": goBuild, "installsuffix": goBuild, "ldflags": goBuild, "mod": goBuild, "modfile": goBuild,
	"overlay": goBuild, "p": goBuild, "pgo": goBuild, "pkgdir": goBuild, "tags": goBuild, "toolexec": goBuild,
	"cpu": goTest, "parallel": goTest, "skip": goTest,
	"bench": goDrop, "benchtime": goDrop, "blockprofile": goDrop, "blockprofilerate": goDrop, "count": goDrop,
	"covermode": goDrop, "coverpkg": goDrop, "coverprofile": goDrop, "cpuprofile": goDrop, "exec": goDrop,
	"fuzz": goDrop, "fuzztime": goDrop, "fuzzminimizetime": goDrop, "list": goDrop, "memprofile": goDrop,
	"memprofilerate": goDrop, "mutexprofile": goDrop, "mutexprofilefraction": goDrop, "o": goDrop,
	"outputdir": goDrop, "shuffle": goDrop, "timeout": goDrop, "trace": goDrop, "vet": goDrop,
}

// goSwitches maps the flags of go test without a value to their use.
var goSwitches = map[string]goFlag{
	"a": goDrop, "artifacts": goDrop, "asan": goBuild, "benchmem": goDrop, "cover": goDrop, "failfast": goDrop,
	"fullpath": goDrop, "i": goDrop, "json": goDrop, "linkshared": goBuild, "modcacherw": goBuild, "msan": goBuild,
	"n": goDrop, "race": goBuild, "short": goTest, "trimpath": goDrop, "v": goDrop, "work": goDrop, "x": goDrop,
}

// parseGoTest reads the arguments of go; the first one is "test". As in go test, the first
// arguments in a row that are not flags are the packages. Later arguments that are not flags of
// go test go to the test binary.
func parseGoTest(args []string) goCall {
	var c goCall
	args = args[min(1, len(args)):]
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "-args" || arg == "--args":
			c.test = append(c.test, args...)
			return c
		case !strings.HasPrefix(arg, "-"):
			c.positional(arg, &args)
		default:
			c.flag(arg, &args)
		}
	}
	return c
}

// positional adds an argument to the packages, or else to the test binary's arguments.
func (c *goCall) positional(arg string, rest *[]string) {
	if c.packages != nil {
		c.test = append(c.test, arg)
		return
	}
	c.packages = []string{arg}
	for len(*rest) > 0 && !strings.HasPrefix((*rest)[0], "-") {
		c.packages = append(c.packages, (*rest)[0])
		*rest = (*rest)[1:]
	}
}

// flag adds a flag, and takes its value from rest if it needs one.
func (c *goCall) flag(arg string, rest *[]string) {
	name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	name = strings.TrimPrefix(name, "test.")
	kind, isSwitch := goSwitches[name]
	if !isSwitch {
		var known bool
		if kind, known = goFlags[name]; !known {
			c.test = append(c.test, arg)
			return
		}
		if !hasValue && len(*rest) > 0 {
			value, *rest = (*rest)[0], (*rest)[1:]
			hasValue = true
		}
	}
	if hasValue {
		arg = "-" + name + "=" + value
	} else {
		arg = "-" + name
	}
	switch kind {
	case goBuild:
		c.build = append(c.build, arg)
	case goTest:
		c.test = append(c.test, "-test."+arg[1:])
	case goPattern:
		c.run = value
	case goChdir:
		c.dir = value
	}
}
