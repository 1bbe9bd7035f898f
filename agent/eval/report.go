package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"git-agent/agent/stat"
	"git-agent/gitext/visible"
)

// Schema names the shape of a report's JSON. It changes when a field changes
// its meaning or goes, not when one is added.
const Schema = "git-agent/eval/1"

// Report is everything that a run says, ready to be printed. As JSON it is one
// object on one line, "schema" first; a number that is undefined is null.
type Report struct {
	Schema      string      `json:"schema"`
	Task        string      `json:"task"`
	Run         string      `json:"run"`
	Version     string      `json:"version"`     // of the engine
	Annotations bool        `json:"annotations"` // true: engines saw the hints in messages
	Files       []CaseFile  `json:"files"`
	Cases       int         `json:"cases"`
	SampledFrom int         `json:"sampled_from,omitempty"` // Cases are a sample of so many
	Evaluated   int         `json:"evaluated"`              // by at least one algorithm
	Unfinished  int         `json:"unfinished"`
	Reused      int         `json:"reused_predictions"`
	Resamples   int         `json:"bootstrap_resamples"`
	Seed        int         `json:"bootstrap_seed"`
	Skipped     []Skipped   `json:"skipped"`
	Failed      []Failed    `json:"failed"`
	Partial     []Partial   `json:"bics_absent"` // evaluated, part of the truth absent: it counts as missed
	Algorithms  []Algorithm `json:"algorithms"`
	// Comparisons hold each further algorithm against the first.
	Comparisons []Comparison `json:"comparisons"`
	Calibrated  string       `json:"calibrated,omitempty"` // what the calibration of the model's probabilities rests on; "" without one
	Fit         Fitted       `json:"fit,omitempty"`        // a calibration that was fitted to these answers; nil without one
	sheet       *Sheet
}

// Fitted is a calibration that a task fitted to the answers of a report. Its
// JSON becomes part of the report's.
type Fitted interface {
	Summary() FitSummary
}

// FitSummary is what a report says of a fit in words and tables.
type FitSummary struct {
	Algorithm                 string
	Cases, Predictions, Right int
	stat.Validated
}

// Algorithm is the part of a report about one algorithm.
type Algorithm struct {
	Name        string            `json:"name"`
	Versions    []string          `json:"versions"` // of the engine that answered
	Overall     Row               `json:"overall"`
	By          []Breakdown       `json:"by"`
	Calibration *stat.Calibration `json:"calibration"` // null: no probabilities
	Coverage    []CoveragePoint   `json:"coverage"`
	Effort      *Effort           `json:"effort,omitempty"` // of a model
}

// Breakdown has a row for each stratum of one dimension.
type Breakdown struct {
	Dimension   string `json:"dimension"`
	Overlapping bool   `json:"overlapping,omitempty"` // a case counts in several rows
	Rows        []Row  `json:"rows"`
}

// About is what a report says of its run beside the numbers.
type About struct {
	Run         string
	Version     string
	Annotations bool
	Files       []CaseFile
	SampledFrom int // 0: the cases are all that the files have
}

// NewReport computes the report of a run.
func NewReport(t Task, about About, res *Results) *Report {
	res = sortedByID(res)
	sheet := t.Sheet()
	r := &Report{
		Schema: Schema, Task: t.Name(), Run: about.Run, Version: about.Version,
		Annotations: about.Annotations, Files: notNil(about.Files),
		Cases: len(res.Cases), SampledFrom: about.SampledFrom, Unfinished: res.Unfinished, Reused: res.Reused,
		Resamples: stat.Resamples, Seed: stat.Seed,
		Skipped: notNil(res.Skipped), Failed: notNil(res.Failed), Partial: notNil(res.Partial),
		Algorithms: []Algorithm{}, Comparisons: []Comparison{}, Calibrated: t.CalibratedOn(res), sheet: sheet,
	}
	r.Evaluated = evaluated(res)
	for i, name := range res.Algorithms {
		r.Algorithms = append(r.Algorithms, newAlgorithm(sheet, name, res))
		if i > 0 {
			first := res.Algorithms[0]
			r.Comparisons = append(r.Comparisons, compare(sheet, first, name, res.Outcomes[first], res.Outcomes[name]))
		}
	}
	return r
}

// NewComparison is a report of nothing but comparisons.
func NewComparison(t Task, list []Comparison) *Report {
	r := NewReport(t, About{}, &Results{})
	for _, c := range list {
		c.sheet = r.sheet
		r.Comparisons = append(r.Comparisons, c)
	}
	return r
}

// sortedByID makes everything that follows independent of the order of the
// case files, resampling included.
func sortedByID(res *Results) *Results {
	order := make([]int, len(res.Cases))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(res.Cases[a].Head().ID, res.Cases[b].Head().ID) })
	sorted := *res
	sorted.Cases = make([]Case, len(order))
	sorted.Outcomes = map[string][]Outcome{}
	for to, from := range order {
		sorted.Cases[to] = res.Cases[from]
	}
	for name, rows := range res.Outcomes {
		moved := make([]Outcome, len(order))
		for to, from := range order {
			moved[to] = rows[from]
			moved[to].Case = to
		}
		sorted.Outcomes[name] = moved
	}
	return &sorted
}

func evaluated(res *Results) int {
	n := 0
	for i := range res.Cases {
		n += stat.Count(slices.ContainsFunc(res.Algorithms, func(a string) bool { return res.Outcomes[a][i].Evaluated }))
	}
	return n
}

func newAlgorithm(sheet *Sheet, name string, res *Results) Algorithm {
	cases, outcomes := res.Cases, res.Outcomes[name]
	use := func(i int) bool { return outcomes[i].Evaluated }
	var all []Outcome
	for i := range outcomes {
		if use(i) {
			all = append(all, outcomes[i])
		}
	}
	a := Algorithm{Name: name, Versions: notNil(res.Versions[name]), Overall: measure(sheet, "all", all), Calibration: calibrate(all), Coverage: notNil(coverage(sheet, all)), Effort: newEffort(all)}
	for _, d := range sheet.Dimensions {
		names, members := d.strata(cases, use)
		b := Breakdown{Dimension: d.Name, Overlapping: d.Overlapping, Rows: []Row{}}
		for _, stratum := range names {
			part := make([]Outcome, len(members[stratum]))
			for i, index := range members[stratum] {
				part[i] = outcomes[index]
			}
			b.Rows = append(b.Rows, measure(sheet, stratum, part))
		}
		a.By = append(a.By, b)
	}
	return a
}

// notNil makes an empty list [] instead of null for readers of the JSON.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// WriteJSON writes the report as one line.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := visible.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
