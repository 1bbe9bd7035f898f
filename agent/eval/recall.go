package eval

import (
	"context"
	"fmt"
	"slices"
)

// Recall rebuilds the results of a run from its journal alone. If a case was asked
// about more than once, the last answer counts.
func Recall(ctx context.Context, t Task, j Journal) (*Results, error) {
	last := map[string]map[string]Record{} // by case, by algorithm
	res := &Results{Outcomes: map[string][]Outcome{}, Versions: map[string][]string{}}
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read kept predictions: %w", err)
		}
		id := rec.Case.Head().ID
		if last[id] == nil {
			last[id] = map[string]Record{}
			res.Cases = append(res.Cases, rec.Case)
		}
		if !slices.Contains(res.Algorithms, rec.Algorithm) {
			res.Algorithms = append(res.Algorithms, rec.Algorithm)
		}
		last[id][rec.Algorithm] = rec
		if vs := res.Versions[rec.Algorithm]; !slices.Contains(vs, rec.Version) {
			res.Versions[rec.Algorithm] = append(vs, rec.Version)
		}
	}
	for i, c := range res.Cases {
		res.recallCase(t, i, last[c.Head().ID])
	}
	return res, nil
}

func (res *Results) recallCase(t Task, i int, records map[string]Record) {
	c, h := res.Cases[i], res.Cases[i].Head()
	skip, absent := "", []string(nil)
	for _, a := range res.Algorithms {
		o := Outcome{Case: i}
		if rec, ok := records[a]; ok {
			o = outcome(t, i, c, rec)
			if rec.Error != "" {
				res.Failed = append(res.Failed, Failed{h.ID, h.Repo, a, rec.Error})
			}
			skip, absent = rec.Skip, rec.Absent
		}
		res.Outcomes[a] = append(res.Outcomes[a], o)
	}
	if skip != "" {
		res.Skipped = append(res.Skipped, Skipped{h.ID, h.Repo, skip})
	}
	if len(absent) > 0 {
		res.Partial = append(res.Partial, Partial{h.ID, h.Repo, absent})
	}
}
