package coverage

import (
	"cmp"
	"fmt"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// A Recording notes which lines the tests of a command execute while the command runs once, as it runs
// without the recording. It exists for the languages whose interpreters tell these lines:
// Python and JavaScript.
type Recording struct {
	job *job
	set []string
	by  []recorder
}

// A recorder is an ecosystem that records the tests of a command in one run of it.
type recorder interface {
	ecosystem
	// record writes the programs of the recorder, and returns NAME=value pairs that switch it on.
	record(j *job) ([]string, error)
	// recorded returns what the failing tests and the passing ones executed; nil if no failing test is known.
	recorded(j *job) *fix.Spectrum
}

// Record prepares the recording of a run of the command in the present work tree of w, which tracks paths.
// It returns nil if the command's language has no recorder, or if the command names no language and the tree has several.
func Record(w *trial.Workspace, command string, paths []string) (*Recording, error) {
	t := newTree(w.Dir(), paths, false)
	var by []recorder
	all := candidates(command, t)
	for _, e := range all {
		if r, ok := e.(recorder); ok && (len(all) == 1 || e.runs(command)) {
			by = append(by, r)
		}
	}
	if len(by) == 0 {
		return nil, nil
	}
	dir, err := emptyFolder(w)
	if err != nil {
		return nil, err
	}
	r := &Recording{job: &job{w: w, p: fix.Problem{Test: command}, tree: t, dir: dir}, by: by}
	for _, one := range by {
		set, err := one.record(r.job)
		if err != nil {
			return nil, fmt.Errorf("prepare the recording of executed lines: %w", err)
		}
		r.set = append(r.set, set...)
	}
	return r, nil
}

// Set returns the NAME=value pairs for the environment of the run.
func (r *Recording) Set() []string { return r.set }

// Writable returns the directories that the run must be able to write.
func (r *Recording) Writable() []string { return []string{r.job.dir} }

// Spectrum returns the lines that the tests of the run executed; nil if no failing test is known.
func (r *Recording) Spectrum() *fix.Spectrum {
	var sp *fix.Spectrum
	for _, one := range r.by {
		sp = cmp.Or(sp, one.recorded(r.job))
	}
	return sp
}
