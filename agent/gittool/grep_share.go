package gittool

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/gitext"
)

// wideMatch is the kept part of a line, in bytes, if there are more matches than an answer has.
const wideMatch = 4 << 10

// mostLeftOut is the number of folders that are named with what the answer leaves out of them.
const mostLeftOut = 4

// Left is the number of matching lines that an answer leaves out of a folder.
type Left struct {
	Folder string `json:"folder"`
	Lines  int    `json:"lines"`
}

// shareOut chooses max of the matches, which are sorted by path and line: at most half of them in the
// folders of the files that come first, and then as many in one folder as in another, as far as it has
// so many. It returns them in their order.
func shareOut(found []gitext.GrepMatch, most int, first []string) []gitext.GrepMatch {
	if len(found) <= most {
		return found
	}
	near := map[string]bool{}
	for _, f := range first {
		near[path.Dir(f)] = true
	}
	queues := foldersOf(found, first)
	taken := make([]bool, len(found))
	left := most
	deal := func(until int, of func(dir string) bool) {
		for dealt := true; dealt && left > until; {
			dealt = false
			for i := range queues {
				if q := &queues[i]; len(q.matches) > 0 && left > until && of(q.dir) {
					taken[q.matches[0]], dealt = true, true
					q.matches = q.matches[1:]
					left--
				}
			}
		}
	}
	deal(most-most/2, func(dir string) bool { return near[dir] })
	deal(0, func(string) bool { return true })
	var out []gitext.GrepMatch
	for i, m := range found {
		if taken[i] {
			out = append(out, m)
		}
	}
	return out
}

// A folder holds the indexes of its matches, in the order in which they are chosen.
type folder struct {
	dir     string
	matches []int
}

// foldersOf groups matches by the folder of their file: those of the files that come first, then one
// of each other file, then the second of each, and so on.
func foldersOf(found []gitext.GrepMatch, first []string) []folder {
	byDir := map[string][]int{}
	for i, m := range found {
		byDir[path.Dir(m.Path)] = append(byDir[path.Dir(m.Path)], i)
	}
	round := make([]int, len(found)) // matches before it in its file
	for i := 1; i < len(found); i++ {
		if found[i].Path == found[i-1].Path {
			round[i] = round[i-1] + 1
		}
	}
	var out []folder
	for dir, matches := range byDir {
		slices.SortStableFunc(matches, func(a, b int) int {
			return cmp.Or(placeIn(first, found[a].Path)-placeIn(first, found[b].Path), round[a]-round[b], a-b)
		})
		out = append(out, folder{dir, matches})
	}
	slices.SortFunc(out, func(a, b folder) int { return strings.Compare(a.dir, b.dir) })
	return out
}

// placeIn returns the place of a file among those that come first; all others share the last one.
func placeIn(first []string, file string) int {
	if i := slices.Index(first, file); i >= 0 {
		return i
	}
	return len(first)
}

// leftOut returns the folders of which most lines were left out.
func leftOut(found, chosen []gitext.GrepMatch) []Left {
	rest := map[string]int{}
	for _, m := range found {
		rest[path.Dir(m.Path)]++
	}
	for _, m := range chosen {
		rest[path.Dir(m.Path)]--
	}
	var out []Left
	for dir, n := range rest {
		if n > 0 {
			out = append(out, Left{dir, n})
		}
	}
	slices.SortFunc(out, func(a, b Left) int { return cmp.Or(b.Lines-a.Lines, strings.Compare(a.Folder, b.Folder)) })
	return out[:min(len(out), mostLeftOut)]
}

// share chooses the matches of an answer. The texts of only the first ones were read, so share reads
// those of the others, as far as they are not too long.
func (b *scopedRepo) share(ctx context.Context, p grepParams, opt gitext.GrepOptions, found []gitext.GrepMatch) ([]gitext.GrepMatch, error) {
	chosen := shareOut(found, p.Max, b.opt.First)
	if slices.EqualFunc(chosen, found[:len(chosen)], sameMatch) {
		return chosen, nil
	}
	opt.Texts, opt.Width = 0, wideMatch
	read, err := b.repo.Grep(ctx, gitext.OID(p.Commit), opt)
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	i := 0
	return slices.DeleteFunc(read, func(m gitext.GrepMatch) bool {
		if i < len(chosen) && sameMatch(m, chosen[i]) {
			i++
			return false
		}
		return true
	}), nil
}

func sameMatch(a, b gitext.GrepMatch) bool { return a.Path == b.Path && a.Line == b.Line }
