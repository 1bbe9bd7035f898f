package investigate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file finds code that a fix restores. A check, a call or an assignment in the
// additions of a fix may be one that an earlier commit removed. Blame cannot find that
// commit, because none of its lines is left, so the first prompt lists the removals of
// the first candidates. The other candidates get no such list, and the search adds no
// candidates, because the list misleads there: on 86 cases of the development set every
// culprit that it named was ranked first already.

// Bounds of the text.
const (
	maxRestored      = 100 // runes
	maxRestoredNames = 2   // names
	maxRestoredLines = 2   // quoted lines
	likelyRestored   = 0.8 // least likeness of a line to the restored one
	minRestored      = 5   // least tokens of a line compared by likeness
)

// A restoredLine is a line that the fix adds and a candidate removed.
type restoredLine struct {
	text, path string // its old text and path
	alike      bool   // the fix adds a line that is only like it
}

// writeRestored renders the lines that a candidate removed and the fix adds: it counts
// them all and quotes the longest. If there are none, it renders names.
func (d *investigation) writeRestored(ctx context.Context, b *strings.Builder, c *candidate.Candidate) error {
	p, err := d.patchOf(ctx, c.Commit)
	if err != nil {
		return err
	}
	lines, of := d.restoredLines(c, p)
	if len(lines) == 0 {
		if names := d.restoredNames(c); names != "" {
			fmt.Fprintf(b, "   took out what the fix adds: %s\n", names)
		}
		return nil
	}
	if len(lines) == 1 {
		b.WriteString("   took out what the fix adds:")
	} else {
		fmt.Fprintf(b, "   took out %d of the %d lines that the fix adds:", len(lines), of)
	}
	slices.SortStableFunc(lines, func(x, y restoredLine) int { return len(y.text) - len(x.text) })
	for i, l := range lines[:min(maxRestoredLines, len(lines))] {
		if i > 0 {
			b.WriteString(" |")
		}
		b.WriteString(" " + agent.Abridge(agent.CleanLine(d.redact(l.text)), maxRestored))
		if l.alike {
			b.WriteString(" (alike)")
		}
		if !d.k.Paths[l.path] {
			fmt.Fprintf(b, " (in %s)", agent.CleanLine(l.path))
		}
	}
	b.WriteByte('\n')
	return nil
}

// restoredLines returns the lines that the fix adds and a patch removes, with any white
// space and, if the fix only adds lines, with any changed names; each line once. of
// counts all added lines that mention something.
func (d *investigation) restoredLines(c *candidate.Candidate, p *gitext.Patch) (out []restoredLine, of int) {
	if p == nil {
		return nil, 0
	}
	removed, long := d.takenOut(c, p)
	seen := map[string]bool{}
	for _, r := range d.k.Set.Changes {
		for _, l := range r.Added {
			key := candidate.LineKey(l.Text)
			if seen[key] || !mentions(key) {
				continue
			}
			of++
			seen[key] = true
			if d.k.DelKeys[key] {
				continue
			}
			was, ok := removed[key]
			alike := !ok && len(r.Removed) == 0 && of <= maxAlikeAsked
			if alike {
				was, ok = likeRestored(l.Text, long, removed)
			}
			if ok {
				text := candidate.LineKey(was.Text)
				out = append(out, restoredLine{text, was.path, alike})
				delete(removed, text)
			}
		}
	}
	return out, of
}

// minElsewhere is the least length of a line that counts in files that the fix does not
// change.
const minElsewhere = 16

// takenOut maps the lines that a patch removes and does not add, by their keys, and lists
// those of the fixed files.
func (d *investigation) takenOut(c *candidate.Candidate, p *gitext.Patch) (map[string]placedLine, []tokenLine) {
	removed := map[string]placedLine{}
	var long []tokenLine
	for _, l := range changedLines(p, '-') {
		key, fixed := candidate.LineKey(l.Text), d.k.Paths[l.path]
		if _, ok := removed[key]; key == "" || ok || c.Diff.AddedLines[key] || !mentions(key) {
			continue
		}
		if !fixed && (len(key) < minElsewhere || source.IsImport(key)) {
			continue
		}
		if removed[key] = l; fixed && len(long) < maxAlikeRead {
			long = append(long, tokenLine{l, key, lexemes(l.Text)})
		}
	}
	for _, l := range changedLines(p, '+') {
		delete(removed, candidate.LineKey(l.Text))
	}
	return removed, long
}

// Bounds of the comparison by likeness.
const (
	maxAlikeRead  = 400 // removed lines
	maxAlikeAsked = 200 // added lines
)

// A tokenLine is a removed line with its key and its tokens.
type tokenLine struct {
	placedLine
	key    string
	tokens []string
}

// likeRestored finds a removed line that is like an added one: most of its tokens are the
// same.
func likeRestored(added []byte, lines []tokenLine, removed map[string]placedLine) (placedLine, bool) {
	now := lexemes(added)
	if len(now) < minRestored {
		return placedLine{}, false
	}
	for _, l := range lines {
		if _, ok := removed[l.key]; ok && dice(l.tokens, now) >= likelyRestored {
			return l.placedLine, true
		}
	}
	return placedLine{}, false
}

// restoredNames returns names that the fix adds and that the candidate removed and did
// not add, or "".
func (d *investigation) restoredNames(c *candidate.Candidate) string {
	var names []string
	for _, t := range source.SortedTokens(d.k.Fresh) {
		if isName(t) && d.k.Around[t] == 0 && c.Diff.Removed[t] > 0 && c.Diff.Added[t] == 0 {
			names = append(names, t)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	return agent.Abridge(agent.CleanLine(d.redact(strings.Join(names[:min(maxRestoredNames, len(names))], ", "))), maxRestored)
}

// isName reports whether a token is a name of the project, and not a keyword or a plain
// word.
func isName(token string) bool {
	return len(token) >= pointingBytes && candidate.NameLike().MatchString(token)
}

// mentions reports whether a line is about something: it has a name, or two words that
// are no keywords. "return NULL;" and "@Override" have neither.
func mentions(line string) bool {
	const short = 4 // least bytes of such a word
	n := 0
	for t := range source.CodeWordsOf([]byte(line)) {
		if isName(t) {
			return true
		}
		if len(t) >= short && !source.IsKeyword(t) {
			n++
		}
	}
	return n >= 2
}
