package fixeval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxFile limits the size of a file of a case, in bytes.
const maxFile = 64 << 20

// filesOf reads files of a commit, in the form of a work tree. A file that exists only in before
// gets Mode 0.
func filesOf(ctx context.Context, repo *gitext.Repo, before, commit gitext.OID, paths []string) ([]gitext.Overlay, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	then, err := entriesOf(ctx, repo, commit, paths)
	if err != nil {
		return nil, err
	}
	earlier, err := entriesOf(ctx, repo, before, paths)
	if err != nil {
		return nil, err
	}
	var list []gitext.Overlay
	for _, path := range paths {
		e, there := then[path]
		if _, was := earlier[path]; !there && !was {
			return nil, fmt.Errorf("%q is in neither %s nor %s", path, before.Short(), commit.Short())
		}
		o := gitext.Overlay{Path: path}
		if there {
			o.Mode = e.Mode
			if o.Content, err = repo.Blob(ctx, e.OID, maxFile); err != nil {
				return nil, fmt.Errorf("read %q at %s: %w", path, commit.Short(), err)
			}
		}
		list = append(list, o)
	}
	return list, nil
}

func entriesOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID, paths []string) (map[string]gitext.TreeEntry, error) {
	entries, err := repo.Tree(ctx, commit, paths...)
	if err != nil {
		return nil, err
	}
	m := map[string]gitext.TreeEntry{}
	for _, e := range entries {
		m[e.Path] = e
	}
	return m, nil
}

// A change is one block of lines that a patch replaces, removes or inserts.
type change struct {
	path string
	// lines are lines of the old file. For an insertion, End is Start-1, and the new lines come
	// before Start.
	lines    gitext.LineRange
	function int // first line of the function around it; 0 outside of functions
}

// A reader determines the lines of a commit that a patch changes.
type reader struct {
	repo   *gitext.Repo
	dir    string // scratch directory for DiffOverlays
	commit gitext.OID
}

// changes returns the changes of files relative to the commit's files, in the order of the files
// and of their lines. Binary files have one change without lines.
func (r *reader) changes(ctx context.Context, files []gitext.Overlay) ([]change, error) {
	var list []change
	for _, f := range files {
		old, err := r.repo.BlobAt(ctx, r.commit, f.Path, maxFile)
		if err != nil && !errors.Is(err, gitext.ErrNotExist) {
			return nil, err
		}
		diff, err := r.repo.DiffOverlays(ctx, r.dir, r.commit, nil, []gitext.Overlay{f})
		if err != nil {
			return nil, err
		}
		if len(diff) == 0 {
			continue
		}
		blocks := blocksOf(diff)
		if len(blocks) == 0 {
			list = append(list, change{path: f.Path})
		}
		lines := bytes.Split(old, []byte("\n"))
		for _, b := range blocks {
			list = append(list, change{f.Path, b, functionOf(f.Path, lines, b)})
		}
	}
	return list, nil
}

// functionOf returns the first line of the function around a block, or 0. An insertion is in a
// function if the lines on both sides are.
func functionOf(path string, lines [][]byte, block gitext.LineRange) int {
	first, ok := source.FunctionAround(path, lines, block.Start)
	if block.End >= block.Start {
		return first.Start // 0 if there is none
	}
	before, also := source.FunctionAround(path, lines, block.End)
	if !ok || !also || before.Start != first.Start {
		return 0
	}
	return first.Start
}

// blocksOf returns the blocks of old lines that a diff of one file changes.
func blocksOf(diff []byte) []gitext.LineRange {
	var blocks []gitext.LineRange
	at, open := 0, false // the next old line; whether the last block continues
	for line := range bytes.Lines(diff) {
		if start, ok := hunkStart(line); ok {
			at, open = start, false
			continue
		}
		if at == 0 || line[0] == '\\' {
			continue // before the first hunk, or a note about the last line
		}
		if line[0] != '-' && line[0] != '+' {
			at, open = at+1, false
			continue
		}
		if !open {
			blocks, open = append(blocks, gitext.LineRange{Start: at, End: at - 1}), true
		}
		if line[0] == '-' {
			blocks[len(blocks)-1].End = at
			at++
		}
	}
	return blocks
}

// hunkStart reads the heading of a hunk, "@@ -12,3 +12,4 @@", and returns the first old line. For
// a hunk without old lines it returns the line before the new ones.
func hunkStart(line []byte) (int, bool) {
	text, ok := bytes.CutPrefix(line, []byte("@@ -"))
	if !ok {
		return 0, false
	}
	old, _, _ := strings.Cut(string(text), " ")
	number, count, _ := strings.Cut(old, ",")
	start, err := strconv.Atoi(number)
	if err != nil {
		return 0, false
	}
	if count == "0" {
		start++
	}
	return start, true
}

// A truth is the set of changes of the developers' fix in the source files.
type truth struct {
	files   []gitext.Overlay
	changes []change
}

// given returns the changed lines as given locations. An insertion is an empty range. A file that
// the fix adds has no location, and neither has the top of a file.
func (t *truth) given() []fix.GivenLocation {
	var list []fix.GivenLocation
	for _, c := range t.changes {
		switch {
		case c.lines.Start == 0: // a binary file
		case c.lines.End >= c.lines.Start || c.lines.Start > 1:
			list = append(list, fix.GivenLocation{Path: c.path, Lines: c.lines})
		}
	}
	return list
}

// holds reports whether the fix changes lines of a location.
func (t *truth) holds(l fix.Location) bool {
	for _, c := range t.changes {
		if c.path != l.Path || c.lines.Start == 0 {
			continue
		}
		if c.lines.End >= c.lines.Start {
			if c.lines.Start <= l.Lines.End && l.Lines.Start <= c.lines.End {
				return true
			}
			continue
		}
		// The lines on both sides of an insertion are End and Start.
		if l.Lines.Start <= c.lines.End && c.lines.Start <= l.Lines.End ||
			l.Function == "" && l.Lines.Start <= c.lines.Start && c.lines.End <= l.Lines.End {
			return true
		}
	}
	return false
}

// ranks returns the 1-based positions of the first location that the fix changes, and of its file
// among the files of the locations; 0 if there is none.
func (t *truth) ranks(locations []fix.Location) (function, file int) {
	files := map[string]bool{}
	for i, l := range locations {
		if function == 0 && t.holds(l) {
			function = i + 1
		}
		if !files[l.Path] {
			files[l.Path] = true
			if file == 0 && t.changesFile(l.Path) {
				file = len(files)
			}
		}
	}
	return function, file
}

func (t *truth) changesFile(path string) bool {
	for _, c := range t.changes {
		if c.path == path {
			return true
		}
	}
	return false
}

// A place is a function of a file, or the part of a file outside of functions.
type place struct {
	path     string
	function int
}

// placesOf returns the files and the functions that changes touch.
func placesOf(changes []change) (files map[string]bool, functions map[place]bool) {
	files, functions = map[string]bool{}, map[place]bool{}
	for _, c := range changes {
		files[c.path] = true
		functions[place{c.path, c.function}] = true
	}
	return files, functions
}
