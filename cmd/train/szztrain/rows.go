package szztrain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"git-agent/agent/eval"
	"git-agent/agent/szz/rank"
	"git-agent/cmd/train/heldout"
	"git-agent/gitext"
)

// readTraining reads the output of extract to train or tune on.
func readTraining(files []string) ([]rank.Example, error) {
	rows, err := readRows(files)
	if err != nil {
		return nil, err
	}
	return rows, heldout.Refuse("szz", rows, func(r rank.Example) string { return r.Repo })
}

// readRows reads the output of extract. A duplicate case counts once.
func readRows(files []string) ([]rank.Example, error) {
	rows, err := eval.ReadLines[rank.Example](files...)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	rows = slices.DeleteFunc(rows, func(ex rank.Example) bool {
		out := ex.Truth == 0 || seen[ex.ID]
		seen[ex.ID] = true
		return out
	})
	if len(rows) == 0 {
		return nil, fmt.Errorf("no rows to train on")
	}
	slices.SortFunc(rows, func(a, b rank.Example) int { return strings.Compare(a.ID, b.ID) }) // extract writes in order of completion
	return rows, nil
}

// namesOf returns the names of the columns of rows: those of the index, if any, come last.
func namesOf(rows []rank.Example) []string {
	if names := rank.FeatureNames(); width(rows) <= len(names) {
		return names
	}
	return rank.IndexedNames()
}

// leaveOut removes the columns of the features in names (separated by commas) from all rows, and
// returns the names of the other features.
func leaveOut(rows []rank.Example, names string) (left []string, err error) {
	left = namesOf(rows)
	out := make([]bool, len(left))
	for _, name := range listed(names) {
		at := slices.Index(left, name)
		if at < 0 {
			return nil, fmt.Errorf("no feature %q", name)
		}
		out[at] = true
	}
	column := -1
	remove := func() bool { column++; return out[column] }
	for _, r := range rows {
		for i, x := range r.X {
			column = -1
			r.X[i] = slices.DeleteFunc(x, func(float64) bool { return remove() })
		}
	}
	column = -1
	return slices.DeleteFunc(left, func(string) bool { return remove() }), nil
}

// listed returns the names of a list that commas separate.
func listed(names string) []string {
	return strings.FieldsFunc(names, func(c rune) bool { return c == ',' })
}

// familiesOf returns the family of each row. Repositories that share a candidate are
// forks of one another and form a family, named after its first repository. A fork
// in the training set would reveal the answers for the tested repository.
func familiesOf(rows []rank.Example) []string {
	parent := map[string]string{}
	root := func(r string) string {
		for parent[r] != r {
			r = parent[r]
		}
		return r
	}
	seenIn := map[gitext.OID]string{}
	for _, r := range rows {
		if parent[r.Repo] == "" {
			parent[r.Repo] = r.Repo
		}
		for _, oid := range r.Candidates {
			if other, ok := seenIn[oid]; ok {
				a, b := root(r.Repo), root(other)
				parent[max(a, b)] = min(a, b)
			}
			seenIn[oid] = r.Repo
		}
	}
	families := make([]string, len(rows))
	for i, r := range rows {
		families[i] = root(r.Repo)
	}
	return families
}

// caseWeights returns the weight of each case. The weight is that of its example (see
// rank.Example), reduced for families with many cases, because otherwise two big projects would
// dominate.
func caseWeights(rows []rank.Example, families []string) []float64 {
	count := map[string]float64{}
	for _, f := range families {
		count[f]++
	}
	weights := make([]float64, len(rows))
	for i, f := range families {
		weights[i] = math.Pow(count[f], -familyDamping)
		if w := rows[i].Weight; w > 0 {
			weights[i] *= w
		}
	}
	return weights
}

// familyDamping determines the weight of large families. With 0, all cases have the same weight;
// with 1, all families have. Between 0.25 and 0.5 the results hardly change.
const familyDamping = 0.25

// flatten converts cases to rows of one candidate each. start has the initial scores; nil is
// none.
func flatten(cases []rank.Example, weights []float64, start [][]float64) Rows {
	var r Rows
	total := 0.0
	group := 0
	for n, c := range cases {
		if len(c.X) == 0 {
			continue
		}
		if start != nil {
			r.Start = append(r.Start, start[n]...)
		}
		for i := range c.X {
			r.X, r.Y = append(r.X, c.X[i]), append(r.Y, c.Hit[i])
			r.Weight, r.Group = append(r.Weight, weights[n]), append(r.Group, group)
			total += weights[n]
		}
		group++
	}
	for i := range r.Weight {
		r.Weight[i] *= float64(len(r.Weight)) / total
	}
	return r
}
