package gitext

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"git-agent/gitext/gitcmd"
)

// FileLines has the lines that a commit removes from a file and adds to it, each with a line
// break. A rename counts as one file.
type FileLines struct {
	OldPath, Path  string // Path "" for a deleted file
	Removed, Added []byte
	Partial        bool // lines are missing: the file's lines exceed maxFileLines
}

// maxFileLines bounds the lines of one file, in bytes.
const maxFileLines = 32 << 20

// LinesTaker receives the results of ChangedLines: the files of a commit, then a call of Commit.
// If Commit gets an error, for which Unreadable is true, files may be missing. Commit returns
// false to end the reading. The lines are valid until File returns.
type LinesTaker interface {
	File(f *FileLines)
	Commit(c Ancestor, err error) bool
}

// ChangedLines reads the changed lines of all files of the commits, as git log -p compares them:
// with the first parent, with renames, without textconv. Binary files are compared as text.
// Merges have no files. An unreadable commit does not end the reading; any other error does and
// is returned.
func (r *Repo) ChangedLines(ctx context.Context, commits []Ancestor, take LinesTaker) error {
	var pairs []pair
	for _, c := range commits {
		p := pair{commit: c.OID}
		if len(c.Parents) > 1 {
			p.err = errMerge
		} else if len(c.Parents) == 1 {
			p.parent = c.Parents[0]
		}
		pairs = append(pairs, p)
	}
	next := 0
	read := func(out *bufio.Reader, p *pair) error {
		if p.err != nil {
			return nil
		}
		reader := linesReader{patchReader: newPatchReader(out, PatchOptions{}), take: take}
		return reader.read()
	}
	var failed error
	emit := func(p *pair, err error) bool {
		c := commits[next]
		next++
		if err == errMerge {
			err = nil
		}
		if err != nil && !Unreadable(err) {
			failed = fmt.Errorf("read the changed lines of %s: %w", c.OID.Short(), err)
			return false
		}
		return take.Commit(c, err)
	}
	git := gitcmd.Call{
		Total: gitcmd.BuildTotal,
		Args: []string{"-r", "-p", "--raw", "--full-index", "-U1", "--inter-hunk-context=0", "--no-indent-heuristic", "-M", "-l1000",
			"--text", "--diff-algorithm=myers", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=none",
			"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "--"},
	}
	r.comparePairs(ctx, pairs, git, read, emit)
	return failed
}

var errMerge = errors.New("a merge is not compared")

// A linesReader reads the changed lines of a patch, one file at a time.
type linesReader struct {
	patchReader
	take  LinesTaker
	patch Patch // the raw records
	file  FileLines
	index int // of file in patch, -1 before the first
}

func (l *linesReader) read() error {
	l.index = -1
	for {
		first, err := l.lines.Peek()
		if err == io.EOF || err == nil && first == endMark {
			l.flush()
			return nil
		}
		if err != nil {
			return err
		}
		line, err := l.lines.Next()
		if err != nil {
			return err
		}
		switch {
		case len(line) == 0:
		case first == ':':
			file, err := parseRaw(string(line))
			if err != nil {
				return err
			}
			l.patch.Files = append(l.patch.Files, file)
		case bytes.HasPrefix(line, []byte("diff --git ")):
			err = l.begin(string(line))
		case bytes.HasPrefix(line, []byte("@@ ")):
			err = l.hunk(string(line))
		}
		if err != nil {
			return err
		}
	}
}

// begin finds the file of a header. A change of type has two headers.
func (l *linesReader) begin(header string) error {
	i := findSection(l.patch.Files, l.index, header)
	if i == len(l.patch.Files) {
		return fmt.Errorf("no file for the patch header %.200q", header)
	}
	if i == l.index {
		return nil
	}
	l.flush()
	f := &l.patch.Files[i]
	l.index = i
	l.file = FileLines{OldPath: f.OldPath, Path: f.NewPath, Removed: l.file.Removed[:0], Added: l.file.Added[:0]}
	switch f.Status {
	case 'A':
		l.file.OldPath = ""
	case 'D':
		l.file.Path = ""
	}
	return nil
}

// flush passes on the file that was read.
func (l *linesReader) flush() {
	if len(l.file.Removed)+len(l.file.Added) > 0 || l.file.Partial {
		l.take.File(&l.file)
	}
	l.file = FileLines{Removed: l.file.Removed[:0], Added: l.file.Added[:0]}
}

// hunk reads the lines of a hunk, as many as its header says.
func (l *linesReader) hunk(header string) error {
	h, err := parseHunkHeader(header)
	if err != nil {
		return err
	}
	return l.hunkLines(&h, l.add)
}

// add keeps a changed line, unless the file has too many.
func (l *linesReader) add(pl PatchLine, cut bool) {
	if pl.Op == ' ' {
		return
	}
	if cut || len(l.file.Removed)+len(l.file.Added)+len(pl.Text) > maxFileLines {
		l.file.Partial = true
	}
	if l.file.Partial {
		l.file.Removed, l.file.Added = nil, nil
		return
	}
	side := &l.file.Added
	if pl.Op == '-' {
		side = &l.file.Removed
	}
	*side = append(append(*side, pl.Text...), '\n')
}
