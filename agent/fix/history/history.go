// Package history finds the commits that wrote suspected lines, and shows their changes, after
// HAFixAgent (arXiv 2511.01047, sections 3 and 4.1).
//
// Find blames the suspected lines and chooses the most relevant commits. FnAll, FnPair and
// FlDiff are the paper's three heuristics as values. Render writes the commits, with some of
// the heuristics, as a text for a prompt.
//
// The package adds to the paper for real repositories: several commits are the normal case and
// are ranked; a long diff is cut between hunks and around the blamed lines, never after its
// first bytes; a merge is compared with the parent that blame compared it with; and lines
// without history fall back to the enclosing function.
//
// All information comes from the commit of the tree and its ancestors.
package history

import (
	"cmp"
	"context"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// Options bound the search for commits. The zero value is the default.
type Options struct {
	Max int // most commits; 0 is 3
	// NeedsCode treats a hot range without a line of code, such as a comment or a blank line in
	// a user's location, as an empty range after it.
	NeedsCode bool
}

const (
	defaultMax   = 3
	maxLocations = 30   // locations with blamed lines
	maxLines     = 5000 // blamed lines of one location
)

// Find blames the suspected lines of locations at the tree's commit and returns the most
// relevant of the commits that wrote them. The hot lines of a location are suspected, or all
// its lines if it has none. Blame ignores white space, follows lines that moved within a file,
// and looks through the commits that .git-blame-ignore-revs lists.
//
// Lines that the overlay changed have no history. If no line of a hot range has a history, or
// if the range is empty (its End is before its Start: code is missing before Start), Find uses
// the nearest line of code within the five lines before it, as the paper does, or else the
// function.
//
// If there is no commit, the notes of the result say why. An error means that ctx ended or that
// the repository could not be read at all.
func Find(ctx context.Context, repo *gitext.Repo, tree fix.Tree, loc []fix.Location, opt Options) (*fix.History, error) {
	ignored, err := suspect.IgnoredRevs(ctx, repo, tree.Commit)
	if err != nil {
		return nil, err
	}
	f := &finder{repo: repo, tree: tree, ignored: ignored, files: map[string]*file{}, names: map[int]string{}, needsCode: opt.NeedsCode}
	for i, l := range loc[:min(len(loc), maxLocations)] {
		if err := f.add(ctx, i, l); err != nil {
			return nil, err
		}
	}
	if err := f.blame(ctx); err != nil {
		return nil, err
	}
	ranked, err := f.rank(ctx, loc)
	if err != nil {
		return nil, err
	}
	h := &fix.History{Notes: f.notes}
	var further []fix.Blamed
	for _, c := range ranked[:min(len(ranked), cmp.Or(max(opt.Max, 0), defaultMax))] {
		entries, err := f.describe(ctx, c)
		if err != nil {
			return nil, err
		}
		h.Blamed, further = append(h.Blamed, entries[0]), append(further, entries[1:]...)
	}
	h.Blamed = append(h.Blamed, further...)
	return h, nil
}

// A finder collects suspected lines and their owners.
type finder struct {
	repo    *gitext.Repo
	tree    fix.Tree
	ignored []gitext.OID
	files   map[string]*file // by path
	order   []string         // paths, in the order of their locations
	names   map[int]string   // names of the functions, by the index of their location
	lines   []line
	notes   []string

	needsCode bool // see Options
}

// A line is a suspected line that exists in the commit.
type line struct {
	location int
	path     string
	at       int // its number at the tree
	old      int // its number at the tree's commit
	kind     source.LineKind
	weight   float64 // suspicion within the location
	nearby   bool
	owner    suspect.OwnedLine // its Owner is "" if it is unknown
}
