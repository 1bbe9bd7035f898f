package eval

import (
	"encoding/json"
	"math"

	"git-agent/agent/stat"
)

// Task is a kind of question with measurable answers. It defines cases, answers, and the scoring
// of answers. It does not include the engine; the Opener of a Plan provides it.
type Task interface {
	// Name returns the task's name in reports. In traces.db the kind of its
	// runs is "eval/" followed by this name.
	Name() string
	// ReadCase reads one line, a JSON object, of the named case file. It
	// returns an error if the line is not a valid case.
	ReadCase(line []byte, file string) (Case, error)
	// ReadKept decodes the case and the answer of a record in the journal. It
	// returns a nil Answer if answer is empty.
	ReadKept(c, answer json.RawMessage) (Case, Answer, error)
	// Score scores an answer against the truth of a case. A nil answer means that the engine
	// failed, and counts as empty.
	Score(c Case, a Answer) Score
	// CalibratedOn describes the training data of the calibration of the results. It returns ""
	// for raw probabilities.
	CalibratedOn(res *Results) string
	// Sheet defines what a report shows.
	Sheet() *Sheet
}

// DecodeKept decodes the case and the answer of a record in a journal, for a Task's ReadKept. It
// does not validate them again. The answer is nil if the record has none.
func DecodeKept[C Case, A any](data, answer json.RawMessage) (c C, a Answer, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, nil, err
	}
	if len(answer) == 0 {
		return c, nil, nil
	}
	var p *A
	if err := json.Unmarshal(answer, &p); err != nil || p == nil {
		return c, nil, err
	}
	return c, *p, nil
}

// Case is one question with a known answer. The journal stores its JSON.
type Case interface {
	Head() Head
}

// Head is the part of a case that this package uses.
type Head struct {
	ID       string // unique id of the case
	Repo     string // owner/name
	Mirror   string // name of the clone that has the commits; "" means Repo
	File     string // the case file's name without its folder
	Question string // the question; the truth is not part of it
}

// Answer is an engine's answer to one case. The journal stores its JSON; memory contains only its
// Score.
type Answer any

// Score measures an answer, reduced to the data for the metrics.
type Score struct {
	Tally     Tally           // the metrics are computed from it
	Empty     bool            // the answer names nothing
	Right     bool            // the answer is right as a whole; McNemar's test uses it
	Forecasts []stat.Forecast // the probabilities in the answer, the first choice first; nil if it has none
	Votes     []Vote          // the votes behind the forecasts, if several runs of a model voted
	Work      *Work           // nil if no model was asked
	Judging   float64         // seconds of the prediction's time for judging rather than for the engine
	Row       any             // further fields for WriteRows; its JSON must be an object
}

// Vote is an answer by a vote of a model's runs, and whether the answer is right.
type Vote struct {
	stat.Voted
	Absent int // number of runs without an answer
}

// Tally holds counts of right and wrong parts of an answer. The task defines the counts and their
// order; all its tallies have the same length. The tally of several cases is the sum of theirs.
// The tally of no cases is empty.
type Tally []float64

// plus adds u to t and returns the sum, which is as long as the longer of the two.
func (t Tally) plus(u Tally) Tally {
	for len(t) < len(u) {
		t = append(t, 0)
	}
	for i, n := range u {
		t[i] += n
	}
	return t
}

// At returns one number of a tally. It is 0 if the tally is empty.
func (t Tally) At(i int) float64 {
	if len(t) == 0 {
		return 0
	}
	return t[i]
}

// Mean returns the metric that averages a number of the tally over the cases.
func Mean(at int) func(Tally, int) float64 {
	return func(t Tally, cases int) float64 { return t.At(at) / float64(max(1, cases)) }
}

// Share returns the metric that divides one number of the tally by another. It is undefined if the
// divisor is 0.
func Share(at, by int) func(Tally, int) float64 {
	return func(t Tally, _ int) float64 {
		if t.At(by) == 0 {
			return math.NaN()
		}
		return t[at] / t[by]
	}
}

// Metric is a number that is computed from the tally of any set of cases.
type Metric struct {
	// Name is the name of its field in a report's JSON. It is "" for a metric only in tables.
	// Neighbouring metrics with the same name are written as one list.
	Name string
	// Title is the head of its column in tables. It is "" for a metric only in the JSON.
	Title string
	// Of computes the metric from the summed tally of a number of cases. It
	// returns NaN where the metric is undefined.
	Of func(sum Tally, cases int) float64
	// Estimated marks the metrics that measure an engine. They have a bootstrap interval and are
	// shown wherever there is room for only a few.
	Estimated bool
	Brief     bool // the tables of strata show it too
	Decimals  int  // digits after the point in tables
}

// Sheet defines the metrics and words in the reports of a task.
type Sheet struct {
	Metrics []Metric // in the order of the JSON's fields and the tables' columns
	// Main, Small and Ceiling are names of metrics. Main is the estimated metric in bars and
	// comparisons. Small is printed beside Main in tables of several algorithms. Ceiling is the
	// upper bound of Small.
	Main, Small, Ceiling string
	Dimensions           []Dimension

	Wanted  string // the goal of engines, in the plural: "bug-introducing commits"
	Asked   string // the subject of a case: "fix"
	Named   string // the thing that an answer names: "suspect"
	Right   string // condition for a right answer; completes "A case is right when"
	Notes   string // sentences that explain columns, for the HTML page
	Bounded string // meaning of the ceiling
	// Truth is the known answer of a case, which a repository may lack, in the plural:
	// "bug-introducing commits".
	Truth string
	// Annotated means that engines read commit messages that may name the answer. A report says
	// whether these hints were removed.
	Annotated bool
	// Configurations is set for a task whose algorithms are configurations of one method. Reports
	// then show the cases that only some of them get right, and the costs of right and wrong
	// answers.
	Configurations *Configurations
}

// Configurations define how a report compares configurations of one method.
type Configurations struct {
	Right, Wrong string // adjectives for a case with a right or wrong answer: "solved", "not solved"
	By           string // name of the dimension that divides the comparison; "" for none
}

// at returns the index of the first metric with this name.
func (s *Sheet) at(name string) int {
	for i, m := range s.Metrics {
		if m.Name == name {
			return i
		}
	}
	panic("eval: the sheet has no metric " + name)
}

func (s *Sheet) main() Metric { return s.Metrics[s.at(s.Main)] }

// estimated lists the indices of the estimated metrics.
func (s *Sheet) estimated() []int {
	var list []int
	for i, m := range s.Metrics {
		if m.Estimated {
			list = append(list, i)
		}
	}
	return list
}

// Dimension is a way to divide the cases into strata.
type Dimension struct {
	Name string
	// Overlapping means that a case may be in several strata, so that the rows
	// do not add up to the whole.
	Overlapping bool
	Of          func(Case) []string // the strata of a case
	// OfScore replaces Of if the strata depend on an engine's findings. It is applied, for each
	// case, to the answer of the first algorithm that did not fail, so that all algorithms are
	// measured on the same strata.
	OfScore func(Score) []string
	Order   []string // order of the strata; nil means the largest first
}

// These dimensions apply to every task.
var (
	ByFile       = Dimension{Name: "file", Of: func(c Case) []string { return []string{c.Head().File} }}
	ByRepository = Dimension{Name: "repository", Of: func(c Case) []string { return []string{c.Head().Repo} }}
)

// OfCase makes Dimension.Of from a function that returns the one stratum of a case.
func OfCase[C Case](of func(C) string) func(Case) []string {
	return func(c Case) []string { return []string{of(c.(C))} }
}

// OfRow makes Dimension.OfScore from a function that returns the one stratum of a score's details.
func OfRow[R any](of func(R) string) func(Score) []string {
	return func(s Score) []string {
		row, _ := s.Row.(R)
		return []string{of(row)}
	}
}
