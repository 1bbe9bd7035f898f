package bisecteval

import (
	"encoding/json"
	"errors"
	"fmt"

	"git-agent/agent/bisect"
	"git-agent/agent/eval"
	"git-agent/gitext"
)

// A foreignAnswer is a line of a file with the answers of another program.
type foreignAnswer struct {
	First *gitext.OID `json:"first"`
	Runs  int         `json:"runs"`
}

// CheckForeign returns an error if a line of another program's answers cannot be read.
func CheckForeign(line json.RawMessage) error {
	_, err := readForeign(line)
	return err
}

// readForeign reads the answer of another program to one case. Without a line, the answer is
// empty. What it names counts as proved.
func readForeign(line json.RawMessage) (p Prediction, err error) {
	if line == nil {
		return p, nil
	}
	var a foreignAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		return p, err
	}
	switch {
	case a.First == nil:
		return p, errors.New(`the field "first" is missing; an answer that names nothing has an empty text`)
	case a.Runs < 0:
		return p, errors.New(`the field "runs" is below 0`)
	}
	p.Runs = a.Runs
	if *a.First == "" {
		return p, nil
	}
	if p.First, err = gitext.ParseOID(string(*a.First)); err != nil {
		return p, fmt.Errorf(`the field "first": %w`, err)
	}
	p.Status, p.Proved = string(bisect.Proved), true
	return p, nil
}

// foreign returns the answer of another program to a case with a frame.
func (s *session) foreign(from *eval.Foreign, p *prepared) (eval.Answer, error) {
	out, err := readForeign(from.To(p.c))
	if err != nil {
		return nil, err
	}
	p.describe(&out)
	return out, nil
}
