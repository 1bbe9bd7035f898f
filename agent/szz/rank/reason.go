package rank

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
)

// This file says in a sentence what ties a candidate to the fix.

// owns counts the lines near the fix that a candidate wrote.
type owns struct {
	total, removals           int // removed lines of code, and of any kind, by all commits
	deleted, near, inFunction kinds
}

// kinds counts lines of one place.
type kinds struct {
	code      int
	formatted int                     // lines of code of which only the layout or the punctuation changed
	shifted   int                     // of these, lines that the commit moved or re-indented
	other     map[source.LineKind]int // lines that are no code
}

// add counts a line.
func (n *kinds) add(c *candidate.Candidate, a *candidate.Anchor) {
	if a.Kind != source.LineCode {
		if n.other == nil {
			n.other = map[source.LineKind]int{}
		}
		n.other[a.Kind]++
		return
	}
	n.code++
	if c.Reformats(a) {
		n.formatted++
	}
	if c.Shifts(a) {
		n.shifted++
	}
}

// some reports whether there is a line.
func (n *kinds) some() bool { return n.code > 0 || len(n.other) > 0 }

// text says what the commit did to the lines. Where there is code, others are counted with it.
func (n *kinds) text() string {
	if n.code == 0 {
		return "wrote " + otherLines(n.other)
	}
	all := n.code
	for _, other := range n.other {
		all += other
	}
	return n.did() + fmt.Sprintf("%d %s", all, agent.PluralOf(all, "line", "lines"))
}

// did is the clause for lines of code.
func (n *kinds) did() string {
	switch n.code {
	case n.shifted: // what the commit changed around them may well matter
		return "moved or re-indented "
	case n.formatted:
		return "changed only the layout or punctuation of "
	}
	return "wrote "
}

func (k *Case) owns(c *candidate.Candidate) owns {
	n := owns{}
	for i := range k.Set.Anchors {
		a := &k.Set.Anchors[i]
		if a.Role == candidate.RoleDeleted {
			n.removals++
			if a.Kind == source.LineCode {
				n.total++
			}
		}
		if a.Owner != c.OID {
			continue
		}
		switch a.Role {
		case candidate.RoleDeleted:
			n.deleted.add(c, a)
		case candidate.RoleContext:
			n.near.add(c, a)
		case candidate.RoleFunction:
			n.inFunction.add(c, a)
		}
	}
	return n
}

// Reason describes in one sentence the tie between the candidate and the fix.
func (k *Case) Reason(c *candidate.Candidate) string {
	n := k.owns(c)
	line := "line"
	if k.Set.Partial {
		line = "traced line" // the fix has more lines than the counted ones
	}
	switch {
	case n.deleted.code > 0:
		return n.deleted.did() + szz.PartOf(n.deleted.code, n.total, line) + k.whichCode() + k.movedOnly(c) + k.movedSince(c, candidate.RoleDeleted)
	case n.deleted.some():
		return n.deleted.text() + " that the fix removes"
	case n.near.code > 0:
		return n.near.text() + " next to what the fix changes" + k.movedSince(c, candidate.RoleContext)
	case c.Sources&candidate.FromSecond != 0 && n.removals == 0:
		return "wrote an earlier version of lines next to what the fix adds"
	case c.Sources&candidate.FromSecond != 0:
		return "wrote an earlier version of lines that the fix removes"
	case n.inFunction.code > 0: // a blank line or a comment that is nearer says less
		return n.inFunction.text() + " in the function or block that the fix changes"
	case n.near.some():
		return n.near.text() + " next to what the fix changes" + k.movedSince(c, candidate.RoleContext)
	case n.inFunction.some():
		return n.inFunction.text() + " in the function or block that the fix changes"
	case c.Sources&candidate.FromBeside != 0:
		return "wrote lines of build or data files in or near what the fix changes there"
	case k.tookOut(c):
		return "took out lines that the fix adds"
	case c.Sources&candidate.FromNames != 0 && !k.changesFixed(c):
		return "wrote lines in other files that use a rare name of the fix"
	case c.Sources&candidate.FromNames != 0:
		return k.historyReason(c) + ", and wrote lines in other files that use a rare name of the fix"
	case c.Sources&candidate.FromHistory != 0:
		return k.historyReason(c)
	case c.Sources&candidate.FromIndex != 0:
		return k.indexReason(c)
	}
	return k.wordsReason(c)
}

// otherLines counts lines that are no code: "3 imports", or "2 imports and 1 comment".
func otherLines(counts map[source.LineKind]int) string {
	var parts []string
	for _, kind := range []struct {
		kind      source.LineKind
		one, many string
	}{
		{source.LineImport, "import", "imports"}, {source.LineBrace, "line that opens or closes a block", "lines that open or close a block"},
		{source.LineComment, "line of comments", "lines of comments"}, {source.LineBlank, "blank line", "blank lines"},
	} {
		if n := counts[kind.kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, agent.PluralOf(n, kind.one, kind.many)))
		}
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return parts[0]
}
