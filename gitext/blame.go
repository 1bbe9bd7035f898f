package gitext

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// LineRange is a range of lines, from 1, both ends included.
type LineRange struct{ Start, End int }

// String returns the range in the form of option -L.
func (r LineRange) String() string { return strconv.Itoa(r.Start) + "," + strconv.Itoa(r.End) }

// BlameOptions define what counts as the origin of a line.
type BlameOptions struct {
	Ranges      []LineRange // nil is the whole file; each must lie within it
	IgnoreSpace bool        // -w
	Moves       bool        // -M
	Copies      int         // how many -C
	IgnoreRevs  []OID       // commits to look through
	Since       OID         // lines that are older than this ancestor count as its own; "" for none
}

// BlameLine is one line with its origin.
type BlameLine struct {
	Commit       OID
	Path         string // in Commit
	OrigLine     int    // in Commit
	Line         int    // in the file of the question
	Text         []byte // without the line break
	Boundary     bool   // Commit is at the boundary of a shallow clone: the origin may be older
	Previous     OID    // the parent with the file, or ""
	PreviousPath string
}

// Blame reports the commit of origin of each line of a file at rev, in the order
// of the lines.
func (r *Repo) Blame(ctx context.Context, rev OID, path string, opt BlameOptions) ([]BlameLine, error) {
	args, err := opt.args()
	if err = errors.Join(err, rev.valid(), checkPaths([]string{path})); err != nil {
		return nil, err
	}
	if args = append(args, string(rev)); opt.Since != "" {
		args = append(args, "^"+string(opt.Since))
	}
	args = append(args, "--", path)
	var lines []BlameLine
	err = r.shadow.Stream(ctx, gitcmd.Call{Args: args}, func(out *bufio.Reader) error {
		reader := blameReader{lines: gitcmd.NewLineReader(out), commits: map[OID]*blameCommit{}}
		lines, err = reader.all()
		return err
	})
	if err != nil {
		return nil, r.blameError(ctx, err, rev, path)
	}
	for i := range lines {
		lines[i].Boundary = r.boundary[lines[i].Commit]
	}
	return lines, nil
}

// blameError replaces the error of a failed blame by one with the cause: the file
// does not exist, or an object is missing.
func (r *Repo) blameError(ctx context.Context, err error, rev OID, path string) error {
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 128 {
		err = r.explain(ctx, err, rev)
		_, mode, lookErr := r.entry(ctx, rev, path)
		switch {
		case errors.Is(lookErr, ErrNotExist), mode == modeTree, mode == modeSubmodule:
			err = ErrNotExist
		case errors.As(lookErr, new(*MissingObjectError)):
			err = lookErr // the tree of a folder is missing, which git reports as a missing path
		}
		if errors.As(err, new(*MissingObjectError)) {
			gitcmd.NoteRead(ctx, gitcmd.Read{Rev: string(rev), Path: path, Versions: true})
		}
	}
	return fmt.Errorf("blame %q at %s: %w", path, rev.Short(), err)
}

func (o BlameOptions) args() ([]string, error) {
	args := []string{"blame", "--porcelain", "--root", "--no-textconv", "--encoding=UTF-8", "--ignore-revs-file="}
	if o.IgnoreSpace {
		args = append(args, "-w")
	}
	if o.Moves {
		args = append(args, "-M")
	}
	for range o.Copies {
		args = append(args, "-C")
	}
	if o.Since != "" {
		if err := o.Since.valid(); err != nil {
			return nil, err
		}
	}
	for _, oid := range o.IgnoreRevs {
		if err := oid.valid(); err != nil {
			return nil, err
		}
		args = append(args, "--ignore-rev="+string(oid))
	}
	for _, span := range o.Ranges {
		if span.Start < 1 || span.End < span.Start {
			return nil, fmt.Errorf("%d,%d is not a range of lines", span.Start, span.End)
		}
		args = append(args, "-L"+span.String())
	}
	return args, nil
}

// blameCommit has the fields that the porcelain format prints once for each
// commit. If a commit has lines from several files, git repeats path and
// previous.
type blameCommit struct {
	path, previousPath string
	previous           OID
}

type blameReader struct {
	lines   gitcmd.LineReader
	commits map[OID]*blameCommit
}

func (b *blameReader) all() ([]BlameLine, error) {
	var all []BlameLine
	for {
		head, err := b.lines.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		line, err := b.one(string(head))
		if err != nil {
			return nil, gitcmd.UnexpectedEnd(err)
		}
		all = append(all, line)
	}
}

// one reads an entry: "<oid> <orig> <line> [<count>]", headers, a tab and the
// text.
func (b *blameReader) one(head string) (BlameLine, error) {
	f := strings.Fields(head)
	if len(f) != 3 && len(f) != 4 {
		return BlameLine{}, fmt.Errorf("malformed blame entry: %.100q", head)
	}
	oid, err1 := ParseOID(f[0])
	orig, err2 := strconv.Atoi(f[1])
	line, err3 := strconv.Atoi(f[2])
	if errors.Join(err1, err2, err3) != nil {
		return BlameLine{}, fmt.Errorf("malformed blame entry: %.100q", head)
	}
	c := b.commits[oid]
	if c == nil {
		c = &blameCommit{}
		b.commits[oid] = c
	}
	text, err := b.headers(c)
	return BlameLine{
		Commit: oid, Path: c.path, OrigLine: orig, Line: line, Text: text,
		Previous: c.previous, PreviousPath: c.previousPath,
	}, err
}

// headers reads the header lines of an entry and returns the line's text. git
// prints "previous" before "filename", or omits it, so both are known at the
// filename.
func (b *blameReader) headers(c *blameCommit) ([]byte, error) {
	var previous OID
	var previousPath string
	for {
		line, err := b.lines.Next()
		if err != nil {
			return nil, err
		}
		if len(line) > 0 && line[0] == '\t' {
			return b.lines.Keep(line[1:]), nil
		}
		key, value, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "previous":
			id, name, _ := strings.Cut(string(value), " ")
			previous = OID(id)
			if previousPath, err = quote.Unquote(name); err != nil {
				return nil, err
			}
		case "filename":
			if c.path, err = quote.Unquote(string(value)); err != nil {
				return nil, err
			}
			c.previous, c.previousPath = previous, previousPath
		}
	}
}
