package generate

import (
	"slices"
	"strings"

	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/source"
)

const (
	maxSiblings     = 4    // similar functions as sources
	leastSimilar    = 0.55 // least similarity of a sibling
	maxSiblingFiles = 40   // read files of the directory
	maxSiblingBytes = 256 << 10
	siblingLines    = 400 // lines of a compared function
)

// A sibling is a function that is similar to a suspected one.
type sibling struct {
	path       string
	function   source.Function
	body       *mutate.Body
	similarity float64
}

// siblings copies missing code from similar functions to this one, and repeats their recent
// changes here.
func (g *generator) siblings(s *site) []item {
	fn := g.function(s)
	if fn == nil || s.extent.End-s.extent.Start > siblingLines {
		return nil
	}
	var list []item
	for rank, o := range g.similar(s) {
		base := priorSibling * s.share * o.similarity / float64(rank+1)
		edits := fn.Transplants(o.body)
		for _, e := range edits {
			list = append(list, g.fromSibling(s, o, e, base/float64(len(edits)+1)))
		}
		if !g.tree.changed(o.path) {
			list = append(list, item{prior: base, expand: func() []item { return g.reapplied(s, fn, o, base) }})
		}
	}
	return list
}

// function prepares a site's function for changes; nil if that is not possible.
func (g *generator) function(s *site) *mutate.Function {
	if s.file == nil {
		return nil
	}
	clues := g.clues
	clues.Hot = s.hot
	clues.Known = g.check.scopeOf(s.path, s.content, s.extent.Body)
	fn, ok := s.file.Function(s.extent, clues)
	if !ok {
		return nil
	}
	return fn
}

// fromSibling makes the candidate for an edit from a sibling.
func (g *generator) fromSibling(s *site, o sibling, e mutate.Edit, prior float64) item {
	c := g.mutation(s, e, 1)
	c.Kind, c.Prior = Sibling, prior*e.Weight
	c.Why = "The similar function is " + o.function.Name + " in " + o.path + "."
	return ready(c)
}

// similar returns the functions that resemble a suspected one, the most similar first. It
// searches the same file and the files beside it.
func (g *generator) similar(s *site) []sibling {
	own := s.file.Body(s.extent.Start, s.extent.End)
	var list []sibling
	for _, p := range g.neighbourFiles(s.path) {
		content, ok := g.tree.read(p)
		f := g.tree.source(p)
		if !ok || f == nil || len(content) > maxSiblingBytes && p != s.path {
			continue
		}
		for _, fn := range source.Functions(p, f.Lines()) {
			if p == s.path && fn.Start == s.extent.Start || fn.End-fn.Start > siblingLines {
				continue
			}
			lines := [2]int{fn.End - fn.Start + 1, s.extent.End - s.extent.Start + 1}
			if lines[0] > 2*lines[1] || lines[1] > 2*lines[0] || fn.End-fn.Start < 2 {
				continue
			}
			body := f.Body(fn.Start, fn.End)
			if v := own.Similarity(body); v >= leastSimilar {
				list = append(list, sibling{p, fn, body, v})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sibling) int {
		switch {
		case a.similarity > b.similarity:
			return -1
		case a.similarity < b.similarity:
			return 1
		}
		return 0
	})
	return list[:min(len(list), maxSiblings)]
}

// neighbourFiles returns a file and the files beside it, those with a similar name first.
func (g *generator) neighbourFiles(p string) []string {
	others := slices.DeleteFunc(g.tree.beside(p), source.IsTestPath)
	own := stemParts(p)
	slices.SortStableFunc(others, func(a, b string) int { return commonParts(stemParts(b), own) - commonParts(stemParts(a), own) })
	return append([]string{p}, others[:min(len(others), maxSiblingFiles)]...)
}

// stemParts cuts the name of a file at its signs: uint_slice.go has uint and slice.
func stemParts(p string) []string {
	name := source.Stem(p)
	return strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
}

func commonParts(a, b []string) int {
	n := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// maxReapplied bounds the repeated changes of a sibling.
const maxReapplied = 5

// reapplied applies the latest changes of a sibling to the function, except changes that
// changed both.
func (g *generator) reapplied(s *site, fn *mutate.Function, o sibling, base float64) []item {
	ours := map[string]bool{}
	for _, v := range g.versions(s) {
		ours[string(v.commit)] = true
	}
	content, _ := g.tree.read(o.path)
	other := &site{path: o.path, content: content, extent: o.function.Extent}
	var list []item
	for n, v := range g.versions(other) {
		if ours[string(v.commit)] || n >= maxReapplied || len(v.before) == 0 {
			continue
		}
		before, ok1 := mutate.Read(o.path, joinLines(v.before))
		after, ok2 := mutate.Read(o.path, joinLines(v.after))
		if !ok1 || !ok2 {
			continue
		}
		for _, e := range fn.Reapplied(before.Body(1, len(v.before)), after.Body(1, len(v.after))) {
			it := g.fromSibling(s, o, e, base/float64(n+1))
			it.candidate.Commit = ""
			it.candidate.Why = "Commit " + v.commit.Short() + " (" + v.subject + ") made the same change in " + o.function.Name + " in " + o.path + "."
			list = append(list, it)
		}
	}
	return list
}
