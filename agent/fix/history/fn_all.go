package history

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// FileFunctions names the functions of a file, in its order and each once.
type FileFunctions struct {
	Path    string
	Names   []string
	Changed []string // those that the commit changed; nil if it created the file
}

// FnAll returns the names of all functions in the files that a blamed commit changed, as
// the commit left them (HAFixAgent, section 4.1.3, fn_all). The faulty file is first,
// the others are in git's order. Tests and files without program code are left out, and
// so are files beyond 50, those that cannot be read and those without functions.
func FnAll(ctx context.Context, repo *gitext.Repo, b fix.Blamed) ([]FileFunctions, error) {
	paths := b.Files
	if len(paths) == 0 {
		paths = []string{b.Path}
	}
	paths = paths[:min(len(paths), maxFiles)]
	hunks, err := changedHunks(ctx, repo, b, paths)
	if err != nil {
		return nil, err
	}
	var out []FileFunctions
	room := maxNamedBytes
	for _, p := range paths {
		text, err := textAt(ctx, repo, b.Commit.OID, p)
		if err != nil {
			return nil, err
		}
		if room -= len(text); room < 0 && len(out) > 0 {
			break
		}
		if f := namesIn(p, splitLines(text), hunks[p]); len(f.Names) > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}

const maxNamedBytes = 8 << 20 // of all files whose functions are named

// namesIn names the functions of a file. hunks is nil for a file that is new.
func namesIn(path string, lines [][]byte, hunks []gitext.Hunk) FileFunctions {
	f := FileFunctions{Path: path}
	for _, fn := range functions(path, lines) {
		if !slices.Contains(f.Names, fn.Name) {
			f.Names = append(f.Names, fn.Name)
		}
		if slices.ContainsFunc(hunks, func(h gitext.Hunk) bool { return changesLines(h, fn.Start, fn.End) }) && !slices.Contains(f.Changed, fn.Name) {
			f.Changed = append(f.Changed, fn.Name)
		}
	}
	return f
}

// changesLines reports whether a hunk without context adds one of the lines start to
// end, or removes lines between two of them.
func changesLines(h gitext.Hunk, start, end int) bool {
	if h.NewLines == 0 {
		return h.NewStart >= start && h.NewStart < end
	}
	return h.NewStart <= end && h.NewStart+h.NewLines > start
}

// changedHunks returns by path what a blamed commit changed in files that it did not
// create. Of a commit that cannot be read completely it returns nothing.
func changedHunks(ctx context.Context, repo *gitext.Repo, b fix.Blamed, paths []string) (map[string][]gitext.Hunk, error) {
	if b.Root || b.Parent == "" {
		return nil, nil
	}
	if b.Previous != "" {
		paths = append(slices.Clone(paths), b.Previous)
	}
	patch, err := repo.Patch(ctx, b.Parent, b.Commit.OID, gitext.PatchOptions{Renames: true, IgnoreSpace: true, Paths: paths, MaxBytes: maxFileBytes})
	if err != nil {
		if gitext.Unreadable(err) {
			err = nil
		}
		return nil, err
	}
	hunks := map[string][]gitext.Hunk{}
	for _, f := range patch.Files {
		if f.Status != 'A' {
			hunks[f.NewPath] = f.Hunks
		}
	}
	return hunks, nil
}

// textAt reads a file of a commit. A file that is not there or cannot be read is empty,
// and so is a binary one.
func textAt(ctx context.Context, repo *gitext.Repo, commit gitext.OID, path string) ([]byte, error) {
	text, err := repo.BlobAt(ctx, commit, path, maxFileBytes)
	if gitext.Unreadable(err) || errors.Is(err, gitext.ErrNotExist) {
		return nil, nil
	}
	if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil, err
	}
	return text, err
}
