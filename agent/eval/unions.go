package eval

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"git-agent/agent/stat"
)

// maxUnited is the largest number of algorithms for which every subset has a row. For more
// algorithms, there are rows for each one, each pair and all together.
const maxUnited = 5

// unions returns the table of sets of algorithms that ask a model (HAFixAgent, figure 6). A case
// is right for a set if one of its algorithms gets the case right, and its cost is the sum of all
// their costs. unions returns nil for fewer than two algorithms.
func unions(sheet *Sheet, res *Results) *Table {
	var names []string
	for _, name := range res.Algorithms {
		if asksModel(res.Outcomes[name]) {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		return nil
	}
	strata, of := sheet.configurationStrata(res)
	money := priced(res, names)
	t := unionTable(sheet, strata, money)
	sets := subsetsOf(len(names))
	slices.SortStableFunc(sets, func(a, b uint) int { return bits.OnesCount(a) - bits.OnesCount(b) })
	for _, set := range sets {
		var united []string
		for i, name := range names {
			if set>>i&1 == 1 {
				united = append(united, name)
			}
		}
		all := uniteCases(res, united, func(int) bool { return true })
		row := TableRow{
			strings.Join(united, " or "),
			[]stat.Estimate{plainly(float64(all.cases)), plainly(float64(all.right)), plainly(all.share()), plainly(all.mean(all.tokens))},
		}
		if money {
			row.Values = append(row.Values, plainly(all.mean(all.usd)))
		}
		for at := range strata {
			part := uniteCases(res, united, func(index int) bool { return of[index] == at })
			cost := part.tokens
			if money {
				cost = part.usd
			}
			row.Values = append(row.Values, plainly(part.share()), plainly(part.mean(cost)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// unionTable returns the table without its rows. The cost of strata is in US dollars if known,
// else in tokens.
func unionTable(sheet *Sheet, strata []string, money bool) *Table {
	right := sheet.Configurations.Right
	t := &Table{Name: "unions", Title: right + " by any of", Columns: []Column{
		{
			Name:  "cases",
			Title: sheet.Asked + "s",
		}, {Name: "right", Title: right}, {Name: "share", Title: "share", Decimals: 3}, {Name: "tokens", Title: "tokens"}},
		Note: "a " + sheet.Asked + " is " + right + " if one of them is right, and costs what all of them cost together: mean tokens, sent and received, for each " + sheet.Asked}
	cost := Column{Name: "tokens", Title: "tokens"}
	if money {
		cost = Column{Name: "cost_usd", Title: "US dollars", Decimals: 4}
		t.Columns = append(t.Columns, cost)
		t.Note += ", and US dollars"
	}
	for _, name := range strata {
		t.Columns = append(t.Columns, Column{name + "_share", name, 3}, Column{name + "_" + cost.Name, cost.Title, cost.Decimals})
	}
	return t
}

// subsetsOf returns the subsets of n algorithms as sets of bits.
func subsetsOf(n int) []uint {
	var sets []uint
	if n > maxUnited {
		for i := range n {
			sets = append(sets, 1<<i)
		}
		for i := range n {
			for j := range i {
				sets = append(sets, 1<<i|1<<j)
			}
		}
		return append(sets, 1<<n-1)
	}
	for set := uint(1); set < 1<<n; set++ {
		sets = append(sets, set)
	}
	return sets
}

// priced reports whether the cost of any answer of these algorithms is known.
func priced(res *Results, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(res.Outcomes[name], func(o Outcome) bool { return o.Work != nil && o.Work.Usage.CostUSD != nil })
	})
}

// united is the joint result of several algorithms on the same cases.
type united struct {
	cases, right int
	tokens, usd  float64 // sums over all algorithms; usd is NaN if one cost is unknown
}

func (u united) share() float64             { return stat.Ratio(u.right, u.cases) }
func (u united) mean(total float64) float64 { return total / float64(u.cases) }

// uniteCases adds up the cases that all algorithms evaluated and that use selects. A case without
// a question to a model costs nothing.
func uniteCases(res *Results, names []string, use func(index int) bool) united {
	var u united
	for i := range res.Cases {
		if !use(i) || !res.byAll(i) {
			continue
		}
		u.cases++
		right := false
		for _, name := range names {
			o := res.Outcomes[name][i]
			right = right || o.Right
			switch {
			case o.Work == nil:
			case o.Work.Usage.CostUSD == nil:
				u.tokens, u.usd = u.tokens+tokensOf(o.Work), math.NaN()
			default:
				u.tokens, u.usd = u.tokens+tokensOf(o.Work), u.usd+*o.Work.Usage.CostUSD
			}
		}
		u.right += stat.Count(right)
	}
	return u
}
