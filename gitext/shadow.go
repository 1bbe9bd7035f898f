package gitext

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// openShadow prepares the shadow in DataDir or, if that fails, in a temporary
// directory that Close removes.
func (r *Repo) openShadow() error {
	files := r.shadowFiles()
	var problem error
	if dir := r.opt.DataDir; dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		if problem = ensureShadow(filepath.Join(dir, shadowName), files); problem == nil {
			r.useShadow(dir)
			return nil
		}
	}
	dir, err := os.MkdirTemp("", "git-agent-")
	if err != nil {
		return fmt.Errorf("cannot make a directory for git-agent's data: %w", errors.Join(problem, err))
	}
	r.scratch = dir
	if err := ensureShadow(filepath.Join(dir, shadowName), files); err != nil {
		return fmt.Errorf("cannot make a directory for git-agent's data: %w", errors.Join(problem, err, os.RemoveAll(dir)))
	}
	r.useShadow(dir)
	return nil
}

func (r *Repo) useShadow(dataDir string) {
	r.dataDir = dataDir
	dir := filepath.Join(dataDir, shadowName)
	r.dropped = dropDamagedGraph(dir, r.format)
	pins := append(pinned[:len(pinned):len(pinned)], "-c", "core.attributesFile="+os.DevNull)
	if r.opt.Bloom == BloomOff {
		pins = append(pins, "-c", "commitGraph.readChangedPaths=false")
	}
	r.shadow = &runner{
		dir: dir, pins: pins, timeout: r.opt.Timeout, log: r.opt.Log, look: r.blockingFile,
		attributes: filepath.Join(dir, "attributes"),
		env:        shadowEnv(dir, joinAlternates(r.environmentObjects())),
	}
}

// environmentObjects lists the object directories that only this process's
// environment names. They must not be written into a file that outlives the
// process.
func (r *Repo) environmentObjects() []string {
	var dirs []string
	for _, dir := range r.objects {
		if dir != filepath.Join(r.commonDir, "objects") {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// shadowFiles returns all files of the shadow, by slash-separated name.
func (r *Repo) shadowFiles() map[string][]byte {
	files := shadowContent(r.format, filepath.Join(r.commonDir, "objects"))
	if r.shallow {
		files["shallow"] = shallowFile(r.boundary)
	}
	return files
}

// shallowFile spells the boundary as git does, sorted so that it compares.
func shallowFile(boundary map[OID]bool) []byte {
	var b bytes.Buffer
	for _, oid := range slices.Sorted(maps.Keys(boundary)) {
		fmt.Fprintln(&b, oid)
	}
	return b.Bytes()
}
