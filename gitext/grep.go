package gitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/gitcmd"
)

// GrepOptions define a search in the files of a commit.
type GrepOptions struct {
	Pattern    string // an extended regular expression
	Fixed      bool   // Pattern is literal text
	Word       bool   // whole words only
	IgnoreCase bool
	Paths      []string // literal files and folders
	Max        int      // most matches; 0 is 10,000
	Texts      int      // number of matches with a Text; others are only counted; 0 is all
	Width      int      // most bytes of a Text, at most 64 KiB; 0 is 64 KiB
}

// GrepMatch is one matching line.
type GrepMatch struct {
	Path string
	Line int
	Text []byte // only the beginning of a very long line
}

const (
	defaultGrepMatches = 10_000
	// maxGrepLine bounds the kept part of a matching line, in bytes.
	maxGrepLine = 64 << 10
)

// Grep finds lines in the files of a commit, ordered by path and line. No match
// is not an error. If the clone lacks files, Grep returns the matches in the
// other files together with a *MissingObjectError for the first missing file.
func (r *Repo) Grep(ctx context.Context, rev OID, opt GrepOptions) ([]GrepMatch, error) {
	if opt.Pattern == "" || strings.ContainsAny(opt.Pattern, "\x00\n") {
		return nil, fmt.Errorf("%q is not a pattern", opt.Pattern)
	}
	if err := errors.Join(rev.valid(), checkPaths(opt.Paths)); err != nil {
		return nil, err
	}
	limit := opt.Max
	if limit <= 0 {
		limit = defaultGrepMatches
	}
	ctx, stop := r.watchTree(ctx, rev, opt.Paths)
	defer stop()
	var matches []GrepMatch
	var said string
	err := r.shadow.Stream(ctx, gitcmd.Call{Args: opt.args(rev), Said: &said}, func(out *bufio.Reader) error {
		for len(matches) < limit {
			keep := maxGrepLine
			if opt.Width > 0 {
				keep = min(keep, opt.Width)
			}
			if opt.Texts > 0 && len(matches) >= opt.Texts {
				keep = 0
			}
			m, err := readMatch(out, rev, keep)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			matches = append(matches, m)
		}
		return gitcmd.ErrStop
	})
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 && said == "" {
		return matches, nil
	}
	if err != nil {
		err = r.explain(ctx, err)
	} else if oid := r.lacking(ctx, said); oid != "" {
		err = r.missing(ctx, oid)
	}
	if errors.As(err, new(*MissingObjectError)) {
		noteReads(ctx, rev, opt.Paths)
	}
	return matches, err
}

// noteReads records the failed search of the files below the paths, or of all
// files.
func noteReads(ctx context.Context, rev OID, paths []string) {
	if len(paths) == 0 {
		paths = []string{""}
	}
	for _, path := range paths {
		gitcmd.NoteRead(ctx, gitcmd.Read{Rev: string(rev), Path: path})
	}
}

const (
	// treePatience is the running time of a search after which the files of the
	// tree are counted.
	treePatience = 5 * time.Second
	// maxSearched bounds the files of a search. The largest known public tree has
	// half a million files.
	maxSearched = 4_000_000
)

// watchTree ends a search of a tree with too many files. A few small trees that
// contain each other many times can make more files than git can ever read, and
// git prints nothing while it reads. watchTree counts no files if the search ends
// within treePatience.
func (r *Repo) watchTree(ctx context.Context, rev OID, paths []string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(treePatience, func() {
		if r.tooManyFiles(ctx, rev, paths) {
			cancel(fmt.Errorf("%w: more than %d", gitcmd.ErrTooManyFiles, maxSearched))
		}
	})
	return ctx, func() { timer.Stop(); cancel(nil) }
}

// tooManyFiles counts the files of a tree until there are too many.
func (r *Repo) tooManyFiles(ctx context.Context, rev OID, paths []string) bool {
	files := 0
	args := withPaths([]string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", string(rev)}, paths)
	_ = r.shadow.Stream(ctx, gitcmd.Call{Args: args}, func(out *bufio.Reader) error {
		for files <= maxSearched {
			piece, err := out.ReadSlice(0)
			if err == nil {
				files++
			} else if err != bufio.ErrBufferFull || len(piece) == 0 {
				return err
			}
		}
		return gitcmd.ErrStop
	}) // the search itself reports an unreadable tree
	return files > maxSearched
}

func (o GrepOptions) args(rev OID) []string {
	args := []string{"grep", "-n", "-a", "-z", "--no-color", "--no-column", "--no-heading", "--no-break", "--full-name", "--no-textconv"}
	if o.Fixed {
		args = append(args, "-F")
	} else {
		args = append(args, "-E")
	}
	if o.Word {
		args = append(args, "-w")
	}
	if o.IgnoreCase {
		args = append(args, "-i")
	}
	return withPaths(append(args, "-e", o.Pattern, string(rev)), o.Paths)
}

// readMatch parses "<rev>:<path>" NUL "<line>" NUL "<text>" newline. It keeps
// at most keep bytes of the text.
func readMatch(out *bufio.Reader, rev OID, keep int) (GrepMatch, error) {
	if _, err := out.Peek(1); err != nil {
		return GrepMatch{}, err
	}
	name, err := gitcmd.ReadRecord(out)
	if err != nil {
		return GrepMatch{}, err
	}
	number, err := gitcmd.ReadRecord(out)
	if err != nil {
		return GrepMatch{}, err
	}
	path, named := strings.CutPrefix(name, string(rev)+":")
	line, err := strconv.Atoi(number)
	if err != nil || !named {
		return GrepMatch{}, fmt.Errorf("malformed match: %.100q", name)
	}
	text, err := readText(out, keep)
	return GrepMatch{Path: path, Line: line, Text: text}, err
}

// readText reads a line and keeps at most keep bytes of it.
func readText(out *bufio.Reader, keep int) ([]byte, error) {
	var text []byte
	for {
		piece, err := out.ReadSlice('\n')
		text = append(text, piece[:min(len(piece), keep-len(text))]...)
		if err == nil {
			if n := len(text); n > 0 && text[n-1] == '\n' {
				text = text[:n-1]
			}
			return text, nil
		}
		if err != bufio.ErrBufferFull {
			return nil, gitcmd.UnexpectedEnd(err)
		}
	}
}
