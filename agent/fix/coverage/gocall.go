package coverage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
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

// goRecorder is a program that stands before go. For go test it writes down its
// directory, environment and arguments and succeeds.
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

// maxGoCalls is the most calls of go test that are measured.
const maxGoCalls = 8

// goTestCalls runs the test command with the recorder and returns the calls of go test.
func (j *job) goTestCalls(ctx context.Context) ([]goCall, error) {
	if ok, err := j.shim("go", goRecorder); err != nil || !ok {
		return nil, err
	}
	if _, err := j.sh(ctx, time.Minute, j.p.Test, j.shimPath()); err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(globQuote(j.dir), "call.*"))
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

// globQuote makes a pattern that matches only the name itself.
func globQuote(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// What becomes of a flag of go test.
type goFlag int

const (
	goDrop    goFlag = iota // it plays no part when one test runs alone
	goBuild                 // it belongs to the compilation
	goTest                  // it belongs to the test binary, with "test." before its name
	goPattern               // it selects tests
	goChdir                 // it names the directory of the call
)

// goFlags says what becomes of the flags of go test that take a value.
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

// goSwitches says what becomes of the flags of go test that stand alone.
var goSwitches = map[string]goFlag{
	"a": goDrop, "artifacts": goDrop, "asan": goBuild, "benchmem": goDrop, "cover": goDrop, "failfast": goDrop,
	"fullpath": goDrop, "i": goDrop, "json": goDrop, "linkshared": goBuild, "modcacherw": goBuild, "msan": goBuild,
	"n": goDrop, "race": goBuild, "short": goTest, "trimpath": goDrop, "v": goDrop, "work": goDrop, "x": goDrop,
}

// parseGoTest reads the arguments of go, of which the first is "test". As for go test,
// the packages are the first arguments in a row that are no flags, and what follows
// them and is no flag of go test goes to the test binary.
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

// positional takes the packages, or else an argument for the test binary.
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

// flag takes a flag, and its value from rest if it needs one.
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

// A goListing is what go list knows of the packages that a call tests.
type goListing struct {
	roots   []*goPackage      // packages with tests that the call names
	dirs    map[string]string // directory below the tree, by import path
	cover   []string          // import paths of the tree's packages that the roots depend on
	problem string            // a sentence that says why there are no packages
}

// A goPackage is a package as go list prints it.
type goPackage struct {
	ImportPath   string
	Dir          string
	DepOnly      bool
	Standard     bool
	TestGoFiles  []string
	XTestGoFiles []string

	testFile map[string]string // test file by the test function that it defines
	tests    []string          // its test functions, in the order of files and lines
}

const goListFields = "ImportPath,Dir,DepOnly,Standard,TestGoFiles,XTestGoFiles"

// goList asks go list for the packages of a call and for those that they depend on.
func (j *job) goList(ctx context.Context, c goCall) (*goListing, error) {
	j.progress("coverage: list the packages")
	args := slices.Concat([]string{"go", "list", "-e", "-deps", "-test", "-json=" + goListFields}, goListFlags(c.build), []string{"--"}, c.packages)
	script := c.enter() + words(args) + " >" + quote(filepath.Join(j.dir, "list")) + "\n"
	res, err := j.sh(ctx, goCompileTime, script)
	if err != nil {
		return nil, err
	}
	l := &goListing{dirs: map[string]string{}}
	err = l.read(j.profile("list"), j.tree)
	switch {
	case res.Exit != 0 || err != nil:
		l.problem = "go list could not list the packages" + lastLine(res.Output) + "."
	case len(l.roots) == 0:
		l.problem = "go test has no packages with tests."
	}
	return l, nil
}

// goListFlags leaves out the flags of a compilation that go list does not need.
func goListFlags(build []string) []string {
	return slices.DeleteFunc(slices.Clone(build), func(flag string) bool {
		return !slices.ContainsFunc([]string{"-tags=", "-mod=", "-modfile=", "-overlay=", "-compiler=", "-race", "-msan", "-asan"},
			func(known string) bool { return strings.HasPrefix(flag, known) })
	})
}

// enter is the start of a shell script that continues as the call was made.
func (c goCall) enter() string {
	s := ". " + quote(c.env) + "\ncd " + quote(c.dir) + " || exit\n"
	return s
}

// read takes the JSON values that go list prints.
func (l *goListing) read(list []byte, t *tree) error {
	dec := json.NewDecoder(strings.NewReader(string(list)))
	for {
		pkg := &goPackage{}
		if err := dec.Decode(pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("packages of go list: %w", err)
		}
		dir, below := t.relative(pkg.Dir)
		if pkg.Dir == t.dir || pkg.Dir == t.real {
			dir, below = ".", true
		}
		// Variants of packages for tests have a blank in their names.
		if !below || pkg.Standard || strings.Contains(pkg.ImportPath, " ") || strings.HasSuffix(pkg.ImportPath, ".test") || inVendor(dir) {
			continue
		}
		l.dirs[pkg.ImportPath] = dir
		l.cover = append(l.cover, pkg.ImportPath)
		if !pkg.DepOnly && len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0 {
			pkg.findTests(dir, t)
			l.roots = append(l.roots, pkg)
		}
	}
}

func inVendor(dir string) bool {
	return slices.Contains(strings.Split(dir, "/"), "vendor")
}

var goTestFunc = source.Lazy(`(?m)^func ((?:Test|Example|Fuzz)[\pL\pN_]*)\(`)

// findTests reads which test functions the test files define.
func (p *goPackage) findTests(dir string, t *tree) {
	p.testFile = map[string]string{}
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		for _, match := range goTestFunc().FindAllSubmatch(t.read(path.Join(dir, name)), -1) {
			test := string(match[1])
			if _, twice := p.testFile[test]; !twice && test != "TestMain" {
				p.testFile[test] = name
				p.tests = append(p.tests, test)
			}
		}
	}
}

// defines reports whether the package has one of the tests.
func (p *goPackage) defines(tests []string) bool {
	return slices.ContainsFunc(tests, func(test string) bool { return p.testFile[topLevel(test)] != "" })
}

// words makes a shell command of words.
func words(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// lastLine returns the last line that a program printed, in brackets; "" if it
// printed nothing.
func lastLine(out []byte) string {
	text := strings.ToValidUTF8(strings.TrimSpace(string(out)), "?")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if line == "" {
		return ""
	}
	return " (" + source.FirstBytes(line, 200) + ")"
}
