package coverage

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
)

// native measures programs in C and C++ that gcc builds. Programs that stand before the
// compilers on PATH add --coverage, whatever CFLAGS a makefile sets, and an object that
// keeps the profiles of the processes apart and writes them even after a crash. The
// build happens in a work tree of its own, because objects without coverage and
// the compilers that a configuration has found would be used again.
//
// Each test program that the test command runs is a test: it fails if its exit code is
// not 0. Other test programs give the passing side: those of the suite, of
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

// compilers are the programs that are replaced, if they are installed.
var compilers = strings.Fields(`cc gcc c++ g++ x86_64-linux-gnu-gcc x86_64-linux-gnu-g++
	gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 g++-9 g++-10 g++-11 g++-12 g++-13 g++-14 g++-15`)

const (
	nativePassingTime = 5 * time.Second // for one passing test program
	maxGcovFiles      = 20_000          // data files of one measurement
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
	failing := m.take()
	if len(failing) == 0 {
		return nil, "No program that the test command built and ran wrote a profile for gcov.", nil
	}
	if err := m.runPassing(ctx, failing); err != nil {
		return nil, "", err
	}
	passing := slices.DeleteFunc(m.take(), func(p *nativeProcess) bool {
		return p.exit != 0 || slices.ContainsFunc(failing, func(f *nativeProcess) bool { return f.program == p.program })
	})
	if err := m.gcov(ctx, slices.Concat(failing, passing)); err != nil {
		return nil, "", err
	}
	return nativeSpectrum(own.tree, failing, passing)
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
	return own, w.Close, nil
}

// A nativeMeasurement runs programs that were built with coverage.
type nativeMeasurement struct {
	*job
	env   []string
	taken map[string]bool // directories of processes that take returned
}

// A nativeProcess is a process that wrote a profile.
type nativeProcess struct {
	dir     string // its directory below the job's
	program string // absolute
	cwd     string
	exit    int
	lines   executed
}

// install writes the programs that stand before the compilers. The note says why that
// was not possible.
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
	limit := m.left(ctx) * 2 / 3
	if limit < time.Second {
		return nil
	}
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
		if !m.isTest(f) {
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

// ctestDir returns the outermost directory around a failing program for which ctest has
// tests; "" if there is none.
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

// executables lists the programs of a directory: executable files without an extension.
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

// take returns the processes that wrote a profile since the last call.
func (m *nativeMeasurement) take() []*nativeProcess {
	var list []*nativeProcess
	for _, dir := range m.files("process-*") {
		if m.taken[dir] {
			continue
		}
		m.taken[dir] = true
		p := &nativeProcess{dir: dir, program: string(m.profile(dir + "/program")), cwd: string(m.profile(dir + "/cwd"))}
		if _, err := fmt.Sscan(string(m.profile(dir+"/exit")), &p.exit); err != nil {
			p.exit = -1 // it was killed, or it still runs
		}
		list = append(list, p)
	}
	return list
}

// gcov computes the lines that processes executed.
func (m *nativeMeasurement) gcov(ctx context.Context, list []*nativeProcess) error {
	m.progress("coverage: gcov for %s", counted(len(list), "program"))
	script := ""
	left := maxGcovFiles
	for _, p := range list {
		data := m.dataFiles(p, left)
		left -= len(data)
		if len(data) == 0 {
			continue
		}
		name, err := m.make(p.dir+"/list", 0o600, []byte(strings.Join(data, "\x00")))
		if err != nil {
			return err
		}
		script += fmt.Sprintf("xargs -0 gcov --json-format --stdout <%s >%s 2>/dev/null\n", quote(name), quote(filepath.Join(m.dir, p.dir, "json")))
	}
	if script == "" {
		return nil
	}
	if _, err := m.sh(ctx, m.opt.Budget, "ulimit -f 131072\ncd "+quote(m.dir)+"\n"+script); err != nil {
		return err
	}
	for _, p := range list {
		p.lines = readGcov(m.profile(p.dir+"/json"), m.tree)
	}
	return nil
}

// dataFiles lists the data files of a process. gcov wants the notes of the compiler
// beside each, and so each gets a link to them.
func (m *nativeMeasurement) dataFiles(p *nativeProcess, most int) []string {
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	var data []string
	fs.WalkDir(root.FS(), p.dir, func(name string, d fs.DirEntry, err error) error {
		base, ok := strings.CutSuffix(name, ".gcda")
		switch {
		case err != nil || !ok || !d.Type().IsRegular():
			return nil
		case len(data) >= most:
			return fs.SkipAll
		}
		notes := strings.TrimPrefix(base, p.dir) + ".gcno"
		if root.Symlink(notes, base+".gcno") == nil {
			data = append(data, filepath.Join(m.dir, name))
		}
		return nil
	})
	return data
}

// isTest reports whether the program of a process looks like a test.
func (m *nativeMeasurement) isTest(p *nativeProcess) bool { return isTestProgram(m.tree, p.program) }

// isTestProgram reports whether the path of a program in the tree has a word such as
// "test".
func isTestProgram(t *tree, program string) bool {
	rel, ok := t.relative(program)
	rel = strings.ToLower(rel)
	return ok && (strings.Contains(rel, "test") || strings.Contains(rel, "spec") || strings.Contains(rel, "check"))
}

// nativeSpectrum counts the test programs. If none of those that the test command ran
// failed, all that the command ran is one failing test, because programs may be
// meant to fail.
func nativeSpectrum(t *tree, ran, passing []*nativeProcess) (*fix.Spectrum, string, error) {
	var count tally
	note := ""
	failed := func(p *nativeProcess) bool { return p.exit != 0 && isTestProgram(t, p.program) }
	if slices.ContainsFunc(ran, failed) {
		slices.SortStableFunc(ran, func(a, b *nativeProcess) int { return cmp.Compare(a.program, b.program) })
		for _, p := range ran {
			if isTestProgram(t, p.program) && len(p.lines) > 0 {
				count.add(failed(p), p.lines)
			}
		}
	} else {
		whole := executed{}
		for _, p := range ran {
			whole.merge(p.lines)
		}
		count.add(true, whole)
		note = " The test command counts as one failing test, because no test program of it failed by itself."
	}
	for _, p := range passing {
		if len(p.lines) > 0 {
			count.add(false, p.lines)
		}
	}
	sp := count.spectrum(t)
	if sp == nil {
		return nil, "gcov found no executed line of the repository's files.", nil
	}
	return sp, fmt.Sprintf("Measured with gcov: %s and %s.%s", counted(count.failing, "failing test program"), counted(count.passing, "passing test program"), note), nil
}
