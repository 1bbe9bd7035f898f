package eval

import (
	"encoding/json"

	"git-agent/agent/stat"
)

// Task is a kind of question whose answers can be measured. It says what a case
// is, what an answer is, and how good an answer is. Who answers is no part of
// it: that is the Opener of a Plan.
type Task interface {
	// Name is the task's name in reports. In traces.db its runs are of the kind
	// "eval/" and this name.
	Name() string
	// ReadCase reads one line of the case file of that name, which is a JSON
	// object, and refuses what is no case.
	ReadCase(line []byte, file string) (Case, error)
	// ReadKept reads the case and the answer of a record as the journal has
	// them. The answer is nil when answer is empty.
	ReadKept(c, answer json.RawMessage) (Case, Answer, error)
	// Score holds an answer against what is known of a case. The nil answer is
	// that of an engine that failed: it names nothing.
	Score(c Case, a Answer) Score
	// CalibratedOn says what the probabilities of the results are calibrated on,
	// "" for raw ones.
	CalibratedOn(res *Results) string
	// Sheet says what a report shows.
	Sheet() *Sheet
}

// Case is one question with a known answer. Its JSON is what the journal keeps.
type Case interface {
	Head() Head
}

// Head is what eval itself needs to know of a case.
type Head struct {
	ID       string // tells the case from all others
	Repo     string // owner/name
	Mirror   string // name of the clone that has the commits, "" for Repo
	File     string // the case file's name without its folder
	Question string // with ID and Repo what an answer depends on; the truth is no part of it
}

// Answer is what an engine answered for one case. Its JSON is what the journal
// keeps; no more than its Score is held in memory.
type Answer any

// Score is an answer held against the truth, reduced to what the metrics need.
type Score struct {
	Tally Tally       // what the metrics are computed from
	Empty bool        // the answer names nothing
	Right bool        // the answer is right as a whole: the one question that McNemar's test asks
	Marks []stat.Mark // the probabilities in the answer, that of its first choice first; nil without
	Votes []Vote      // behind the marks, where several runs of a model voted
	Work  *Work       // nil: no model was asked
	Row   any         // what WriteRows says of the score: its JSON is an object
}

// Vote is an answer that the runs of a model voted for, and whether it is right.
type Vote struct {
	stat.Voted
	Absent int // runs that gave no verdict
}

// Tally counts what an answer got right and wrong, in an order that the task
// chooses. All tallies of a task have one length, and that of several cases is
// the sum of theirs; that of no cases is empty.
type Tally []float64

// plus adds another tally to a sum, which grows to its length.
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
	// Name is that of its field in a report's JSON, "" for one that only tables
	// show. Neighbouring metrics of one name are written as one list.
	Name string
	// Title heads its column in tables, "" for one that only the JSON has.
	Title string
	// Of computes it from the summed tallies of so many cases. It is NaN where
	// the metric is undefined.
	Of func(sum Tally, cases int) float64
	// Estimated metrics are those that the task is judged by. They have a
	// bootstrap interval, and are shown wherever there is room for a few only.
	Estimated bool
	Brief     bool // is shown in the tables of strata too
	Decimals  int  // in tables
}

// Sheet says what the reports of a task show, and in which words.
type Sheet struct {
	Metrics []Metric // in the order of the JSON's fields and the tables' columns
	// The names of three metrics. Main, an estimated one, is what bars show and
	// comparisons test. Small, another one, stands beside it where several
	// algorithms are side by side. Ceiling bounds Small.
	Main, Small, Ceiling string
	Dimensions           []Dimension

	Wanted  string // what is looked for, in the plural: "bug-introducing commits"
	Asked   string // what a case asks about: "fix"
	Named   string // what an answer names: "suspect"
	Right   string // when an answer is right as a whole, as the rest of "A case is right when"
	Notes   string // sentences that explain columns, for the page
	Bounded string // what the ceiling is
}

// at returns the index of the first metric of that name.
func (s *Sheet) at(name string) int {
	for i, m := range s.Metrics {
		if m.Name == name {
			return i
		}
	}
	panic("eval: the sheet has no metric " + name)
}

// main returns the main metric.
func (s *Sheet) main() Metric { return s.Metrics[s.at(s.Main)] }

// estimated lists the indices of the metrics that the task is judged by.
func (s *Sheet) estimated() []int {
	var list []int
	for i, m := range s.Metrics {
		if m.Estimated {
			list = append(list, i)
		}
	}
	return list
}

// Dimension is one way to divide the cases.
type Dimension struct {
	Name string
	// Overlapping: a case may be in several strata, so that the rows do not
	// add up to the whole.
	Overlapping bool
	Of          func(Case) []string
	Order       []string // nil: largest first
}

// Dimensions that every task has.
var (
	ByFile       = Dimension{Name: "file", Of: func(c Case) []string { return []string{c.Head().File} }}
	ByRepository = Dimension{Name: "repository", Of: func(c Case) []string { return []string{c.Head().Repo} }}
)
