package gittool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/condense"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxInContext is the number of matches with surrounding lines.
const maxInContext = 60

// addContext adds the lines around each match and the heading of its function. It does
// not repeat a line of an earlier match.
func (b *scopedRepo) addContext(ctx context.Context, v *Grep, found []gitext.GrepMatch, around int) error {
	var lines [][]byte
	last, shown, heading := "", 0, ""
	found = slices.DeleteFunc(slices.Clone(found), func(m gitext.GrepMatch) bool { return redacted(m.Path) })
	chosen := shareOut(found, maxInContext, b.opt.First)
	if len(chosen) < len(found) {
		b.notef("only %d of the lines have context, a share of each folder; give path or a rarer pattern", maxInContext)
	}
	for i, m := range found {
		if len(chosen) == 0 || !sameMatch(m, chosen[0]) {
			continue
		}
		chosen = chosen[1:]
		if m.Path != last {
			text, err := b.text(ctx, gitext.OID(v.Commit), m.Path)
			var no *refusal
			if err != nil && !errors.As(err, &no) && !gitext.Unreadable(err) {
				return err
			}
			lines, last, shown, heading = bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")), m.Path, 0, ""
		}
		if m.Line > len(lines) {
			continue
		}
		match, next := &v.Matches[i], len(lines)+1
		if i+1 < len(v.Matches) && v.Matches[i+1].Path == match.Path {
			next = v.Matches[i+1].Line
		}
		match.Before = contextLines(lines, max(shown+1, m.Line-around), m.Line-1)
		shown = max(m.Line, min(m.Line+around, next-1, len(lines)))
		match.After = contextLines(lines, m.Line+1, shown)
		if e, ok := source.FunctionAround(m.Path, lines, m.Line); ok && e.Start < m.Line-len(match.Before) {
			if h := fmt.Sprintf("L%d: %s", e.Start, contextLines(lines, e.Start, e.Start)[0]); h != heading {
				match.Function, heading = h, h
			}
		}
	}
	return nil
}

// contextLines returns the lines of a range of line numbers, both ends included.
func contextLines(lines [][]byte, from, to int) []string {
	var out []string
	for n := from; n <= to; n++ {
		out = append(out, clip(agent.CleanLine(strings.TrimSuffix(string(lines[n-1]), "\r")), maxHitRunes))
	}
	return out
}

// inContext renders the matches of a group with the lines around them. As in git grep, a
// dash follows the number of a surrounding line.
func (r matchGroup) inContext() string {
	m := r[0]
	var b strings.Builder
	if m.Function != "" {
		fmt.Fprintf(&b, "  in %s\n", m.Function)
	}
	for i, l := range m.Before {
		fmt.Fprintf(&b, "  L%d- %s\n", m.Line-len(m.Before)+i, l)
	}
	b.WriteString("  " + r.render(maxLineRunes))
	for i, l := range m.After {
		fmt.Fprintf(&b, "\n  L%d- %s", m.Line+1+i, l)
	}
	return b.String()
}

// fewMatches is the number of matches of which an answer without room for all keeps the lines around
// as many as fit.
const fewMatches = 30

// inSomeContext renders a few matches so that the first ones keep the lines around them, and the other
// ones follow without. It returns false if there are too many, or the others have no room.
func (v *Grep) inSomeContext(out *condense.Layout, files [][]GrepMatch) bool {
	if len(v.Matches) > fewMatches || !slices.ContainsFunc(files, hasContext) {
		return false
	}
	for kept := len(v.Matches) - 1; kept > 0; kept-- {
		try := *out
		try.Blocks = someInContext(files, kept)
		try.Room = condense.Room - condense.NoteRoom
		if condense.Fits(try, try.Blocks, nil) {
			out.Blocks = try.Blocks
			out.Missing = fmt.Sprintf("the lines around %d of %d line(s)", len(v.Matches)-kept, len(v.Matches))
			return true
		}
	}
	return false
}

// someInContext renders the first matches with the lines around them, and the others without.
func someInContext(files [][]GrepMatch, kept int) []condense.Block {
	var out []condense.Block
	for _, matches := range files {
		n := min(kept, len(matches))
		kept -= n
		if n > 0 {
			out = append(out, fullMatches(matches[:n])...)
		}
		for _, group := range groupsOf(matches[n:]) {
			section := matches[0].Path
			if n == 0 {
				out, n = append(out, condense.Block{Text: section, Section: section}), len(matches)
			}
			text := "  " + lineNumbers(group) + ": " + strings.TrimSpace(around(group[0].Text, group[0].At, maxHitRunes))
			out = append(out, condense.Block{Text: text, Section: section})
		}
	}
	return out
}

// fillLines renders the files with the numbers of their lines. As far as there is room, files show
// their first lines too, the first files first.
func (v *Grep) fillLines(out *condense.Layout, files [][]GrepMatch) {
	forms := make([][]string, len(files))
	for i, matches := range files {
		keep := keptOthers[len(keptOthers)-1]
		if v.place(matches[0].Path) < len(v.first) {
			keep = keptFirst[len(keptFirst)-1]
		}
		forms[i] = []string{shortMatches(matches, keep), shortMatches(matches, keep+1), shortMatches(matches, keep+3)}
	}
	out.Blocks = condense.Fill(forms, condense.InOrder(len(files)), condense.Room-condense.NoteRoom-condense.Runes(out.Head)-1)
	for i, b := range out.Blocks {
		if b.Text != forms[i][0] {
			out.Missing = strings.Replace(out.Missing, "only files and line numbers", "only files and line numbers, and the first lines of some files", 1)
			break
		}
	}
}
