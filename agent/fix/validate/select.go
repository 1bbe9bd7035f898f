package validate

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Best calls [Select] with the removed lines of the blamed commits, as far as they can be read.
func Best(ctx context.Context, repo *gitext.Repo, trials []fix.Trial, h *fix.History) []fix.Trial {
	if len(trials) < 2 {
		return Select(trials, h)
	}
	removed, _ := Removed(ctx, repo, h) // removed lines only decide between patches of the same size
	return Select(trials, h, removed...)
}

// Select groups trials and orders the groups, best first. Each rule decides among groups that
// are equal by the rules before it:
//
//   - the verdict, and then the number of failing tests,
//   - the choice of a reviewer,
//   - the number of equal candidates,
//   - the prior, in steps of a factor of four, if all have one: for the offline engine, undoing
//     the latest change is likelier to be right than a new small change,
//   - the size of the patch in changed tokens, in steps of a factor of two: for patches of
//     similar size, the history is more informative than a token,
//   - the fit of the patch to the history: the share of the tokens in its new lines that are
//     also in lines removed by a blamed commit, or elsewhere in the same file. Of the lines
//     that fixes add, 28 percent are there (119 mined bugs),
//   - the prior,
//   - the exact size, and
//   - the order of the trials.
//
// h may be nil. removed are the lines that the blamed commits removed; see [Removed].
func Select(trials []fix.Trial, h *fix.History, removed ...string) []fix.Trial {
	groups := Group(trials)
	past := map[string]bool{}
	for _, line := range removed {
		past[oneSpace(strings.TrimSpace(line))] = true
	}
	type ranked struct {
		trial      fix.Trial
		size, step int
		priorStep  int
		fit        float64
	}
	thought := !slices.ContainsFunc(groups, func(t fix.Trial) bool { return t.Prior <= 0 })
	list := make([]ranked, len(groups))
	for i, t := range groups {
		e := editOf(t.Patch)
		size := e.size()
		list[i] = ranked{trial: t, size: size, step: bits.Len(uint(size)), fit: e.fit(past, undoes(t, h))}
		if thought {
			list[i].priorStep = int(math.Floor(math.Log2(t.Prior) / 2))
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(rank(a.trial.Verdict), rank(b.trial.Verdict)),
			cmp.Compare(len(a.trial.Failing), len(b.trial.Failing)),
			cmp.Compare(min(len(b.trial.Preferred), 1), min(len(a.trial.Preferred), 1)),
			cmp.Compare(b.trial.Votes, a.trial.Votes),
			cmp.Compare(b.priorStep, a.priorStep),
			cmp.Compare(a.step, b.step),
			cmp.Compare(b.fit, a.fit),
			cmp.Compare(b.trial.Prior, a.trial.Prior),
			cmp.Compare(a.size, b.size),
		)
	})
	for i, r := range list {
		groups[i] = r.trial
	}
	return groups
}

// undoes reports whether a trial undoes or repairs one of the blamed commits, by its own
// statement.
func undoes(t fix.Trial, h *fix.History) bool {
	return t.Commit != "" && h != nil &&
		slices.ContainsFunc(h.Blamed, func(b fix.Blamed) bool { return b.Commit.OID == t.Commit })
}

// maxBlamed bounds the commits of Removed.
const maxBlamed = 5

// Removed returns the lines of code that the most relevant blamed commits removed from
// the suspected files. A commit that cannot be read adds none.
func Removed(ctx context.Context, repo *gitext.Repo, h *fix.History) ([]string, error) {
	if h == nil {
		return nil, nil
	}
	var lines []string
	for _, b := range h.Blamed[:min(len(h.Blamed), maxBlamed)] {
		if b.Root || len(b.Commit.Parents) == 0 {
			continue
		}
		patch, err := repo.Patch(ctx, b.Commit.Parents[0], b.Commit.OID, gitext.PatchOptions{Renames: true})
		switch {
		case gitext.Unreadable(err):
			continue
		case err != nil:
			return nil, err
		}
		lines = append(lines, removedLines(patch, b)...)
	}
	return lines, nil
}

// removedLines returns the lines that a blamed commit removed from the suspected file.
func removedLines(patch *gitext.Patch, b fix.Blamed) []string {
	var lines []string
	for _, f := range patch.Files {
		if f.NewPath != b.Path && f.OldPath != cmp.Or(b.Previous, b.Path) {
			continue
		}
		for _, hunk := range f.Hunks {
			for _, l := range hunk.Lines {
				if l.Op == '-' {
					lines = append(lines, string(l.Text))
				}
			}
		}
	}
	return lines
}

// An edit has the removed and added lines of a patch, without blank lines and comments.
type edit struct {
	removed, added []string
	rest           source.Bag // words of the unchanged lines of the patched files
}

// editOf reads the hunks of a patch.
func editOf(p fix.Patch) edit {
	e := edit{rest: source.Bag{}}
	added := map[string]int{} // added lines that are not yet found in the new contents
	for path, h := range hunksOf(p.Diff) {
		e.removed = append(e.removed, plainLines(path, h.removed)...)
		e.added = append(e.added, plainLines(path, h.added)...)
	}
	for _, line := range e.added {
		added[strings.TrimSpace(line)]++
	}
	for _, f := range p.Files {
		for line := range bytes.Lines(f.Content) {
			if key := oneSpace(strings.TrimSpace(string(line))); added[key] > 0 {
				added[key]--
				continue
			}
			e.rest.AddCode(line)
		}
	}
	return e
}

// size returns the number of tokens on only one side. A moved line does not count.
func (e edit) size() int {
	count := map[string]int{}
	for _, line := range e.removed {
		for _, token := range tokens(line) {
			count[token]--
		}
	}
	for _, line := range e.added {
		for _, token := range tokens(line) {
			count[token]++
		}
	}
	n := 0
	for _, c := range count {
		n += max(c, -c)
	}
	return n
}

// fit returns the share of the added tokens that are in lines of the past or of the rest of the
// file: 0 to 1. A patch that adds nothing has the fit 1 if it undoes a blamed commit.
func (e edit) fit(past map[string]bool, undoes bool) float64 {
	var all, known int
	for _, line := range e.added {
		words := source.CodeWordsOf([]byte(line))
		back := past[strings.TrimSpace(line)]
		for word, n := range words {
			all += n
			if back || e.rest[word] > 0 {
				known += n
			}
		}
	}
	switch {
	case all > 0:
		return float64(known) / float64(all)
	case undoes:
		return 1
	}
	return 0
}

// tokens splits a line of code into words, numbers and signs.
func tokens(line string) []string {
	var list []string
	for i := 0; i < len(line); {
		n := 1
		for source.IsIdentByte(line[i]) && i+n < len(line) && source.IsIdentByte(line[i+n]) {
			n++
		}
		if !isSpace(line[i]) {
			list = append(list, line[i:i+n])
		}
		i += n
	}
	return list
}
