package coverage

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
)

// A nativeProcess is a process of a program with coverage. Its directory contains the files of
// inject/process.c.
type nativeProcess struct {
	dir     string // below the job's directory
	program string // absolute
	cwd     string
	args    []string // nil if they are not known
	exit    int      // 128+n after signal n, -1 if unknown
	dirs    []string // directories with profiles, below the job's
}

// A nativeTest is a test program, or one of its tests.
type nativeTest struct {
	failed bool
	dirs   []string // directories with profiles, below the job's
	lines  executed
}

// whole returns a process as one test.
func (p *nativeProcess) whole() *nativeTest { return &nativeTest{failed: p.exit != 0, dirs: p.dirs} }

// failedTest reports whether the process is a test that failed. Other programs may be
// meant to fail.
func (p *nativeProcess) failedTest(t *tree) bool { return p.exit != 0 && isTestProgram(t, p.program) }

// isTestProgram reports whether the path of a program in the tree contains a word such as
// "test".
func isTestProgram(t *tree, program string) bool {
	rel, ok := t.relative(program)
	rel = strings.ToLower(rel)
	return ok && (strings.Contains(rel, "test") || strings.Contains(rel, "spec") || strings.Contains(rel, "check"))
}

// take returns the processes that wrote a profile since the last call.
func (m *nativeMeasurement) take() []*nativeProcess {
	var list []*nativeProcess
	for _, dir := range m.files("process-*") {
		if m.taken[dir] {
			continue
		}
		m.taken[dir] = true
		p := &nativeProcess{
			dir:     dir,
			program: string(m.profile(dir + "/program")),
			cwd:     string(m.profile(dir + "/cwd")),
			dirs:    []string{dir + "/rest"},
		}
		if args := strings.TrimSuffix(string(m.profile(dir+"/args")), "\x00"); args != "" {
			p.args = strings.Split(args, "\x00")
		}
		if _, err := fmt.Sscan(string(m.profile(dir+"/exit")), &p.exit); err != nil {
			p.exit = -1
		}
		list = append(list, p)
	}
	return list
}

// gcov computes the lines that the tests executed.
func (m *nativeMeasurement) gcov(ctx context.Context, tests []*nativeTest) error {
	m.progress("coverage: gcov for %s", agent.Plural(len(tests), "test"))
	script := ""
	left := maxGcovFiles
	for i, t := range tests {
		data := m.dataFiles(t, left)
		left -= len(data)
		if len(data) == 0 {
			continue
		}
		name, err := m.make(fmt.Sprintf("gcov-%d", i), 0o600, []byte(strings.Join(data, "\x00")))
		if err != nil {
			return err
		}
		script += fmt.Sprintf("xargs -0 gcov --json-format --stdout <%s >%s 2>/dev/null\n", quote(name), quote(name+".json"))
	}
	if script == "" {
		return nil
	}
	if _, err := m.sh(ctx, m.opt.Budget, "ulimit -f 131072\ncd "+quote(m.dir)+"\n"+script); err != nil {
		return err
	}
	for i, t := range tests {
		t.lines = readGcov(m.profile(fmt.Sprintf("gcov-%d.json", i)), m.tree)
	}
	return nil
}

// dataFiles lists up to most data files of a test. gcov needs the compiler's notes file beside
// each, so dataFiles makes a link to it.
func (m *nativeMeasurement) dataFiles(t *nativeTest, most int) []string {
	root, err := os.OpenRoot(m.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	var data []string
	for _, dir := range t.dirs {
		// Unreadable files are left out.
		_ = fs.WalkDir(root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
			base, ok := strings.CutSuffix(name, ".gcda")
			switch {
			case err != nil || !ok || !d.Type().IsRegular():
				return nil
			case len(data) >= most:
				return fs.SkipAll
			}
			notes := strings.TrimPrefix(base, dir) + ".gcno"
			if err := root.Symlink(notes, base+".gcno"); err == nil || os.IsExist(err) {
				data = append(data, filepath.Join(m.dir, name))
			}
			return nil
		})
	}
	return data
}

// spectrum counts the tests that executed lines of the tree.
func (m *nativeMeasurement) spectrum(tests []*nativeTest, note string) (*fix.Spectrum, string, error) {
	tests = slices.DeleteFunc(tests, func(t *nativeTest) bool { return len(t.lines) == 0 })
	var count tally
	for _, t := range tests {
		count.add(t.failed, t.lines)
	}
	sp := count.spectrum(m.tree)
	if sp == nil {
		return nil, "gcov found no executed line of the repository's files.", nil
	}
	return sp, fmt.Sprintf("Measured with gcov: %s and %s, where a test is a program or a part of one that prints how it ended.%s",
		agent.Plural(sp.Failing, "failing test"), agent.Plural(sp.Passing, "passing test"), note), nil
}
