package investigate

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

// This file checks claims. The claim that a commit introduced the bug is refuted if the
// faulty code existed before the commit. The check takes the lines charged to the commit:
// the lines that the fix removes or, if it removes none, the lines around its additions.
// For each line it finds out whether the commit only put it into another place or form:
//
//	--- a.c                          +++ b.c
//	-  if (n > max_limit(n))         +    if (n > max_limit(n))
//	-      n = max_limit(n);         +        n = max_limit(n);
//
// An objection needs most of these lines. It costs the model a turn, and costs a right
// answer if the model is wrong to believe it.

// A precedent is faulty code in the parent of the claimed commit.
type precedent struct {
	lines, of int // the number of charged lines that are older than the commit, and of all charged lines
	examples  []earlierLine
	origins   []lineOrigin // the commits that wrote the older lines, the one with most of them first
}

// A lineOrigin is a commit that wrote older lines, and their number.
type lineOrigin struct {
	commit gitext.Commit
	lines  int
}

// An earlierLine is a charged line and its form before the claimed commit.
type earlierLine struct {
	line   int // in the fix's parent
	text   string
	path   string        // in the parent of the claimed commit
	at     int           // line there
	before string        // text there
	same   bool          // before is text, except for white space
	owner  gitext.Commit // the author in that place; zero if not found
}

// Bounds of the check.
const (
	precedentShare = 0.75    // least share of the charged lines that must be older
	maxExamples    = 2       // lines that an objection quotes
	maxOwned       = 24      // older lines whose owners are looked up
	maxOrigins     = 3       // owners that an objection names
	maxPatchMoved  = 4 << 20 // bytes of the claimed commit's patch
	minNames       = 3       // least names in a charged line; a line with fewer is like others
)

// findPrecedent looks in the parent of a commit for the lines charged to the commit. It
// returns nil if the commit wrote them, and if there are none.
func (d *investigation) findPrecedent(ctx context.Context, oid gitext.OID) (*precedent, error) {
	charged := d.charged(oid)
	if len(charged) == 0 {
		return nil, nil
	}
	c, err := d.repo.Commit(ctx, oid)
	if err != nil || len(c.Parents) != 1 || d.repo.ShallowBoundary()[oid] {
		return nil, err
	}
	patch, err := d.readPatch(ctx, c)
	if err != nil || patch == nil {
		return nil, err
	}
	found := &precedent{of: len(charged)}
	index := newPatchIndex(patch)
	var hits []earlierLine
	for _, a := range charged {
		if ctx.Err() != nil { // a patch may have very many lines
			return nil, ctx.Err()
		}
		if e, ok := index.find(a, d.faults(a)); ok {
			hits = append(hits, e)
		}
	}
	found.lines = len(hits)
	if float64(found.lines) < precedentShare*float64(found.of) {
		return nil, nil
	}
	sort.SliceStable(hits, func(i, j int) bool { return len(hits[i].text) > len(hits[j].text) })
	if err := d.ownersBefore(ctx, c.Parents[0], hits[:min(maxOwned, len(hits))]); err != nil {
		return nil, err
	}
	found.origins = originsOf(hits)
	found.examples = differentLines(hits)
	return found, nil
}

// readPatch returns the patch of a commit from those of the first prompt, or reads it. It
// stores nothing, because the runs share the investigation at the same time.
func (d *investigation) readPatch(ctx context.Context, c gitext.Commit) (*gitext.Patch, error) {
	if p, ok := d.patches[c.OID]; ok {
		return p, nil
	}
	p, err := d.repo.Patch(ctx, c.Parents[0], c.OID, gitext.PatchOptions{Renames: true, MaxBytes: maxPatchMoved})
	if gitext.Unreadable(err) {
		return nil, nil
	}
	return p, err
}

// originsOf counts the lines of each author, most lines first.
func originsOf(hits []earlierLine) []lineOrigin {
	var out []lineOrigin
	for _, e := range hits {
		if e.owner.OID == "" {
			continue
		}
		i := slices.IndexFunc(out, func(o lineOrigin) bool { return o.commit.OID == e.owner.OID })
		if i < 0 {
			i, out = len(out), append(out, lineOrigin{commit: e.owner})
		}
		out[i].lines++
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].lines > out[j].lines })
	return out
}

// differentLines returns the first lines for an objection to quote, each text once.
func differentLines(hits []earlierLine) []earlierLine {
	var out []earlierLine
	for _, e := range hits {
		again := func(o earlierLine) bool { return squeezed([]byte(o.text)) == squeezed([]byte(e.text)) }
		if len(out) < maxExamples && !slices.ContainsFunc(out, again) {
			out = append(out, e)
		}
	}
	return out
}

// ownersBefore fills in the owners of lines in parent. It looks through further moves.
func (d *investigation) ownersBefore(ctx context.Context, parent gitext.OID, list []earlierLine) error {
	for i := range list {
		e := &list[i]
		if e.owner.OID != "" || slices.ContainsFunc(list[:i], func(o earlierLine) bool { return o.path == e.path }) {
			continue // the file was blamed for an earlier line of the list
		}
		owner, err := d.blameBefore(ctx, parent, e.path, list[i:])
		if err != nil {
			return err
		}
		for k := i; k < len(list); k++ {
			if oid := owner[list[k].at]; list[k].path == e.path && oid != "" {
				if list[k].owner, err = d.repo.Commit(ctx, oid); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// blameBefore returns the owners of the lines of list that are in path. Lines that may be
// older than this clone, and files that the clone lacks, have none.
func (d *investigation) blameBefore(ctx context.Context, parent gitext.OID, path string, list []earlierLine) (map[int]gitext.OID, error) {
	at := map[int]bool{}
	for _, e := range list {
		if e.path == path {
			at[e.at] = true
		}
	}
	var ranges []gitext.LineRange
	for _, line := range slices.Sorted(maps.Keys(at)) {
		ranges = append(ranges, gitext.LineRange{Start: line, End: line})
	}
	lines, err := d.repo.Blame(ctx, parent, path, gitext.BlameOptions{Ranges: ranges, IgnoreSpace: true, Moves: true, Copies: 1})
	if gitext.Unreadable(err) {
		return nil, nil
	}
	owner := map[int]gitext.OID{}
	for _, l := range lines {
		if !l.Boundary {
			owner[l.Line] = l.Commit
		}
	}
	return owner, err
}

// charged returns the lines that tie a commit to the fix, as it left them: the deleted lines
// of code that it wrote or moved or, if the fix deletes none at all, its lines next to the
// additions of the fix. Lines too short to be told apart are left out.
func (d *investigation) charged(oid gitext.OID) []*candidate.Anchor {
	var deleted, near []*candidate.Anchor
	ghost := true
	for i := range d.k.Set.Anchors {
		a := &d.k.Set.Anchors[i]
		if a.Kind != source.LineCode {
			continue
		}
		ghost = ghost && a.Role != candidate.RoleDeleted
		left, ok := a.LeftBy(oid)
		if !ok || len(source.CodeWordsOf(a.Text)) < minNames {
			continue
		}
		own := *a
		own.OwnedLine = left
		switch a.Role {
		case candidate.RoleDeleted:
			deleted = append(deleted, &own)
		case candidate.RoleContext:
			near = append(near, &own)
		}
	}
	if ghost {
		return near
	}
	return deleted
}

// A patchIndex finds the lines of a patch that may be earlier forms of other lines.
type patchIndex struct {
	exact map[string][]removedLine  // by text without white space
	old   map[removedAt]string      // the same text, by place
	new   map[string]map[int]string // texts of added lines without white space, by path and line
	hunks map[string][]gitext.Hunk  // by new name
	from  map[string]string         // old name of each file
	renames
}

// A removedLine is a line that the patch removes.
type removedLine struct {
	path string
	line int
	text []byte
	hunk *gitext.Hunk
}

// A removedAt is the place of a removed line.
type removedAt struct {
	path string
	line int
}

// maxAlike bounds the number of compared removed lines with the same text.
const maxAlike = 50

func newPatchIndex(p *gitext.Patch) *patchIndex {
	r := &patchIndex{
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

// squeezed returns a line without its white space.
func squeezed(text []byte) string { return string(bytes.Join(bytes.Fields(text), nil)) }

// find looks for a charged line among the removed lines: in the same form or, in the hunk
// that wrote it, in a form that has all faults, the pieces that the fix changes.
func (r *patchIndex) find(a *candidate.Anchor, faults [][]string) (earlierLine, bool) {
	e := earlierLine{line: a.Line, text: strings.TrimSpace(string(a.Text))}
	p, ok := r.moved(a)
	if e.same = ok; !ok {
		p, ok = r.rewritten(a, faults)
	}
	e.path, e.at, e.before = p.path, p.line, strings.TrimSpace(string(p.text))
	return e, ok
}

// minFarMove is the least amount of text, in bytes without white space, that a line and
// its neighbours must have in common with lines of another hunk to count as moved from
// there. `free(s);` between two braces is everywhere.
const minFarMove = 40

// moved finds the earlier, removed form of a charged line, if a line near it was moved
// along. One line alone proves nothing: many lines are equal, and moving one into another
// branch changes the behavior of a program.
func (r *patchIndex) moved(a *candidate.Anchor) (removedLine, bool) {
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

// rewritten finds the earlier form of a charged line in the hunk that wrote it. The
// earlier form has the same names, except for those that the commit renames throughout:
// another name may change the meaning of the line, even if the fix does not touch the
// name.
func (r *patchIndex) rewritten(a *candidate.Anchor, faults [][]string) (removedLine, bool) {
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

// faults returns the pieces of a deleted line that the fix changes, each with the
// neighbouring tokens. It returns nil for a line that the fix deletes without adding a
// similar one: then the whole line is at fault.
func (d *investigation) faults(a *candidate.Anchor) [][]string {
	if a.Role != candidate.RoleDeleted {
		return nil
	}
	old := lexemes(a.Text)
	var best []string
	top := 0.4 // a line with less in common is unrelated
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

// describe renders a precedent for the model. name stands for the claimed commit.
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
		fmt.Fprintf(&b, " `%s` was in %s:%d at %s^", excerptOf(redact(before)), agent.CleanLine(e.path), e.at, name)
		if e.owner.OID != "" && len(p.origins) > 1 {
			fmt.Fprintf(&b, " (%s)", e.owner.OID.Short())
		}
		if !e.same {
			fmt.Fprintf(&b, ", and %s made it `%s`: judge whether that change is the bug", name, excerptOf(redact(e.text)))
		}
		b.WriteByte(';')
	}
	text := strings.TrimSuffix(b.String(), ";")
	for _, o := range p.origins[:min(maxOrigins, len(p.origins))] {
		text += fmt.Sprintf(", by %s %s %s", o.commit.OID.Short(), dateOf(o.commit.Committer.Time), subjectOf(o.commit, redact))
		if len(p.origins) > 1 {
			text += fmt.Sprintf(" (%s)", agent.Plural(o.lines, "line"))
		}
	}
	return text
}

func excerptOf(line string) string { return agent.Abridge(agent.CleanLine(line), 100) }

func dateOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }
