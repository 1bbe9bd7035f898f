package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// recalled is what Recall keeps of the last answer to a case with one algorithm. Answers
// themselves may be large.
type recalled struct {
	outcome Outcome
	failed  string
	skip    string
	absent  []string
}

// Recall rebuilds the results of a run from its journal alone. If a case was asked
// about more than once, the last answer counts.
func Recall(ctx context.Context, t Task, j Journal) (*Results, error) {
	index := map[string]int{} // of a case, by its id
	var last []map[string]recalled
	res := &Results{Outcomes: map[string][]Outcome{}, Versions: map[string][]string{}}
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read kept predictions: %w", err)
		}
		id := rec.Case.Head().ID
		i, ok := index[id]
		if !ok {
			i = len(res.Cases)
			index[id] = i
			res.Cases, last = append(res.Cases, rec.Case), append(last, map[string]recalled{})
		}
		if !slices.Contains(res.Algorithms, rec.Algorithm) {
			res.Algorithms = append(res.Algorithms, rec.Algorithm)
		}
		last[i][rec.Algorithm] = recalled{outcome(t, i, res.Cases[i], rec), rec.Error, rec.Skip, rec.Absent}
		if vs := res.Versions[rec.Algorithm]; !slices.Contains(vs, rec.Version) {
			res.Versions[rec.Algorithm] = append(vs, rec.Version)
		}
	}
	for i := range res.Cases {
		res.recallCase(i, last[i])
	}
	res.sortLists()
	return res, nil
}

func (res *Results) recallCase(i int, answers map[string]recalled) {
	h := res.Cases[i].Head()
	skip, absent := "", []string(nil)
	for _, a := range res.Algorithms {
		rec, ok := answers[a]
		if !ok {
			rec.outcome = Outcome{Case: i}
		}
		if rec.failed != "" {
			res.Failed = append(res.Failed, Failed{h.ID, h.Repo, a, rec.failed})
		}
		if ok {
			skip, absent = rec.skip, rec.absent
		}
		res.Outcomes[a] = append(res.Outcomes[a], rec.outcome)
	}
	if skip != "" {
		res.Skipped = append(res.Skipped, Skipped{h.ID, h.Repo, skip})
	}
	if len(absent) > 0 {
		res.Partial = append(res.Partial, Partial{h.ID, h.Repo, absent})
	}
}

// sortLists sorts the lists of cases, which were collected in the order of completion.
func (res *Results) sortLists() {
	slices.SortFunc(res.Skipped, func(a, b Skipped) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(res.Partial, func(a, b Partial) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(res.Failed, func(a, b Failed) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Algorithm, b.Algorithm))
	})
}
