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

// A Diff is a commit's change of one file.
type Diff struct {
	Path    string
	OldPath string             // the file's name before; "" if the commit created it
	Hunks   []gitext.Hunk      // in the order of the file
	Order   []int              // indexes of Hunks: those with blamed lines first, then the nearest ones
	Blamed  []int              // line numbers of the blamed lines in the commit, ascending
	Within  []gitext.LineRange // the functions around blamed lines in the commit, ascending
	Focus   bool               // the commit is a refactoring by its message: other hunks say nothing about the blamed lines
	NoSpace bool               // changes of white space are left out
	Cut     bool               // the diff is larger than the read part
}

// diffContext is the number of context lines of a diff, as in git.
const diffContext = 3

// FlDiff returns a blamed commit's diff of the faulty file (HAFixAgent, section 4.1.3,
// fl_diff), against the parent that blame compared it with. For a merge, it has only the hunks
// with lines that are in no parent. noSpace leaves out changes of white space, as git diff -w
// does. The diff has no hunks if the commit cannot be read.
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

// functionsOf returns the functions around blamed lines of the faulty file in a commit.
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

// hunksOf returns the hunks of the faulty file between a parent and the commit.
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

// ownHunks returns the hunks of a merge with a line that is in no parent, or all hunks if there
// is no such line.
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

// added returns the numbers of the added lines of hunks.
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

// nearest returns the indexes of hunks by relevance: hunks with most blamed lines first, then
// those nearest to a blamed line.
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

// holds counts the blamed lines of a hunk, and the lines between the hunk and the nearest
// blamed line. Nearly all blamed lines are added lines. But if some lines are equal, diff and
// blame, which ignores white space, may choose different ones as added.
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
