package candidate

import (
	"context"
	"maps"
	"slices"
	"sort"

	"git-agent/agent/source"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// This file finds the origins of the words that a fix removes. Blame stops at the last
// commit that rewrote a line, even if the words are older:
//
//	a   return sum / count;
//	b   return round(sum / count);           keeps what is wrong
//	    return round(sum / max(count, 1));   the fix: a is to blame, not b
//
// So each word is followed back through the rewrites, to the commit that wrote it without
// removing it from the same place. MV-SZZ lets tokens vote on a rewritten history. This
// file calls blame again, a few times, instead.

// A fileAt is a file at a revision.
type fileAt struct {
	rev  gitext.OID
	path string
}

// olderWords are words of a line that its owner did not write: they were already in the
// lines that it rewrote.
type olderWords struct {
	at    fileAt           // the file before the owner
	lines gitext.LineRange // of that file, which the owner rewrote
	line  source.Bag       // all words of the line
	older []string         // the words that are older than the owner
	owner gitext.OID
	share ShareKind // the share that counts the words
}

// An originSearch follows the words of a fix's lines back, one rewrite per step.
type originSearch struct {
	pool    *Pool
	set     *AnchorSet
	pending []olderWords
	asked   map[fileAt][]gitext.LineRange // ranges to blame in the next step
	order   []fileAt                      // keys of asked, in the order of addition
}

// Bounds of the search, chosen for their cost.
const (
	maxRewrite   = 40 // lines of a rewritten block that are read
	maxLineWords = 20 // words of a line that are followed
)

// maxBlamedAgain is the number of blamed files in each step back.
var maxBlamedAgain = [...]int{5, 3, 2}

// findOrigins finds the commits that wrote the words that the fix removes, and the words
// beside an insertion that the added lines repeat. The first step back also finds the
// owners of all rewritten lines, and so looks behind refactorings, moves within a file
// and reformatting.
func (p *Pool) findOrigins(ctx context.Context, repo *gitext.Repo, set *AnchorSet, paths []string) error {
	s := &originSearch{pool: p, set: set, asked: map[fileAt][]gitext.LineRange{}}
	set.Origins = map[ShareKind]map[gitext.OID]float64{ShareOrigin: {}, ShareRelatedOrigin: {}}
	if s.start(ctx); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for step, most := range maxBlamedAgain {
		if len(s.order) == 0 {
			break
		}
		lines, err := s.blame(ctx, repo, most)
		if err != nil {
			return err
		}
		if step == 0 {
			s.addSecondOwners(lines)
		}
		if err := s.stepBack(ctx, repo, lines, paths); err != nil {
			return err
		}
	}
	for _, o := range s.pending {
		s.vote(o.share, o.owner, len(o.older))
	}
	return nil
}

// start begins with the anchors, which are lines of the fix's parent. It ends early
// with ctx.
func (s *originSearch) start(ctx context.Context) {
	added := make([]source.Bag, len(s.set.Changes))
	for i, r := range s.set.Changes {
		added[i] = source.Bag{}
		for _, l := range r.Added {
			added[i].AddMarks(l.Text)
		}
	}
	for i := range s.set.Anchors {
		if ctx.Err() != nil {
			return
		}
		a := &s.set.Anchors[i]
		if a.Role == RoleFunction || a.Role == RoleContext && !a.Inserts {
			continue
		}
		if a.Role == RoleDeleted || a.Distance == 1 {
			s.askAboutAnchor(a)
		}
		if a.Kind != source.LineCode {
			continue
		}
		s.followAnchor(a, added[a.Change])
	}
}

// followAnchor follows the words that the fix removes from a deleted line. For a line
// beside an insertion, it follows the words that the added lines repeat.
func (s *originSearch) followAnchor(a *Anchor, added source.Bag) {
	line := source.Bag{}
	line.AddMarks(a.Text)
	l := gitext.BlameLine{Commit: a.Owner, Path: a.Path, OrigLine: a.OrigLine, Previous: a.Previous, PreviousPath: a.PreviousPath}
	words, votes := line.Without(added), ShareOrigin
	if a.Role == RoleContext {
		words, votes = line.Shared(added), ShareRelatedOrigin
	} else if len(words) == 0 {
		s.vote(votes, a.Owner, 1) // the fix only moves the line
	}
	s.follow(l, line, words[:min(len(words), maxLineWords)], votes)
}

// askAboutAnchor asks for the owners of the lines that an anchor's owner rewrote.
func (s *originSearch) askAboutAnchor(a *Anchor) {
	c := s.pool.ByOID[a.Owner]
	if c == nil || c.Diff == nil || a.Previous == "" {
		return
	}
	if h := c.Diff.HunkAt(a.Path, a.OrigLine); h != nil && h.oldPath == a.PreviousPath && h.oldEnd >= h.oldStart {
		s.ask(fileAt{a.Previous, a.PreviousPath}, h)
	}
}

// ask requests a blame, in the next step, of the lines that a hunk rewrote, and returns
// them.
func (s *originSearch) ask(at fileAt, h *DiffHunk) gitext.LineRange {
	r := gitext.LineRange{Start: h.oldStart, End: min(h.oldEnd, h.oldStart+maxRewrite)}
	if s.asked[at] == nil {
		s.order = append(s.order, at)
	}
	if !slices.Contains(s.asked[at], r) {
		s.asked[at] = append(s.asked[at], r)
	}
	return r
}

// follow counts the owner's new words of a line for the owner, and leaves the older words
// to the next step.
func (s *originSearch) follow(l gitext.BlameLine, line source.Bag, words []string, votes ShareKind) {
	if len(words) == 0 {
		return
	}
	var h *DiffHunk
	if c := s.pool.ByOID[l.Commit]; c != nil && c.Diff != nil && l.Previous != "" {
		h = c.Diff.rewriteOf(l, words)
	}
	if h == nil {
		s.vote(votes, l.Commit, len(words))
		return
	}
	var older []string
	for _, w := range words {
		if h.tookOut(w) {
			older = append(older, w)
		}
	}
	s.vote(votes, l.Commit, len(words)-len(older))
	if len(older) > 0 {
		at := fileAt{l.Previous, l.PreviousPath}
		s.pending = append(s.pending, olderWords{at: at, lines: s.ask(at, h), line: line, older: older, owner: l.Commit, share: votes})
	}
}

// vote counts words for the commit that wrote them.
func (s *originSearch) vote(k ShareKind, owner gitext.OID, words int) {
	if words > 0 && !s.pool.boundary[owner] {
		s.set.Origins[k][owner] += float64(words)
	}
}

// blame finds the owners of the requested lines, in the files with most of them. Files
// that this clone lacks are left out.
func (s *originSearch) blame(ctx context.Context, repo *gitext.Repo, most int) (map[fileAt][]gitext.BlameLine, error) {
	sort.SliceStable(s.order, func(i, j int) bool { return len(s.asked[s.order[i]]) > len(s.asked[s.order[j]]) })
	s.order = s.order[:min(len(s.order), most)]
	found := make([][]gitext.BlameLine, len(s.order))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, at := range s.order {
		g.Go(func() (err error) {
			found[i], err = repo.Blame(gctx, at.rev, at.path, gitext.BlameOptions{Ranges: s.asked[at], IgnoreSpace: true})
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
	for i, at := range s.order {
		lines[at] = slices.DeleteFunc(found[i], func(l gitext.BlameLine) bool { return l.Boundary })
	}
	s.order = slices.DeleteFunc(s.order, func(at fileAt) bool { return lines[at] == nil })
	return lines, nil
}

// addSecondOwners makes the owners of the rewritten lines candidates.
func (s *originSearch) addSecondOwners(lines map[fileAt][]gitext.BlameLine) {
	for _, at := range s.order {
		for _, l := range lines[at] {
			s.pool.add(l.Commit, FromSecond)
			s.set.Second = append(s.set.Second, l.Commit)
		}
	}
}

// stepBack follows the pending words to their earlier lines.
func (s *originSearch) stepBack(ctx context.Context, repo *gitext.Repo, lines map[fileAt][]gitext.BlameLine, paths []string) error {
	pending := s.pending
	s.pending, s.order, s.asked = nil, nil, map[fileAt][]gitext.LineRange{}
	for _, o := range pending {
		for _, l := range o.linesBefore(lines[o.at]) {
			s.pool.add(l.Commit, FromSecond)
		}
		if !slices.Contains(paths, o.at.path) {
			paths = append(paths[:len(paths):len(paths)], o.at.path)
		}
	}
	if err := s.pool.read(ctx, repo, paths); err != nil {
		return err
	}
	for _, o := range pending {
		stood := o.linesBefore(lines[o.at])
		byLine := map[int][]string{}
		for _, w := range o.older {
			if l, ok := stood[w]; ok {
				byLine[l.Line] = append(byLine[l.Line], w)
			} else {
				s.vote(o.share, o.owner, 1)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(byLine)) {
			l, line := stood[byLine[n][0]], source.Bag{}
			line.AddMarks(l.Text)
			s.follow(l, line, byLine[n], o.share)
		}
	}
	return nil
}

// linesBefore maps each word to its line before the owner's rewrite. If several lines
// have the word, it takes the one most like the rewritten one.
func (o *olderWords) linesBefore(lines []gitext.BlameLine) map[string]gitext.BlameLine {
	at := map[string]gitext.BlameLine{}
	best := map[string]int{}
	for _, l := range lines {
		if l.Line < o.lines.Start || l.Line > o.lines.End {
			continue
		}
		line, shared := source.Bag{}, 0
		line.AddMarks(l.Text)
		for w := range line {
			shared += min(1, o.line[w])
		}
		if 2*shared < len(o.line) {
			continue // another line with the word by chance
		}
		for _, w := range o.older {
			if line[w] > 0 && shared > best[w] {
				best[w], at[w] = shared, l
			}
		}
	}
	return at
}
