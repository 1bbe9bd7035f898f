package engine

import (
	"context"
	"path"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/trial"
)

// recorder returns a recorder of the lines that the command's tests execute; nil if there is none, or if the
// run at hand is not the one that shows a failure.
func (c *command) recorder(w *trial.Workspace, files []string) (*coverage.Recording, error) {
	if c.shown || c.q.Fixed || c.q.Flaky || files == nil {
		return nil, nil
	}
	return coverage.Record(w, c.q.Test, files)
}

// recorded runs commands with a recorder. ok says that they fail. If they do not, the recorder may be the
// reason, and they must run without it.
func recorded(
	ctx context.Context, w *trial.Workspace, files []string, commands testrun.Commands, r *coverage.Recording,
) (ran seen, ok bool, err error) {
	commands.Set, commands.Writable = slices.Concat(commands.Set, r.Set()), r.Writable()
	ran, err = watched(ctx, w, files, commands)
	if err != nil || ran.ending.State != fix.Failing {
		return ran, false, err
	}
	if sp := r.Spectrum(); sp != nil && mainly(ran.opened, sp) {
		ran.executed = sp
	}
	return ran, true, nil
}

// mainly reports whether at least half of the opened source files have an extension of executed ones. A script
// that drives a program in another language says nothing of that program.
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
