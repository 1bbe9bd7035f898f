package gitext

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// PatchWorktree compares HEAD with the files of the work tree, as git diff
// HEAD does. Ids of files that are not in the object store are all zeros.
//
// Line ends, $Id$ and encodings are converted as attributes and the user's
// settings say. A file whose filter the user's own configuration defines (Git
// LFS) takes a program to be compared: it is in LeftOut. What a repository's
// configuration defines as a filter is not applied. A submodule counts by the
// commit that is checked out; its own changes are not looked at.
func (r *Repo) PatchWorktree(ctx context.Context, opt PatchOptions) (*Patch, error) {
	if r.workTree == "" {
		return nil, &Error{Args: []string{"diff-index"}, Exit: 128, Err: ErrNotExist, Hint: "this repository has no work tree"}
	}
	if err := r.checkWorkTree(); err != nil {
		return nil, err
	}
	settings, err := r.settings(ctx, workTreeSettings)
	if err != nil {
		return nil, err
	}
	a, err := r.newAside(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	if err := a.useWorkTree(settings); err != nil {
		return nil, err
	}
	patch, err := a.patch(ctx, opt)
	if err != nil {
		return nil, err
	}
	return patch, a.leaveOut(ctx, patch, ownFilters(settings))
}

// PatchStaged compares HEAD with the index, as git diff --cached does.
func (r *Repo) PatchStaged(ctx context.Context, opt PatchOptions) (*Patch, error) {
	a, err := r.newAside(ctx)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return a.patch(ctx, opt, "--cached", "--ita-invisible-in-index") // as git diff: git add -N stages nothing yet
}

// patch runs diff-index. Before the first commit it compares with the empty
// tree.
func (a *aside) patch(ctx context.Context, opt PatchOptions, more ...string) (*Patch, error) {
	args, err := opt.args()
	if err != nil {
		return nil, err
	}
	head, err := a.repo.Resolve(ctx, "HEAD")
	if err != nil {
		head = ""
	}
	base := head
	if base == "" {
		base = a.repo.EmptyTree()
	}
	// --text: an attribute in the work tree could hide a text as binary.
	// --ignore-submodules: otherwise git runs git status in each of them, with
	// the configuration that is found there.
	args = append(append([]string{"diff-index", "--text"}, args...), "--ignore-submodules=dirty")
	args = append(append(args, more...), string(base))
	patch := &Patch{Parent: head}
	err = a.git.stream(ctx, call{args: withPaths(args, opt.Paths)}, func(out *bufio.Reader) error {
		reader := newPatchReader(out, opt)
		return reader.patch(patch)
	})
	if err != nil {
		return nil, a.repo.explain(ctx, err, changed(patch)...)
	}
	markBinary(patch)
	patch.Files = slices.DeleteFunc(patch.Files, untouched)
	return patch, nil
}

// untouched is true for a file that the index only suspects of a change,
// because its time stamp differs. git diff would refresh the index first;
// diff-index reports the file, with no hunks and an unknown id.
func untouched(f FileChange) bool {
	return f.Status == 'M' && f.NewOID.zero() && f.OldMode == f.NewMode && f.Hunks == nil && !f.Binary && !f.Submodule
}

// leaveOut takes the files out of the patch that only a filter of the user's
// could have read as git stores them.
func (a *aside) leaveOut(ctx context.Context, patch *Patch, filters map[string]bool) error {
	if len(filters) == 0 || len(patch.Files) == 0 {
		return nil
	}
	used, err := a.filters(ctx, patch)
	if err != nil {
		return err
	}
	patch.Files = slices.DeleteFunc(patch.Files, func(f FileChange) bool {
		filter := used[f.NewPath]
		if !filters[filter] || f.Status == 'D' || !f.NewOID.zero() {
			return false // what is in the index has gone through the filter
		}
		patch.LeftOut = append(patch.LeftOut, LeftOut{Path: f.NewPath, Filter: filter})
		return true
	})
	return nil
}

// filters asks for the filter attribute of each file of a patch, which runs
// nothing.
func (a *aside) filters(ctx context.Context, patch *Patch) (map[string]string, error) {
	var paths bytes.Buffer
	for _, f := range patch.Files {
		fmt.Fprintf(&paths, "%s\x00", f.NewPath)
	}
	out, err := a.git.output(ctx, call{args: []string{"check-attr", "-z", "--stdin", "filter"}, stdin: &paths, timeout: quickTimeout})
	if err != nil {
		return nil, err
	}
	used := map[string]string{}
	fields := strings.Split(string(out), "\x00") // path, attribute, value, and again
	for i := 0; i+2 < len(fields); i += 3 {
		used[fields[i]] = fields[i+2]
	}
	return used, nil
}

// ownFilters are the filters that the user's own configuration defines.
func ownFilters(settings map[string][]ConfigValue) map[string]bool {
	names := map[string]bool{}
	for key := range settings {
		rest, isFilter := strings.CutPrefix(key, "filter.")
		dot := strings.LastIndexByte(rest, '.')
		if isFilter && dot > 0 && trusted(settings[key]) != "" {
			names[rest[:dot]] = true
		}
	}
	return names
}

// markBinary applies git's rule to files that were compared as text: hunks of
// files with NUL bytes are dropped. It sees the changed parts only, so a
// binary file whose changed parts hold no NUL stays a text.
func markBinary(patch *Patch) {
	for i := range patch.Files {
		f := &patch.Files[i]
		for _, h := range f.Hunks {
			if slices.ContainsFunc(h.Lines, func(l PatchLine) bool { return slices.Contains(l.Text, 0) }) {
				f.Binary = true
			}
		}
		if f.Binary {
			f.Hunks = nil
		}
	}
}
