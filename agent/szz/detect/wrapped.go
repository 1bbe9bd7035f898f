package detect

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file finds who changed the white space of a line last. Blame is asked to
// ignore white space, so it credits a line that a later commit put into a block, and
// so indented, to the older one. That commit may be the culprit: what it wrapped
// around the line is not among the lines of the fix.

// Bounds of the search.
const (
	maxWrapFiles = 3 // files that are blamed again
	maxWrapNotes = 3 // lines in the prompt
)

// A rewrap is a commit that changed only the white space of lines of another one.
type rewrap struct{ of, by gitext.OID }

// wrapText renders who reindented or wrapped lines that the fix removes, after the
// commit that is credited with them.
func (d *investigation) wrapText(ctx context.Context) (string, error) {
	var order []rewrap
	count := map[rewrap]int{}
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
			if count[w]++; count[w] == 1 {
				order = append(order, w)
			}
		}
	}
	return d.writeWraps(ctx, order, count)
}

// deletedCode maps the lines of code that the fix removes from a file to their
// owners, and lists them as ranges.
func (d *investigation) deletedCode(file int) (map[int]gitext.OID, []gitext.LineRange) {
	credited := map[int]gitext.OID{}
	var ranges []gitext.LineRange
	for i := range d.k.Set.Anchors {
		a := &d.k.Set.Anchors[i]
		if a.File != file || a.Role != candidate.RoleDeleted || a.Kind != source.LineCode {
			continue
		}
		credited[a.Line] = a.Owner
		if n := len(ranges); n > 0 && ranges[n-1].End+1 == a.Line {
			ranges[n-1].End = a.Line
			continue
		}
		ranges = append(ranges, gitext.LineRange{Start: a.Line, End: a.Line})
	}
	return credited, ranges
}

func (d *investigation) writeWraps(ctx context.Context, order []rewrap, count map[rewrap]int) (string, error) {
	var b strings.Builder
	for _, w := range order[:min(maxWrapNotes, len(order))] {
		by, err := d.mention(ctx, w.by)
		if err != nil {
			return "", err
		}
		of, err := d.mention(ctx, w.of)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s of %s: reindented or wrapped by %s\n", countLines(count[w]), of, by)
	}
	return b.String(), nil
}

// mention returns the short name of a commit, or its line where it has none.
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
