package suspect

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// A FileLines names lines of a file, in ascending ranges. Parts of them that lie
// beyond the end of the file are ignored.
type FileLines struct {
	Path   string
	Ranges []gitext.LineRange
}

// An OwnedLine is a line of a file and the commit that owns it, which is the last
// one that changed more of it than white space.
type OwnedLine struct {
	Line     int // 1-based, in the file that was asked about
	Text     []byte
	Kind     source.LineKind // code where the file is too large to tell comments apart
	Owner    gitext.OID
	Path     string // in Owner
	OrigLine int    // in Owner
	// Previous is the parent of Owner that has the file, under PreviousPath; "" if
	// none has.
	Previous     gitext.OID
	PreviousPath string
}

// Owners is what is known of the owners of lines.
type Owners struct {
	Lines [][]OwnedLine // of each file as it was asked about, ascending
	// Older counts the lines that are left out because they are older than a
	// shallow clone. git charges them to the commits where the clone ends.
	Older int
	Notes []string // what could not be read, a sentence each
}

// Bounds of what is read of a file.
const (
	maxFileBytes  = 8 << 20   // of a file that is blamed
	maxLexedBytes = 512 << 10 // of a file whose comments are told apart
	maxLexedInAll = 4 << 20   // of all such files: a lexer reads 150 KB in a second
	maxRangeGap   = 8         // lines between two ranges that are blamed as one
	blamesAtOnce  = 2
)

// FindOwners blames lines of files at a revision. A file that cannot be read
// costs its own lines and is named in the notes.
func FindOwners(ctx context.Context, repo *gitext.Repo, rev gitext.OID, files []FileLines) (*Owners, error) {
	found := &Owners{Lines: make([][]OwnedLine, len(files))}
	unread := make([]string, len(files))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(blamesAtOnce)
	for i, f := range files {
		g.Go(func() (err error) {
			found.Lines[i], err = ownersIn(gctx, repo, rev, f, lexedBytes(len(files)))
			if gitext.Unreadable(err) {
				unread[i] = fmt.Sprintf("%q was not traced: %s", ShortPath(f.Path), gitext.WhyUnread(err))
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for _, note := range unread {
		if note != "" {
			found.Notes = append(found.Notes, note)
		}
	}
	found.dropOlder(repo.ShallowBoundary())
	return found, nil
}

// lexedBytes is how large each of n files may be for its comments to be told
// apart. It depends on their number alone, so that what becomes of one file does
// not depend on which of the others was read first.
func lexedBytes(n int) int { return min(maxLexedBytes, maxLexedInAll/max(n, 1)) }

// ownersIn finds the owners of lines in one file, of which the kinds of lines
// are told if it has at most maxLexed bytes.
func ownersIn(ctx context.Context, repo *gitext.Repo, rev gitext.OID, f FileLines, maxLexed int) ([]OwnedLine, error) {
	blob, err := repo.BlobAt(ctx, rev, f.Path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	ranges := within(f.Ranges, countLines(blob))
	if len(ranges) == 0 {
		return nil, nil
	}
	blamed, err := repo.Blame(ctx, rev, f.Path, gitext.BlameOptions{Ranges: joined(ranges), IgnoreSpace: true})
	if err != nil {
		return nil, err
	}
	var kinds []source.LineKind
	if len(blob) <= maxLexed {
		kinds = source.LineKinds(f.Path, blob, ranges[len(ranges)-1].End)
	}
	var lines []OwnedLine
	for _, b := range blamed {
		for len(ranges) > 0 && ranges[0].End < b.Line {
			ranges = ranges[1:]
		}
		if len(ranges) == 0 || b.Line < ranges[0].Start {
			continue // in a gap between two ranges
		}
		l := OwnedLine{
			Line: b.Line, Text: b.Text, Owner: b.Commit, Path: b.Path, OrigLine: b.OrigLine,
			Previous: b.Previous, PreviousPath: b.PreviousPath,
		}
		if b.Line-1 < len(kinds) {
			l.Kind = kinds[b.Line-1]
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func countLines(blob []byte) int {
	n := bytes.Count(blob, []byte("\n"))
	if len(blob) > 0 && blob[len(blob)-1] != '\n' {
		n++
	}
	return n
}

// within cuts ranges to lines 1 to last.
func within(ranges []gitext.LineRange, last int) []gitext.LineRange {
	var cut []gitext.LineRange
	for _, r := range ranges {
		r.Start, r.End = max(r.Start, 1), min(r.End, last)
		if r.Start <= r.End {
			cut = append(cut, r)
		}
	}
	return cut
}

// joined joins ranges that are close together: a blame costs by the range as
// well as by the line.
func joined(ranges []gitext.LineRange) []gitext.LineRange {
	var out []gitext.LineRange
	for _, r := range ranges {
		if n := len(out); n > 0 && r.Start <= out[n-1].End+maxRangeGap {
			out[n-1].End = max(out[n-1].End, r.End)
			continue
		}
		out = append(out, r)
	}
	return out
}

// dropOlder leaves out the lines that git charges to the boundary of a shallow
// clone, which does not have the commits that wrote them.
func (o *Owners) dropOlder(boundary map[gitext.OID]bool) {
	all := 0
	for i, lines := range o.Lines {
		all += len(lines)
		o.Lines[i] = slices.DeleteFunc(lines, func(l OwnedLine) bool { return boundary[l.Owner] })
		o.Older += len(lines) - len(o.Lines[i])
	}
	switch {
	case o.Older == 0:
	case o.Older == all:
		o.Notes = append(o.Notes, fmt.Sprintf("all of the %d traced lines are older than this shallow clone, which does not have the commits that wrote them; type git fetch --unshallow", all))
	default:
		o.Notes = append(o.Notes, fmt.Sprintf("%d of the %d traced lines are older than this shallow clone; type git fetch --unshallow", o.Older, all))
	}
}

// NoneKnown reports whether lines were found and all of them are older than a
// shallow clone.
func (o *Owners) NoneKnown() bool {
	return o.Older > 0 && !slices.ContainsFunc(o.Lines, func(lines []OwnedLine) bool { return len(lines) > 0 })
}

// ShortPath shortens a path for a note, because one in a tree may have any length.
func ShortPath(path string) string { return agent.Abridge(path, 300) }
