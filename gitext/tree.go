package gitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// TreeEntry is one file of a tree.
type TreeEntry struct {
	Path      string
	Mode      uint32
	OID       OID
	Submodule bool
}

// Tree lists the files of a commit in git's order: all files, or those below the
// given paths. It needs no blob. If the tree is too large, Tree returns the first
// files together with an ErrTooManyFiles.
func (r *Repo) Tree(ctx context.Context, rev OID, paths ...string) ([]TreeEntry, error) {
	if err := errors.Join(rev.valid(), checkPaths(paths)); err != nil {
		return nil, err
	}
	args := []string{"ls-tree", "-r", "-z", "--full-tree", string(rev)}
	var entries []TreeEntry
	room := int64(maxTree)
	err := r.shadow.Stream(ctx, gitcmd.Call{Args: withPaths(args, paths)}, func(out *bufio.Reader) error {
		for {
			if _, err := out.Peek(1); err == io.EOF {
				return nil
			}
			record, err := gitcmd.ReadRecord(out)
			if err != nil {
				return err
			}
			entry, err := parseTreeEntry(record)
			if err != nil {
				return err
			}
			if room -= int64(len(record)) + changeCost; room < 0 {
				return fmt.Errorf("%w: %d files and more", gitcmd.ErrTooManyFiles, len(entries))
			}
			entries = append(entries, entry)
		}
	})
	if err != nil {
		return entries, r.explain(ctx, gitcmd.CountCut(ctx, err), rev)
	}
	return entries, nil
}

// maxTree bounds the kept part of a tree, in bytes: about a million files.
const maxTree = 256 << 20

// parseTreeEntry reads "mode type oid\tpath".
func parseTreeEntry(record string) (TreeEntry, error) {
	meta, path, _ := strings.Cut(record, "\t")
	f := strings.Fields(meta)
	if len(f) != 3 || path == "" {
		return TreeEntry{}, fmt.Errorf("malformed tree entry: %.200q", record)
	}
	mode, err1 := strconv.ParseUint(f[0], 8, 32)
	oid, err2 := ParseOID(f[2])
	if errors.Join(err1, err2) != nil {
		return TreeEntry{}, fmt.Errorf("malformed tree entry: %.200q", record)
	}
	return TreeEntry{Path: path, Mode: uint32(mode), OID: oid, Submodule: mode == modeSubmodule}, nil
}

// Changes lists the files that differ between two commits, as Patch does, but
// without hunks and Binary. Parent "" is the empty tree. Exact renames cost
// nothing; the search for others reads blobs.
func (r *Repo) Changes(ctx context.Context, parent, commit OID, opt PatchOptions) ([]FileChange, error) {
	if parent == "" {
		parent = r.emptyTree()
	}
	if err := errors.Join(validAll(parent, commit), checkPaths(opt.Paths)); err != nil {
		return nil, err
	}
	args := append([]string{"diff-tree", "-r", "--raw", "--no-abbrev", "--ignore-submodules=none", "-l1000"}, opt.similarity()...)
	patch := &Patch{}
	err := r.shadow.Stream(
		ctx,
		gitcmd.Call{Args: withPaths(append(args, string(parent), string(commit)), opt.Paths), Pathspecs: opt.Pathspecs},
		func(out *bufio.Reader) error {
			reader := newPatchReader(out, opt)
			return reader.patch(patch)
		},
	)
	if err != nil {
		return nil, r.explain(ctx, err, append(changed(patch), commit, parent)...)
	}
	return patch.Files, nil
}
