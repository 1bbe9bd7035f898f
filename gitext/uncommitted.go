package gitext

import (
	"bufio"
	"context"
	"slices"
	"strings"
)

// PatchWorktree compares HEAD with the files of the work tree, as git diff
// HEAD does. Ids of files that are not in the object store are all zeros.
func (r *Repo) PatchWorktree(ctx context.Context, opt PatchOptions) (*Patch, error) {
	return r.patchIndex(ctx, opt)
}

// PatchStaged compares HEAD with the index, as git diff --cached does.
func (r *Repo) PatchStaged(ctx context.Context, opt PatchOptions) (*Patch, error) {
	return r.patchIndex(ctx, opt, "--cached")
}

// patchIndex runs diff-index in the user's repository, which alone knows the
// index. Before the first commit it compares with the empty tree.
func (r *Repo) patchIndex(ctx context.Context, opt PatchOptions, more ...string) (*Patch, error) {
	if r.workTree == "" && len(more) == 0 {
		return nil, &Error{Args: []string{"diff-index"}, Exit: 128, Err: ErrNotExist, Hint: "this repository has no work tree"}
	}
	args, err := opt.args()
	if err != nil {
		return nil, err
	}
	quiet, err := r.localFilters(ctx)
	if err != nil {
		return nil, err
	}
	head, err := r.Resolve(ctx, "HEAD")
	if err != nil {
		head = ""
	}
	base := head
	if base == "" {
		base = r.EmptyTree()
	}
	// --text: an attribute in the work tree could hide a text as binary.
	args = append(append(append(quiet, "diff-index", "--text"), args...), more...)
	patch := &Patch{Parent: head}
	user := *r.user
	if r.workTree != "" {
		user.dir = r.workTree
	}
	err = user.stream(ctx, call{args: withPaths(append(args, string(base)), opt.Paths)}, func(out *bufio.Reader) error {
		reader := newPatchReader(out, opt)
		return reader.patch(patch)
	})
	if err != nil {
		return nil, r.explain(ctx, err, changed(patch)...)
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

// localFilters switches off the programs that the repository's own
// configuration names for its files (filter.*.clean and process), which a
// comparison with the work tree would run. Those of the user's configuration
// stay: they belong to the content, as with git lfs.
func (r *Repo) localFilters(ctx context.Context) ([]string, error) {
	settings, err := r.settings(ctx, `^filter\..*\.(clean|smudge|process|required)$`)
	if err != nil {
		return nil, err
	}
	var args []string
	for key, values := range settings {
		if slices.ContainsFunc(values, func(v ConfigValue) bool { return !v.Trusted() }) {
			value := lastTrusted(values)
			if value == "" && strings.HasSuffix(key, ".required") {
				value = "false"
			}
			args = append(args, "-c", key+"="+value)
		}
	}
	return args, nil
}

// lastTrusted is the value that the user's own configuration gives.
func lastTrusted(values []ConfigValue) string {
	value := ""
	for _, v := range values {
		if v.Trusted() {
			value = v.Value
		}
	}
	return value
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
