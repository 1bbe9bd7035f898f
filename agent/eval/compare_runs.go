package eval

import (
	"fmt"
	"slices"
	"strings"
)

// Contender is one side of a comparison of runs. Algorithm is "" for all algorithms that both
// sides have.
type Contender struct {
	Name      string
	Algorithm string
	Results   *Results
	Fallback  bool // the results count the offline engine's answers instead of a model's
}

// ParseContender reads a Contender in the form "run" or "run:algorithm". It leaves
// Results empty.
func ParseContender(s string) Contender {
	name, algorithm, _ := strings.Cut(s, ":")
	return Contender{Name: name, Algorithm: algorithm}
}

// CompareRuns compares two runs. If both sides name an algorithm or have only one, it compares
// these two; otherwise it compares each common algorithm.
func CompareRuns(t Task, a, b Contender) ([]Comparison, error) {
	pairs, err := pairings(a, b)
	if err != nil {
		return nil, err
	}
	as, bs, err := aligned(t, a, b)
	if err != nil {
		return nil, err
	}
	var list []Comparison
	for _, p := range pairs {
		list = append(list, compare(t.Sheet(), a.called(p[0]), b.called(p[1]), as[p[0]], bs[p[1]]))
	}
	return list, nil
}

// called returns the name of this side's algorithm in a comparison.
func (c Contender) called(algorithm string) string {
	if c.Fallback && asksModel(c.Results.Outcomes[algorithm]) {
		return c.Name + ":" + algorithm + withFallback
	}
	return c.Name + ":" + algorithm
}

func pairings(a, b Contender) ([][2]string, error) {
	for _, c := range []Contender{a, b} {
		if c.Algorithm != "" && !slices.Contains(c.Results.Algorithms, c.Algorithm) {
			return nil, fmt.Errorf("run %q has no algorithm %q, only %s", c.Name, c.Algorithm, strings.Join(c.Results.Algorithms, ", "))
		}
	}
	as, bs := a.choices(), b.choices()
	if len(as) == 1 && len(bs) == 1 {
		return [][2]string{{as[0], bs[0]}}, nil
	}
	var pairs [][2]string
	for _, name := range as {
		if slices.Contains(bs, name) {
			pairs = append(pairs, [2]string{name, name})
		}
	}
	if pairs == nil {
		return nil, fmt.Errorf("runs %q (%s) and %q (%s) have no algorithm in common; choose one of each with run:algorithm",
			a.Name, strings.Join(as, ", "), b.Name, strings.Join(bs, ", "))
	}
	return pairs, nil
}

func (c Contender) choices() []string {
	if c.Algorithm != "" {
		return []string{c.Algorithm}
	}
	return c.Results.Algorithms
}

// aligned returns the outcomes of two runs in the same order of cases. The cases are those of
// both runs, sorted by id; a case missing in one run is marked as not evaluated there.
func aligned(t Task, a, b Contender) (as, bs map[string][]Outcome, err error) {
	place := map[string]int{}
	heads := map[string]Head{}
	var ids []string
	for _, c := range slices.Concat(a.Results.Cases, b.Results.Cases) {
		h := c.Head()
		old, ok := heads[h.ID]
		if ok && !old.asksSame(h) {
			return nil, nil, fmt.Errorf("case %q is not the same %s in %q and %q", h.ID, t.Sheet().Asked, a.Name, b.Name)
		}
		if !ok {
			heads[h.ID] = h
			ids = append(ids, h.ID)
		}
	}
	slices.Sort(ids)
	for i, id := range ids {
		place[id] = i
	}
	return a.inOrder(place), b.inOrder(place), nil
}

func (c Contender) inOrder(place map[string]int) map[string][]Outcome {
	spread := map[string][]Outcome{}
	for name, rows := range c.Results.Outcomes {
		spread[name] = make([]Outcome, len(place))
		for i, o := range rows {
			spread[name][place[c.Results.Cases[i].Head().ID]] = o
		}
	}
	return spread
}
