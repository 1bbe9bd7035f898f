package crasheval

import (
	"encoding/json"
	"errors"

	"git-agent/agent/eval"
)

// A foreignAnswer is a line of a file with the answers of another program.
type foreignAnswer struct {
	Files    *[]foreignFile         `json:"files"`
	Suspects *[]eval.ForeignSuspect `json:"suspects"`
}

// A foreignFile is a path, or an object with the path and a probability.
type foreignFile struct{ File }

func (f *foreignFile) UnmarshalJSON(data []byte) error {
	path := ""
	if err := json.Unmarshal(data, &path); err == nil {
		f.File = File{Path: path}
	} else if err := json.Unmarshal(data, &f.File); err != nil {
		return err
	}
	f.Vote = nil
	if f.Path == "" {
		return errors.New(`the field "files" has an entry without a path`)
	}
	return eval.CheckProbability("files", f.Path, f.Probability)
}

// CheckForeign returns an error if a line of another program's answers cannot be read.
func CheckForeign(line json.RawMessage) error {
	_, err := readForeign(line)
	return err
}

// readForeign reads the answer of another program to one case. Without a line, the answer is
// empty.
func readForeign(line json.RawMessage) (Prediction, error) {
	p := Prediction{Files: []File{}}
	if line == nil {
		return p, nil
	}
	var a foreignAnswer
	if err := json.Unmarshal(line, &a); err != nil {
		return p, err
	}
	if a.Files == nil {
		return p, errors.New(`the field "files" is missing; an answer that names nothing has an empty list`)
	}
	for _, f := range *a.Files {
		p.Files = append(p.Files, f.File)
	}
	p.Answered = len(p.Files) > 0
	if a.Suspects != nil {
		for _, s := range *a.Suspects {
			p.Suspects = append(p.Suspects, Suspect{Commit: s.Commit, Probability: s.Probability})
		}
	}
	return p, nil
}
