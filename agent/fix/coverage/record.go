package coverage

import (
	"fmt"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// A Recording notes which lines the tests of a command execute while the command runs once. It exists for the languages
// in which that needs no further run: Python and JavaScript, whose interpreters tell these lines, and Go, whose
// go test compiles the packages of the module with coverage for it.
type Recording struct {
	job *job
	set []string
	by  recorder
}

// A recorder is an ecosystem that records the tests of a command in one run of it.
type recorder interface {
	ecosystem
	// record writes the programs of the recorder, and returns NAME=value pairs that switch it on; none if a recording
	// would cost too much.
	record(j *job) ([]string, error)
	// recorded returns what the failing tests and the passing ones executed. If no tests are known, as in Go, the whole
	// command counts as one failing test. It returns nil if tests are known and none fails, or if the recorder gave up.
	recorded(j *job) *fix.Spectrum
	// plain returns the output of the run without what only the recording adds to it.
	plain(out []byte) []byte
}

// maxRecorded bounds the profiles of a recording that are read, in bytes.
const maxRecorded = 256 << 20

// Record prepares the recording of a run of the command in the present work tree of w, which tracks paths.
// It returns nil if the command's language has no recorder, if the command names several languages, if it
// names none and the tree has several, or if a recording would cost too much.
func Record(w *trial.Workspace, command string, paths []string) (*Recording, error) {
	t := newTree(w.Dir(), paths, false)
	all := candidates(command, t)
	if len(all) != 1 {
		return nil, nil
	}
	by, ok := all[0].(recorder)
	if !ok {
		return nil, nil
	}
	dir, err := emptyFolder(w)
	if err != nil {
		return nil, err
	}
	j := &job{w: w, p: fix.Problem{Test: command}, tree: t, dir: dir, most: maxRecorded}
	set, err := by.record(j)
	if err != nil {
		return nil, fmt.Errorf("prepare the recording of executed lines: %w", err)
	}
	if set == nil {
		return nil, nil
	}
	return &Recording{job: j, set: set, by: by}, nil
}

// Set returns the NAME=value pairs for the environment of the run.
func (r *Recording) Set() []string { return r.set }

// Writable returns the directories that the run must be able to write.
func (r *Recording) Writable() []string { return []string{r.job.dir} }

// Spectrum returns the lines that the tests of the run executed, or all of the run if its tests are not known. It is
// nil if tests are known and none fails, or if the recorder gave up.
func (r *Recording) Spectrum() *fix.Spectrum { return r.by.recorded(r.job) }

// Plain returns the output of the run without what only the recording adds to it.
func (r *Recording) Plain(out []byte) []byte { return r.by.plain(out) }
