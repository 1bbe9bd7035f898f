package gitext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-agent/gitext/gitcmd"
)

// Blob reads a blob. A blob of more than max bytes (0: no bound) is
// a *TooLargeError; a missing blob is a *MissingObjectError.
func (r *Repo) Blob(ctx context.Context, oid OID, max int64) ([]byte, error) {
	if err := oid.valid(); err != nil {
		return nil, err
	}
	text, err := r.blob(ctx, oid, max)
	if errors.Is(err, gitcmd.ErrMissing) {
		return nil, r.missing(ctx, oid)
	}
	return text, err
}

// blob reads a blob that is not larger than max (0: any size).
func (r *Repo) blob(ctx context.Context, oid OID, max int64) (text []byte, err error) {
	name := string(oid)
	if max > 0 {
		head, err := r.objs.Info(ctx, name)
		if err == nil {
			err = usableBlob(head, name, max)
		}
		if err != nil {
			return nil, err
		}
	}
	r.objs.Each(ctx, "contents", []string{name}, func(_ int, head gitcmd.ObjectHead, content io.Reader, gotErr error) {
		if err = gotErr; err == nil {
			err = usableBlob(head, name, max)
		}
		if err == nil {
			text = make([]byte, head.Size)
			_, err = io.ReadFull(content, text)
		}
	})
	return text, err
}

// usableBlob checks an answer before its content is read.
func usableBlob(head gitcmd.ObjectHead, name string, max int64) error {
	if head.Kind != "blob" {
		return fmt.Errorf("%q is a %s, not a blob", name, head.Kind)
	}
	if max > 0 && head.Size > max {
		return &TooLargeError{OID: OID(head.OID), Size: head.Size, Max: max}
	}
	return nil
}

// BlobAt reads the file at path in a commit or tree. If there is no file at path,
// the error is ErrNotExist.
func (r *Repo) BlobAt(ctx context.Context, rev OID, path string, max int64) ([]byte, error) {
	oid, mode, err := r.entry(ctx, rev, path)
	if err != nil {
		return nil, err
	}
	if mode == modeSubmodule || mode == modeTree {
		return nil, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
	}
	return r.Blob(ctx, oid, max)
}

const (
	modeTree      = 0o40000
	modeLink      = 0o120000
	modeSubmodule = 0o160000
)

// entry finds a path in a tree. It asks cat-file first, which is fast. If
// cat-file's line protocol cannot carry the path, or cat-file does not find it,
// entry asks ls-tree, which also tells the reason.
func (r *Repo) entry(ctx context.Context, rev OID, path string) (OID, uint32, error) {
	if err := rev.valid(); err != nil {
		return "", 0, err
	}
	if !treePath(path) {
		return "", 0, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
	}
	if !strings.Contains(path, "\n") {
		head, err := r.objs.Info(ctx, string(rev)+":"+path)
		if err == nil && head.Kind == "blob" {
			return OID(head.OID), 0o100644, nil
		}
		if err != nil && !errors.Is(err, gitcmd.ErrMissing) {
			return "", 0, err
		}
	}
	return r.treeEntry(ctx, rev, path)
}

// treePath reports whether a tree can contain the path: not "", "/x", "x/",
// "a//b" or "../x".
func treePath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return !strings.ContainsRune(path, 0)
}

// treeEntry finds a path with ls-tree, which costs a process.
func (r *Repo) treeEntry(ctx context.Context, rev OID, path string) (OID, uint32, error) {
	out, err := r.shadow.Output(
		ctx,
		gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"ls-tree", "-z", "--full-tree", string(rev), "--", path}},
	)
	if err != nil {
		return "", 0, r.explain(ctx, err, rev)
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		if e, err := parseTreeEntry(record); err == nil && e.Path == path {
			return e.OID, e.Mode, nil
		}
	}
	return "", 0, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
}
