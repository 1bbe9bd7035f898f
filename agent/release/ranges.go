package release

import (
	"slices"

	"git-agent/gitext"
)

// A tagState is a tag with what it contains.
type tagState struct {
	gitext.Tag
	version
	at       int32 // in the graph; -1 if it is older than the culprit
	affected bool
	fixed    bool // it contains the bug and the fix
	p        float64
}

// compress turns tags into ranges of versions. Others are returned by name.
func (g *graph) compress(tags []tagState) (ranges []Range, others []string) {
	versions := make([]tagState, 0, len(tags))
	for _, t := range tags {
		var ok bool
		if t.version, ok = parseVersion(t.Name); ok {
			versions = append(versions, t)
		} else if t.affected {
			others = append(others, t.Name)
		}
	}
	slices.SortFunc(versions, func(a, b tagState) int { return compareVersions(a.version, b.version) })
	for len(versions) > 0 {
		n := 1
		for n < len(versions) && versions[n].family == versions[0].family {
			n++
		}
		ranges = append(ranges, g.compressFamily(versions[:n])...)
		versions = versions[n:]
	}
	return ranges, others
}

// compressFamily turns the sorted versions of a family into ranges, each of one release line or of
// lines that follow each other in history.
func (g *graph) compressFamily(tags []tagState) []Range {
	all := make([]version, len(tags))
	released := map[gitext.OID]bool{}
	for i, t := range tags {
		all[i] = t.version
		released[t.Commit] = true
	}
	length := lineLength(all)
	var list []Range
	open := false // the last range may go on
	for i, t := range tags {
		first := i == 0 || !sameLine(tags[i-1].version, t.version, length)
		if open && first && !g.follows(tags[i-1], t, released) {
			open = false
		}
		last := len(list) - 1
		switch {
		case t.affected && open && list[last].Probability == t.p:
			list[last].Last, list[last].Line = t.Name, lineName(t.version, length)
			list[last].Tags = append(list[last].Tags, t.Name)
		case t.affected:
			list = append(list, Range{First: t.Name, Last: t.Name, Line: lineName(t.version, length), Tags: []string{t.Name}, Probability: t.p})
			open = true
		case open:
			if t.fixed {
				list[last].FixedIn = t.Name
			}
			open = false
		}
	}
	return list
}

// follows reports whether the first version of a release line follows the last one of another in
// history, so that the latter was no line of its own. A release may be tagged at a commit beside
// the others, which sets the version.
func (g *graph) follows(last, first tagState, released map[gitext.OID]bool) bool {
	if last.at < 0 || first.at < 0 {
		return false
	}
	if g.Has(first.at, last.at) {
		return true
	}
	before := g.Parents[last.at]
	return len(before) == 1 && !released[g.OIDs[before[0]]] && g.Has(first.at, before[0])
}
