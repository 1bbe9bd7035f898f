package eval

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"git-agent/agent/stat"
)

// toy is a minimal task. Each of its questions has one right word.
type toy struct{}

type question struct {
	ID, Repo, Mirror, Fix, File, Want string
}

type reply struct {
	Words []string
	P     float64 // probability of the first word; 0 if there is none
	Work  *Work
}

func (q question) Head() Head { return Head{q.ID, q.Repo, q.Mirror, q.File, q.Fix} }

func (toy) Name() string { return "toy" }

func (toy) ReadCase(line []byte, file string) (Case, error) {
	q := question{File: file}
	err := json.Unmarshal(line, &q)
	return q, err
}

func (toy) ReadKept(c, answer json.RawMessage) (Case, Answer, error) {
	var q question
	var r reply
	err := json.Unmarshal(c, &q)
	if err != nil || len(answer) == 0 {
		return q, nil, err
	}
	err = json.Unmarshal(answer, &r)
	return q, r, err
}

func (toy) CalibratedOn(*Results) string { return "" }

// Score counts cases, words and right words, in this order.
func (toy) Score(c Case, a Answer) Score {
	r, ok := a.(reply)
	s := Score{Tally: Tally{1, float64(len(r.Words)), 0}, Empty: len(r.Words) == 0, Work: r.Work}
	place := slices.Index(r.Words, c.(question).Want)
	if ok && place >= 0 {
		s.Tally[2] = 1
	}
	s.Right = place == 0
	s.Row = struct {
		Rank int `json:"rank"`
	}{place + 1}
	if r.P > 0 {
		s.Forecasts = []stat.Forecast{{P: r.P, Right: s.Right}}
	}
	return s
}

func (toy) Sheet() *Sheet { return toySheet }

var toySheet = &Sheet{
	Metrics: []Metric{
		{Name: "precision", Title: "precision", Of: func(t Tally, _ int) float64 { return part(t, 2, 1) }, Estimated: true, Brief: true},
		{Name: "recall", Title: "recall", Of: func(t Tally, _ int) float64 { return part(t, 2, 0) }, Estimated: true, Brief: true},
		{Name: "score", Title: "score", Of: func(t Tally, _ int) float64 {
			if p, r := part(t, 2, 1), part(t, 2, 0); p+r > 0 {
				return 2 * p * r / (p + r)
			}
			return 0
		}, Estimated: true, Brief: true},
		{Name: "ceiling", Title: "ceiling", Of: func(Tally, int) float64 { return 1 }},
	},
	Main: "score", Small: "recall", Ceiling: "ceiling",
	Dimensions: []Dimension{ByFile, ByRepository},
	Wanted:     "words", Truth: "words", Annotated: true, Asked: "question", Named: "word", Right: "the first word is right",
}

// part divides one number of a tally by another.
func part(t Tally, a, b int) float64 {
	if len(t) == 0 || t[b] == 0 {
		return math.NaN()
	}
	return t[a] / t[b]
}

// scored returns the outcome of a case with a right or a wrong answer. The answer
// has a probability unless p is 0.
func scored(right bool, p float64) Outcome {
	word := map[bool]string{true: "a", false: "x"}[right]
	c := question{Want: "a"}
	return Outcome{Evaluated: true, Score: toy{}.Score(c, reply{Words: []string{word}, P: p}), Unanswered: toy{}.Score(c, nil).Tally}
}

// mainOf returns the main metric of outcomes.
func mainOf(outcomes []Outcome) float64 { return *measure(toySheet, "", outcomes).Value("score").Value }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
