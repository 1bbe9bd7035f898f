package investigate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file finds the last change of a line's white space. Blame ignores white space, so
// if a later commit put a line into a block, and so indented it, blame credits the older
// commit. The later one may be the culprit: the lines that it wrapped around the line are
// not among the lines of the fix.

// Bounds of the search.
const (
	maxWrapFiles = 3 // files that are blamed again
	maxWrapNotes = 3 // lines in the prompt
)

// A rewrap is a commit that changed only the white space of another commit's lines.
type rewrap struct{ of, by gitext.OID }

// A rewrapped holds the lines of a rewrap.
type rewrapped struct {
	rewrap
	lines    int
	indented bool // the depth of a line changed, beside other changes
}

// wrapText renders the commits that reindented or wrapped lines that the fix removes,
// after the commit that blame credits.
func (d *investigation) wrapText(ctx context.Context) (string, error) {
	var found []*rewrapped
	known := map[rewrap]*rewrapped{}
	for i := range d.k.Set.Files[:min(maxWrapFiles, len(d.k.Set.Files))] {
		credited, ranges := d.deletedCode(i)
		if len(ranges) == 0 {
			continue
		}
		lines, err := d.repo.Blame(ctx, d.fc.Parent, d.k.Set.Files[i].OldPath, gitext.BlameOptions{Ranges: ranges})
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		for _, l := range lines {
			w := rewrap{credited[l.Line], l.Commit}
			if w.of == "" || w.of == w.by || l.Boundary || len(source.CodeWordsOf(l.Text)) == 0 {
				continue
			}
			r := known[w]
			if r == nil {
				r = &rewrapped{rewrap: w}
				known[w], found = r, append(found, r)
			}
			if r.lines++; !r.indented && len(found) <= maxWrapNotes {
				if r.indented, err = d.indented(ctx, l); err != nil {
					return "", err
				}
			}
		}
	}
	return d.writeWraps(ctx, found)
}

// indented reports whether the commit that changed the white space of a line moved it to
// another depth and changed more of the file than white space. If its patch cannot be
// read, indented returns true.
func (d *investigation) indented(ctx context.Context, l gitext.BlameLine) (bool, error) {
	c, err := d.repo.Commit(ctx, l.Commit)
	if err != nil {
		return false, err
	}
	p, err := d.patchOf(ctx, c)
	if err != nil || p == nil {
		return err == nil, err
	}
	at := slices.IndexFunc(p.Files, func(f gitext.FileChange) bool { return f.NewPath == l.Path })
	if at < 0 {
		return true, nil
	}
	var before, now []byte // the file's changed lines without white space
	deep := true
	for _, h := range p.Files[at].Hunks {
		for _, x := range h.Lines {
			switch {
			case x.Op == '+':
				now = append(now, squeezed(x.Text)...)
			case x.Op == '-':
				before = append(before, squeezed(x.Text)...)
			}
			if x.Op == '-' && depth(x.Text) == depth(l.Text) && squeezed(x.Text) == squeezed(l.Text) &&
				h.NewStart <= l.OrigLine && l.OrigLine < h.NewStart+h.NewLines {
				deep = false
			}
		}
	}
	return deep && !bytes.Equal(before, now), nil
}

// depth returns the width of a line's indentation.
func depth(line []byte) int {
	const tab = 8
	width := 0
	for _, b := range line {
		switch b {
		case ' ':
			width++
		case '\t':
			width += tab - width%tab
		default:
			return width
		}
	}
	return width
}

// deletedCode maps the lines of code that the fix removes from a file to the commits that git
// blame -w names, and lists them as ranges.
func (d *investigation) deletedCode(file int) (map[int]gitext.OID, []gitext.LineRange) {
	credited := map[int]gitext.OID{}
	var ranges []gitext.LineRange
	for i := range d.k.Set.Anchors {
		a := &d.k.Set.Anchors[i]
		if a.File != file || a.Role != candidate.RoleDeleted || a.Kind != source.LineCode {
			continue
		}
		credited[a.Line] = a.Blamed()
		if n := len(ranges); n > 0 && ranges[n-1].End+1 == a.Line {
			ranges[n-1].End = a.Line
			continue
		}
		ranges = append(ranges, gitext.LineRange{Start: a.Line, End: a.Line})
	}
	return credited, ranges
}

func (d *investigation) writeWraps(ctx context.Context, found []*rewrapped) (string, error) {
	var b strings.Builder
	for _, w := range found[:min(maxWrapNotes, len(found))] {
		by, err := d.mention(ctx, w.by)
		if err != nil {
			return "", err
		}
		of, err := d.mention(ctx, w.of)
		if err != nil {
			return "", err
		}
		if w.indented {
			fmt.Fprintf(&b, "%s of %s: reindented or wrapped by %s\n", agent.Plural(w.lines, "line"), of, by)
		} else {
			fmt.Fprintf(&b, "%s of %s: %s changed white space only\n", agent.Plural(w.lines, "line"), of, by)
		}
	}
	return b.String(), nil
}

// mention returns the short name of a commit, or its line if it has none.
func (d *investigation) mention(ctx context.Context, oid gitext.OID) (string, error) {
	if tag := d.names.of[oid]; tag != "" {
		return tag, nil
	}
	c, err := d.repo.Commit(ctx, oid)
	if err != nil {
		return "", err
	}
	return d.commitLine(c), nil
}
