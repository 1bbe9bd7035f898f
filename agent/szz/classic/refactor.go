package classic

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// This file finds refactorings for --algorithm ra; the manual has a shorter text. A
// line is refactored, not changed, if the commit
//
//   - reformats it: the changed lines have the same words in the same order, with
//     any indentation and line breaks;
//   - renames an identifier: lines differ only in that name, the new name was not
//     in the file before, the old one is gone from it, and at least two places
//     changed, one of which declares the name (calling another function instead is
//     no rename);
//   - moves a block: at least two consecutive lines with 40 letters or digits
//     disappear in one place of the commit and appear in another, in the same file
//     or another, possibly reformatted and renamed as above;
//   - extracts, inlines or moves a function: at least three of its lines come from
//     one removed part of the commit, and these are three fifths of the function;
//     the lines that are equal, except for format and renames, count as moved.
//
// The search for words is the same in all languages, and compares the text of one
// commit at a time. A line that a refactoring also changes counts as changed, and a
// refactoring in several commits is followed commit by commit. New signatures,
// types and forms of conditions, and renames of a name that the same file also uses
// for something else are changes, not refactorings. A line that the fix itself puts
// under a new condition counts as changed. Merges, commits of more than 20 files,
// and patches above 4 MiB are not searched.

// maxPenetrated bounds the number of refactorings of one line that blame looks behind.
const maxPenetrated = 32

// dropRefactored drops the lines that the fix itself only refactors. The reference
// implementation compares old line numbers with new ones here (ra_szz.py); this function
// does not. A line that the fix puts under a new condition is kept: its text is the same
// but its effect differs. Dropping such lines cost three true answers in 118.
//
// A patch of more than factPatchBytes is not searched, like the patch of a blamed commit:
// the words of all its lines would take gigabytes.
func (t *tracer) dropRefactored(ctx context.Context) error {
	if patchBytes(t.fc.Patch) > factPatchBytes {
		t.note("the patch of the fix is too large to look for refactorings in it")
		return nil
	}
	found, err := t.origins(ctx, t.fc.Patch)
	if err != nil {
		return err
	}
	old := map[place]bool{}
	for _, o := range found {
		if o.whole || o.block >= minReordered || o.block > 0 && o.crossFile {
			old[o.place] = true
		}
	}
	dropped := 0
	for _, f := range t.files {
		n := len(f.lines)
		f.lines = slices.DeleteFunc(f.lines, func(l tracedLine) bool { return old[place{f.path, l.line}] })
		dropped += n - len(f.lines)
	}
	t.files = slices.DeleteFunc(t.files, func(f *traceFile) bool { return len(f.lines) == 0 })
	if dropped > 0 {
		t.note(
			"%d %s that the fix only moves, renames or reformats %s left out",
			dropped,
			agent.PluralOf(dropped, "line", "lines"),
			agent.PluralOf(dropped, "is", "are"),
		)
	}
	return nil
}

// patchBytes is the size of the texts of a patch's lines.
func patchBytes(p *gitext.Patch) int {
	n := 0
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				n += len(l.Text)
			}
		}
	}
	return n
}

// minReordered is the least number of lines of a block whose move within a file counts as
// a refactoring. A shorter move puts statements in another order, which may be a fix of a
// bug.
const minReordered = 5

// penetrate looks behind refactorings: if a commit only refactored a line, it blames the
// line again at the parent of that commit, until no such line is left. Every step goes to
// an ancestor, so it ends by itself. maxPenetrated bounds its cost.
func (t *tracer) penetrate(ctx context.Context) error {
	seen := map[gitext.OID]map[place]origin{}
	for range maxPenetrated {
		if err := t.study(ctx, seen); err != nil {
			return err
		}
		if t.divert(t.behind(seen)) == 0 {
			return nil
		}
		if err := t.blameUntilSettled(ctx); err != nil {
			return err
		}
	}
	t.note("looked behind %d refactorings of one line and stopped", maxPenetrated)
	return nil
}

// study finds the refactorings of the new blamed commits, and drops their patches.
func (t *tracer) study(ctx context.Context, seen map[gitext.OID]map[place]origin) error {
	for _, f := range t.files {
		for _, l := range f.lines {
			c := l.blame.Commit
			k := t.known[c]
			if k == nil || k.patch == nil {
				continue
			}
			found, err := t.origins(ctx, k.patch)
			if err != nil {
				return err
			}
			seen[c], k.patch = found, nil
		}
	}
	return nil
}

// behind returns a way for tracer.divert: the earlier place of a refactored line, in the
// parent of the commit that refactored it.
func (t *tracer) behind(seen map[gitext.OID]map[place]origin) func(tracedLine) (target, int, bool) {
	return func(l tracedLine) (target, int, bool) {
		c := l.blame.Commit
		o, ok := seen[c][place{l.blame.Path, l.blame.OrigLine}]
		if !ok || len(t.known[c].commit.Parents) != 1 {
			return target{}, 0, false
		}
		t.note("looked behind %s, which only %s lines of %q", c.Short(), o.how, l.blame.Path)
		return target{rev: t.known[c].commit.Parents[0], path: o.path}, o.line, true
	}
}

// origins returns the earlier places of the refactored lines of a patch, by their places
// after the patch.
func (t *tracer) origins(ctx context.Context, p *gitext.Patch) (map[place]origin, error) {
	changes := collect(p)
	names, err := t.renames(ctx, changes)
	if err != nil {
		return nil, err
	}
	return match(changes, names), nil
}

// A rename is the rename of an identifier in one file.
type rename struct {
	file     *gitext.FileChange
	from, to string
}

// minRenamed is the least number of changed places of a renamed name. A change in one
// place is a use of another name.
const minRenamed = 2

// renames returns the new names of renamed identifiers, by old path and old name.
func (t *tracer) renames(ctx context.Context, changes []*change) (map[string]map[string]string, error) {
	count := map[rename]renameCount{}
	total := map[[2]string]renameCount{}
	for _, c := range changes {
		c.proposeRenames(func(r rename, seen renameCount) {
			count[r] = count[r].plus(seen)
			total[[2]string{r.from, r.to}] = total[[2]string{r.from, r.to}].plus(seen)
		})
	}
	out := map[string]map[string]string{}
	words := map[gitext.OID]map[string]bool{}
	for _, r := range sortedRenames(count) {
		if all := total[[2]string{r.from, r.to}]; all.places < minRenamed || !all.declared {
			continue
		}
		ok, err := t.holds(ctx, r, words)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if out[r.file.OldPath] == nil {
			out[r.file.OldPath] = map[string]string{}
		}
		names := out[r.file.OldPath]
		if to, taken := names[r.from]; taken && to != r.to {
			r.to = r.from // two new names for one old: not a rename
		}
		names[r.from] = r.to
	}
	return out, nil
}

func sortedRenames(count map[rename]renameCount) []rename {
	return slices.SortedFunc(maps.Keys(count), func(a, b rename) int {
		return cmp.Or(strings.Compare(a.file.OldPath, b.file.OldPath), strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
}

// holds reports whether a rename holds for the whole file: the new name is not in the
// file before, and the old one is not in it after.
func (t *tracer) holds(ctx context.Context, r rename, words map[gitext.OID]map[string]bool) (bool, error) {
	for _, o := range []gitext.OID{r.file.OldOID, r.file.NewOID} {
		if words[o] != nil {
			continue
		}
		if strings.Trim(string(o), "0") == "" {
			return false, nil // a file of the work tree has no object
		}
		blob, err := t.repo.Blob(ctx, o, source.MaxLexed)
		if err != nil {
			// The blob is too large or not in this clone.
			return false, t.unread(r.file.OldPath, err)
		}
		words[o] = identifiers(blob)
	}
	return !words[r.file.OldOID][r.to] && !words[r.file.NewOID][r.from], nil
}
