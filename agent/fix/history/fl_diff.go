package history

import (
	"cmp"
	"context"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A Diff is what a commit changed in one file.
type Diff struct {
	Path    string
	OldPath string             // the file's name before; "" if the commit created it
	Hunks   []gitext.Hunk      // in the file's order
	Order   []int              // indexes of Hunks: those with blamed lines first, then the nearest ones
	Blamed  []int              // line numbers of the blamed lines in the commit, ascending
	Within  []gitext.LineRange // the functions in the commit that hold blamed lines, ascending
	Focus   bool               // the commit says to refactor: other hunks say nothing about the blamed lines
	NoSpace bool               // changes of white space are not in it
	Cut     bool               // the diff is larger than what is read
}

// context is how many lines of context a diff has, as git's have.
const diffContext = 3

// FlDiff returns a blamed commit's diff of the faulty file (HAFixAgent, section 4.1.3,
// fl_diff), against the parent that blame compared it with. Of a merge it has only the
// hunks with lines that are in no parent. noSpace leaves out changes of white space, as
// git diff -w does. The diff has no hunks if the commit cannot be read.
func FlDiff(ctx context.Context, repo *gitext.Repo, b fix.Blamed, noSpace bool) (Diff, error) {
	d := Diff{Path: b.Path, OldPath: b.Previous, Blamed: slices.Compact(slices.Sorted(slices.Values(b.OrigLine))), NoSpace: noSpace,
		Focus: suspect.SaysRefactor().MatchString(b.Commit.Subject())}
	opt := gitext.PatchOptions{Context: diffContext, Renames: true, IgnoreSpace: noSpace, Paths: []string{b.Path}, MaxBytes: maxFileBytes}
	if b.Previous != "" && b.Previous != b.Path {
		opt.Paths = append(opt.Paths, b.Previous)
	}
	var err error
	d.Hunks, d.Cut, err = hunksOf(ctx, repo, b.Parent, b, opt)
	if err != nil {
		return d, err
	}
	if len(b.Commit.Parents) > 1 {
		if d.Hunks, err = ownHunks(ctx, repo, b, opt, d.Hunks); err != nil {
			return d, err
		}
	}
	d.Order = nearest(d.Hunks, d.Blamed)
	d.Within, err = functionsOf(ctx, repo, b, d.Blamed)
	return d, err
}

// functionsOf returns the functions of the faulty file in a commit that hold blamed
// lines.
func functionsOf(ctx context.Context, repo *gitext.Repo, b fix.Blamed, blamed []int) ([]gitext.LineRange, error) {
	text, err := textAt(ctx, repo, b.Commit.OID, b.Path)
	lines := splitLines(text)
	var out []gitext.LineRange
	for _, at := range blamed {
		if n := len(out); n > 0 && at <= out[n-1].End {
			continue
		}
		if e, ok := source.FunctionAround(b.Path, lines, at); ok {
			out = append(out, gitext.LineRange{Start: e.Start, End: e.End})
		}
	}
	return out, err
}

// hunksOf returns what a commit changed in the faulty file against a parent.
func hunksOf(ctx context.Context, repo *gitext.Repo, parent gitext.OID, b fix.Blamed, opt gitext.PatchOptions) ([]gitext.Hunk, bool, error) {
	patch, err := repo.Patch(ctx, parent, b.Commit.OID, opt)
	if err != nil {
		if gitext.Unreadable(err) {
			err = nil
		}
		return nil, false, err
	}
	for _, f := range patch.Files {
		if f.NewPath == b.Path && f.Status != 'D' {
			return f.Hunks, patch.Truncated, nil
		}
	}
	return nil, patch.Truncated, nil
}

// ownHunks returns the hunks of a merge that have a line which is in none of its
// parents, or all hunks if there is no such line.
func ownHunks(ctx context.Context, repo *gitext.Repo, b fix.Blamed, opt gitext.PatchOptions, hunks []gitext.Hunk) ([]gitext.Hunk, error) {
	own := added(hunks)
	opt.Context = 0
	for _, p := range b.Commit.Parents {
		if p == b.Parent {
			continue
		}
		others, _, err := hunksOf(ctx, repo, p, b, opt)
		if err != nil {
			return nil, err
		}
		new := added(others)
		for line := range own {
			if !new[line] {
				delete(own, line)
			}
		}
	}
	var kept []gitext.Hunk
	for _, h := range hunks {
		if slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op == '+' && own[l.New] }) {
			kept = append(kept, h)
		}
	}
	if len(kept) == 0 {
		return hunks, nil
	}
	return kept, nil
}

// added returns the numbers of the lines that hunks add.
func added(hunks []gitext.Hunk) map[int]bool {
	lines := map[int]bool{}
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op == '+' {
				lines[l.New] = true
			}
		}
	}
	return lines
}

// nearest returns the indexes of hunks by how relevant they are to blamed lines: those
// that have most of them first, then the nearest to one.
func nearest(hunks []gitext.Hunk, blamed []int) []int {
	order := make([]int, len(hunks))
	has := make([]int, len(hunks))
	far := make([]int, len(hunks))
	for i, h := range hunks {
		order[i] = i
		has[i], far[i] = holds(h, blamed)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(has[b], has[a]), cmp.Compare(far[a], far[b]))
	})
	return order
}

// holds counts the blamed lines that a hunk has, and how many lines the hunk is away
// from the nearest one. Nearly all are lines that it adds. Blame, which ignores white
// space, and diff may take different ones of equal lines for the new ones.
func holds(h gitext.Hunk, blamed []int) (has, far int) {
	far = 1 << 30
	for _, at := range blamed {
		switch end := h.NewStart + max(h.NewLines, 1) - 1; {
		case at < h.NewStart:
			far = min(far, h.NewStart-at)
		case at > end:
			far = min(far, at-end)
		default:
			far = 0
			if h.NewLines > 0 {
				has++
			}
		}
	}
	return has, far
}
