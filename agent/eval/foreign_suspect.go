package eval

import (
	"encoding/json"
	"fmt"

	"git-agent/gitext"
)

// A ForeignSuspect is a commit in the field "suspects" of another program's answer: its id,
// or an object with the id and a probability.
type ForeignSuspect struct {
	Commit      gitext.OID `json:"commit"`
	Probability float64    `json:"p"` // 0 if there is none
}

func (s *ForeignSuspect) UnmarshalJSON(data []byte) error {
	type fields ForeignSuspect // without this method
	id, read := "", fields{}
	if err := json.Unmarshal(data, &id); err == nil {
		read.Commit = gitext.OID(id)
	} else if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	oid, err := gitext.ParseOID(string(read.Commit))
	if err != nil {
		return fmt.Errorf(`the field "suspects": %w`, err)
	}
	*s = ForeignSuspect{oid, read.Probability}
	return CheckProbability("suspects", oid.Short(), s.Probability)
}

// CheckProbability returns an error if p, in a field of another program's answer, is no
// probability. of names the subject of the probability.
func CheckProbability(field, of string, p float64) error {
	if p < 0 || p > 1 {
		return fmt.Errorf("the field %q: %s has the probability %v, which is not between 0 and 1", field, of, p)
	}
	return nil
}
