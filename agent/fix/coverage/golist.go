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

	"git-agent/agent/source"
)

// A goListing is the output of go list for the tested packages of a call.
type goListing struct {
	roots   []*goPackage      // packages of the call that have tests
	dirs    map[string]string // directory below the tree, by import path
	cover   []string          // import paths of the tree's packages that the roots depend on
	problem string            // a sentence that says why there are no packages
}

// A goPackage is a package in the output of go list.
type goPackage struct {
	ImportPath   string
	Dir          string
	DepOnly      bool
	Standard     bool
	TestGoFiles  []string
	XTestGoFiles []string

	testFile map[string]string // test file of each test function
	tests    []string          // its test functions, in the order of files and lines
}

const goListFields = "ImportPath,Dir,DepOnly,Standard,TestGoFiles,XTestGoFiles"

// goList gets the packages of a call and their dependencies from go list.
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

// goListFlags returns the flags of a compilation without those that go list does not need.
func goListFlags(build []string) []string {
	return slices.DeleteFunc(slices.Clone(build), func(flag string) bool {
		return !slices.ContainsFunc([]string{"-tags=", "-mod=", "-modfile=", "-overlay=", "-compiler=", "-race", "-msan", "-asan"},
			func(known string) bool { return strings.HasPrefix(flag, known) })
	})
}

// dir returns the directory of a listed package below the tree.
func (l *goListing) dir(pkg string) (string, bool) {
	dir, ok := l.dirs[pkg]
	return dir, ok
}

// enter returns the start of a shell script with the directory and environment of the call.
func (c goCall) enter() string {
	s := ". " + quote(c.env) + "\ncd " + quote(c.dir) + " || exit\n"
	return s
}

// read reads the JSON values in the output of go list.
func (l *goListing) read(list []byte, t *tree) error {
	dec := json.NewDecoder(strings.NewReader(string(list)))
	for {
		pkg := &goPackage{}
		if err := dec.Decode(pkg); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("packages of go list: %w", err)
		}
		dir, below := t.directory(pkg.Dir)
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

// maxCoverpkg bounds the list of packages, in bytes: Linux allows 128 KiB for one argument.
const maxCoverpkg = 100_000

// coverpkg returns the list of packages to compile with coverage for the tests of a package. If
// the list is too long, the packages with the nearest names remain.
func (l *goListing) coverpkg(tested string) string {
	list := slices.Clone(l.cover)
	size := 0
	for _, name := range list {
		size += len(name) + 1
	}
	if size > maxCoverpkg {
		slices.SortStableFunc(list, func(a, b string) int { return sharedPrefix(b, tested) - sharedPrefix(a, tested) })
	}
	for size > maxCoverpkg {
		size -= len(list[len(list)-1]) + 1
		list = list[:len(list)-1]
	}
	return strings.Join(list, ",")
}

func inVendor(dir string) bool {
	return slices.Contains(strings.Split(dir, "/"), "vendor")
}

var goTestFunc = source.Lazy(`(?m)^func ((?:Test|Example|Fuzz)[\pL\pN_]*)\(`)

// findTests reads the names of the test functions from the test files.
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
