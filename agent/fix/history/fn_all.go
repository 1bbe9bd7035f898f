package history

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// FileFunctions names the functions of a file, in the order of the file and each once.
type FileFunctions struct {
	Path    string
	Names   []string
	Changed []string // functions that the commit changed; nil if it created the file
}

// FnAll returns the names of all functions in the changed files of a blamed commit, in the
// version after it (HAFixAgent, section 4.1.3, fn_all). The faulty file is first, the others
// are in git's order. Tests and files without program code are left out, and so are files after
// the first 50, unreadable files and files without functions.
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

const maxNamedBytes = 8 << 20 // bytes of all files with named functions

// namesIn names the functions of a file. hunks is nil for a new file.
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

// changesLines reports whether a hunk without context adds a line from start to end, or removes
// lines between two such lines.
func changesLines(h gitext.Hunk, start, end int) bool {
	if h.NewLines == 0 {
		return h.NewStart >= start && h.NewStart < end
	}
	return h.NewStart <= end && h.NewStart+h.NewLines > start
}

// changedHunks returns, by path, a blamed commit's hunks in files that it did not create. For a
// commit that cannot be read completely, it returns nothing.
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

// textAt reads a file of a commit. A missing, unreadable or binary file counts as empty.
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
