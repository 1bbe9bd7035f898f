package gitext

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
)

// PatchWorktree compares HEAD with the files of the work tree, as git diff HEAD does. The ids of
// files outside the object store are all zeros.
//
// Line endings, $Id$ and encodings are converted according to attributes and the user's settings.
// A file whose filter is defined in the user's own configuration (Git LFS) cannot be compared
// without running a program, so it is listed in LeftOut. Filters from the repository's
// configuration are not applied. A submodule is compared by its checked-out commit; changes
// inside it are ignored.
func (r *Repo) PatchWorktree(ctx context.Context, opt PatchOptions) (*Patch, error) {
	settings, err := r.settings(ctx, workTreeSettings)
	if err != nil {
		return nil, err
	}
	u, err := r.workTreeDir(ctx, settings)
	if err != nil {
		return nil, err
	}
	defer u.close()
	patch, err := u.patch(ctx, opt)
	if err != nil {
		return nil, err
	}
	return patch, u.leaveOut(ctx, patch, ownFilters(settings))
}

// UnmergedError says that a file of the index has a conflict, so that the index cannot be
// committed.
type UnmergedError struct{ Path string }

func (e *UnmergedError) Error() string { return fmt.Sprintf("%q is not merged", e.Path) }

// unmerged begins the line for such a file in a patch.
const unmerged = "* Unmerged path "

// PatchStaged compares HEAD with the index, as git diff --cached does. If a file has a
// conflict, the error is an *UnmergedError.
func (r *Repo) PatchStaged(ctx context.Context, opt PatchOptions) (*Patch, error) {
	u, err := r.newUncommittedDir(ctx)
	if err != nil {
		return nil, err
	}
	defer u.close()
	return u.patch(ctx, opt, "--cached", "--ita-invisible-in-index") // git diff --cached ignores git add -N, too
}

// patch compares with HEAD. Before the first commit it compares with the empty tree.
func (u *uncommittedDir) patch(ctx context.Context, opt PatchOptions, more ...string) (*Patch, error) {
	head, err := u.repo.Resolve(ctx, "HEAD")
	if err != nil {
		head = ""
	}
	return u.compare(ctx, head, opt, more...)
}

// compare runs diff-index against a commit, or against the empty tree if it is "".
func (u *uncommittedDir) compare(ctx context.Context, head OID, opt PatchOptions, more ...string) (*Patch, error) {
	args, err := opt.args()
	if err != nil {
		return nil, err
	}
	base := head
	if base == "" {
		base = u.repo.emptyTree()
	}
	// --text: attributes in the work tree could mark a text as binary. --ignore-submodules:
	// otherwise git runs git status in each submodule, with the submodule's configuration.
	args = append(append([]string{"diff-index", "--text"}, args...), "--ignore-submodules=dirty")
	args = append(append(args, more...), string(base))
	patch := &Patch{Parent: head}
	err = u.git.Stream(ctx, gitcmd.Call{Args: withPaths(args, opt.Paths), Pathspecs: opt.Pathspecs}, func(out *bufio.Reader) error {
		reader := newPatchReader(out, opt)
		return reader.patch(patch)
	})
	if err != nil {
		return nil, cmp.Or(u.noFile(ctx, err), u.repo.explain(ctx, err, changed(patch)...))
	}
	markBinary(patch)
	patch.Files = slices.DeleteFunc(patch.Files, untouched)
	return patch, nil
}

// noFile returns a *disk.KindError if git failed and a tracked path of the work tree is a named
// pipe, a socket or a device, which git cannot compare; otherwise nil.
func (u *uncommittedDir) noFile(ctx context.Context, failed error) error {
	var gitErr *gitcmd.Error
	if !errors.As(failed, &gitErr) || gitErr.Exit != 128 || u.repo.workTree == "" {
		return nil
	}
	out, err := u.git.Output(ctx, gitcmd.Call{Args: []string{"ls-files", "-z"}})
	if err != nil {
		return nil // the first error is more useful
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(u.repo.workTree, filepath.FromSlash(path)))
		if err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) != 0 {
			return &disk.KindError{Path: path, Mode: info.Mode()}
		}
	}
	return nil
}

// untouched reports whether a file was listed only because its time stamp differs from the index.
// diff-index lists such a file with no hunks and an unknown id; git diff would refresh the index
// first.
func untouched(f FileChange) bool {
	return f.Status == 'M' && f.NewOID.zero() && f.OldMode == f.NewMode && f.Hunks == nil && !f.Binary && !f.Submodule
}

// leaveOut moves files from the patch to LeftOut if only one of the user's filters could convert
// them.
func (u *uncommittedDir) leaveOut(ctx context.Context, patch *Patch, filters map[string]bool) error {
	if len(filters) == 0 || len(patch.Files) == 0 {
		return nil
	}
	used, err := u.filters(ctx, patch)
	if err != nil {
		return err
	}
	patch.Files = slices.DeleteFunc(patch.Files, func(f FileChange) bool {
		filter := used[f.NewPath]
		if !filters[filter] || f.Status == 'D' || !f.NewOID.zero() {
			return false // the index already holds the filtered content
		}
		patch.LeftOut = append(patch.LeftOut, LeftOut{Path: f.NewPath, Filter: filter})
		return true
	})
	return nil
}

// filters asks git for the filter attribute of each file of a patch, without running a filter.
func (u *uncommittedDir) filters(ctx context.Context, patch *Patch) (map[string]string, error) {
	var paths bytes.Buffer
	for _, f := range patch.Files {
		fmt.Fprintf(&paths, "%s\x00", f.NewPath)
	}
	out, err := u.git.Output(ctx, gitcmd.Call{Args: []string{"check-attr", "-z", "--stdin", "filter"}, Stdin: &paths, Timeout: gitcmd.QuickTimeout})
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

// ownFilters returns the filters that the user's own configuration defines.
func ownFilters(settings map[string][]gitconfig.Value) map[string]bool {
	names := map[string]bool{}
	for key := range settings {
		rest, isFilter := strings.CutPrefix(key, "filter.")
		dot := strings.LastIndexByte(rest, '.')
		if isFilter && dot > 0 && gitconfig.Trusted(settings[key]) != "" {
			names[rest[:dot]] = true
		}
	}
	return names
}

// markBinary applies git's rule to files that were compared as text: it drops the hunks of files
// with NUL bytes. It sees only hunks, so a binary file without NUL in its hunks stays a text.
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
