package gitext

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
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
		if problem = gitdir.EnsureShadow(filepath.Join(dir, gitdir.ShadowName), files); problem == nil {
			r.useShadow(dir)
			return nil
		}
	}
	temporary, err := disk.MakeTemp()
	if err != nil {
		return fmt.Errorf("cannot make a directory for git-agent's data: %w", errors.Join(problem, err))
	}
	r.scratch = temporary
	dir := temporary.Path
	if err := gitdir.EnsureShadow(filepath.Join(dir, gitdir.ShadowName), files); err != nil {
		return fmt.Errorf("cannot make a directory for git-agent's data: %w", errors.Join(problem, err, temporary.Remove()))
	}
	r.useShadow(dir)
	return nil
}

func (r *Repo) useShadow(dataDir string) {
	r.dataDir = dataDir
	dir := filepath.Join(dataDir, gitdir.ShadowName)
	r.dropped = gitdir.DropDamagedGraph(dir, r.format)
	pins := append(gitcmd.Pinned[:len(gitcmd.Pinned):len(gitcmd.Pinned)], "-c", "core.attributesFile="+os.DevNull)
	if r.opt.Bloom == BloomOff {
		pins = append(pins, "-c", "commitGraph.readChangedPaths=false")
	}
	r.shadow = &gitcmd.Runner{
		Dir: dir, Pins: pins, Timeout: r.opt.Timeout, Log: r.opt.Log, Look: r.blockingFile,
		Attributes: filepath.Join(dir, "attributes"),
		Env:        gitcmd.ShadowEnv(dir, gitdir.JoinAlternates(r.environmentObjects())),
	}
}

// environmentObjects lists the object directories that only this process's
// environment names. No file that outlives the process may name them.
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
	files := gitdir.ShadowFiles(r.format, filepath.Join(r.commonDir, "objects"))
	if r.shallow {
		files["shallow"] = shallowFile(r.boundary)
	}
	return files
}

// shallowFile returns the boundary in the format of git's file shallow, sorted
// for comparison.
func shallowFile(boundary map[OID]bool) []byte {
	var b bytes.Buffer
	for _, oid := range slices.Sorted(maps.Keys(boundary)) {
		fmt.Fprintln(&b, oid)
	}
	return b.Bytes()
}
