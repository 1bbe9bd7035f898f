package detect

import (
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// This file finds what a fix restores. A check, a call or an assignment that a fix
// adds may be one that an earlier commit took away. No line of that commit is left
// to blame, so the first prompt says of the first candidates what they took away.
// It is not said of the others and finds no candidates, because it misleads there:
// on 86 cases of the development set every culprit that it named was ranked first
// already.

// Bounds of what is shown.
const (
	maxRestored      = 100 // runes
	maxRestoredNames = 2   // names
)

// restoredByFix returns the longest line that a candidate took out of the fixed
// files and that the fix adds, of the lines that mention something. Where there is
// none, it returns names that the fix adds and that the candidate took out and did
// not add, or "".
func (d *investigation) restoredByFix(c *candidate.Candidate) string {
	line := ""
	for _, r := range d.k.Set.Changes {
		for _, l := range r.Added {
			key := candidate.LineKey(l.Text)
			again := d.k.DelKeys[key] || c.Diff.AddedLines[key]
			if c.Diff.RemovedLines[key] && !again && len(key) > len(line) && mentions(key) {
				line = key
			}
		}
	}
	if line != "" {
		return agent.Abridge(agent.CleanLine(d.redact(line)), maxRestored)
	}
	var names []string
	for _, t := range source.SortedTokens(d.k.Fresh) {
		if isName(t) && d.k.Around[t] == 0 && c.Diff.Removed[t] > 0 && c.Diff.Added[t] == 0 {
			names = append(names, t)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	return agent.Abridge(agent.CleanLine(strings.Join(names[:min(maxRestoredNames, len(names))], ", ")), maxRestored)
}

// isName reports whether a token is a name of the project, and not a keyword or a
// plain word.
func isName(token string) bool {
	return len(token) >= pointingBytes && candidate.NameLike().MatchString(token)
}

// mentions reports whether a line is about something: whether it has a name, or two
// words that are no keywords. "return NULL;" and "@Override" have neither.
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
