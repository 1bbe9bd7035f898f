package offline

import (
	"context"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

const (
	// screenSize bounds the candidates of one build.
	screenSize = 80
	// screenBuilds bounds the repetitions of a build without the rejected candidates.
	screenBuilds = 6
	// screenTime bounds the runs of the candidates of one build. The remaining candidates are
	// screened later, with what the search has learned from the others.
	screenTime = 12 * time.Second
	// leastScreen and screenLimit bound the time of the failing test with one candidate, and
	// suiteLimit that of the wider tests. Within these bounds, a candidate gets screenSlower
	// times the test's duration without a candidate, which includes a build.
	leastScreen  = time.Second
	screenLimit  = 10 * time.Second
	screenSlower = 2
	suiteLimit   = time.Minute
	// buildLimit is the least time for the build.
	buildLimit = 5 * time.Minute
	// screenOutput bounds the read output of the test with one candidate, in bytes.
	screenOutput = 16 << 10
)

// A screen tries many candidates for Go code with one build. It runs the test command with a
// script instead of go. This script makes go test call a second script for each test binary,
// which runs the binary once for each candidate. Candidates that pass the failing test are
// screened with the wider tests in the same way. Candidates that pass these are tried again as
// patches. Failing candidates are finished.
type screen struct {
	*search
	w     *trial.Workspace
	suite bool // the candidates pass the failing test: run the wider tests
}

// screens reports whether a candidate can share a build, or a process of Python, with other
// candidates.
func (s *search) screens(c *waiting) bool {
	if c.alone || len(c.Files) != 1 || c.Files[0].Mode == 0 {
		return false
	}
	return path.Ext(c.Files[0].Path) == ".go" || s.forks(c)
}

// forks reports whether a candidate can be tried in a fork of a Python process.
func (s *search) forks(c *waiting) bool {
	return path.Ext(c.Files[0].Path) == ".py" && pythonCommand().MatchString(s.in.Problem.Test)
}

// shares reports whether two candidates can share a build or a process.
func (s *search) shares(a, b *waiting) bool {
	if s.forks(a) || s.forks(b) {
		return s.forks(a) && s.forks(b)
	}
	return path.Dir(a.Files[0].Path) == path.Dir(b.Files[0].Path)
}

// run tries candidates of one directory. Candidates that need a separate trial go back into the
// window.
func (s *screen) run(ctx context.Context, batch []waiting) error {
	s.suite = batch[0].passed
	variants := map[int]goVariant{}
	for i, c := range batch {
		variants[i+1] = goVariant{Path: c.Files[0].Path, Content: c.Files[0].Content}
	}
	var runs map[int][]screened
	var rejected map[int]bool
	var err error
	if s.forks(&batch[0]) {
		runs, err = s.fork(ctx, variants)
	} else {
		runs, rejected, err = s.build(ctx, variants)
	}
	if err != nil {
		return err
	}
	if len(runs[0]) == 0 {
		runs = nil
	}
	if runs == nil || !s.trusts(runs[0]) {
		s.giveUp(batch, runs != nil)
		return nil
	}
	base := baselineOf(runs[0])
	base.known = s.in.Problem.Known
	for i, c := range batch {
		got, ran := runs[i+1], len(runs[i+1]) > 0
		_, built := variants[i+1]
		switch {
		case rejected[i+1]:
			s.learn(c, s.report(c, fix.NoBuild, nil), unknown)
		case !ran:
			s.again(c, !built)
		case s.suite:
			s.settleSuite(c, &base, got[0])
		default:
			s.settle(c, &base, got[0])
		}
	}
	return nil
}

// settle records the result of the failing test for a candidate. If the test passes, the
// candidate goes on to the wider tests.
func (s *screen) settle(c waiting, base *baseline, got screened) {
	ran := readTests(got.output)
	seen := base.effectOf(trial.Result{Outcome: got.outcome, Output: got.output, TimedOut: got.late}, ran)
	if seen == passing {
		s.promote(c)
		return
	}
	verdict := fix.Fails
	if got.late {
		verdict = fix.TimesOut
	}
	s.learn(c, s.report(c, verdict, ran.failing), seen)
}

// settleSuite records the result of the wider tests for a candidate. If they pass, the
// candidate is tried as a patch.
func (s *screen) settleSuite(c waiting, base *baseline, got screened) {
	ran := readTests(got.output)
	failing := without(without(ran.failing, base.failing), s.in.Problem.Known)
	if got.outcome == trial.Passes || !got.late && len(failing) == 0 && len(ran.failing) > 0 {
		s.again(c, true)
		return
	}
	s.learn(c, s.report(c, fix.Regresses, failing), passing)
}

// report makes the trial of a candidate that was not tried as a patch. It leaves out the files,
// because there are thousands of candidates.
func (s *screen) report(c waiting, v fix.Verdict, failing []string) fix.Trial {
	return fix.Trial{Origin: c.Origin, Why: c.Why, Commit: c.Commit, Prior: c.Prior, Votes: 1, Verdict: v, Failing: failing}
}

// again puts a candidate back into the window. If alone is true, the candidate gets a separate
// trial.
func (s *screen) again(c waiting, alone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.order.cancel(&c)
	c.alone = alone
	s.window = append(s.window, c)
	s.started--
}

// promote puts a candidate that passes the failing test back into the window.
func (s *screen) promote(c waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(&c, passing)
	s.order.begin(&c)
	c.passed = true
	c.alone = s.in.Problem.Suite == "" || s.in.Problem.Suite == s.in.Problem.Test
	c.boost *= passing.boost()
	if c.Probe {
		c.boost = 0 // its further candidates are tried before it
	}
	s.order.cancel(&c)
	s.window = append(s.window, c)
	s.started--
}

// giveUp puts all candidates back for separate trials. If the program ran and cannot be
// trusted, or if screening failed several times, no more candidates are screened.
func (s *screen) giveUp(batch []waiting, ran bool) {
	s.mu.Lock()
	s.misses++
	s.unscreened = s.unscreened || ran || s.misses >= 3
	s.mu.Unlock()
	for _, c := range batch {
		s.again(c, true)
	}
}

// trusts reports whether the program without a change fails the failing tests as the tree does.
// In the wider tests, only additional failures count.
func (s *screen) trusts(runs []screened) bool {
	return s.suite || !slices.ContainsFunc(runs, func(r screened) bool {
		failing := readTests(r.output).failing
		return r.outcome != trial.Fails || len(without(failing, s.baseline.failing)) > 0 || len(without(s.baseline.failing, failing)) > 0
	})
}

// baselineOf returns the baseline for candidates of the same program.
func baselineOf(runs []screened) baseline {
	b := baseline{noise: trial.Failure{}}
	for i, r := range runs {
		lines := trial.FailureOf(trial.Result{Output: r.output}, nil)
		if i > 0 {
			addDifference(b.noise, lines, b.lines)
			addDifference(b.noise, b.lines, lines)
		}
		ran := readTests(r.output)
		b.output, b.lines, b.failing, b.passed, b.panicked = r.output, lines, ran.failing, ran.passed, ran.panicked
	}
	return b
}

// build builds and runs the variants, and leaves out those that do not compile. If no build
// succeeds, runs is nil.
func (s *screen) build(ctx context.Context, variants map[int]goVariant) (runs map[int][]screened, rejected map[int]bool, err error) {
	rejected = map[int]bool{}
	for range screenBuilds {
		program, alone := combineVariants(s.original(ctx), variants)
		for _, n := range alone {
			delete(variants, n)
		}
		if len(variants) == 0 {
			return nil, rejected, nil
		}
		res, err := s.exec(ctx, program, variants)
		if err != nil {
			return nil, rejected, err
		}
		if runs = readScreened(res.Output, !s.suite); len(runs[0]) > 0 {
			return runs, rejected, nil
		}
		bad := faulty(program, res.Output)
		if len(bad) == 0 {
			return nil, rejected, nil
		}
		for n := range bad {
			delete(variants, n)
			rejected[n] = true
		}
	}
	return nil, rejected, nil
}

// original returns a function that reads files of the tree.
func (s *search) original(ctx context.Context) func(string) ([]byte, bool) {
	tree := s.in.Problem.Tree
	return func(p string) ([]byte, bool) {
		for _, o := range tree.Over {
			if o.Path == p {
				return o.Content, o.Mode != 0 && o.OID == ""
			}
		}
		content, err := s.repo.BlobAt(ctx, tree.Commit, p, 4<<20)
		return content, err == nil
	}
}

// compileError matches the place of a Go compiler error.
var compileError = source.Lazy(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: `)

// faulty returns the variants in which the compiler found errors.
func faulty(p *variantProgram, output []byte) map[int]bool {
	bad := map[int]bool{}
	for _, m := range compileError().FindAllSubmatch(output, -1) {
		line, err := strconv.Atoi(string(m[2]))
		if n := p.variantAt(string(m[1]), line); err == nil && n > 0 {
			bad[n] = true
		}
	}
	return bad
}

// goProgram is a script that PATH has before go. It makes go test call eachProgram, and makes
// the compiler report all errors, so that one build finds all candidates that do not compile.
const goProgram = `#!/bin/sh
if test "$1" = test; then
	shift
	PATH=${PATH#@DIR@/bin:}
	exec @REAL@ test -exec @DIR@/each -vet=off -gcflags=-e -timeout 2h "$@"
fi
exec @REAL@ "$@"
`

// eachProgram runs a test binary for each variant until the time is up, and the program
// without a change in any case.
const eachProgram = `#!/bin/sh
out="$TMPDIR/git-agent-each.$$"
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout -k 1 $GIT_AGENT_LIMIT"
until=
for v in $GIT_AGENT_VARIANTS; do
	if test "$v" != 0; then
		test -n "$until" || until=$(($(date +%s) + $GIT_AGENT_TIME))
		test "$(date +%s)" -lt "$until" || continue
	fi
	` + variantVariable + `=$v $limit "$@" </dev/null >"$out" 2>&1
	code=$?
	printf '\n%s begin %s %s\n' "$GIT_AGENT_MARK" "$v" "$code"
	head -c @BYTES@ "$out"
	printf '\n%s end\n' "$GIT_AGENT_MARK"
done
rm -f "$out"
exit 1
`

// mark begins the lines that separate the outputs of the variants.
const mark = "@@git-agent-variant"

// exec runs the test command with the programs in place.
func (s *screen) exec(ctx context.Context, p *variantProgram, variants map[int]goVariant) (trial.Result, error) {
	dir, err := s.programs()
	if err != nil {
		return trial.Result{}, err
	}
	over := slices.Clone(s.in.Problem.Tree.Over)
	for name, content := range p.Files {
		over = append(over, gitext.Overlay{Path: name, Mode: 0o100644, Content: content})
	}
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, over); err != nil {
		return trial.Result{}, err
	}
	list := []string{"0"}
	for n := range variants {
		list = append(list, strconv.Itoa(n))
	}
	slices.Sort(list[1:])
	if !s.suite {
		list = append(list, "0") // once more, to find varying lines
	}
	command, limit := s.in.Problem.Test, min(max(screenSlower*s.baseline.took, leastScreen), screenLimit)
	if s.suite {
		command, limit = s.in.Problem.Suite, suiteLimit
	}
	return s.w.Exec(ctx, command, trial.ExecOptions{
		Timeout: max(s.baseline.limit, buildLimit) + time.Duration(len(list))*limit, MaxOutput: 2 * screenOutput * len(list),
		Set: []string{
			"PATH=" + filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
			"GIT_AGENT_VARIANTS=" + strings.Join(list, " "), "GIT_AGENT_MARK=" + mark,
			"GIT_AGENT_LIMIT=" + strconv.Itoa(int(math.Ceil(limit.Seconds()))),
			"GIT_AGENT_TIME=" + strconv.Itoa(int(screenTime.Seconds())),
		},
		Readable: []string{dir},
	})
}

// programs writes the programs and returns their directory.
func (s *screen) programs() (string, error) {
	dir, err := s.w.Folder("screen")
	if err != nil {
		return "", err
	}
	real, err := sandbox.Program("go")
	if err != nil {
		return "", err
	}
	fill := strings.NewReplacer("@REAL@", quoted(real), "@DIR@", dir, "@BYTES@", strconv.Itoa(screenOutput))
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"bin/go": goProgram, "each": eachProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o700); err != nil {
			return "", fmt.Errorf("write a program: %w", err)
		}
	}
	return dir, nil
}

// quoted quotes s as one word of a shell command.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// A screened is the result of a test binary with one variant.
type screened struct {
	output  []byte
	outcome trial.Outcome
	late    bool // the binary was ended at its time limit
}

// exitTimeout is the exit code of timeout, and exitKilled that of a killed program.
const (
	exitTimeout = 124
	exitKilled  = 137
)

// readScreened reads the outputs of the variants. If there are several test binaries, a variant
// has several outputs, and readScreened unites them. Variant 0 keeps two results if it is run
// twice for each binary.
func readScreened(output []byte, twice bool) map[int][]screened {
	runs := map[int][]screened{}
	for part := range strings.SplitSeq(string(output), "\n"+mark+" begin ") {
		head, body, ok := strings.Cut(part, "\n")
		fields := strings.Fields(head)
		if !ok || len(fields) != 2 {
			continue
		}
		n, err1 := strconv.Atoi(fields[0])
		code, err2 := strconv.Atoi(fields[1])
		text, _, ended := strings.Cut(body, "\n"+mark+" end")
		if err1 != nil || err2 != nil || !ended {
			continue
		}
		r := screened{output: []byte(text), late: code == exitTimeout || code == exitKilled}
		if code != 0 {
			r.outcome = trial.Fails
		}
		runs[n] = append(runs[n], r)
	}
	for n, list := range runs {
		runs[n] = united(list, n == 0 && twice)
	}
	return runs
}

// united joins the runs of several test binaries. Those of variant 0 alternate between the
// first and the second run.
func united(list []screened, twice bool) []screened {
	rounds := 1
	if twice && len(list)%2 == 0 {
		rounds = 2
	}
	out := make([]screened, rounds)
	for i, r := range list {
		to := &out[i%rounds]
		to.output = append(to.output, r.output...)
		to.late = to.late || r.late
		if r.outcome != trial.Passes {
			to.outcome = r.outcome
		}
	}
	return out
}
