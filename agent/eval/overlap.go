package eval

import (
	"cmp"
	"slices"
	"strings"
)

// Overlap counts the cases by the set of algorithms that get them right. Its sets are the regions
// of a Venn diagram (HAFixAgent, figure 3).
type Overlap struct {
	Cases      int         `json:"cases"`                // cases that all algorithms evaluated
	By         string      `json:"by,omitempty"`         // the dimension of the strata
	Strata     []string    `json:"strata,omitempty"`     // in the order of Counted.ByStratum
	ByStratum  []int       `json:"by_stratum,omitempty"` // Cases by stratum
	Any        Counted     `json:"any"`                  // cases that at least one algorithm gets right
	Algorithms []Successes `json:"algorithms"`
	Sets       []Set       `json:"sets"` // the largest first
}

// Counted is a number of cases.
type Counted struct {
	All       int   `json:"all"`
	ByStratum []int `json:"by_stratum,omitempty"`
}

// Successes counts the cases that one algorithm gets right.
type Successes struct {
	Name  string  `json:"name"`
	Right Counted `json:"right"`
	Only  Counted `json:"only"` // cases that no other algorithm gets right
	// NotByFirst counts those of Right that the first algorithm does not get right ("Unique #
	// Pass" of HAFixAgent, table 4, if the first works without history).
	NotByFirst Counted `json:"not_by_first"`
}

// Set counts the cases that exactly these algorithms get right.
type Set struct {
	Algorithms []string `json:"algorithms"` // empty for the cases that no algorithm gets right
	Counted
	IDs []string `json:"ids"`
}

// newOverlap compares the algorithms of results. It returns nil for fewer than two.
func newOverlap(sheet *Sheet, res *Results) *Overlap {
	if len(res.Algorithms) < 2 {
		return nil
	}
	strata, of := sheet.configurationStrata(res)
	o := &Overlap{By: sheet.Configurations.By, Strata: strata, Sets: []Set{}, Any: newCounted(strata), ByStratum: make([]int, len(strata))}
	for _, name := range res.Algorithms {
		o.Algorithms = append(o.Algorithms, Successes{name, newCounted(strata), newCounted(strata), newCounted(strata)})
	}
	sets := map[string]*Set{}
	for i, c := range res.Cases {
		if !res.byAll(i) {
			continue
		}
		o.Cases++
		if of[i] >= 0 {
			o.ByStratum[of[i]]++
		}
		right := o.count(res, i, of[i])
		key := strings.Join(right, "\x00")
		if sets[key] == nil {
			sets[key] = &Set{Algorithms: notNil(right), Counted: newCounted(strata)}
		}
		sets[key].add(of[i])
		sets[key].IDs = append(sets[key].IDs, c.Head().ID)
	}
	for _, s := range sets {
		o.Sets = append(o.Sets, *s)
	}
	slices.SortFunc(o.Sets, func(a, b Set) int {
		return cmp.Or(cmp.Compare(b.All, a.All), cmp.Compare(len(b.Algorithms), len(a.Algorithms)), slices.Compare(a.Algorithms, b.Algorithms))
	})
	return o
}

// count adds one case, and returns the names of the algorithms that get it right.
func (o *Overlap) count(res *Results, index, stratum int) []string {
	var right []string
	at := -1
	for i, name := range res.Algorithms {
		if res.Outcomes[name][index].Right {
			right, at = append(right, name), i
			o.Algorithms[i].Right.add(stratum)
			if !res.Outcomes[res.Algorithms[0]][index].Right {
				o.Algorithms[i].NotByFirst.add(stratum)
			}
		}
	}
	if len(right) > 0 {
		o.Any.add(stratum)
	}
	if len(right) == 1 {
		o.Algorithms[at].Only.add(stratum)
	}
	return right
}

func newCounted(strata []string) Counted { return Counted{ByStratum: make([]int, len(strata))} }

// add counts a case. A negative stratum means none.
func (c *Counted) add(stratum int) {
	c.All++
	if stratum >= 0 {
		c.ByStratum[stratum]++
	}
}

// byAll reports whether all algorithms evaluated a case.
func (res *Results) byAll(index int) bool {
	return !slices.ContainsFunc(res.Algorithms, func(a string) bool { return !res.Outcomes[a][index].Evaluated })
}

// configurationStrata returns the strata for the comparison of configurations, and the index of
// the stratum of each case; -1 for none.
func (s *Sheet) configurationStrata(res *Results) (names []string, of []int) {
	of = make([]int, len(res.Cases))
	for i := range of {
		of[i] = -1
	}
	at := slices.IndexFunc(s.Dimensions, func(d Dimension) bool { return d.Name == s.Configurations.By })
	if at < 0 {
		return nil, of
	}
	names, members := s.Dimensions[at].strata(res, res.byAll)
	for i, name := range names {
		for _, index := range members[name] {
			of[index] = i
		}
	}
	return names, of
}
