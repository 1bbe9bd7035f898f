package eval

import (
	"cmp"
	"slices"
)

// strata divides the cases of results into the strata of a dimension. Members holds
// the indices of the cases by stratum. Names are in the dimension's order, or the
// largest stratum first.
func (d Dimension) strata(res *Results, use func(index int) bool) (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i := range res.Cases {
		if !use(i) {
			continue
		}
		for _, name := range d.of(res, i) {
			if members[name] == nil {
				names = append(names, name)
			}
			members[name] = append(members[name], i)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(slices.Index(d.Order, a), slices.Index(d.Order, b)),
			cmp.Compare(len(members[b]), len(members[a])),
			cmp.Compare(a, b))
	})
	return names, members
}

// of returns the strata of a case.
func (d Dimension) of(res *Results, index int) []string {
	if d.OfScore == nil {
		return d.Of(res.Cases[index])
	}
	var score Score
	for _, algorithm := range res.Algorithms {
		if o := res.Outcomes[algorithm][index]; o.Evaluated && !o.Failed {
			score = o.Score
			break
		}
	}
	return d.OfScore(score)
}
