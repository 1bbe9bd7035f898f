package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"

	"git-agent/agent/stat"
	"git-agent/gitext/quote"
)

// Schema identifies the format of a report's JSON. It changes when a field is
// removed or changes its meaning, not when a field is added.
const Schema = "git-agent/eval/1"

// Report is the result of a run, ready to be printed. Its JSON is one object on one
// line with "schema" as the first field; an undefined number is null.
type Report struct {
	Schema      string      `json:"schema"`
	Task        string      `json:"task"`
	Run         string      `json:"run"`
	Version     string      `json:"version"`            // version of the engine
	Annotations bool        `json:"annotations"`        // the engines saw hints such as Fixes: in messages
	Index       bool        `json:"index,omitempty"`    // the ranking used an index of changed lines
	Fallback    bool        `json:"fallback,omitempty"` // the offline engine's answers instead of a model's count
	Only        string      `json:"only,omitempty"`     // the selected cases, such as "core cases"; "" for all
	Files       []CaseFile  `json:"files"`
	Shard       string      `json:"shard,omitempty"` // the evaluated part of the cases, such as "3/8"; "" for all
	Cases       int         `json:"cases"`
	SampledFrom int         `json:"sampled_from,omitempty"` // number of cases from which Cases were sampled
	Evaluated   int         `json:"evaluated"`              // cases that at least one algorithm evaluated
	Unfinished  int         `json:"unfinished"`             // cases that an interrupted run did not reach
	Reused      int         `json:"reused_predictions"`     // predictions that the journal already had
	Resamples   int         `json:"bootstrap_resamples"`
	Seed        int         `json:"bootstrap_seed"`
	Skipped     []Skipped   `json:"skipped"`
	Failed      []Failed    `json:"failed"`
	Partial     []Partial   `json:"bics_absent"` // evaluated cases with absent commits of the truth, which count as missed
	Algorithms  []Algorithm `json:"algorithms"`
	// Comparisons compare each further algorithm with the first.
	Comparisons []Comparison `json:"comparisons"`
	Repeats     *Table       `json:"repeats,omitempty"`      // means of repeated runs
	Overlap     *Overlap     `json:"overlap,omitempty"`      // present if the algorithms are configurations of one method
	Unions      *Table       `json:"unions,omitempty"`       // likewise, if several of them ask a model
	EffortTests *EffortTests `json:"effort_tests,omitempty"` // likewise, if several of them ask a model
	Calibrated  string       `json:"calibrated,omitempty"`   // training data of the model's calibration; "" if there is none
	Fit         Fitted       `json:"fit,omitempty"`          // a calibration fitted to these answers, or nil
	sheet       *Sheet
}

// OwnTypes are the types in a report that write their own JSON, with a member for each metric.
func OwnTypes() []reflect.Type {
	return []reflect.Type{reflect.TypeFor[Row](), reflect.TypeFor[Comparison](), reflect.TypeFor[CoveragePoint]()}
}

// Fitted is a calibration fitted by a task to the answers of a report. Its JSON becomes part of
// the report's JSON.
type Fitted interface {
	Summary() FitSummary
}

// FitSummary is the part of a fit that a report shows in words and tables.
type FitSummary struct {
	Algorithm                 string
	Cases, Predictions, Right int
	RateBrier                 float64 // Brier score of always stating the share of right predictions
	stat.Validated
}

// Algorithm is the part of a report about one algorithm.
type Algorithm struct {
	Name        string            `json:"name"`
	Versions    []string          `json:"versions"` // versions of the engine that answered
	Overall     Row               `json:"overall"`
	By          []Breakdown       `json:"by"`
	Calibration *stat.Calibration `json:"calibration"` // null if the algorithm has no probabilities
	Coverage    []CoveragePoint   `json:"coverage"`
	Effort      *Effort           `json:"effort,omitempty"` // present if a model was asked
	ByOutcome   []OutcomeEffort   `json:"effort_by_outcome,omitempty"`
	Tables      []Table           `json:"tables,omitempty"` // the task's own tables
}

// Breakdown has a row for each stratum of one dimension.
type Breakdown struct {
	Dimension   string `json:"dimension"`
	Overlapping bool   `json:"overlapping,omitempty"` // a case may count in several rows
	Rows        []Row  `json:"rows"`
}

// About describes the run of a report.
type About struct {
	Run         string
	Version     string
	Annotations bool
	Index       bool   // the ranking used an index of changed lines
	Fallback    bool   // the task counts the offline engine's answers instead of a model's
	Only        string // the selected cases, such as "core cases"; "" for all
	Files       []CaseFile
	SampledFrom int    // 0 if the cases are not a sample
	Shard       string // the evaluated part of the cases, such as "3/8"; "" for all
	NoTimes     bool   // leave out the times of predictions, and the number of stored ones
}

// NewReport computes the report of a run.
func NewReport(t Task, about About, res *Results) *Report {
	res = sortedByID(res)
	if about.NoTimes {
		res.dropTimes()
		res.Reused = 0
	}
	if about.Fallback {
		res.nameFallback()
	}
	sheet := t.Sheet()
	r := &Report{
		Schema: Schema, Task: t.Name(), Run: about.Run, Version: about.Version,
		Annotations: about.Annotations, Index: about.Index, Fallback: about.Fallback, Only: about.Only,
		Files: notNil(about.Files), Shard: about.Shard,
		Cases: len(res.Cases), SampledFrom: about.SampledFrom, Unfinished: res.Unfinished, Reused: res.Reused,
		Resamples: stat.Resamples, Seed: stat.Seed,
		Skipped: notNil(res.Skipped), Failed: notNil(res.Failed), Partial: notNil(res.Partial),
		Algorithms: []Algorithm{}, Comparisons: []Comparison{}, Calibrated: t.CalibratedOn(res), sheet: sheet,
	}
	r.Evaluated = evaluated(res)
	for i, name := range res.Algorithms {
		a := newAlgorithm(sheet, name, res)
		if own, ok := t.(Tabler); ok {
			a.Tables = own.Tables(res, name)
			for k := range a.Tables {
				if len(res.Algorithms) > 1 {
					a.Tables[k].Title = name + ": " + a.Tables[k].Title
				}
			}
		}
		r.Algorithms = append(r.Algorithms, a)
		if _, n := RepetitionOf(name); i > 0 && n == 1 {
			first := res.Algorithms[0]
			if c := compare(sheet, first, name, res.Outcomes[first], res.Outcomes[name]); c.comparable() {
				r.Comparisons = append(r.Comparisons, c)
			}
		}
	}
	r.compareConfigurations(res.firsts())
	r.Repeats = r.repeats()
	return r
}

// compareConfigurations compares the algorithms if they are configurations of one method. It
// leaves out algorithms with an undefined main metric, because they have another purpose.
func (r *Report) compareConfigurations(res *Results) {
	if r.sheet.Configurations == nil {
		return
	}
	part := *res
	part.Algorithms = nil
	for i := range r.Algorithms {
		a := &r.Algorithms[i]
		if !slices.Contains(res.Algorithms, a.Name) {
			continue // it is a repetition
		}
		if a.Overall.Value(r.sheet.Main).Value != nil {
			part.Algorithms = append(part.Algorithms, a.Name)
			a.ByOutcome = effortByOutcome(res.Outcomes[a.Name])
		}
	}
	r.Overlap, r.EffortTests, r.Unions = newOverlap(r.sheet, &part), newEffortTests(r.sheet, &part), unions(r.sheet, &part)
}

// NewComparison returns a report that holds only comparisons.
func NewComparison(t Task, list []Comparison) *Report {
	r := NewReport(t, About{}, &Results{})
	for _, c := range list {
		c.sheet = r.sheet
		r.Comparisons = append(r.Comparisons, c)
	}
	return r
}

// sortedByID returns the results sorted by case id. This makes the report, including resampling,
// independent of the order of the case files.
func sortedByID(res *Results) *Results {
	order, ids := make([]int, len(res.Cases)), make([]string, len(res.Cases))
	for i, c := range res.Cases {
		order[i], ids[i] = i, c.Head().ID
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
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

// dropTimes sets the seconds of all outcomes to unknown, so that two runs with the same answers
// have the same report.
func (res *Results) dropTimes() {
	for _, rows := range res.Outcomes {
		for i := range rows {
			rows[i].Seconds = math.NaN()
		}
	}
}

// withFallback follows the name of an algorithm with a model whose answers include answers of the
// offline engine.
const withFallback = " (with fallback)"

// asksModel reports whether a model was asked for any of the outcomes.
func asksModel(rows []Outcome) bool {
	return slices.ContainsFunc(rows, func(o Outcome) bool { return o.Work != nil })
}

// nameFallback renames the algorithms that asked a model.
func (res *Results) nameFallback() {
	named, versions := map[string][]Outcome{}, map[string][]string{}
	res.Algorithms, res.Failed = slices.Clone(res.Algorithms), slices.Clone(res.Failed)
	for i, name := range res.Algorithms {
		to := name
		if asksModel(res.Outcomes[name]) {
			to += withFallback
		}
		res.Algorithms[i], named[to], versions[to] = to, res.Outcomes[name], res.Versions[name]
		for j := range res.Failed {
			if res.Failed[j].Algorithm == name {
				res.Failed[j].Algorithm = to
			}
		}
	}
	res.Outcomes, res.Versions = named, versions
}

func evaluated(res *Results) int {
	n := 0
	for i := range res.Cases {
		n += stat.Count(slices.ContainsFunc(res.Algorithms, func(a string) bool { return res.Outcomes[a][i].Evaluated }))
	}
	return n
}

func newAlgorithm(sheet *Sheet, name string, res *Results) Algorithm {
	outcomes := res.Outcomes[name]
	use := func(i int) bool { return outcomes[i].Evaluated }
	all := outcomes
	if slices.ContainsFunc(all, func(o Outcome) bool { return !o.Evaluated }) {
		all = slices.DeleteFunc(slices.Clone(all), func(o Outcome) bool { return !o.Evaluated })
	}
	a := Algorithm{
		Name:        name,
		Versions:    notNil(res.Versions[name]),
		Overall:     measure(sheet, "all", all),
		Calibration: calibrate(all),
		Coverage:    notNil(coverage(sheet, all)),
		Effort:      newEffort(all),
	}
	for _, d := range sheet.Dimensions {
		names, members := d.strata(res, use)
		b := Breakdown{Dimension: d.Name, Overlapping: d.Overlapping, Rows: []Row{}}
		for _, stratum := range names {
			if len(members[stratum]) == len(all) { // the same cases: this saves a resampling
				row := a.Overall
				row.Name = stratum
				b.Rows = append(b.Rows, row)
				continue
			}
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

// notNil replaces a nil list by an empty one, because JSON writes nil as null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// WriteJSON writes the report as one line.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := quote.NewEncoder(w).Encode(r); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
