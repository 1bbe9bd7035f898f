// Package engine answers the question since which commit a command fails. It runs the command in
// scratch work trees, tells the failure that is looked for from others, and describes the
// culprit. Package bisect, below it, chooses the commits.
package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/bisect"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/suspect"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A Question is a search for the first commit with a failure of Test.
type Question struct {
	bisect.Question
	Test  string // shell command that fails at the tip, or passes there with Fixed
	Build string // shell command that runs before it; where it fails, the commit cannot be judged
	// Over are files that replace those of each commit, such as tests that are newer than it.
	Over  []gitext.Overlay
	Units []trial.UnitTests // unit tests that are laid over each commit's version of their files
	// LeftOut is the number of uncommitted files that are not in Over. It only leads to a note.
	LeftOut int
}

// An Engine runs the commands.
type Engine struct {
	Repo    *gitext.Repo
	Trial   trial.Options
	Jobs    int               // commands that run at the same time; 0 means 1
	MaxRuns int               // 0 means bisect.MaxRuns
	Fetch   *backfill.Fetcher // fetches a partial clone's missing files; nil fetches nothing
	Uniform bool              // give all commits the same probability at first; for measurements
	// Tip is the run at the tip, as Check returns it; nil lets the search make it. Outcome answers
	// instead of the command; nil lets it run. Both are for measurements.
	Tip     *Tip
	Outcome func(ctx context.Context, commit gitext.OID) trial.Result
}

// A Result is the answer with the facts about the command.
type Result struct {
	*bisect.Answer
	Question Question
	How      string           // how the command ended at the tip: predicate of a sentence with the subject "it"
	Failing  []string         // tests that fail with the failure that is looked for; nil if the command names none
	Builds   bool             // what fails is the build: the culprit is the commit since which the code does not build
	Culprit  *suspect.Suspect // the commit Answer.First; nil if there is none
	Sandbox  string           // sandbox.Level of the commands
	Took     time.Duration    // of this call
	// Incomplete has agent.LacksObjects if commits were not checked out because the clone lacks objects.
	Incomplete []string

	Focused string // the command with the failing tests alone, which ran at the commits but the tip; "" if the whole command ran

	subjects map[gitext.OID]string
	replaces bool // git knows a file that is laid over each commit, so that a checkout replaces it or refuses
}

// Subject returns the subject of a commit that was run or is a candidate.
func (r *Result) Subject(c gitext.OID) string { return r.subjects[c] }

// Term returns the term of git bisect for a commit that was run: isNew or isOld, as most of its
// runs say, "skip" if it cannot be judged, or "" if its runs say nothing.
func (r *Result) Term(c gitext.OID, isNew, isOld string) string {
	var t bisect.Tally
	for _, run := range r.Runs {
		switch {
		case run.Commit != c:
		case run.Outcome == bisect.New:
			t.New++
		case run.Outcome == bisect.Old:
			t.Old++
		default:
			t.Unknown++
		}
	}
	switch {
	case t.New > t.Old:
		return isNew
	case t.Old > t.New:
		return isOld
	case t.Unknown > 0:
		return "skip"
	}
	return ""
}

// GitAgrees reports whether git bisect run, for which each exit code but 125 counts, would find the
// same commit. It would not if the command is flaky, if git bisect would replace a file that is laid over each
// commit, or if the command fails in another way where the failure is not: the build is what fails and the command
// failed where it builds, or the tests use what did not exist there.
func (r *Result) GitAgrees() bool {
	if r.replaces || r.FalseNew > 0 || r.FalseOld > 0 {
		return false
	}
	return r.Question.Fixed || !slices.ContainsFunc(r.Runs, func(run bisect.Run) bool { return run.Outcome == bisect.Old && run.How != passes })
}

// unproved turns the proof of a commit into the answer that it is the oldest with the failure, if the
// command passes at none of its parents: there its tests use what does not exist.
func (r *Result) unproved() {
	if r.Answer == nil || r.Status != bisect.Proved || r.Question.Fixed || r.Builds {
		return
	}
	for _, p := range r.Parents {
		if !strings.HasPrefix(r.howAt(p.Commit), testrun.EarlyHow) {
			return
		}
	}
	if len(r.Parents) > 0 {
		r.Status, r.Probability = bisect.Always, 0
	}
}

// howAt returns how the command ended in the last run at a commit that says that the failure is not
// there, or "".
func (r *Result) howAt(c gitext.OID) string {
	for _, run := range slices.Backward(r.Runs) {
		if run.Commit == c && run.Outcome == bisect.Old {
			return run.How
		}
	}
	return ""
}

// passes is how a command ended that passes.
const passes = "passes"

// readSubjects reads the subjects of the commits that an answer names.
func (r *Result) readSubjects(ctx context.Context, repo *gitext.Repo) error {
	var list []gitext.OID
	for _, c := range r.Candidates {
		list = append(list, c.Commit)
	}
	for _, run := range r.Runs {
		list = append(list, run.Commit)
	}
	list = append(append(list, r.Question.Old...), r.Question.Tip)
	slices.Sort(list)
	list = slices.Compact(list)
	commits, err := repo.Commits(ctx, list)
	if err != nil {
		return err
	}
	r.subjects = map[gitext.OID]string{}
	for _, c := range commits {
		r.subjects[c.OID] = c.Subject()
	}
	return nil
}

// A Memory has the runs of an earlier call for the same question, and keeps those of this one.
type Memory struct {
	Known []bisect.Run
	Keep  func(bisect.Run) error // may be nil
}

// A Tip is a run of the command at the tip.
type Tip struct {
	seen
}

// Check runs the command at the tip and, if the outcome there is that of a search, at further
// commits, until the command itself ends in the opposite way: tests that use what does not exist do not count as
// passing here, as they do not for git bisect run. It returns the results in this order, and the run at the
// tip for Engine.Tip.
func (e *Engine) Check(ctx context.Context, q Question, commits ...gitext.OID) ([]trial.Result, *Tip, error) {
	c, err := e.open(ctx, q, nil)
	if err != nil {
		return nil, nil, err
	}
	defer c.close()
	isNew, isOld := trial.Fails, trial.Passes
	if q.Fixed {
		isNew, isOld = isOld, isNew
	}
	var list []trial.Result
	for _, commit := range append([]gitext.OID{q.Tip}, commits...) {
		res, err := c.try(ctx, 0, commit)
		if err != nil {
			return nil, nil, err
		}
		if list = append(list, res); list[0].Outcome != isNew || res.Outcome == isOld && (q.Fixed || res.Exit == 0) {
			break
		}
	}
	return list, &Tip{c.tip}, nil
}

// Answer searches for the culprit. If ctx ends, the result so far is returned with the error.
func (e *Engine) Answer(ctx context.Context, q Question, m Memory, listen func(agent.Event)) (*Result, error) {
	start := time.Now()
	c, err := e.open(ctx, q, listen)
	if err != nil {
		return nil, err
	}
	defer c.close()
	opt := bisect.Options{
		Try: c.try, Workers: e.Jobs, MaxRuns: cmp.Or(e.MaxRuns, bisect.MaxRuns), Known: m.Known, OnRun: m.Keep, Progress: c.progress,
		Besides: func() int { return len(c.again) },
	}
	if !e.Uniform {
		opt.Prior = c.prior
	}
	found, err := c.search(ctx, opt)
	c.withAgain(found)
	out := &Result{Answer: found, Question: q, How: c.tip.ending.How, Sandbox: string(c.spaces[0].Level())}
	if err == nil && c.builds {
		out.Answer, err = c.below(ctx, found, opt)
	}
	if out.How == "" && out.Answer != nil { // the tip was not checked out
		if i := slices.IndexFunc(out.Runs, func(r bisect.Run) bool { return r.Commit == q.Tip }); i >= 0 {
			out.How = out.Runs[i].How
		}
	}
	out.Failing, out.Builds = c.tip.ending.Report.Failing, c.builds
	out.Focused = c.focused
	out.Notes = append(out.Notes, c.notes...)
	out.noteFocused()
	out.unproved()
	if c.lacking {
		out.Incomplete = []string{agent.LacksObjects}
	}
	if out.Answer != nil && out.Status != bisect.Proved {
		out.Notes = append(out.Notes, trial.Absent(context.WithoutCancel(ctx), e.Repo, q.Tip)...)
	}
	out.noteUnjudged(context.WithoutCancel(ctx), e.Repo, c.spaces[0].Online())
	out.noteLeftOut()
	out.noteNetwork(c.spaces[0].Online())
	out.noteHang(c.tip.ending.TimedOut)
	err = cmp.Or(err, out.noteCure(context.WithoutCancel(ctx), e.Repo, c))
	if found = out.Answer; found.First != "" {
		described, failed := e.describe(context.WithoutCancel(ctx), out, c.tip.opened)
		out.Culprit, err = described, cmp.Or(err, failed)
	}
	out.replaces = len(q.Units) > 0 || e.knows(context.WithoutCancel(ctx), q)
	out.Took = time.Since(start)
	return out, cmp.Or(err, out.readSubjects(context.WithoutCancel(ctx), e.Repo))
}

// knows reports whether the newest commit or HEAD has one of the files that are laid over each commit.
func (e *Engine) knows(ctx context.Context, q Question) bool {
	var paths []string
	for _, o := range q.Over {
		paths = append(paths, o.Path)
	}
	if len(paths) == 0 {
		return false
	}
	for _, rev := range []string{string(q.Tip), "HEAD"} {
		commit, err := e.Repo.Resolve(ctx, rev)
		if err != nil {
			continue
		}
		if known, err := e.Repo.Tree(ctx, commit, paths...); err == nil && len(known) > 0 {
			return true
		}
	}
	return false
}
