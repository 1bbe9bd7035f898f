package offline

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

const (
	// screenSize bounds the candidates of one build.
	screenSize = 80
	// screenBuilds bounds the repetitions of a build without the rejected candidates.
	screenBuilds = 6
	// screenTime bounds the runs of the candidates of one build, or the time that the build took, if
	// that is more, but no more than screenMost: as long as one of the two takes most of the time,
	// the other one costs little. The remaining candidates are screened later, with what the search
	// has learned from the others.
	screenTime = 12 * time.Second
	screenMost = time.Minute
	// leastScreen and screenLimit bound the time of the failing test with one candidate, and
	// suiteLimit that of the wider tests. Within these bounds, a candidate gets screenSlower
	// times the test's duration without a candidate, which includes a build.
	leastScreen  = time.Second
	screenLimit  = 10 * time.Second
	screenSlower = 2
	suiteLimit   = time.Minute
	// screenLast is the time between the end of a run of variants and that of the search.
	screenLast = 200 * time.Millisecond
	// buildLimit is the least time for the build.
	buildLimit = 5 * time.Minute
	// screenOutput bounds the read output of the test with one candidate, in bytes.
	screenOutput = 16 << 10
)

// A screen tries many candidates in one of the ways of [sharings]. Candidates that pass the
// failing test are screened with the wider tests in the same way, where the way can run them.
// Candidates that pass these are tried again as patches. Failing candidates are finished.
type screen struct {
	*search
	w     *trial.Workspace
	way   sharing
	suite bool // the candidates pass the failing test: run the wider tests
	begun time.Time
}

// A sharing is a way to try many candidates with one build or in one process.
type sharing interface {
	// takes reports whether candidates that change a file can be tried in this way.
	takes(s *search, file string) bool
	// group returns what the files of candidates that are tried together have in common.
	group(file string) string
	// leads reports whether undoing the newest changes is tried in this way.
	leads() bool
	// suites reports whether the wider tests can be run in this way.
	suites() bool
	// name returns what identifies a test both in the output of this way and in that of the
	// failing command.
	name(test string) string
	// run runs tests with each variant. The runs are empty if this is not possible. A rejected
	// variant does not compile.
	run(ctx context.Context, s *screen, variants map[int]variant) (runs map[int][]screened, rejected map[int]bool, err error)
}

// sharings are the ways to share; a candidate is tried in the first one that takes it.
var sharings = []sharing{goBuild{}, rustBuild{}, pythonFork{}, javaProcess{}, nodeProcess{}}

// A variant is the whole content of a file with a change.
type variant struct {
	Path    string
	Content []byte
}

// sharing returns the way in which a candidate can be tried together with others; nil if there
// is none.
func (s *search) sharing(c *waiting) sharing {
	if c.alone || len(c.Files) != 1 || c.Files[0].Mode == 0 {
		return nil
	}
	for _, way := range sharings {
		if way.takes(s, c.Files[0].Path) {
			return way
		}
	}
	return nil
}

// shares reports whether two candidates can be tried together.
func (s *search) shares(a, b *waiting) bool {
	way := s.sharing(a)
	return way != nil && way == s.sharing(b) && way.group(a.Files[0].Path) == way.group(b.Files[0].Path)
}

// run tries candidates that share a way. Candidates that need a separate trial go back into the
// window.
func (s *screen) run(ctx context.Context, batch []waiting) error {
	s.suite, s.begun = batch[0].passed, time.Now()
	variants := map[int]variant{}
	for i, c := range batch {
		variants[i+1] = variant{Path: c.Files[0].Path, Content: c.Files[0].Content}
	}
	s.way = s.sharing(&batch[0])
	runs, rejected, err := s.way.run(ctx, s, variants)
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
	c.alone = s.in.Problem.Suite == "" || s.in.Problem.Suite == s.in.Problem.Test || !s.way.suites()
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
	before := s.named(s.baseline.failing)
	return s.suite || !slices.ContainsFunc(runs, func(r screened) bool {
		failing := s.named(readTests(r.output).failing)
		return r.outcome != trial.Fails || len(without(failing, before)) > 0 || len(without(before, failing)) > 0
	})
}

// named returns what identifies tests.
func (s *screen) named(tests []string) []string {
	list := make([]string, len(tests))
	for i, t := range tests {
		list[i] = s.way.name(t)
	}
	return list
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

// mark begins the lines that separate the outputs of the variants.
const mark = "@@git-agent-variant"

// writeVariants writes the variants to an empty folder and returns it.
func (s *screen) writeVariants(name string, variants map[int]variant) (string, error) {
	dir, err := s.w.Folder(name)
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("clean the variants: %w", err)
	}
	if dir, err = s.w.Folder(name); err != nil {
		return "", err
	}
	for n, v := range variants {
		for end, text := range map[string][]byte{".path": []byte(v.Path), ".text": v.Content} {
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(n)+end), text, 0o600); err != nil {
				return "", fmt.Errorf("write a variant: %w", err)
			}
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

// exec runs a command that tries variants. It ends shortly before the time of the search does, so
// that the results until then count: a candidate with which the tests pass is still tried as a patch.
func (s *screen) exec(ctx context.Context, command string, opt trial.ExecOptions) (trial.Result, error) {
	if end, bounded := ctx.Deadline(); bounded {
		opt.Timeout = min(opt.Timeout, max(time.Until(end)-screenLast, screenLast))
	}
	return s.w.Exec(ctx, command, opt)
}

// variantsIn returns the variables that tell a process, or a script, which variants to run: their
// numbers, the time for the tests of one, and for all of them.
func (s *screen) variantsIn(list []string, limit time.Duration) []string {
	return []string{
		"GIT_AGENT_VARIANTS=" + strings.Join(list, " "), "GIT_AGENT_MARK=" + mark, "GIT_AGENT_BYTES=" + strconv.Itoa(screenOutput),
		"GIT_AGENT_LIMIT=" + seconds(limit), "GIT_AGENT_TIME=" + seconds(screenTime),
		"GIT_AGENT_MOST=" + seconds(screenMost), "GIT_AGENT_BEGUN=" + strconv.FormatInt(s.begun.Unix(), 10),
	}
}

// seconds returns a time in whole seconds.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// maxStarts bounds the starts of a process that runs variants.
const maxStarts = 20

// repeated returns a shell command that runs a command again as long as it leaves the file "again"
// in a directory: a process that runs variants makes the file, and removes it if all are done. A
// variant that ends the process, or that does not end in time, so costs only its own result.
func repeated(dir, command string) string {
	again := quoted(filepath.Join(dir, "again"))
	return "for start in $(seq " + strconv.Itoa(maxStarts) + "); do\n( " + command + "\n)\ntest -e " + again + " || break\ndone"
}

// readRejected reads the numbers of the variants that do not compile.
func readRejected(output []byte) map[int]bool {
	rejected := map[int]bool{}
	for line := range strings.Lines(string(output)) {
		if number, ok := strings.CutPrefix(strings.TrimSpace(line), mark+" rejected "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				rejected[n] = true
			}
		}
	}
	return rejected
}
