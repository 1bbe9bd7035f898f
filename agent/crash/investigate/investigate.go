// Package investigate is the agent engine of crash: a language model finds the files behind a
// crash and explains their role in it, after AutoCrashFL (arXiv 2510.22530). The first prompt
// contains the offline engine's ranking, the stacks with the code around their frames, and the
// latest changes to that code; the model uses tools for the remaining questions. Several runs
// vote. The files that they name come first, followed by the offline ranking. If no run has an
// answer, the offline ranking is the answer.
package investigate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/crash/locate"
	"git-agent/agent/gittool"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Options select the model, its limits on cost, and its view of the crash.
type Options struct {
	Model     model.Asker
	ModelName string
	Limits    agent.Limits // of one run; fields that are zero, except USD, take their values from defaultLimits
	MaxOutput int          // tokens of one answer; 0 leaves it to the server
	Unpriced  bool         // go on although the model's price is unknown and there is a limit in USD
	Ledger    *agent.Ledger
	Runs      int // independent runs that vote; 0 is DefaultRuns
	// Journal opens the record of the k-th run, from 0; nil records nothing.
	Journal func(k int) (agent.Journal, error)
	Memory  agent.Memory        // of the git tools; may be nil
	Mask    func(string) string // removes secrets from texts; may be nil
	// Definitions configures definition lookups. Server is the question's.
	Definitions symbol.Options
	// Calibration calibrates the probabilities. If it is nil, or made for another Basis, the
	// probabilities stay unchanged, and the report says so.
	Calibration *session.Calibration
	Sampling    string // the model's sampling settings, such as "effort=high"; part of the Basis
	// OnEvent gets the events of the runs, each as an agent.OfRun if there are
	// several. It is called by one goroutine at a time; may be nil.
	OnEvent func(agent.Event)
}

// DefaultRuns is the number of voting runs. AutoCrashFL has 10; most of its gain over one run is
// in the recall after the first file, which the offline ranking also gives.
const DefaultRuns = 3

// defaultLimits limits one run. AutoCrashFL allows 25 calls of tools (section 4.3).
var defaultLimits = agent.Limits{Turns: 26, Calls: 25, Tokens: 400_000, Wall: 15 * time.Minute}

// WithDefaults returns the options with defaults for unset limits and an unset number of runs.
func (o Options) WithDefaults() Options {
	o.Limits = o.Limits.Or(defaultLimits)
	if o.Runs <= 0 {
		o.Runs = DefaultRuns
	}
	return o
}

// Trace lets the model investigate a crash, and returns the ranking with the model's answer. The
// offline engine must have located and ranked the report. Trace does not change the given
// ranking. If no run answers, it returns the offline engine's ranking, with the reason in
// Agent.Fallback. It returns an error if the context ended, or for trouble with the repository or
// the journal.
func Trace(ctx context.Context, repo *gitext.Repo, q crash.Question, offline *crash.Answer, opt Options) (*crash.Answer, error) {
	opt = opt.WithDefaults()
	d, err := newInvestigation(ctx, repo, q, offline, opt)
	if err != nil {
		return nil, err
	}
	defer d.tools.Finder.Close() // its scratch folder is in the system's folder for temporary files
	report := &crash.AgentReport{Model: opt.ModelName}
	if report.Runs, err = d.investigate(ctx); err != nil {
		return nil, err
	}
	return d.conclude(ctx, report)
}

// An investigation is the model's work on one crash: the offline engine's results, and the
// model's view.
type investigation struct {
	repo    *gitext.Repo
	q       crash.Question
	offline *crash.Answer  // the ranking that follows the model's files, or replaces them
	shown   *crash.Answer  // the files and the suspects that the model may see
	sees    crash.Switches // the question's switches, and the implied ones
	opt     Options
	texts   map[string][][]byte                       // the lines of files that the first prompt shows, by path
	moved   map[string]bool                           // files that seem to have another version in the report
	sites   map[string]map[crash.FrameRef]locate.Site // the positions of frames, by path
	changes []change                                  // the latest changes, in the order of their short names
	tools   *crashtool.Case
	calls   []agent.Tool
}

// newInvestigation prepares the tools. They see the history up to the commit that crashed.
func newInvestigation(ctx context.Context, repo *gitext.Repo, q crash.Question, offline *crash.Answer, opt Options) (*investigation, error) {
	d := &investigation{
		repo:    repo,
		q:       q,
		offline: offline,
		shown:   offline,
		sees:    q.Implied(),
		opt:     opt,
		texts:   map[string][][]byte{},
		moved:   map[string]bool{},
		sites:   map[string]map[crash.FrameRef]locate.Site{},
	}
	tip, err := repo.Commit(ctx, offline.Commit)
	if err != nil {
		return nil, err
	}
	if d.sees.NoRanking {
		if d.shown, err = d.unranked(ctx); err != nil {
			return nil, err
		}
	}
	d.nameChanges()
	leaves := crashtool.Leaves{
		NoTools:        d.sees.NoCalls,
		NoDefinitions:  d.sees.NoDefinitions,
		NoRaw:          d.sees.NoRaw,
		NoCommitSearch: d.sees.NoCommitSearch,
		NoHistory:      d.sees.NoHistory,
	}
	scope := gittool.Scope{Tip: tip.OID, Names: map[string]gitext.OID{}, TipOnly: d.sees.NoHistory, Without: leaves.Without()}
	for _, c := range d.changes {
		scope.Names[c.name] = c.commit.OID
	}
	files, err := locate.FilesOf(ctx, repo, tip.OID)
	if files == nil {
		return nil, err
	}
	lookups := opt.Definitions
	d.tools = &crashtool.Case{
		Repo: repo, Commit: tip.OID, Report: q.Report, Dump: q.Dump, Files: files, Scope: scope, Memory: opt.Memory, Mask: opt.Mask,
		Finder: symbol.NewFinder(repo, tip.OID, lookups), Leaves: leaves,
	}
	d.calls, err = crashtool.New(d.tools)
	return d, err
}

// conclude makes the ranking from the runs, or from the offline engine's ranking if no run has an
// answer.
func (d *investigation) conclude(ctx context.Context, report *crash.AgentReport) (*crash.Answer, error) {
	r := *d.offline
	r.Agent = report
	votes, order := elect(report.Runs)
	if len(order) == 0 {
		report.Fallback = agent.WhyNone(report.RunReports(), "the model named no file")
		r.Suspects = r.Suspects[:min(len(r.Suspects), d.q.Suspects)]
		r.Notes = append(slices.Clone(r.Notes), "the ranking is the offline engine's: "+report.Fallback)
		r.Suspects = r.Suspects[:min(len(r.Suspects), d.q.Suspects)] // the prompt may have more
		return &r, nil
	}
	if err := d.describe(report); err != nil {
		return nil, err
	}
	r.Algorithm = "agent"
	r.Files = d.filesOf(votes, order)
	report.Confidence = votes[order[0]].Score / float64(votes[order[0]].Of)
	report.Explanation = explain(report.Runs, order[0])
	r.Answered = true
	r.Notes = append(slices.Clone(r.Notes), noteOf(report))
	var err error
	r.Suspects, err = d.suspects(ctx, report.Runs, r.Files)
	return &r, err
}

// explain returns the chain of events from the first run that puts the file first, else from the
// first run with a claim.
func explain(runs []crash.Run, path string) string {
	text := ""
	for _, r := range runs {
		if v := r.Claim; len(v.Files) > 0 && v.Explanation != "" {
			if v.Files[0].Path == path {
				return v.Explanation
			}
			text = cmp.Or(text, v.Explanation)
		}
	}
	return text
}
