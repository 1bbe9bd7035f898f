package eval

import (
	"encoding/json"

	"git-agent/agent/stat"
)

// Task is a kind of question whose answers can be measured. It defines what a case
// is, what an answer is, and how an answer is scored. The engine that answers is
// not part of it; the Opener of a Plan provides it.
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
	// Score scores an answer against the truth of a case. A nil answer means
	// that the engine failed and counts as naming nothing.
	Score(c Case, a Answer) Score
	// CalibratedOn describes what the probabilities of the results are
	// calibrated on. It returns "" for raw probabilities.
	CalibratedOn(res *Results) string
	// Sheet defines what a report shows.
	Sheet() *Sheet
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
	Question string // what is asked; the truth is not part of it
}

// Answer is an engine's answer to one case. The journal stores its JSON; memory
// holds only its Score.
type Answer any

// Score says how good an answer is, reduced to what the metrics need.
type Score struct {
	Tally     Tally           // the metrics are computed from it
	Empty     bool            // the answer names nothing
	Right     bool            // the answer is right as a whole; McNemar's test uses it
	Forecasts []stat.Forecast // the probabilities in the answer, the first choice first; nil if it has none
	Votes     []Vote          // the votes behind the forecasts, if several runs of a model voted
	Work      *Work           // nil if no model was asked
	Judging   float64         // seconds of the prediction's time that went into judging it, not into the engine
	Row       any             // further fields for WriteRows; its JSON must be an object
}

// Vote is an answer that the runs of a model voted for. It also says whether the
// answer is right.
type Vote struct {
	stat.Voted
	Absent int // number of runs that gave no answer
}

// Tally holds counts of what an answer got right and wrong. The task chooses what
// is counted and in which order; all its tallies have the same length. The tally
// of several cases is the sum of theirs. The tally of no cases is empty.
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

// Metric is a number that is computed from the tally of any set of cases.
type Metric struct {
	// Name is the name of its field in a report's JSON. It is "" for a metric
	// that only tables show. Neighbouring metrics with the same name are written
	// as one list.
	Name string
	// Title is the head of its column in tables. It is "" for a metric that only
	// the JSON has.
	Title string
	// Of computes the metric from the summed tally of a number of cases. It
	// returns NaN where the metric is undefined.
	Of func(sum Tally, cases int) float64
	// Estimated marks the metrics by which an engine is judged. They have a
	// bootstrap interval and are shown wherever there is room for only a few.
	Estimated bool
	Brief     bool // the tables of strata show it too
	Decimals  int  // digits after the point in tables
}

// Sheet defines which metrics the reports of a task show, and in which words.
type Sheet struct {
	Metrics []Metric // in the order of the JSON's fields and the tables' columns
	// Main, Small and Ceiling are names of metrics. Main is the estimated metric
	// that bars show and comparisons test. Small is printed beside Main in tables
	// of several algorithms. Ceiling is the upper bound of Small.
	Main, Small, Ceiling string
	Dimensions           []Dimension

	Wanted  string // what engines look for, in the plural: "bug-introducing commits"
	Asked   string // what a case asks about: "fix"
	Named   string // what an answer names: "suspect"
	Right   string // when an answer is right as a whole; completes "A case is right when"
	Notes   string // sentences that explain columns, for the HTML page
	Bounded string // what the ceiling means
	// Truth is what a case is judged by and a repository may lack, in the plural:
	// "bug-introducing commits".
	Truth string
	// Annotated means that engines read commit messages that may name the answer. A
	// report says whether these hints were removed.
	Annotated bool
	// Configurations is set for a task whose algorithms are configurations of one
	// method. Reports then show which cases each of them gets right and the others do
	// not, and what right and wrong answers cost.
	Configurations *Configurations
}

// Configurations define how a report compares configurations of one method.
type Configurations struct {
	Right, Wrong string // what a case is whose answer is right, or not: "solved", "not solved"
	By           string // name of the dimension by which the comparison is divided; "" for none
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
	// OfScore takes the place of Of where the strata depend on what an engine found
	// in a case. The cases are divided by the answers of one algorithm, so that all
	// algorithms are measured on the same strata: for each case, by the answer of the
	// first algorithm that did not fail.
	OfScore func(Score) []string
	Order   []string // order of the strata; nil means the largest first
}

// These dimensions apply to every task.
var (
	ByFile       = Dimension{Name: "file", Of: func(c Case) []string { return []string{c.Head().File} }}
	ByRepository = Dimension{Name: "repository", Of: func(c Case) []string { return []string{c.Head().Repo} }}
)
