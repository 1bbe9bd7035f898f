package eval

import (
	"cmp"
	"slices"
)

// strata divides the cases into the strata of a dimension. Members holds the
// indices of the cases by stratum. Names are in the dimension's order, or the
// largest stratum first.
func (d Dimension) strata(cases []Case, use func(index int) bool) (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i, c := range cases {
		if !use(i) {
			continue
		}
		for _, name := range d.Of(c) {
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
