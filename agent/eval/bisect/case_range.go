package bisecteval

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// A frame is the range of commits to search in a case, with the files that are laid over each
// commit. It is no frame of a stack.
type frame struct {
	bad, good gitext.OID
	nearer    []gitext.OID // if good was drawn: it, and others on the way to the culprit
	culprit   gitext.OID   // the first of the known ones
	count     int          // commits of the range, bad included
	newer     int          // commits of the range that have the culprit in their history, itself included
	over      []gitext.Overlay
}

// These bound the number of commits of a drawn range.
const (
	leastDrawn = 50
	mostDrawn  = 5000
	leastRange = 20 // a case whose history gives less is left out
)

// draw returns a number from 0 to 1 that depends only on a case and on what it is for.
func draw(id, purpose string) float64 {
	sum := sha256.Sum256([]byte(purpose + "\x00" + id))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// frameOf reads the question of a case, and draws a good commit if it names none.
func frameOf(ctx context.Context, repo *gitext.Repo, c Case) (*frame, error) {
	f := &frame{bad: c.Bad, good: c.Good, culprit: c.BICs[0]}
	if c.Fix != "" {
		fix, err := repo.Commit(ctx, c.Fix)
		if err != nil {
			return nil, err
		}
		if f.bad == "" && len(fix.Parents) == 0 {
			return nil, &eval.UnfitError{Reason: "the fix has no parent"}
		}
		if f.bad == "" {
			f.bad = fix.Parents[0]
		}
		if f.over, err = filesOf(ctx, repo, c.Fix, c.TestFiles); err != nil {
			return nil, err
		}
	}
	f.over = append(f.over, c.overlays()...)
	inside, err := repo.IsAncestor(ctx, f.culprit, f.bad)
	if err != nil {
		return nil, err
	}
	if !inside {
		return nil, &eval.UnfitError{Reason: "the culprit is not in the history of the bad commit"}
	}
	if f.good == "" {
		err = f.drawGood(ctx, repo, c.ID)
	} else if inside, err = repo.IsAncestor(ctx, f.culprit, f.good); err == nil && inside {
		err = &eval.UnfitError{Reason: "the culprit is in the history of the good commit"}
	}
	if err != nil {
		return nil, err
	}
	return f, f.measure(ctx, repo)
}

// measure counts the commits of the range.
func (f *frame) measure(ctx context.Context, repo *gitext.Repo) (err error) {
	if f.count, err = repo.CountCommits(ctx, f.bad, []gitext.OID{f.good}); err != nil {
		return err
	}
	has, err := f.having(ctx, repo, []gitext.OID{f.culprit})
	f.newer = len(has)
	return err
}

// drawGood chooses the good commit, the newest one of the culprit's first parents with which the
// range is long enough. The length is drawn log-uniformly. If the bad commit is so far from the
// culprit that this leaves too few commits behind the culprit, their number is drawn uniformly
// from those of such a range.
func (f *frame) drawGood(ctx context.Context, repo *gitext.Repo, id string) error {
	list, err := repo.Newest(ctx, f.culprit, nil, 0)
	if err != nil {
		return err
	}
	parents := map[gitext.OID][]gitext.OID{}
	for _, a := range list {
		parents[a.OID] = a.Parents
	}
	var line []gitext.OID // the first parents of the culprit, newest first
	for at := f.culprit; len(parents[at]) > 0; {
		at = parents[at][0]
		line = append(line, at)
	}
	if len(line) == 0 {
		return &eval.UnfitError{Reason: "the culprit has no parent"}
	}
	all, err := repo.CountCommits(ctx, f.bad, nil)
	if err != nil {
		return err
	}
	length := leastDrawn * math.Pow(mostDrawn/leastDrawn, draw(id, "length"))
	since := all - len(list) + 1 // commits that are no ancestors of the culprit, and the culprit
	want := max(int(length), since+int(math.Ceil(draw(id, "place")*length)))
	counts := map[int]int{}
	count := func(i int) int {
		if _, known := counts[i]; !known && err == nil {
			counts[i], err = repo.CountCommits(ctx, f.bad, line[i:i+1])
		}
		return counts[i]
	}
	i := sort.Search(len(line)-1, func(i int) bool { return count(i) >= want })
	if n := count(i); err == nil && n < leastRange {
		return &eval.UnfitError{Reason: fmt.Sprintf("the range has fewer than %d commits", leastRange)}
	}
	f.good = line[i]
	for ; err == nil && count(i) >= leastRange; i /= 2 {
		if f.nearer = append(f.nearer, line[i]); i == 0 {
			break
		}
	}
	return err
}

// having returns the commits of the range that have one of some culprits in their history.
func (f *frame) having(ctx context.Context, repo *gitext.Repo, culprits []gitext.OID) (map[gitext.OID]bool, error) {
	has := map[gitext.OID]bool{}
	for a, err := range repo.Ancestry(ctx, []gitext.OID{f.bad}, []gitext.OID{f.good}) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(culprits, a.OID) || slices.ContainsFunc(a.Parents, func(p gitext.OID) bool { return has[p] }) {
			has[a.OID] = true
		}
	}
	return has, nil
}

// overlays returns the files whose texts the case has, in the order of their paths.
func (c Case) overlays() []gitext.Overlay {
	var list []gitext.Overlay
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		o := gitext.Overlay{Path: path}
		if text := c.Files[path]; text != nil {
			o.Mode, o.Content = 0o100644, []byte(*text)
		}
		list = append(list, o)
	}
	return list
}

// filesOf returns the files of a commit as they are laid over others. A file that it lacks is
// removed from them.
func filesOf(ctx context.Context, repo *gitext.Repo, commit gitext.OID, paths []string) ([]gitext.Overlay, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	entries, err := repo.Tree(ctx, commit, paths...)
	if err != nil {
		return nil, err
	}
	var list []gitext.Overlay
	for _, path := range paths {
		o := gitext.Overlay{Path: path}
		if i := slices.IndexFunc(entries, func(e gitext.TreeEntry) bool { return e.Path == path }); i >= 0 {
			o.Mode, o.OID = entries[i].Mode, entries[i].OID
		}
		list = append(list, o)
	}
	return list, nil
}
