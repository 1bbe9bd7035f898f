package szzeval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/investigate"
	"git-agent/gitext"
)

// Suspect is one commit that an engine names.
type Suspect struct {
	Commit      gitext.OID `json:"commit"`
	Probability float64    `json:"p,omitempty"`    // 0 if the algorithm has none; a model's is not calibrated
	Vote        *szz.Vote  `json:"vote,omitempty"` // the vote behind a model's probability
}

// Prediction is an engine's answer to one case.
type Prediction struct {
	Suspects   []Suspect    `json:"suspects"`             // the answer, best first
	Candidates []gitext.OID `json:"candidates,omitempty"` // all commits that the engine considered
	Ranked     bool         `json:"ranked,omitempty"`     // Candidates are ranked, best first
	Answered   string       `json:"answered,omitempty"`   // the algorithm that answered, if it is not the requested one
	Work       *Work        `json:"work,omitempty"`       // nil if no model was asked
	Facts      *Facts       `json:"facts,omitempty"`      // nil in the answers of earlier versions
	FirstDate  *time.Time   `json:"first_date,omitempty"` // commit time of the first suspect; nil if unknown
}

// ReadKept decodes the case and the answer of a record in a journal. It does not
// validate them again.
func (Task) ReadKept(data, answer json.RawMessage) (eval.Case, eval.Answer, error) {
	var c Case
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, nil, err
	}
	c.shareNames()
	if len(answer) == 0 {
		return c, nil, nil
	}
	if p, ok := cutPrediction(answer); ok {
		return c, p, nil
	}
	var p *Prediction
	if err := json.Unmarshal(answer, &p); err != nil || p == nil {
		return c, nil, err
	}
	return c, *p, nil
}

// cutPrediction reads a prediction like json.Unmarshal in a quarter of the time, because the ids
// of the candidates are most of it. It returns false if json.Unmarshal must read the prediction,
// which also finds errors in it.
func cutPrediction(answer []byte) (p Prediction, ok bool) {
	var rest []byte // the members other than the candidates
	ok = eval.EachMember(answer, func(name, value []byte) bool {
		if string(name) == "candidates" {
			p.Candidates, ok = cutOIDs(value)
			return ok
		}
		rest = fmt.Appendf(rest, ",%q:%s", name, value)
		return true
	})
	if !ok || len(rest) == 0 {
		return p, false
	}
	rest[0] = '{'
	return p, json.Unmarshal(append(rest, '}'), &p) == nil
}

// cutOIDs reads a list of object ids in the form of json.Marshal.
func cutOIDs(list []byte) ([]gitext.OID, bool) {
	if len(list) < 4 {
		return nil, false
	}
	text := string(list) // the ids are parts of one string
	head, text, tail := text[:2], text[2:len(text)-2], text[len(text)-2:]
	if head != `["` || tail != `"]` || strings.IndexByte(text, '\\') >= 0 || !utf8.ValidString(text) {
		return nil, false
	}
	oids := make([]gitext.OID, 0, 1+strings.Count(text, ","))
	for more := true; more; {
		var oid string
		oid, text, more = strings.Cut(text, `","`)
		if strings.IndexByte(oid, '"') >= 0 {
			return nil, false
		}
		oids = append(oids, gitext.OID(oid))
	}
	return oids, true
}

// scoreRow holds the details of a score. WriteRows writes its JSON, and
// FitCalibration uses its Basis.
type scoreRow struct {
	Rank        int       `json:"rank"`      // 1-based position of the first true commit among ranked candidates, or else in the answer; 0 if none
	Found       int       `json:"found"`     // number of BICs in the answer
	Reachable   int       `json:"reachable"` // number of BICs among the candidates
	Basis       szz.Basis `json:"-"`         // basis of a model's probabilities
	Ghost       bool      `json:"ghost"`
	CrossFile   bool      `json:"cross_file"`
	Contradicts []string  `json:"contradicts,omitempty"` // fields of the case that the repository contradicts
	Failure     string    `json:"failure,omitempty"`     // type of a wrong answer
}

// calibrated returns the prediction with calibrated probabilities, computed from its votes. A
// probability stays raw if the calibration has another basis, or if a run of the vote gave no
// answer. The stored prediction does not change, so a new calibration needs no new answers.
func (p Prediction) calibrated(c *investigate.Calibration) Prediction {
	if c == nil || p.Work == nil || c.Differs(p.Work.Basis) != "" {
		return p
	}
	p.Suspects = slices.Clone(p.Suspects)
	for i, s := range p.Suspects {
		if s.Vote != nil && s.Vote.Absent == 0 {
			p.Suspects[i].Probability = c.Probability(s.Vote.Raw, s.Vote.Agreement)
		}
	}
	return p
}

// Score scores a prediction against the truth of a case. It first calibrates the
// probabilities if the task has a calibration for them.
func (t Task) Score(of eval.Case, a eval.Answer) eval.Score {
	c := of.(Case)
	n := count{bics: distinctBICs(c)}
	p, answered := a.(Prediction)
	if !answered {
		facts := c.facts(p)
		return eval.Score{Tally: n.tally(), Empty: true, Row: scoreRow{Ghost: facts.Ghost, CrossFile: facts.CrossFile}}
	}
	p = p.calibrated(t.Calibration)
	if p.Work.fell() && !t.Fallback {
		p.Suspects, p.Ranked = nil, false
	}
	truth := c.truth()
	var s eval.Score
	facts := c.facts(p)
	row := scoreRow{Ghost: facts.Ghost, CrossFile: facts.CrossFile, Contradicts: c.contradictions(facts)}
	found := map[gitext.OID]bool{}
	seen := map[gitext.OID]bool{}
	for _, suspect := range p.Suspects {
		if seen[suspect.Commit] {
			continue
		}
		seen[suspect.Commit] = true
		bic, right := truth[suspect.Commit]
		if right {
			found[bic] = true
			n.right++
		}
		n.answers++
		if right && row.Rank == 0 {
			row.Rank = n.answers
			s.Right = n.answers == 1
		}
		addForecast(&s, suspect, right)
	}
	if p.Ranked {
		row.Rank = 1 + slices.IndexFunc(p.Candidates, func(oid gitext.OID) bool { return truth[oid] != "" })
	}
	n.found, n.rank = len(found), row.Rank
	n.reachable, n.pool = ceiling(p, truth, seen)
	row.Found, row.Reachable = n.found, n.reachable
	if !s.Right {
		row.Failure = failureOf(facts, p)
	}
	if p.Work != nil {
		s.Work, row.Basis = &p.Work.Work, p.Work.Basis
	}
	s.Tally, s.Empty, s.Row = n.tally(), n.answers == 0, row
	return s
}

// addForecast adds the probability of a suspect and the vote behind it to the score.
func addForecast(s *eval.Score, suspect Suspect, right bool) {
	if suspect.Probability > 0 {
		s.Forecasts = append(s.Forecasts, stat.Forecast{P: suspect.Probability, Right: right})
	}
	if v := suspect.Vote; v != nil {
		s.Votes = append(s.Votes, eval.Vote{Voted: stat.Voted{Raw: v.Raw, Agreement: v.Agreement, Right: right}, Absent: v.Absent})
	}
}

// ceiling counts the BICs among the candidates and the candidates themselves. The answer always
// counts as part of the candidates, even if the engine did not list it there.
func ceiling(p Prediction, truth map[gitext.OID]gitext.OID, answer map[gitext.OID]bool) (reachable, pool int) {
	hit := map[gitext.OID]bool{}
	all := make(map[gitext.OID]bool, len(p.Candidates))
	for oid := range answer {
		all[oid] = true
	}
	for _, oid := range p.Candidates {
		all[oid] = true
	}
	for oid := range all {
		if bic, ok := truth[oid]; ok {
			hit[bic] = true
		}
	}
	return len(hit), len(all)
}

func distinctBICs(c Case) int {
	bics := slices.Clone(c.BICs)
	slices.Sort(bics)
	return len(slices.Compact(bics))
}
