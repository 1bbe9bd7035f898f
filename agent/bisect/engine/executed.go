package engine

import (
	"context"
	"path"
	"slices"

	"git-agent/agent/bisect"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/trial"
)

// recorder returns a recorder of the lines that the command's tests execute; nil if there is none, or if the
// run at hand is not the one that shows a failure.
func (c *command) recorder(w *trial.Workspace, files []string) *coverage.Recording {
	if c.shown || c.plain || c.q.Fixed || c.q.Flaky || files == nil {
		return nil
	}
	r, err := coverage.Record(w, c.q.Test, files)
	if err != nil {
		return nil // without it, less is known of the run
	}
	return r
}

// recorded runs commands with a recorder. ok says that they fail. If they do not, the recorder may be the
// reason, and they must run without it.
func recorded(
	ctx context.Context, w *trial.Workspace, files []string, commands testrun.Commands, r *coverage.Recording,
) (ran seen, ok bool, err error) {
	commands.OfTest = testrun.Surroundings{Set: r.Set(), Writable: r.Writable()}
	ran, err = watched(ctx, w, files, commands)
	if err != nil || ran.ending.State != fix.Failing {
		return ran, false, err
	}
	ran.recorded = true
	ran.ending.Output = r.Plain(ran.ending.Output)
	if sp := r.Spectrum(); sp != nil && mainly(ran.opened, sp) {
		ran.executed = sp
	}
	return ran, true, nil
}

// search looks for the culprit. If no run but the one at the tip shows the failure, its recorder may be the reason.
// The command then runs at the tip without it, and if it does not fail so, the search is made again without it.
func (c *command) search(ctx context.Context, opt bisect.Options) (*bisect.Answer, error) {
	repo, tip := c.engine.Repo, c.q.Tip
	found, err := bisect.Find(ctx, repo, c.q.Question, opt)
	elsewhere := func(r bisect.Run) bool { return r.Outcome == bisect.New && r.Commit != tip }
	if err != nil || found.Status == bisect.Stopped || !c.tip.recorded || c.builds || slices.ContainsFunc(found.Runs, elsewhere) {
		return found, err
	}
	c.plain, c.shown = true, false
	res, err := c.try(ctx, 0, tip)
	if err != nil {
		return found, err
	}
	if res.Outcome == trial.Fails {
		found.Runs = append(found.Runs, bisect.Run{Commit: tip, Outcome: bisect.New, How: res.How, Took: res.Took})
		return found, nil
	}
	c.notes = append(c.notes, "the command fails at the tip in this way only while the lines that it executes are recorded, so that this run does not count")
	c.failure, c.shown, opt.Known = nil, false, nil
	c.focused, c.again = "", nil
	return bisect.Find(ctx, repo, c.q.Question, opt)
}

// mainly reports whether at least half of the opened source files, if they are known, have an extension of executed
// ones. A script that drives a program in another language says nothing of that program.
func mainly(opened map[string]bool, sp *fix.Spectrum) bool {
	extensions := map[string]bool{}
	for p := range sp.Files {
		extensions[path.Ext(p)] = true
	}
	all, same := 0, 0
	for p := range opened {
		if source.FileKindOf(p) == source.SourceFile {
			all++
			same += stat.Count(extensions[path.Ext(p)])
		}
	}
	return 2*same >= all
}
