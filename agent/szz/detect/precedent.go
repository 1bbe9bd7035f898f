package detect

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// A claim "this commit introduced the bug" is refuted when the faulty code was
// there before the commit. The check looks at the lines for which the commit
// is charged, those that the fix takes out or, when it takes out none, those
// around what it adds, and asks of each whether the commit only put it into
// another place or form:
//
//	--- a.c                          +++ b.c
//	-  if (n > max_limit(n))         +    if (n > max_limit(n))
//	-      n = max_limit(n);         +        n = max_limit(n);
//
// An objection needs most of these lines: it costs the model a turn, and a
// right answer if the model believes it wrongly.

// A precedent is faulty code that stood in the parent of the accused.
type precedent struct {
	lines, of int // lines that were there, of those that the commit is charged with
	moved     int // of lines, those that were there word for word
	examples  []earlierLine
}

// An earlier line is a charged line as it stood before.
type earlierLine struct {
	line   int // in the fix's parent
	text   string
	path   string
	at     int // line in the accused's parent
	before string
	same   bool          // but for white space
	owner  gitext.Commit // who wrote it there; zero when not found
}

const (
	precedentShare = 0.75 // of the charged lines
	maxExamples    = 2
	maxPatchMoved  = 4 << 20 // bytes of the accused's patch
	minNames       = 3       // in a line that can be told from others
)

// findPrecedent looks for the lines that oid is charged with in its parent.
// It returns nil when they are its own, and when it is charged with none.
func (d *investigation) findPrecedent(ctx context.Context, oid gitext.OID) (*precedent, error) {
	charged := d.charged(oid)
	if len(charged) == 0 {
		return nil, nil
	}
	c, err := d.repo.Commit(ctx, oid)
	if err != nil || len(c.Parents) != 1 || d.repo.ShallowBoundary()[oid] {
		return nil, err
	}
	patch, err := d.repo.Patch(ctx, c.Parents[0], oid, gitext.PatchOptions{Renames: true, MaxBytes: maxPatchMoved})
	if err != nil {
		if gitext.Unreadable(err) {
			err = nil
		}
		return nil, err
	}
	found := &precedent{of: len(charged)}
	removed := newRemoval(patch)
	var hits []earlierLine
	for _, a := range charged {
		if ctx.Err() != nil { // a patch may have very many lines
			return nil, ctx.Err()
		}
		if e, ok := removed.find(a, d.faults(a)); ok {
			hits = append(hits, e)
			if e.same {
				found.moved++
			}
		}
	}
	found.lines = len(hits)
	if float64(found.lines) < precedentShare*float64(found.of) {
		return nil, nil
	}
	sort.SliceStable(hits, func(i, j int) bool { return len(hits[i].text) > len(hits[j].text) })
	found.examples = hits[:min(maxExamples, len(hits))]
	return found, d.ownersBefore(ctx, c.Parents[0], found.examples)
}

// ownersBefore names who wrote the lines that stood in parent, through further
// moves.
func (d *investigation) ownersBefore(ctx context.Context, parent gitext.OID, list []earlierLine) error {
	for i := range list {
		e := &list[i]
		lines, err := d.repo.Blame(ctx, parent, e.path, gitext.BlameOptions{
			Ranges: []gitext.LineRange{{Start: e.at, End: e.at}}, IgnoreSpace: true, Moves: true, Copies: 1,
		})
		if gitext.Unreadable(err) || err == nil && len(lines) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		if lines[0].Boundary {
			continue // it may be older than this clone
		}
		if e.owner, err = d.repo.Commit(ctx, lines[0].Commit); err != nil {
			return err
		}
	}
	return nil
}

// charged are the lines that tie a commit to the fix: deleted lines of code
// that it owns; where the fix deletes none at all, its lines next to what the
// fix adds. Lines too short to be told apart are left out.
func (d *investigation) charged(oid gitext.OID) []*candidate.Anchor {
	var deleted, near []*candidate.Anchor
	ghost := true
	for i := range d.k.Set.Anchors {
		a := &d.k.Set.Anchors[i]
		if a.Kind != source.LineCode {
			continue
		}
		ghost = ghost && a.Role != candidate.RoleDeleted
		if a.Owner != oid || len(source.CodeWordsOf(a.Text)) < minNames {
			continue
		}
		switch a.Role {
		case candidate.RoleDeleted:
			deleted = append(deleted, a)
		case candidate.RoleContext:
			near = append(near, a)
		}
	}
	if ghost {
		return near
	}
	return deleted
}

// A removal is what a commit took out, as far as it may be what it put back.
type removedLines struct {
	exact map[string][]removedLine // by text without white space
	old   map[removedAt]string     // the same text, by place
	new   map[string]map[int]string
	hunks map[string][]gitext.Hunk // by new name
	from  map[string]string        // old name of each file
	renames
}

type removedLine struct {
	path string
	line int
	text []byte
	hunk *gitext.Hunk
}

type removedAt struct {
	path string
	line int
}

// maxAlike bounds how many equal removed lines are compared.
const maxAlike = 50

func newRemoval(p *gitext.Patch) *removedLines {
	r := &removedLines{
		exact: map[string][]removedLine{}, old: map[removedAt]string{}, new: map[string]map[int]string{},
		hunks: map[string][]gitext.Hunk{}, from: map[string]string{}, renames: renamesOf(p),
	}
	for _, f := range p.Files {
		r.hunks[f.NewPath], r.from[f.NewPath], r.new[f.NewPath] = f.Hunks, f.OldPath, map[int]string{}
		for i, h := range f.Hunks {
			for _, l := range h.Lines {
				key := squeezed(l.Text)
				switch {
				case l.Op == '+':
					r.new[f.NewPath][l.New] = key
				case l.Op == '-':
					r.old[removedAt{f.OldPath, l.Old}] = key
					if len(r.exact[key]) < maxAlike {
						r.exact[key] = append(r.exact[key], removedLine{f.OldPath, l.Old, l.Text, &f.Hunks[i]})
					}
				}
			}
		}
	}
	return r
}

// squeezed is a line without its white space.
func squeezed(text []byte) string { return string(bytes.Join(bytes.Fields(text), nil)) }

// find looks for a charged line among what was removed: as it is, or in the
// same hunk in a form that holds all that the fix changes in it.
func (r *removedLines) find(a *candidate.Anchor, faults [][]string) (earlierLine, bool) {
	e := earlierLine{line: a.Line, text: strings.TrimSpace(string(a.Text))}
	p, ok := r.moved(a)
	if e.same = ok; !ok {
		p, ok = r.rewritten(a, faults)
	}
	e.path, e.at, e.before = p.path, p.line, strings.TrimSpace(string(p.text))
	return e, ok
}

// minFarMove is how much text a line and those around it must have in common
// with lines of another hunk to be these, in characters without white space:
// `free(s);` between two braces is everywhere.
const minFarMove = 40

// moved finds a charged line that was removed elsewhere together with a line
// near it. One line alone proves nothing: many lines are equal,
// and to put one into another branch changes what a program does.
func (r *removedLines) moved(a *candidate.Anchor) (removedLine, bool) {
	now := r.new[a.Path]
	for _, p := range r.exact[squeezed(a.Text)] {
		beside, longest := 0, 0
		for _, d := range [...]int{-1, 1, -2, 2, -3, 3} {
			if line := now[a.OrigLine+d]; line != "" && line == r.old[removedAt{p.path, p.line + d}] {
				beside, longest = beside+len(line), max(longest, len(line))
			}
		}
		here := p.path == r.from[a.Path] && p.hunk.NewStart <= a.OrigLine && a.OrigLine < p.hunk.NewStart+p.hunk.NewLines
		if longest > 1 && (here || beside+len(squeezed(a.Text)) >= minFarMove) {
			return p, true
		}
	}
	return removedLine{}, false
}

// rewritten finds the earlier form of a charged line in the hunk that wrote
// it. It has the same names in it, but for those that the commit renames
// throughout: whoever puts in another name may change what the line means,
// also where the fix does not touch it.
func (r *removedLines) rewritten(a *candidate.Anchor, faults [][]string) (removedLine, bool) {
	if len(faults) == 0 {
		return removedLine{}, false
	}
	now := lexemes(a.Text)
	for i, h := range r.hunks[a.Path] {
		if a.OrigLine < h.NewStart || a.OrigLine >= h.NewStart+h.NewLines {
			continue
		}
		for _, l := range h.Lines {
			if l.Op != '-' {
				continue
			}
			before := lexemes(l.Text)
			if (maps.Equal(source.CodeWordsOf(a.Text), source.CodeWordsOf(l.Text)) || r.renames.explain(before, now)) && holdsAll(before, faults) {
				return removedLine{r.from[a.Path], l.Old, l.Text, &r.hunks[a.Path][i]}, true
			}
		}
	}
	return removedLine{}, false
}

// faults are the pieces of a deleted line that the fix changes, each with the
// tokens beside it. It returns nil for a line that the fix drops without a
// like one in its place: all of it is the fault.
func (d *investigation) faults(a *candidate.Anchor) [][]string {
	if a.Role != candidate.RoleDeleted {
		return nil
	}
	old := lexemes(a.Text)
	var best []string
	top := 0.4 // less is another line
	for _, l := range d.k.Set.Changes[a.Change].Added {
		if now := lexemes(l.Text); dice(old, now) > top {
			top, best = dice(old, now), now
		}
	}
	if best == nil || slices.Equal(old, best) {
		return nil
	}
	return changes(old, best)
}

// describe words a precedent for the model; name is how it calls the accused.
func (p *precedent) describe(name string, redact func(string) string) string {
	var b strings.Builder
	if p.of == 1 {
		fmt.Fprintf(&b, "the line that ties %s to the fix stood before it, in this or an earlier form:", name)
	} else {
		fmt.Fprintf(&b, "%d of the %d lines that tie %s to the fix stood before it, in this or an earlier form:", p.lines, p.of, name)
	}
	for _, e := range p.examples {
		before := e.before
		if e.same {
			before = e.text
		}
		fmt.Fprintf(&b, " `%s` was in %s:%d at %s^", excerptOf(before), agent.CleanLine(e.path), e.at, name)
		if e.owner.OID != "" {
			fmt.Fprintf(&b, ", by %s %s %s", e.owner.OID.Short(), dateOf(e.owner.Committer.Time), subjectOf(e.owner, redact))
		}
		if !e.same {
			fmt.Fprintf(&b, ", and %s made it `%s`: judge whether that change is the bug", name, excerptOf(e.text))
		}
		b.WriteByte(';')
	}
	return strings.TrimSuffix(b.String(), ";")
}

func excerptOf(line string) string { return agent.Abridge(agent.CleanLine(line), 100) }

func dateOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }
