package eval

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// recall is the state of Recall. It stores only the parts of an answer that the report needs, and
// equal parts of the outcomes once, because there may be millions.
type recall struct {
	res   *Results
	index map[string]int    // index of a case, by id
	asked map[string][]bool // by algorithm: the cases with an answer or a reason for having none
	notes map[asking]note   // of the few answers with a note
	kept  interned
}

// asking is a case, by its index, with an algorithm.
type asking struct {
	index     int
	algorithm string
}

// note is the content of a record beside its answer.
type note struct {
	failed string
	skip   string
	absent []string
}

// Recall rebuilds the results of a run from its journal alone. If a case has several answers, the
// last one counts.
func Recall(ctx context.Context, t Task, j Journal) (*Results, error) {
	r := &recall{
		res:   &Results{Outcomes: map[string][]Outcome{}, Versions: map[string][]string{}},
		index: map[string]int{}, asked: map[string][]bool{}, notes: map[asking]note{},
		kept: interned{map[string]Tally{}, map[any]any{}},
	}
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read kept predictions: %w", err)
		}
		r.add(t, rec)
	}
	for i := range r.res.Cases {
		r.finish(i)
	}
	r.res.sortLists()
	return r.res, nil
}

// add processes one record.
func (r *recall) add(t Task, rec Record) {
	res, a := r.res, rec.Algorithm
	id := rec.Case.Head().ID
	i, ok := r.index[id]
	if !ok {
		i = len(res.Cases)
		r.index[id] = i
		res.Cases = append(res.Cases, rec.Case)
	}
	if !slices.Contains(res.Algorithms, a) {
		res.Algorithms = append(res.Algorithms, a)
	}
	r.reach(a, i)
	res.Outcomes[a][i] = r.kept.outcome(outcome(t, i, res.Cases[i], rec))
	r.asked[a][i] = true
	delete(r.notes, asking{i, a})
	if rec.Error != "" || rec.Skip != "" || len(rec.Absent) > 0 {
		r.notes[asking{i, a}] = note{rec.Error, rec.Skip, rec.Absent}
	}
	if vs := res.Versions[a]; !slices.Contains(vs, rec.Version) {
		res.Versions[a] = append(vs, rec.Version)
	}
}

// reach extends an algorithm's outcomes up to the case with this index.
func (r *recall) reach(algorithm string, index int) {
	rows := r.res.Outcomes[algorithm]
	for len(rows) <= index {
		rows = append(rows, Outcome{Case: len(rows)})
		r.asked[algorithm] = append(r.asked[algorithm], false)
	}
	r.res.Outcomes[algorithm] = rows
}

// finish lists a case that failed, was skipped or lacks commits.
func (r *recall) finish(i int) {
	res, h := r.res, r.res.Cases[i].Head()
	skip, absent := "", []string(nil)
	for _, a := range res.Algorithms {
		r.reach(a, i)
		n := r.notes[asking{i, a}]
		if n.failed != "" {
			res.Failed = append(res.Failed, Failed{h.ID, h.Repo, a, n.failed})
		}
		if r.asked[a][i] {
			skip, absent = n.skip, n.absent
		}
	}
	if skip != "" {
		res.Skipped = append(res.Skipped, Skipped{h.ID, h.Repo, skip})
	}
	if len(absent) > 0 {
		res.Partial = append(res.Partial, Partial{h.ID, h.Repo, absent})
	}
}

// interned holds common parts of outcomes.
type interned struct {
	tallies map[string]Tally
	rows    map[any]any
}

// outcome returns an outcome that shares its parts with others.
func (n interned) outcome(o Outcome) Outcome {
	o.Tally, o.Unanswered = n.tally(o.Tally), n.tally(o.Unanswered)
	if o.Row != nil && reflect.TypeOf(o.Row).Comparable() {
		if row, ok := n.rows[o.Row]; ok {
			o.Row = row
		} else {
			n.rows[o.Row] = o.Row
		}
	}
	return o
}

func (n interned) tally(t Tally) Tally {
	key := make([]byte, 0, 128)
	for _, x := range t {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(x))
	}
	if same, ok := n.tallies[string(key)]; ok {
		return same
	}
	n.tallies[string(key)] = t
	return t
}

// sortLists sorts the lists of cases, which are in the order of completion.
func (res *Results) sortLists() {
	slices.SortFunc(res.Skipped, func(a, b Skipped) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(res.Partial, func(a, b Partial) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(res.Failed, func(a, b Failed) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Algorithm, b.Algorithm))
	})
}
