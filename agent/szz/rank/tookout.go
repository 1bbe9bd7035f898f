package rank

import (
	"maps"
	"slices"
	"strings"

	"git-agent/agent/suspect"
	"git-agent/agent/szz/candidate"
)

// This file knows the commits that took out what a fix adds: a fix that brings lines back names its culprit, which owns no
// line.

// tookOut reports whether a candidate removed half of the lines that the fix adds, or more, from a file of the fix, and did
// not add them elsewhere.
func (k *Case) tookOut(c *candidate.Candidate) bool {
	if c.Diff == nil || !k.changesFixed(c) {
		return false
	}
	n := 0
	for key := range k.addKeys {
		if c.Diff.RemovedLines[key] && !c.Diff.AddedLines[key] {
			n++
		}
	}
	return n > 0 && 2*n >= len(k.addKeys)
}

// tookOutEvidence returns the first line that a candidate took out and the fix adds, if its hunk can be shown.
func (k *Case) tookOutEvidence(c *candidate.Candidate) (e suspect.Evidence, ok bool) {
	if len(c.Commit.Parents) > 1 || !k.tookOut(c) {
		return e, false
	}
	for _, path := range slices.Sorted(maps.Keys(c.Diff.Hunks)) {
		for i := range c.Diff.Hunks[path] {
			h := &c.Diff.Hunks[path][i]
			line, found := h.FirstRemoved(func(text []byte) bool { return k.addKeys[candidate.LineKey(text)] })
			if !found || !k.FixPath[path] || h.Empties() {
				continue
			}
			return suspect.Evidence{Path: path, Text: "took out: " + strings.TrimSpace(string(line)), Command: logCommand(path, h, c)}, true
		}
	}
	return e, false
}
