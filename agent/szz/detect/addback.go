package detect

import (
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// A fix that adds something may add it back: a check, a call, an assignment
// that an earlier commit took away. No line of that commit is left to blame, so
// the first prompt says of the first candidates what they took. Further down
// the list, and as a source of candidates, it misleads: on 86 cases of the
// development set every culprit that it named was ranked first already.

// Bounds of what is shown.
const (
	maxRestored      = 100 // runes
	maxRestoredNames = 2   // names
)

// restoredByFix is the longest line about something that a candidate took out of
// the fixed files and that the fix puts in; else names that the fix puts in and
// of which the candidate took out lines and put none in; "" for neither.
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
		return agent.Abridge(agent.CleanLine(line), maxRestored)
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

// isName tells a name of the project from keywords and plain words.
func isName(token string) bool {
	return len(token) >= pointingBytes && candidate.NameLike().MatchString(token)
}

// mentions reports whether a line is about something: it holds a name, or two
// words that no language reserves. "return NULL;" and "@Override" do not.
func mentions(line string) bool {
	const short = 4 // bytes of such a word
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
