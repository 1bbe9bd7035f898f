package suspect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// A FileLines selects lines of a file by ascending ranges. Lines beyond the end of
// the file are ignored.
type FileLines struct {
	Path   string
	Ranges []gitext.LineRange
}

// An OwnedLine is a line of a file with the commit that owns it. The owner is the
// last commit that changed more than white space in the line.
type OwnedLine struct {
	Line     int // 1-based line number at the blamed revision
	Text     []byte
	Kind     source.LineKind // LineCode if the file is too large to recognize comments
	Owner    gitext.OID
	Path     string // path of the file in Owner
	OrigLine int    // 1-based line number in Owner
	// Previous is the parent of Owner that contains the file, at PreviousPath. It is
	// "" if no parent contains it.
	Previous     gitext.OID
	PreviousPath string
	Move         *Move // the oldest move that FindWriters looked through; nil for none
}

// Owners is the result of FindOwners.
type Owners struct {
	Lines [][]OwnedLine // for each requested file its lines, ascending
	// Older counts the omitted lines that are older than the shallow clone. git
	// attributes them to the boundary commits of the clone.
	Older int
	Notes []string // sentences about lines that have no known owner
}

// These limits bound the work on files.
const (
	maxFileBytes  = 8 << 20   // largest file that is blamed
	maxLexedBytes = 512 << 10 // largest file in which comments are recognized
	maxLexedInAll = 4 << 20   // total size of such files, since a lexer reads 150 KB a second
	maxRangeGap   = 8         // most lines between two ranges that are blamed as one
	blamesAtOnce  = 2
)

// FindOwners blames lines of files at a revision. If a file cannot be read, its
// lines are missing and a note names it.
func FindOwners(ctx context.Context, repo *gitext.Repo, rev gitext.OID, files []FileLines) (*Owners, error) {
	return FindOwnersWith(ctx, repo, rev, files, OwnerOptions{})
}

// OwnerOptions change how the owners of lines are found.
type OwnerOptions struct {
	IgnoreRevs []gitext.OID // commits that own nothing if there is an older owner, such as commits that only reformat
	Moves      bool         // follow lines that moved within the file (-M)
	Copies     bool         // follow lines that the owner took from other files it changed (-C)
	Spaces     bool         // a change of white space makes an owner (without -w)
	NoKinds    bool         // leave OwnedLine.Kind at LineCode, which saves the time of a lexer
}

// FindOwnersWith is FindOwners with options.
func FindOwnersWith(ctx context.Context, repo *gitext.Repo, rev gitext.OID, files []FileLines, opt OwnerOptions) (*Owners, error) {
	found := &Owners{Lines: make([][]OwnedLine, len(files))}
	unread := make([]string, len(files))
	maxLexed := lexedBytes(len(files))
	if opt.NoKinds {
		maxLexed = -1
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(blamesAtOnce)
	for i, f := range files {
		g.Go(func() (err error) {
			found.Lines[i], unread[i], err = ownersIn(gctx, repo, rev, f, maxLexed, opt)
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

// lexedBytes returns the largest size at which comments are recognized in each of n
// files. It depends only on n, so that the result for one file does not depend on the
// order of reading.
func lexedBytes(n int) int { return min(maxLexedBytes, maxLexedInAll/max(n, 1)) }

// ownersIn finds the owners of lines in one file, and returns a note if they may be wrong. It also recognizes comments if
// the file has at most maxLexed bytes.
func ownersIn(
	ctx context.Context,
	repo *gitext.Repo,
	rev gitext.OID,
	f FileLines,
	maxLexed int,
	opt OwnerOptions,
) (lines []OwnedLine, note string, err error) {
	blob, err := repo.BlobAt(ctx, rev, f.Path, maxFileBytes)
	if err != nil {
		return nil, "", err
	}
	ranges := clip(f.Ranges, source.CountLines(blob))
	if len(ranges) == 0 {
		return nil, "", nil
	}
	how := gitext.BlameOptions{Ranges: merge(ranges), IgnoreSpace: !opt.Spaces, Moves: opt.Moves, IgnoreRevs: opt.IgnoreRevs}
	if opt.Copies {
		how.Copies = 1
	}
	blamed, err := repo.Blame(ctx, rev, f.Path, how)
	if missing := (*gitext.MissingObjectError)(nil); errors.As(err, &missing) {
		if blamed = blameSinceAdded(ctx, repo, rev, f.Path, how); blamed != nil {
			note = fmt.Sprintf("%q was traced to the commit that added it, not to files that it may be from: %s", ShortPath(f.Path), gitext.WhyUnread(err))
			err = nil
		}
	}
	if err != nil {
		return nil, "", err
	}
	var kinds []source.LineKind
	if len(blob) <= maxLexed {
		kinds = source.LineKinds(f.Path, blob, ranges[len(ranges)-1].End)
	}
	for _, b := range blamed {
		for len(ranges) > 0 && ranges[0].End < b.Line {
			ranges = ranges[1:]
		}
		if len(ranges) == 0 || b.Line < ranges[0].Start {
			continue // the line is in a gap between two ranges
		}
		l := OwnedLine{Line: b.Line, Text: b.Text}
		l.own(b)
		if b.Line-1 < len(kinds) {
			l.Kind = kinds[b.Line-1]
		}
		lines = append(lines, l)
	}
	return lines, note, nil
}

// blameSinceAdded blames a file in a clone that lacks objects, down to the commit that added the file. There, git compares
// the file with those that the commit removes, which may be missing. It returns nil if that is impossible, too.
func blameSinceAdded(ctx context.Context, repo *gitext.Repo, rev gitext.OID, path string, how gitext.BlameOptions) []gitext.BlameLine {
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: rev, Paths: []string{path}, Files: true, NoRenames: true}) {
		if err != nil {
			return nil
		}
		if slices.ContainsFunc(e.Files, func(f gitext.FileChange) bool { return f.Status == 'A' }) {
			how.Since = e.OID
			lines, err := repo.Blame(ctx, rev, path, how)
			if err != nil {
				return nil
			}
			return lines
		}
	}
	return nil
}

// own makes the commit that b names the owner.
func (l *OwnedLine) own(b gitext.BlameLine) {
	l.Owner, l.Path, l.OrigLine, l.Previous, l.PreviousPath = b.Commit, b.Path, b.OrigLine, b.Previous, b.PreviousPath
}

// clip clips ranges to lines 1 to last.
func clip(ranges []gitext.LineRange, last int) []gitext.LineRange {
	var cut []gitext.LineRange
	for _, r := range ranges {
		r.Start, r.End = max(r.Start, 1), min(r.End, last)
		if r.Start <= r.End {
			cut = append(cut, r)
		}
	}
	return cut
}

// merge merges ranges that are close together, because each range of a blame has an
// additional fixed cost.
func merge(ranges []gitext.LineRange) []gitext.LineRange {
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

// dropOlder removes the lines that git attributes to the boundary of a shallow clone. The
// clone does not contain their true commits.
func (o *Owners) dropOlder(boundary map[gitext.OID]bool) {
	all := 0
	for i, lines := range o.Lines {
		all += len(lines)
		o.Lines[i] = slices.DeleteFunc(lines, func(l OwnedLine) bool { return boundary[l.Owner] })
		o.Older += len(lines) - len(o.Lines[i])
	}
	switch {
	case o.Older == 0:
	case o.Older == all && all == 1:
		o.Notes = append(
			o.Notes,
			"the only traced line is older than this shallow clone, which does not have the commit that wrote it; type git fetch --unshallow",
		)
	case o.Older == all:
		o.Notes = append(
			o.Notes,
			fmt.Sprintf(
				"all of the %d traced lines are older than this shallow clone, which does not have the commits that wrote them; type git fetch --unshallow",
				all,
			),
		)
	default:
		verb := "are"
		if o.Older == 1 {
			verb = "is"
		}
		o.Notes = append(
			o.Notes,
			fmt.Sprintf("%d of the %d traced lines %s older than this shallow clone; type git fetch --unshallow", o.Older, all, verb),
		)
	}
}

// NoneKnown reports whether lines were found but all of them are older than the
// shallow clone.
func (o *Owners) NoneKnown() bool {
	return o.Older > 0 && !slices.ContainsFunc(o.Lines, func(lines []OwnedLine) bool { return len(lines) > 0 })
}

// ShortPath shortens a path for a note. A path in a tree may have any length.
func ShortPath(path string) string { return agent.Abridge(path, 300) }
