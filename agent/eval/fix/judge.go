package fixeval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/validate"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A judge tries the patches that an engine calls plausible. It does not rely on the engine's
// results: it applies each patch to a clean copy of the case's base, adds the tests of the fix,
// and runs the commands again.
type judge struct {
	problem fix.Problem
	truth   *truth
	reader  reader
	opt     trial.Options
	source  map[string]bool // source files of the fix
	strict  bool            // the suite passes with the fix, so it must pass with a patch

	mu        sync.Mutex
	validator *validate.Validator // nil before the first patch
	unfit     error               // the reason why no patch can be judged
}

// errPasses is the error of a case whose test does not fail.
var errPasses = errors.New("the test command passes without a patch, so it can judge none")

// Judged is the judge's verdict on one patch.
type Judged struct {
	Verdict fix.Verdict `json:"verdict"`
	Reason  string      `json:"reason,omitempty"` // reason for a verdict other than plausible
	Origin  string      `json:"origin,omitempty"` // origin of the patch
	// EditsTests says that the patch changes tests. The judge restores them.
	EditsTests    bool    `json:"edits_tests,omitempty"`
	Exact         bool    `json:"exact,omitempty"` // the same as the fix, except for comments and white space
	SameFiles     bool    `json:"same_files,omitempty"`
	SameFunctions bool    `json:"same_functions,omitempty"`
	Diff          string  `json:"diff,omitempty"`
	Cut           int     `json:"diff_cut,omitempty"` // bytes missing from the stored diff
	Seconds       float64 `json:"seconds,omitempty"`  // of the commands
}

const (
	maxDiff = 4 << 10 // bytes of a diff that are kept
	maxText = 300     // bytes of other texts that are kept

	cratesLimit = 10 * time.Minute // for the crates that a Cargo project needs
)

// judge tries one patch.
func (j *judge) judge(ctx context.Context, t fix.Trial) (Judged, error) {
	out := Judged{Origin: source.FirstBytes(t.Origin, maxText)}
	v, err := j.open(ctx)
	if err != nil {
		return out, err
	}
	var kept []gitext.Overlay
	for _, f := range t.Patch.Files {
		if j.isTest(f.Path) {
			out.EditsTests = true
			continue
		}
		kept = append(kept, f)
	}
	tried, err := v.Validate(ctx, fix.Patch{Files: kept})
	if err != nil {
		return out, err
	}
	out.Verdict, out.Reason, out.Seconds = tried.Verdict, source.FirstBytes(tried.Reason, maxText), tried.Seconds
	if suite := j.failedSuite(tried); out.Verdict == fix.Plausible && suite != "" {
		out.Verdict, out.Reason = fix.Regresses, suite
	}
	out.Diff = source.FirstBytes(string(tried.Patch.Diff), maxDiff)
	out.Cut = len(tried.Patch.Diff) - len(out.Diff)
	if out.Verdict == fix.Refused {
		return out, nil
	}
	return out, j.compare(ctx, tried.Patch, &out)
}

// failedSuite describes the end of the suite if the suite must pass and does not. The validator
// accepts failures that also happen without the patch, and the failing test is usually part of
// the suite.
func (j *judge) failedSuite(tried fix.Trial) string {
	for _, c := range tried.Checks {
		if j.strict && c.Command == j.problem.Suite && c.How != passes {
			return "the suite " + c.How
		}
	}
	return ""
}

// passes is package trial's word for a command that passes.
const passes = "passes"

// isTest reports whether a path is a test, which patches must not change.
func (j *judge) isTest(path string) bool {
	if j.source[path] {
		return false
	}
	return source.IsTestPath(path) || slices.ContainsFunc(j.problem.Tree.Over, func(o gitext.Overlay) bool { return o.Path == path })
}

// compare compares a patch with the developers' fix.
func (j *judge) compare(ctx context.Context, p fix.Patch, out *Judged) error {
	files, err := j.contents(ctx, p.Files)
	if err != nil {
		return err
	}
	changes, err := j.reader.changes(ctx, files)
	if err != nil {
		return err
	}
	ours, functions := placesOf(changes)
	theirs, trueFunctions := placesOf(j.truth.changes)
	both := []fix.Trial{{Patch: fix.Patch{Files: files}}, {Patch: fix.Patch{Files: j.truth.files}}}
	out.Exact = len(validate.Group(both)) == 1
	out.SameFiles = out.Exact || maps.Equal(ours, theirs)
	out.SameFunctions = out.Exact || maps.Equal(functions, trueFunctions)
	return nil
}

// contents returns files with their contents instead of their ids.
func (j *judge) contents(ctx context.Context, files []gitext.Overlay) ([]gitext.Overlay, error) {
	files = slices.Clone(files)
	for i, f := range files {
		if f.OID == "" || f.Mode == 0 {
			continue
		}
		content, err := j.reader.repo.Blob(ctx, f.OID, maxFile)
		if err != nil {
			return nil, err
		}
		files[i].OID, files[i].Content = "", content
	}
	return files, nil
}

// open checks once that the test fails without a patch, and creates the validator.
func (j *judge) open(ctx context.Context) (*validate.Validator, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.validator != nil || j.unfit != nil {
		return j.validator, j.unfit
	}
	rep, err := j.reproduce(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		j.unfit = fmt.Errorf("judge the patches: %w", err)
		return nil, j.unfit
	}
	j.validator, err = validate.New(ctx, j.reader.repo, j.problem, rep, j.opt)
	return j.validator, err
}

// reproduce runs the test without a patch.
func (j *judge) reproduce(ctx context.Context) (fix.Reproduction, error) {
	w, err := trial.Open(ctx, j.reader.repo, j.opt)
	if err != nil {
		return fix.Reproduction{}, err
	}
	defer w.Close()
	if err := w.Prepare(ctx, j.problem.Tree.Commit, j.problem.Tree.Over); err != nil {
		return fix.Reproduction{}, err
	}
	if j.opt.Crates, err = compileCrates(ctx, w, j.problem); err != nil {
		return fix.Reproduction{}, err
	}
	start := time.Now()
	res, err := w.Exec(ctx, j.problem.Test, trial.ExecOptions{})
	switch {
	case err != nil:
		return fix.Reproduction{}, err
	case res.Outcome == trial.Passes:
		return fix.Reproduction{}, errPasses
	case res.Outcome == trial.Unknown:
		return fix.Reproduction{}, fmt.Errorf("the test command %s", res.How)
	}
	switch e := testrun.Judge(res, w.Dir(), j.problem.Test, start); {
	case e.State == fix.Broken && e.Report.Lacks != "": // it would fail with any patch
		return fix.Reproduction{}, fmt.Errorf("the test command %s", e.How)
	case e.FailsToBuild(): // no test failed, and what builds with a patch says nothing about the bug
		return fix.Reproduction{}, fmt.Errorf("not reproduced: the test command %s", e.How)
	}
	return fix.Reproduction{Command: j.problem.Test, State: fix.Failing, How: res.How, Runs: 1, Output: res.Output, Took: res.Took}, nil
}

// compileCrates compiles the crates that the tests of a Cargo project need. It returns their name for
// trial.Options, "" if there are none. The work tree must be prepared.
func compileCrates(ctx context.Context, w *trial.Workspace, p fix.Problem) (string, error) {
	command, ok := testcmd.CompileCrates(p.Test, p.Build, p.Suite, p.Lint)
	if !ok {
		return "", nil
	}
	tests, all := testcmd.IntegrationTests(p.Test, p.Build, p.Suite, p.Lint)
	return w.CompileCrates(ctx, p.Tree.Commit, p.Tree.Over, trial.CrateBuild{Command: command, Tests: tests, Chosen: !all}, cratesLimit)
}

func (j *judge) close() {
	if j.validator != nil {
		j.validator.Close()
	}
}

// newJudge returns the judge of a case whose repository is open.
func newJudge(p *prepared, opt trial.Options) *judge {
	j := &judge{problem: p.problem, truth: p.truth, opt: opt, source: map[string]bool{}, strict: len(p.c.KnownFailing) == 0,
		reader: reader{p.repo, filepath.Join(p.dir, "tree"), p.problem.Tree.Commit}}
	for _, path := range p.c.SrcFiles {
		j.source[path] = true
	}
	// The tests are out of reach already, and a source file of the fix may look like a test.
	j.problem.EditTests = true
	return j
}

// bareNames returns the names of tests without the package or file before them, as printed by
// test tools.
func bareNames(names []string) []string {
	var list []string
	for _, name := range names {
		if _, bare, ok := strings.Cut(name, ":"); ok {
			list = append(list, bare)
		}
	}
	return list
}
