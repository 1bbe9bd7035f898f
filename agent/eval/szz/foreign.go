package szzeval

import (
	"encoding/json"
	"errors"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// A foreignAnswer is a line of a file with the answers of another program.
type foreignAnswer struct {
	Suspects   *[]eval.ForeignSuspect `json:"suspects"`
	Candidates []gitext.OID           `json:"candidates"`
}

// CheckForeign returns an error if a line of another program's answers cannot be read.
func CheckForeign(line json.RawMessage) error {
	_, err := readForeign(line)
	return err
}

// readForeign reads the answer of another program to one case. Without a line, the answer is
// empty.
func readForeign(line json.RawMessage) (Prediction, error) {
	p := Prediction{Suspects: []Suspect{}}
	if line == nil {
		return p, nil
	}
	var a foreignAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		return p, err
	}
	if a.Suspects == nil {
		return p, errors.New(`the field "suspects" is missing; an answer that names nothing has an empty list`)
	}
	for _, s := range *a.Suspects {
		p.Suspects = append(p.Suspects, Suspect{Commit: s.Commit, Probability: s.Probability})
	}
	p.Candidates = a.Candidates
	return p, eval.ParseOIDList("candidates", p.Candidates)
}
