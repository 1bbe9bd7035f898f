package rank

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// This file picks the evidence against a suspect, each piece with a git command whose
// output shows the place.

// evidence picks the lines that tie the candidate to the fix, nearest first. If the
// candidate owns no line nearer than the rest of a changed function, it adds the
// candidate's change with most in common with the fix.
func (k *Case) evidence(c *candidate.Candidate) []suspect.Evidence {
	list := k.lineEvidence(k.Set, c)
	if len(list) == 0 && k.Set.Beside != nil {
		list = k.lineEvidence(k.Set.Beside, c)
	}
	if len(list) == 0 || !k.ownsNear(c) {
		list = append(list, k.diffEvidence(c))
	}
	return list
}

// ownsNear reports whether a candidate owns a line that the fix removes, or one within a
// few lines of its changes.
func (k *Case) ownsNear(c *candidate.Candidate) bool {
	return c.Sources&(candidate.FromDeleted|candidate.FromContext|candidate.FromBeside) != 0
}

// lineEvidence picks the candidate's lines in set.
func (k *Case) lineEvidence(set *candidate.AnchorSet, c *candidate.Candidate) []suspect.Evidence {
	const most = 3
	var own []*candidate.Anchor
	for i := range set.Anchors {
		if a := &set.Anchors[i]; a.Owner == c.OID && a.Kind != source.LineBlank && a.Kind != source.LineBrace {
			own = append(own, a)
		}
	}
	sort.SliceStable(own, func(i, j int) bool { return tellsMore(own[i], own[j]) })
	own = own[:min(most, len(own))]
	var list []suspect.Evidence
	for _, a := range own {
		list = append(list, suspect.Evidence{
			Path: set.Files[a.File].OldPath, Line: a.Line, Removed: a.Role == candidate.RoleDeleted, Text: strings.TrimSpace(string(a.Text)),
			Command: k.blameCommand(set, own, a),
		})
	}
	return list
}

// tellsMore reports whether a line tells more of its owner than another: lines that the fix removes come first, then code,
// then what is nearer, as in Reason.
func tellsMore(a, b *candidate.Anchor) bool {
	removed := func(x *candidate.Anchor) bool { return x.Role == candidate.RoleDeleted }
	switch {
	case removed(a) != removed(b):
		return removed(a)
	case (a.Kind == source.LineCode) != (b.Kind == source.LineCode):
		return a.Kind == source.LineCode
	case a.Role != b.Role:
		return a.Role < b.Role
	}
	return a.Distance < b.Distance
}

// blameCommand returns a command by which git names the owner of an anchor: at the fix's
// parent or, for a line that was moved to its file, at the last commit before that. It
// shows the anchors of list around it, too.
func (k *Case) blameCommand(set *candidate.AnchorSet, list []*candidate.Anchor, a *candidate.Anchor) string {
	type place struct {
		rev  gitext.OID
		path string
		line int
	}
	blamed := func(a *candidate.Anchor) place {
		if a.Move != nil {
			return place{a.Move.From, a.Move.Path, a.Move.Line}
		}
		return place{k.fc.Parent, set.Files[a.File].OldPath, a.Line}
	}
	in := map[place]bool{}
	for _, b := range list {
		in[blamed(b)] = true
	}
	from := blamed(a)
	for before := from; in[before]; before.line-- {
		from = before
	}
	to := from
	for after := to; in[after]; after.line++ {
		to = after
	}
	through := " -w"
	if set.Spaces {
		through = ""
	}
	if a.Move == nil {
		for _, oid := range set.Ignored {
			through += " --ignore-rev=" + oid.Short()
		}
	}
	return fmt.Sprintf("git blame%s -L %d,%d %s -- %s", through, from.line, to.line, from.rev.Short(), quote.Shell(from.path))
}

// diffEvidence returns the evidence against a candidate that owns none of the lines: the
// rarest names that the candidate and the fix have in common.
func (k *Case) diffEvidence(c *candidate.Candidate) suspect.Evidence {
	if e, ok := k.tookOutEvidence(c); ok {
		return e
	}
	shared := k.shared(c)
	e := suspect.Evidence{Command: "git show " + c.OID.Short()}
	if len(shared) > 0 {
		e.Text = "both touch " + strings.Join(shared, ", ")
	}
	if i := slices.IndexFunc(c.Diff.Paths, func(p string) bool { return k.FixPath[p] }); i >= 0 {
		e.Path = c.Diff.Paths[i]
		e.Command += " -- " + quote.Pathspec(e.Path)
	}
	if path, h, ok := k.sharedHunk(c, shared); ok {
		e.Path, e.Command = path, logCommand(path, h, c)
	}
	return e
}

// logCommand returns a command that shows a hunk of a candidate.
func logCommand(path string, h *candidate.DiffHunk, c *candidate.Candidate) string {
	lines := h.NewLines()
	return fmt.Sprintf("git log -1 -L %s %s", quote.Shell(fmt.Sprintf("%d,%d:%s", lines.Start, lines.End, path)), c.OID.Short())
}

// sharedHunk returns the hunk in which the candidate changed the rarest of the shared
// names. It prefers a hunk of a traced file. ok is false if no hunk has the names, and for
// a merge, for which git log -L shows nothing.
func (k *Case) sharedHunk(c *candidate.Candidate, shared []string) (path string, hunk *candidate.DiffHunk, ok bool) {
	best := 0.0
	for _, p := range slices.Sorted(maps.Keys(c.Diff.Hunks)) {
		for i := range c.Diff.Hunks[p] {
			h := &c.Diff.Hunks[p][i]
			if h.Empties() {
				continue // git log -L needs a file that exists after the commit
			}
			value := 0.0
			for _, t := range shared {
				if h.In[t] != h.Out[t] {
					value += max(0, k.Code.Weight(t))
				}
			}
			if k.FixPath[p] {
				value *= 2
			}
			if value > best && len(c.Commit.Parents) < 2 {
				best, path, hunk, ok = value, p, h, true
			}
		}
	}
	return path, hunk, ok
}
