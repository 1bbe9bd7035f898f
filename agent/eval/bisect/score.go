package bisecteval

import (
	"encoding/json"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// Prediction is the answer of a search to one case.
type Prediction struct {
	Status      string     `json:"status"` // how the search ended: a status of package bisect
	First       gitext.OID `json:"first"`  // the commit that it names; "" for none
	Proved      bool       `json:"proved"`
	Probability float64    `json:"p,omitempty"`    // of First; 0 if the algorithm gives none
	Runs        int        `json:"runs"`           // runs of the command
	Bad         gitext.OID `json:"bad"`            // the newest commit of the range
	Good        gitext.OID `json:"good"`           // the good commit, even if the algorithm is not told of it
	Range       int        `json:"range"`          // commits from Good to Bad, Good excluded
	Newer       int        `json:"newer"`          // those of them that have the culprit in their history
	Halvings    int        `json:"halvings"`       // runs that halve the range
	Side        string     `json:"side,omitempty"` // which outcomes were made wrong: "failures" or "passes"
	Notes       []string   `json:"notes,omitempty"`
}

// overThree reports whether the search took more runs than halving takes, and three.
func (p *Prediction) overThree() bool { return p.Runs > p.Halvings+3 }

// ReadKept decodes the case and the answer of a record in a journal. It does not validate them
// again.
func (Task) ReadKept(data, answer json.RawMessage) (eval.Case, eval.Answer, error) {
	return eval.DecodeKept[Case, Prediction](data, answer)
}

// scoreRow holds the details of a score. WriteRows writes its JSON, and the dimensions and tables
// use it.
type scoreRow struct {
	Runs     int    `json:"runs"`
	Halvings int    `json:"halvings"`
	Range    int    `json:"range"`
	Newer    int    `json:"newer"`
	Status   string `json:"status"`
	Right    bool   `json:"right"`

	answered bool
	over     bool
}

// Score scores a prediction against the truth of a case. Its only forecast is that the named
// commit is a culprit.
func (Task) Score(of eval.Case, a eval.Answer) eval.Score {
	c := of.(Case)
	p, ok := a.(Prediction)
	if !ok {
		return eval.Score{Tally: make(eval.Tally, width), Empty: true, Row: scoreRow{}}
	}
	named := slices.Contains(c.BICs, p.First)
	s := eval.Score{Tally: p.tally(named && p.Proved), Empty: p.First == "", Right: named && p.Proved}
	s.Row = scoreRow{
		Runs: p.Runs, Halvings: p.Halvings, Range: p.Range, Newer: p.Newer, Status: p.Status, Right: s.Right,
		answered: true, over: p.overThree(),
	}
	if p.First != "" && p.Probability > 0 {
		s.Forecasts = []stat.Forecast{{P: p.Probability, Right: named}}
	}
	return s
}
