package candidate

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// Blame stops at the last commit that rewrote a line, also when the words that
// the fix takes out are older than that:
//
//	a   return sum / count;
//	b   return round(sum / count);           keeps what is wrong
//	    return round(sum / max(count, 1));   the fix: a is to blame, not b
//
// So each word is followed back through the rewrites until a commit wrote it
// without taking it out of the same place. MV-SZZ lets tokens vote on a
// rewritten history (szz.md, 8.4); here blame is asked again, a few times.

// A fileAt is a file at a revision.
type fileAt struct {
	rev  gitext.OID
	path string
}

// A trail is some words of a line, and the place where its owner found them.
type olderWords struct {
	at    fileAt
	lines gitext.LineRange // that the owner rewrote
	line  source.Bag       // all words of the line
	older []string         // those that are followed
	owner gitext.OID
	share ShareKind
}

// originSearch follows the words of a fix's lines back.
type originSearch struct {
	pool    *Pool
	set     *AnchorSet
	pending []olderWords
	asked   map[fileAt][]gitext.LineRange // to be blamed next
	order   []fileAt
}

// Bounds of the search, chosen for their cost.
const (
	maxRewrite   = 40 // lines of a rewritten block that are looked at
	maxLineWords = 20 // of a line that vote
)

// maxBlamedAgain is how many files are blamed again on each step back.
var maxBlamedAgain = [...]int{5, 3, 2}

// findOrigins finds who wrote the words that the fix takes out, and those
// beside an insertion that it repeats. The first step back also finds the
// owners of all lines that were rewritten, which penetrates refactorings, moves
// within a file and reformatting.
func (p *Pool) findOrigins(ctx context.Context, repo *gitext.Repo, set *AnchorSet, paths []string) error {
	t := &originSearch{pool: p, set: set, asked: map[fileAt][]gitext.LineRange{}}
	set.Origins = map[ShareKind]map[gitext.OID]float64{ShareOrigin: {}, ShareRelatedOrigin: {}}
	t.start()
	for step, most := range maxBlamedAgain {
		if len(t.order) == 0 {
			break
		}
		lines, err := t.blame(ctx, repo, most)
		if err != nil {
			return err
		}
		if step == 0 {
			t.addSecondOwners(lines)
		}
		if err := t.stepBack(ctx, repo, lines, paths); err != nil {
			return err
		}
	}
	for _, tr := range t.pending {
		t.vote(tr.share, tr.owner, len(tr.older))
	}
	return nil
}

// start sets out from the lines of the fix's parent.
func (t *originSearch) start() {
	added := make([]source.Bag, len(t.set.Changes))
	for i, r := range t.set.Changes {
		added[i] = source.Bag{}
		for _, l := range r.Added {
			added[i].AddMarks(l.Text)
		}
	}
	for i := range t.set.Anchors {
		a := &t.set.Anchors[i]
		if a.Role == RoleFunction || a.Role == RoleContext && !a.Inserts {
			continue
		}
		if a.Role == RoleDeleted || a.Distance == 1 {
			t.askAboutAnchor(a)
		}
		if a.Kind != source.LineCode {
			continue
		}
		t.followAnchor(a, added[a.Change])
	}
}

// followAnchor follows what the fix takes out of a line or, beside an
// insertion, what the added lines repeat.
func (t *originSearch) followAnchor(a *Anchor, added source.Bag) {
	line := source.Bag{}
	line.AddMarks(a.Text)
	l := gitext.BlameLine{Commit: a.Owner, Path: a.Path, OrigLine: a.OrigLine, Previous: a.Previous, PreviousPath: a.PreviousPath}
	words, votes := line.Without(added), ShareOrigin
	if a.Role == RoleContext {
		words, votes = line.Shared(added), ShareRelatedOrigin
	} else if len(words) == 0 {
		t.vote(votes, a.Owner, 1) // the fix only moves it
	}
	t.follow(l, line, words[:min(len(words), maxLineWords)], votes)
}

// tookOut says whether a change removed a word or pair.
func (h *DiffHunk) tookOut(w string) bool {
	if !strings.Contains(w, " ") {
		return h.Out[w] > 0
	}
	if h.removedPairs == nil {
		h.removedPairs = source.Bag{}
		for _, l := range h.removed {
			h.removedPairs.AddPairs(l)
		}
	}
	return h.removedPairs[w] > 0
}

// askAboutAnchor has the lines blamed that an anchor's owner rewrote.
func (t *originSearch) askAboutAnchor(a *Anchor) {
	c := t.pool.ByOID[a.Owner]
	if c == nil || c.Diff == nil || a.Previous == "" {
		return
	}
	if h := c.Diff.HunkAt(a.Path, a.OrigLine); h != nil && h.oldPath == a.PreviousPath && h.oldEnd >= h.oldStart {
		t.ask(fileAt{a.Previous, a.PreviousPath}, h)
	}
}

func (t *originSearch) ask(at fileAt, h *DiffHunk) gitext.LineRange {
	r := gitext.LineRange{Start: h.oldStart, End: min(h.oldEnd, h.oldStart+maxRewrite)}
	if t.asked[at] == nil {
		t.order = append(t.order, at)
	}
	if !slices.Contains(t.asked[at], r) {
		t.asked[at] = append(t.asked[at], r)
	}
	return r
}

// follow lets the owner of a line answer for the words that it brought there,
// and looks further back for those that it found.
func (t *originSearch) follow(l gitext.BlameLine, line source.Bag, words []string, votes ShareKind) {
	if len(words) == 0 {
		return
	}
	var h *DiffHunk
	if c := t.pool.ByOID[l.Commit]; c != nil && c.Diff != nil && l.Previous != "" {
		h = c.Diff.rewriteOf(l, words)
	}
	if h == nil {
		t.vote(votes, l.Commit, len(words))
		return
	}
	var older []string
	for _, w := range words {
		if h.tookOut(w) {
			older = append(older, w)
		}
	}
	t.vote(votes, l.Commit, len(words)-len(older))
	if len(older) > 0 {
		at := fileAt{l.Previous, l.PreviousPath}
		t.pending = append(t.pending, olderWords{at: at, lines: t.ask(at, h), line: line, older: older, owner: l.Commit, share: votes})
	}
}

func (t *originSearch) vote(k ShareKind, owner gitext.OID, words int) {
	if words > 0 && !t.pool.boundary[owner] {
		t.set.Origins[k][owner] += float64(words)
	}
}

// rewriteOf is the change that wrote a line by rewriting others, or that moved
// it within the file: then the change that took most of its words out. Where
// the file was written out of two, blame and the diff, which knows fewer files,
// may each have another of them: then it is nil.
func (d *CommitDiff) rewriteOf(l gitext.BlameLine, words []string) *DiffHunk {
	h := d.HunkAt(l.Path, l.OrigLine)
	if h == nil || h.oldPath != l.PreviousPath {
		return nil
	}
	found := func(h *DiffHunk) (n int) {
		for _, w := range words {
			if h.tookOut(w) {
				n++
			}
		}
		return n
	}
	if found(h) > 0 {
		return h
	}
	var from *DiffHunk
	for i := range d.Hunks[l.Path] {
		if o := &d.Hunks[l.Path][i]; 2*found(o) > len(words) && (from == nil || found(o) > found(from)) {
			from = o
		}
	}
	return from
}

// blame finds the owners of what was asked for, of the files with most to ask
// about. Files that this clone lacks are passed over.
func (t *originSearch) blame(ctx context.Context, repo *gitext.Repo, most int) (map[fileAt][]gitext.BlameLine, error) {
	sort.SliceStable(t.order, func(i, j int) bool { return len(t.asked[t.order[i]]) > len(t.asked[t.order[j]]) })
	t.order = t.order[:min(len(t.order), most)]
	found := make([][]gitext.BlameLine, len(t.order))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, at := range t.order {
		g.Go(func() (err error) {
			found[i], err = repo.Blame(gctx, at.rev, at.path, gitext.BlameOptions{Ranges: t.asked[at], IgnoreSpace: true})
			if gitext.Unreadable(err) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	lines := map[fileAt][]gitext.BlameLine{}
	for i, at := range t.order {
		lines[at] = slices.DeleteFunc(found[i], func(l gitext.BlameLine) bool { return l.Boundary })
	}
	t.order = slices.DeleteFunc(t.order, func(at fileAt) bool { return lines[at] == nil })
	return lines, nil
}

// addSecondOwners makes candidates of all who owned the rewritten lines.
func (t *originSearch) addSecondOwners(lines map[fileAt][]gitext.BlameLine) {
	for _, at := range t.order {
		for _, l := range lines[at] {
			t.pool.add(l.Commit, FromSecond)
			t.set.Second = append(t.set.Second, l.Commit)
		}
	}
}

// stepBack takes each trail to the lines where its words stood.
func (t *originSearch) stepBack(ctx context.Context, repo *gitext.Repo, lines map[fileAt][]gitext.BlameLine, paths []string) error {
	trails := t.pending
	t.pending, t.order, t.asked = nil, nil, map[fileAt][]gitext.LineRange{}
	for _, tr := range trails {
		for _, l := range tr.linesBefore(lines[tr.at]) {
			t.pool.add(l.Commit, FromSecond)
		}
		if !slices.Contains(paths, tr.at.path) {
			paths = append(paths[:len(paths):len(paths)], tr.at.path)
		}
	}
	if err := t.pool.read(ctx, repo, paths); err != nil {
		return err
	}
	for _, tr := range trails {
		spots := tr.linesBefore(lines[tr.at])
		byLine := map[int][]string{}
		for _, w := range tr.older {
			if l, ok := spots[w]; ok {
				byLine[l.Line] = append(byLine[l.Line], w)
			} else {
				t.vote(tr.share, tr.owner, 1)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(byLine)) {
			l, line := spots[byLine[n][0]], source.Bag{}
			line.AddMarks(l.Text)
			t.follow(l, line, byLine[n], tr.share)
		}
	}
	return nil
}

// linesBefore are the lines where the words of a trail stood: of several the one most
// like the line that came of it.
func (tr *olderWords) linesBefore(lines []gitext.BlameLine) map[string]gitext.BlameLine {
	at := map[string]gitext.BlameLine{}
	best := map[string]int{}
	for _, l := range lines {
		if l.Line < tr.lines.Start || l.Line > tr.lines.End {
			continue
		}
		line, shared := source.Bag{}, 0
		line.AddMarks(l.Text)
		for w := range line {
			shared += min(1, tr.line[w])
		}
		if 2*shared < len(tr.line) {
			continue // another line, that happens to use the word
		}
		for _, w := range tr.older {
			if line[w] > 0 && shared > best[w] {
				best[w], at[w] = shared, l
			}
		}
	}
	return at
}
