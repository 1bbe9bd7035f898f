package generate

import (
	"git-agent/agent/fix/generate/mutate"
	"git-agent/gitext"
)

// mutations returns items with small changes of a function.
func (g *generator) mutations(s *site) []item {
	fn := g.function(s)
	if fn == nil {
		return nil
	}
	edits := fn.Edits()
	scale := priorMutation * s.share / sizeOf(edits)
	var list []item
	for _, e := range edits {
		list = append(list, item{prior: e.Weight * scale, expand: func() []item {
			return []item{ready(g.mutation(s, e, scale))}
		}})
	}
	return list
}

// sizeOf returns the divisor for the weights of a function's edits: the longer a function, the
// less likely is each of its edits.
func sizeOf(edits []mutate.Edit) float64 {
	sum := 0.0
	for _, e := range edits {
		sum += e.Weight
	}
	return max(sum/10, 1)
}

// mutation makes the candidate of an edit.
func (g *generator) mutation(s *site, e mutate.Edit, scale float64) Candidate {
	c := Candidate{
		Files:  []gitext.Overlay{g.tree.overlay(s.path, e.Apply(s.content))},
		Origin: e.Why, Prior: e.Weight * scale, Kind: Mutation, Op: e.Op, Location: s.index, Line: e.Line, Probe: e.Probe,
	}
	c.Prior *= s.emptying(c.Files[0].Content)
	if e.More != nil {
		c.More = func() []Candidate {
			var list []Candidate
			for _, next := range e.More() {
				list = append(list, g.mutation(s, next, scale))
			}
			return list
		}
	}
	return c
}

// emptied is the weight of a removal that leaves a block empty, so that it comes behind all other
// changes. A condition without consequences is hardly ever the fix, but it often passes the tests: on
// a bug of defu, the plausible patches were four that emptied an if. Of the 182 fixes that the cases of
// fix have, 36 hunks only remove lines, and none of them leaves a block empty.
const emptied = 1e-6

// emptying returns the weight of a change by what it leaves of a block.
func (s *site) emptying(content []byte) float64 {
	if s.file != nil && s.file.Empties(content) {
		return emptied
	}
	return 1
}
