package history

import (
	"bytes"
	"context"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Pair is a function before and after a commit.
type Pair struct {
	After  Body
	Before Body // without lines if the commit created the function
}

// A Body is the text of a function in one version of its file.
type Body struct {
	Path  string
	Name  string
	Start int      // number of the first line
	Lines [][]byte // without line breaks
}

// FnPair returns the faulty function before and after a blamed commit (HAFixAgent, section
// 4.1.3, fn_pair): the function with most of the blamed lines. Before the commit, it is the
// function with the same name, or else the one with most of its lines. The pair is empty if the
// lines are in no function, or the file cannot be read.
func FnPair(ctx context.Context, repo *gitext.Repo, b fix.Blamed) (Pair, error) {
	text, err := textAt(ctx, repo, b.Commit.OID, b.Path)
	if err != nil {
		return Pair{}, err
	}
	lines := splitLines(text)
	e, ok := holding(b.Path, lines, b.OrigLine)
	if !ok {
		return Pair{}, nil
	}
	pair := Pair{After: body(b.Path, lines, e)}
	if b.Previous == "" || b.Parent == "" {
		return pair, nil
	}
	old, err := textAt(ctx, repo, b.Parent, b.Previous)
	if err != nil {
		return Pair{}, err
	}
	before := splitLines(old)
	olds := mapBack(before, lines)
	if at, ok := earlier(b.Previous, before, olds[e.Start-1:e.End], lines[e.Start-1:e.End], pair.After.Name); ok {
		pair.Before = body(b.Previous, before, at)
	}
	return pair, nil
}

// holding returns the function with most of the given lines; of several, the first one.
func holding(path string, lines [][]byte, at []int) (source.Extent, bool) {
	var best, last source.Extent
	most := 0
	held := map[source.Extent]int{}
	for _, line := range at {
		if line < last.Start || line > last.End {
			e, ok := source.FunctionAround(path, lines, line)
			if !ok || e.Start < 1 || e.End > len(lines) {
				continue
			}
			last = e
		}
		held[last]++
		if held[last] > most {
			best, most = last, held[last]
		}
	}
	return best, most > 0
}

// earlier finds the older version of a function in an older version of its file. olds has for
// each line of the newer function its number in the older file, or 0.
func earlier(path string, before [][]byte, olds []int, after [][]byte, name string) (source.Extent, bool) {
	from := map[source.Extent]int{} // number of lines from each function
	all := functions(path, before)
	kept, telling := 0, 0
	for i, old := range olds {
		if !telltale(after[i]) {
			continue
		}
		telling++
		for _, f := range all {
			if old >= f.Start && old <= f.End {
				from[f.Extent]++
				kept++
				break
			}
		}
	}
	var best source.Extent
	found := false
	for _, f := range all { // overloaded functions share a name
		if name != "" && f.Name == name && (!found || from[f.Extent] > from[best]) {
			best, found = f.Extent, true
		}
	}
	if found {
		return best, true
	}
	for _, f := range all {
		if from[f.Extent] > from[best] {
			best = f.Extent
		}
	}
	// A renamed function keeps many of its lines; a new one has a few that look familiar.
	return best, from[best] >= minFollowed && 3*from[best] >= telling
}

const minFollowed = 2

// telltale reports whether a line has a word: lines of braces are equal everywhere.
func telltale(line []byte) bool {
	return bytes.ContainsFunc(line, func(r rune) bool { return r >= 0x80 || source.IsIdentByte(byte(r)) })
}

// body returns a function's text.
func body(path string, lines [][]byte, e source.Extent) Body {
	return Body{Path: path, Name: nameOf(path, lines, e.Start), Start: e.Start, Lines: lines[e.Start-1 : min(e.End, len(lines))]}
}
