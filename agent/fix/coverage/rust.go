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

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
)

// rust measures tests that cargo builds. A wrapper of rustc adds the counters to the crates of
// the workspace only, so that compiled dependencies are used again. Cargo starts the programs with
// tests through a script (inject/rustrunner.sh), which notes them instead. Each failing test and
// the passing tests near it then run alone, and llvm-cov of the toolchain names their lines.
type rust struct{}

//go:embed inject/rustrunner.sh
var rustRunner string

// rustWrapper stands before rustc, whose path is the first argument.
const rustWrapper = "#!/bin/sh\nrustc=$1\nshift\nexec \"$rustc\" \"$@\" -C instrument-coverage\n"

// rustRunnerName is looked for on PATH, because cargo splits a path at its spaces.
const rustRunnerName = "git-agent-rust-runner"

var (
	rustCommand   = source.Lazy(`(^|[\s;&|(/])cargo\b`)
	rustToolchain = source.Lazy(`\bcargo (\+[\w.-]+)`)
	rustError     = source.Lazy(`(?m)^error(\[E\d+\])?: .*$`)
	rustVersion   = source.Lazy(`(?m)^(host|LLVM version): (\S+)$`)
)

func (rust) name() string             { return "Rust" }
func (rust) runs(command string) bool { return rustCommand().MatchString(command) }
func (rust) has(t *tree) bool         { return t.has("Cargo.toml") }

const (
	rustFailingTime = 20 * time.Second // for a failing test
	rustPassingTime = 3 * time.Second  // for a passing test
	maxRustFailing  = 20
	maxRustPassing  = 40 // llvm-cov reads the whole program for each test
)

func (rust) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	m := rustMeasurement{job: j}
	if note, err := m.install(ctx); err != nil || note != "" {
		return nil, note, err
	}
	m.progress("coverage: build the tests with LLVM's counters")
	res, err := m.sh(ctx, m.opt.Budget, m.p.Test, m.env...)
	if err != nil {
		return nil, "", err
	}
	tests := m.choose(m.programs())
	if len(tests) == 0 {
		return nil, rustNothing(m.late, res.Output), nil
	}
	var count tally
	for i, t := range tests {
		lines, failed, err := m.run(ctx, i, t)
		if err != nil {
			return nil, "", err
		}
		if len(lines) > 0 && failed == t.failed { // others depend on what ran before them
			count.add(failed, lines)
		}
	}
	sp := count.spectrum(m.tree)
	if sp == nil {
		return nil, "llvm-cov found no executed line of the repository's files.", nil
	}
	return sp, fmt.Sprintf("Measured with llvm-cov: %s and %s.", agent.Plural(sp.Failing, "failing test"), agent.Plural(sp.Passing, "passing test")), nil
}

// rustNothing says why Cargo started no program. The last error explains it, and not a warning
// behind it or, if the time was over, whatever came last.
func rustNothing(late bool, output []byte) string {
	if late {
		return "The build of the tests with LLVM's counters did not end."
	}
	if errors := rustError().FindAll(output, -1); len(errors) > 0 {
		output = errors[len(errors)-1]
	}
	return "Cargo started no program that has the failing tests" + lastLine(output) + "."
}

// A rustMeasurement runs test programs that were built with coverage.
type rustMeasurement struct {
	*job
	env            []string
	profdata, llvm string // the programs llvm-profdata and llvm-cov
}

// A rustProgram is a program with tests that cargo would have started.
type rustProgram struct {
	dir, cwd, path string // dir is below the job's
	tests          []string
}

// A rustTest is a test of a program; no name stands for all of its tests.
type rustTest struct {
	program *rustProgram
	name    string
	failed  bool
}

// install finds the programs of LLVM and writes the scripts. A note says what is missing.
func (m *rustMeasurement) install(ctx context.Context) (string, error) {
	plus := ""
	if found := rustToolchain().FindStringSubmatch(m.p.Test); found != nil {
		plus = " " + quote(found[1])
	}
	res, err := m.sh(ctx, time.Minute, fmt.Sprintf("rustc%[1]s -vV && rustc%[1]s --print sysroot", plus))
	if err != nil {
		return "", err
	}
	facts := map[string]string{}
	for _, found := range rustVersion().FindAllStringSubmatch(string(res.Output), -1) {
		facts[found[1]] = found[2]
	}
	lines := strings.Split(strings.TrimSpace(string(res.Output)), "\n")
	if res.Exit != 0 || facts["host"] == "" {
		return "Coverage of Rust needs rustc, which did not answer" + lastLine(res.Output) + ".", nil
	}
	if !m.find(filepath.Join(lines[len(lines)-1], "lib", "rustlib", facts["host"], "bin"), facts["LLVM version"]) {
		return "Coverage of Rust needs llvm-tools, which the toolchain lacks; rustup component add llvm-tools gets them.", nil
	}
	wrapper, err := m.make(filepath.Join("bin", "rustc-with-counters"), 0o700, []byte(rustWrapper))
	if err != nil {
		return "", err
	}
	text := "#!/bin/sh\n" + strings.ReplaceAll(rustRunner, "@DIR@", quote(m.dir))
	if _, err := m.make(filepath.Join("bin", rustRunnerName), 0o700, []byte(text)); err != nil {
		return "", err
	}
	host := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(facts["host"]))
	m.env = []string{"RUSTC_WORKSPACE_WRAPPER=" + wrapper, "CARGO_TARGET_" + host + "_RUNNER=" + rustRunnerName, "CARGO_INCREMENTAL=0", m.shimPath(),
		"LLVM_PROFILE_FILE=" + filepath.Join(m.dir, "build", "%p-%m.profraw")}
	return "", nil
}

// find sets the programs of LLVM: those of the toolchain, or those of the system with the same
// major version, because formats differ.
func (m *rustMeasurement) find(bin, version string) bool {
	m.profdata, m.llvm = filepath.Join(bin, "llvm-profdata"), filepath.Join(bin, "llvm-cov")
	if _, err := os.Stat(m.llvm); err == nil {
		return true
	}
	major, _, _ := strings.Cut(version, ".")
	var errs [2]error
	m.profdata, errs[0] = sandbox.Program("llvm-profdata-" + major)
	m.llvm, errs[1] = sandbox.Program("llvm-cov-" + major)
	return errs[0] == nil && errs[1] == nil
}

// programs returns the programs that the runner noted, each once.
func (m *rustMeasurement) programs() []*rustProgram {
	var list []*rustProgram
	seen := map[string]bool{}
	for _, dir := range m.files("program-*") {
		path, _, _ := strings.Cut(string(m.profile(dir+"/args")), "\x00")
		if path == "" || seen[path] {
			continue
		}
		seen[path] = true
		p := &rustProgram{dir: dir, cwd: strings.TrimSpace(string(m.profile(dir + "/cwd"))), path: path}
		for l := range strings.Lines(string(m.profile(dir + "/list"))) {
			if name, ok := strings.CutSuffix(strings.TrimSpace(l), ": test"); ok {
				p.tests = append(p.tests, name)
			}
		}
		list = append(list, p)
	}
	return list
}

// choose returns the failing tests, and after them the passing tests that are listed nearest to
// one: libtest sorts tests by their paths.
func (m *rustMeasurement) choose(programs []*rustProgram) []rustTest {
	failing := map[string]bool{}
	for _, name := range m.rep.Failing {
		failing[name] = true
	}
	var tests, passing []rustTest
	distance := map[rustTest]int{}
	for _, p := range programs {
		var at []int
		for i, name := range p.tests {
			if failing[name] {
				at = append(at, i)
				tests = append(tests, rustTest{p, name, true})
			}
		}
		for i, name := range p.tests {
			if len(at) == 0 || failing[name] {
				continue
			}
			t := rustTest{p, name, false}
			distance[t] = len(p.tests)
			for _, k := range at {
				distance[t] = min(distance[t], max(i-k, k-i))
			}
			passing = append(passing, t)
		}
	}
	slices.SortStableFunc(passing, func(a, b rustTest) int { return distance[a] - distance[b] })
	tests = tests[:min(len(tests), maxRustFailing)]
	return append(tests, passing[:min(len(passing), maxRustPassing, m.opt.MaxPassing)]...)
}

// run runs a test alone and returns the lines that it executed.
func (m *rustMeasurement) run(ctx context.Context, number int, t rustTest) (executed, bool, error) {
	if t.failed || number%10 == 0 {
		m.progress("coverage: %s", t.name)
	}
	limit := rustPassingTime
	if t.failed {
		limit = rustFailingTime
	}
	out := filepath.Join(m.dir, fmt.Sprintf("test-%d", number))
	script := strings.NewReplacer("@CWD@", quote(t.program.cwd), "@ENV@", quote(filepath.Join(m.dir, t.program.dir, "env")), "@OUT@", quote(out),
		"@LIMIT@", fmt.Sprint(int(limit.Seconds())), "@PROGRAM@", quote(t.program.path), "@NAME@", quote(t.name),
		"@PROFDATA@", quote(m.profdata), "@COV@", quote(m.llvm)).Replace(rustScript)
	res, err := m.sh(ctx, limit+rustFailingTime, script)
	if err != nil {
		return nil, false, err
	}
	lines := readLcov(m.profile(filepath.Base(out)+".info"), m.tree)
	os.Remove(out + ".info") // Close removes the rest
	return lines, res.Exit != 0, nil
}

// rustScript runs one test in the environment that cargo gives it, and writes its lines. Its exit
// code is the test's.
const rustScript = `cd @CWD@ || exit 125
. @ENV@
export LLVM_PROFILE_FILE=@OUT@-%p-%m.profraw
timeout @LIMIT@ @PROGRAM@ --exact @NAME@ </dev/null
code=$?
@PROFDATA@ merge -sparse -o @OUT@.profdata @OUT@-*.profraw &&
@COV@ export -format=lcov -instr-profile=@OUT@.profdata -ignore-filename-regex='/(registry|rustc|rustlib)/' @PROGRAM@ >@OUT@.info
rm -f @OUT@-*.profraw @OUT@.profdata
exit $code
`

// readLcov reads the executed lines from the trace file of lcov that llvm-cov export writes.
func readLcov(info []byte, t *tree) executed {
	lines := executed{}
	path := ""
	for l := range strings.Lines(string(info)) {
		l = strings.TrimSpace(l)
		if name, ok := strings.CutPrefix(l, "SF:"); ok {
			if path, ok = t.measured(name); !ok {
				path = ""
			}
			continue
		}
		var line, count int64
		if path == "" || !strings.HasPrefix(l, "DA:") {
			continue
		}
		if n, _ := fmt.Sscanf(l, "DA:%d,%d", &line, &count); n == 2 && count > 0 && line <= maxLine {
			lines.add(path, int(line), int(line))
		}
	}
	return lines
}
