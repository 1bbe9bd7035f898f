package gittool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
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
