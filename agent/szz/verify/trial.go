package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// errMaxRuns ends a verification at its limit of runs.
var errMaxRuns = errors.New("no more runs allowed")

// An outcome is what one run of the command says about the bug.
type outcome int

const (
	passes outcome = iota
	fails
	unknown // the run says nothing about the bug
)

// A trial is one run of the command. How it went reads after "it".
type trial struct {
	outcome outcome
	how     string
	output  []byte
}

// Exit codes with a meaning of their own. 125 is git bisect run's; 126 and
// 127 are the shell's for a program that cannot be run; 137 is SIGKILL, mostly
// the kernel's when memory is short.
const (
	exitSkip      = 125
	exitNotExec   = 126
	exitNotFound  = 127
	exitWasKilled = 137
)

// trials runs the command at one commit after the other, in one work tree so
// that each build starts from the one before. No commit is run twice.
type trials struct {
	repo     *gitext.Repo
	fc       *szz.FixContext
	opt      Options
	standing sandbox.Isolation
	readable []string
	scratch  *sandbox.Scratch
	tree     string
	temp     string
	cache    string

	tests   []gitext.Overlay // the fix's test files
	fix     []gitext.Overlay // all of an uncommitted fix
	failure map[string]bool  // lines that only the failing baseline prints
	passed  []byte           // what the command prints at the fix
	seen    map[gitext.OID]trial
	order   []gitext.OID // keys of seen, as they were run
	runs    int
}

func newTrials(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options) (*trials, error) {
	opt.Timeout = cmp.Or(opt.Timeout, defaultVerifyTimeout)
	opt.MaxRuns = cmp.Or(opt.MaxRuns, defaultVerifyRuns)
	t := &trials{repo: repo, fc: fc, opt: opt, seen: map[gitext.OID]trial{}}
	var err error
	if t.standing, err = sandbox.Probe(ctx, opt.Sandbox); err != nil {
		return nil, err
	}
	if err := t.readOverlays(ctx); err != nil {
		return nil, err
	}
	if t.scratch, err = sandbox.NewScratch(opt.Scratch); err != nil {
		return nil, err
	}
	var borrowed string // by the small repository in the work tree
	for name, dir := range map[string]*string{"tree": &t.tree, "tree.objects": &borrowed, "tmp": &t.temp, "cache": &t.cache} {
		if *dir, err = t.scratch.Dir(name); err != nil {
			t.close()
			return nil, fmt.Errorf("scratch directory: %w", err)
		}
	}
	t.readable = slices.Clone(opt.Readable)
	for _, dir := range append(repo.ObjectDirs(), borrowed) {
		// They hold commits, and nothing of the user's configuration.
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			t.readable = append(t.readable, dir, real)
		}
	}
	return t, nil
}

// close removes the scratch directory. What cannot be removed is left for the
// sweep of the next run.
func (t *trials) close() { t.scratch.Close() }

// runFix runs the command at the fix as it is.
func (t *trials) runFix(ctx context.Context) (trial, error) {
	commit := t.fc.Fix
	if commit == "" {
		commit = t.fc.Parent
	}
	res, err := t.execute(ctx, commit, t.fix)
	if err == nil && res.outcome == passes {
		t.passed = res.output
	}
	return res, err
}

// run runs the command at a commit with the fix's tests laid over.
func (t *trials) run(ctx context.Context, commit gitext.OID) (trial, error) {
	if known, ok := t.seen[commit]; ok {
		return known, nil
	}
	res, err := t.execute(ctx, commit, t.tests)
	if err != nil {
		return trial{}, err
	}
	if res.outcome == fails {
		res = t.compare(res)
	}
	res.output = nil
	t.seen[commit] = res
	t.order = append(t.order, commit)
	return res, nil
}

// compare holds a failure against the first one, which is the bug's: the
// failure at the fix's parent. A build that breaks exits like a test that
// fails, but prints other lines. Where less than a third of the lines that
// belong to the bug's failure are printed again, the run says nothing. Commands
// that print nothing of their own when they fail are taken at their exit code.
func (t *trials) compare(res trial) trial {
	lines := normalLines(res.output)
	if t.failure == nil {
		t.failure = lines
		for line := range normalLines(t.passed) {
			delete(t.failure, line)
		}
		return res
	}
	again := 0
	for line := range t.failure {
		if lines[line] {
			again++
		}
	}
	if 3*again < len(t.failure) {
		res.outcome = unknown
		res.how += ", but not in the way in which it fails at the fix's parent"
	}
	return res
}

// numbers are what differs between two runs that fail alike: times, line
// numbers, addresses, ids.
var numbers = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|[0-9]+`)

// normalLines is the set of lines of an output without what varies.
func normalLines(out []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(out) {
		line = bytes.TrimSpace(numbers.ReplaceAll(line, []byte("#")))
		if len(line) > 0 {
			lines[string(line)] = true
		}
	}
	return lines
}

// execute moves the work tree to a commit and runs the command there.
func (t *trials) execute(ctx context.Context, commit gitext.OID, over []gitext.Overlay) (trial, error) {
	if t.runs >= t.opt.MaxRuns {
		return trial{}, errMaxRuns
	}
	t.runs++
	t.progress("run %d: check out %s", t.runs, commit.Short())
	if err := t.repo.Checkout(ctx, commit, t.tree, over...); err != nil {
		if ctx.Err() != nil {
			return trial{}, context.Cause(ctx)
		}
		return trial{outcome: unknown, how: fmt.Sprintf("was not run (%v)", err)}, nil
	}
	if err := t.emptyTemp(); err != nil {
		return trial{}, err
	}
	t.progress("run %d: the command at %s", t.runs, commit.Short())
	res, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: t.tree, Command: t.opt.Command, Timeout: t.opt.Timeout,
		Env: t.opt.Env, Set: []string{"TMPDIR=" + t.temp, "GIT_AGENT_COMMIT=" + string(commit)},
		Memory: t.opt.Memory, Sandbox: t.standing.Level, Network: t.opt.Network,
		Writable: append([]string{t.temp}, t.opt.Writable...), Readable: t.readable, Cache: t.cache,
	})
	if err != nil {
		return trial{}, err
	}
	return t.read(res), nil
}

// formatBytes is a size as options take it, such as "512m".
func formatBytes(n int64) string {
	for shift, unit := range map[int]string{30: "g", 20: "m", 10: "k"} {
		if n>>shift<<shift == n && n>>shift < 1024 && n>>shift > 0 {
			return strconv.FormatInt(n>>shift, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// emptyTemp throws away what the run before left in TMPDIR.
func (t *trials) emptyTemp() error {
	if err := os.RemoveAll(t.temp); err != nil {
		return fmt.Errorf("clean the scratch directory: %w", err)
	}
	return os.Mkdir(t.temp, 0o700)
}

func (t *trials) read(res sandbox.Result) trial {
	is := func(o outcome, format string, args ...any) trial {
		return trial{outcome: o, how: fmt.Sprintf(format, args...), output: res.Output}
	}
	switch {
	case res.TimedOut:
		return is(unknown, "ran into its time limit of %s", t.opt.Timeout)
	case res.Exit == 0:
		return is(passes, "passes")
	case res.Starved:
		return is(unknown, "ran out of memory: no process may have more than %s", formatBytes(t.opt.Memory))
	case res.Exit == exitSkip:
		return is(unknown, "said that it cannot tell (exit %d)", exitSkip)
	case res.Exit == exitNotExec, res.Exit == exitNotFound:
		return is(unknown, "found no program to run (exit %d)", res.Exit)
	case res.Exit == exitWasKilled:
		return is(unknown, "was killed (exit %d)", exitWasKilled)
	}
	return is(fails, "fails (exit %d)", res.Exit)
}

func (t *trials) progress(format string, args ...any) {
	if t.opt.OnEvent != nil {
		t.opt.OnEvent(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// summary says in a sentence what was run, and how isolated.
func (t *trials) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the command was run %d %s", t.runs, szz.Plural(t.runs, "time", "times"))
	if n := len(t.tests); n > 0 {
		fmt.Fprintf(&b, ", with %d test %s of the fix laid over", n, szz.Plural(n, "file", "files"))
	} else {
		b.WriteString("; the fix changes no test file, so each commit ran its own")
	}
	switch {
	case t.standing.Level == sandbox.Bwrap:
		b.WriteString("; sandbox: bubblewrap")
	case t.standing.Level == sandbox.Landlock:
		b.WriteString("; sandbox: landlock")
	default:
		b.WriteString("; no sandbox")
	}
	return b.String()
}

// sandboxed is a hint for a command that fails where it should pass.
func (t *trials) sandboxed() string {
	if t.standing.Level == sandbox.None {
		return ""
	}
	return "; it ran without network, and saw of the home directory only toolchains: agent.sandboxRead shows it more, '--sandbox=none' all"
}

func (t *trials) withoutTests() string {
	if len(t.tests) > 0 {
		return ""
	}
	return "; the fix brings no test file that could be laid over"
}
