package szzeval

import (
	"encoding/json"
	"errors"
	"fmt"

	"git-agent/gitext"
)

// A foreignAnswer is a line of a file with the answers of another program.
type foreignAnswer struct {
	Suspects   *[]foreignSuspect `json:"suspects"`
	Candidates []gitext.OID      `json:"candidates"`
}

// A foreignSuspect is a commit: its id, or an object with the id and a probability.
type foreignSuspect struct{ Suspect }

func (s *foreignSuspect) UnmarshalJSON(data []byte) error {
	id := ""
	if err := json.Unmarshal(data, &id); err == nil {
		s.Suspect = Suspect{Commit: gitext.OID(id)}
	} else if err := json.Unmarshal(data, &s.Suspect); err != nil {
		return err
	}
	var err error
	if s.Commit, err = gitext.ParseOID(string(s.Commit)); err != nil {
		return fmt.Errorf(`the field "suspects": %w`, err)
	}
	if s.Probability < 0 || s.Probability > 1 {
		return fmt.Errorf(`the field "suspects": %s has the probability %v, which is not between 0 and 1`, s.Commit.Short(), s.Probability)
	}
	return nil
}

// CheckForeign returns an error if a line of another program's answers cannot be read.
func CheckForeign(line json.RawMessage) error {
	_, err := readForeign(line)
	return err
}

// readForeign reads the answer of another program to one case. Without a line, the answer
// names nothing.
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
		p.Suspects = append(p.Suspects, s.Suspect)
	}
	p.Candidates = a.Candidates
	for i, oid := range p.Candidates {
		var err error
		if p.Candidates[i], err = gitext.ParseOID(string(oid)); err != nil {
			return p, fmt.Errorf(`the field "candidates": %w`, err)
		}
	}
	return p, nil
}
