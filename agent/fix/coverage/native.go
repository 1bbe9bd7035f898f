package coverage

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
)

// native measures programs in C and C++ that gcc builds. Programs before the compilers on PATH
// add --coverage, regardless of the CFLAGS of a makefile. They also add an object that
// separates the profiles of the processes and writes them even after a crash. The build happens
// in a separate work tree; otherwise it would reuse objects without coverage and the compilers
// of an earlier configuration.
//
// Each test program that the test command runs is a test, which fails if its exit code is not
// 0. A failing program runs once more and is split into its tests if it prints a line for each
// (nativesplit.go). The passing tests come from other test programs: those of the suite, of
// ctest, or of the failing program's directory.
type native struct{}

//go:embed inject/compiler.sh
var compilerShim string

//go:embed inject/process.c
var processSource []byte

var nativeCommand = source.Lazy(`(^|[\s;&|(/])(cmake|ctest|meson|gcc|cc|g\+\+|c\+\+|clang(\+\+)?)\b`)

func (native) name() string             { return "C and C++" }
func (native) runs(command string) bool { return nativeCommand().MatchString(command) }

func (native) has(t *tree) bool {
	return slices.ContainsFunc([]string{"*.c", "*.cc", "*.cpp", "*.cxx"}, t.has)
}

// compilers are the programs that native replaces if they are installed.
var compilers = strings.Fields(`cc gcc c++ g++ x86_64-linux-gnu-gcc x86_64-linux-gnu-g++
	gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 g++-9 g++-10 g++-11 g++-12 g++-13 g++-14 g++-15`)

const (
	nativePassingTime = 5 * time.Second  // for one passing test program
	nativeFailingTime = 30 * time.Second // for splitting a failing test program
	maxGcovFiles      = 20_000           // data files of one measurement
)

func (native) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	if _, err := sandbox.Program("gcov"); err != nil {
		return nil, "Coverage of C needs gcov, which is not installed.", nil
	}
	own, done, err := j.inFreshTree(ctx)
	if err != nil {
		return nil, "", err
	}
	defer done()
	m := nativeMeasurement{job: own}
	if note, err := m.install(ctx); err != nil || note != "" {
		return nil, note, err
	}
	if err := m.runFailing(ctx); err != nil {
		return nil, "", err
	}
	ran := m.take()
	if len(ran) == 0 {
		return nil, "No program that the test command built and ran wrote a profile for gcov.", nil
	}
	tests, note, err := m.tests(ctx, ran)
	if err != nil {
		return nil, "", err
	}
	if err := m.gcov(ctx, tests); err != nil {
		return nil, "", err
	}
	return m.spectrum(tests, note)
}

// tests returns the tests of the command, and additional passing tests.
func (m *nativeMeasurement) tests(ctx context.Context, ran []*nativeProcess) ([]*nativeTest, string, error) {
	var tests []*nativeTest
	failing := slices.DeleteFunc(slices.Clone(ran), func(p *nativeProcess) bool { return !p.failedTest(m.tree) })
	for _, p := range failing[:min(len(failing), maxSplit)] {
		parts, err := m.split(ctx, p)
		if err != nil {
			return nil, "", err
		}
		tests = append(tests, parts...)
	}
	for _, p := range failing[min(len(failing), maxSplit):] {
		tests = append(tests, p.whole())
	}
	note := ""
	if len(failing) == 0 {
		command := &nativeTest{failed: true}
		for _, p := range ran {
			command.dirs = append(command.dirs, p.dirs...)
		}
		tests = append(tests, command)
		note = " The test command counts as one failing test, because no test program of it failed by itself."
	}
	if err := m.runPassing(ctx, ran); err != nil {
		return nil, "", err
	}
	counted := map[string]bool{}
	for _, p := range ran {
		if counted[p.program] = true; len(failing) > 0 && p.exit == 0 && isTestProgram(m.tree, p.program) {
			tests = append(tests, p.whole())
		}
	}
	for _, p := range m.take() {
		if p.exit == 0 && !counted[p.program] {
			tests = append(tests, p.whole())
		}
	}
	return tests, note, nil
}

// inFreshTree returns the same job in a second work tree, which the caller must close.
func (j *job) inFreshTree(ctx context.Context) (*job, func(), error) {
	w, err := j.w.Another(ctx)
	if err != nil {
		return nil, nil, err
	}
	own, err := newJob(ctx, w, j.p, j.rep, j.opt)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	own.deadline = j.deadline
	return own, func() { j.late = own.late; w.Close() }, nil
}

// A nativeMeasurement runs programs that were built with coverage.
type nativeMeasurement struct {
	*job
	env   []string
	taken map[string]bool // directories of processes that take has returned
}

// install writes the programs that replace the compilers. A note says why this was not
// possible.
func (m *nativeMeasurement) install(ctx context.Context) (string, error) {
	m.env = []string{m.shimPath(), "GIT_AGENT_COVERAGE=" + m.dir, "CCACHE_DISABLE=1"}
	m.taken = map[string]bool{}
	found := ""
	for _, name := range compilers {
		ok, err := m.shim(name, compilerShim)
		if err != nil {
			return "", err
		}
		if ok && found == "" {
			found = name
		}
	}
	if found == "" {
		return "Coverage of C needs gcc, which is not installed.", nil
	}
	from, err := m.make("process.c", 0o600, processSource)
	if err != nil {
		return "", err
	}
	res, err := m.sh(ctx, time.Minute, words([]string{found, "-c", "-O1", "-fPIC", "-o", filepath.Join(m.dir, "process.o"), from}))
	if err != nil {
		return "", err
	}
	if res.Exit != 0 {
		return "The compiler could not prepare the measurement" + lastLine(res.Output) + ".", nil
	}
	return "", nil
}

// runFailing builds with coverage and runs the test command.
func (m *nativeMeasurement) runFailing(ctx context.Context) error {
	m.progress("coverage: build with gcov's counters and run the test command")
	if m.p.Build != "" {
		if _, err := m.sh(ctx, m.opt.Budget, m.p.Build, m.env...); err != nil {
			return err
		}
	}
	_, err := m.sh(ctx, m.opt.Budget, m.p.Test, m.env...)
	return err
}

// runPassing runs further test programs: the suite, or all tests of ctest, or the
// programs beside the failing ones.
func (m *nativeMeasurement) runPassing(ctx context.Context, failing []*nativeProcess) error {
	// gcov needs time too.
	limit := m.left() * 2 / 3
	script := m.p.Suite
	if script == "" || script == m.p.Test {
		script = m.otherTests(failing)
	}
	if script == "" {
		return nil
	}
	m.progress("coverage: other test programs")
	_, err := m.sh(ctx, limit, script, m.env...)
	return err
}

// otherTests returns a command that runs test programs besides the failing ones; "" if
// there are none.
func (m *nativeMeasurement) otherTests(failing []*nativeProcess) string {
	if dir := m.ctestDir(failing); dir != "" {
		return fmt.Sprintf("cd %s && ctest -j2 --timeout %d", quote(dir), int(nativePassingTime.Seconds()))
	}
	script := ""
	known := map[string]bool{}
	for _, f := range failing {
		known[f.program] = true
	}
	started := 0
	for _, f := range failing {
		if !isTestProgram(m.tree, f.program) {
			continue
		}
		for _, program := range executables(filepath.Dir(f.program)) {
			if !known[program] && started < m.opt.MaxPassing {
				known[program] = true
				started++
				script += fmt.Sprintf("(cd %s && exec timeout %d %s) </dev/null\n", quote(f.cwd), int(nativePassingTime.Seconds()), quote(program))
			}
		}
	}
	return script
}

// ctestDir returns the outermost directory around a failing program with tests of ctest; "" if
// there is none.
func (m *nativeMeasurement) ctestDir(failing []*nativeProcess) string {
	if _, err := sandbox.Program("ctest"); err != nil {
		return ""
	}
	found := ""
	for _, f := range failing {
		for dir := filepath.Dir(f.program); ; dir = filepath.Dir(dir) {
			if _, below := m.tree.relative(dir); !below && dir != m.tree.real && dir != m.tree.dir {
				break
			}
			if info, err := os.Lstat(filepath.Join(dir, "CTestTestfile.cmake")); err == nil && info.Mode().IsRegular() {
				found = dir
			}
		}
		if found != "" {
			break
		}
	}
	return found
}

// executables lists the programs in a directory: executable files without an extension.
func executables(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0 && filepath.Ext(e.Name()) == "" {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}
