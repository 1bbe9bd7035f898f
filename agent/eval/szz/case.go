package szzeval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unique"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// Case is one fix with its known bug-introducing commits (BICs). Other fields of a
// case file are ignored.
type Case struct {
	ID          string                      `json:"id"`
	Repo        string                      `json:"repo"`
	Mirror      string                      `json:"mirror,omitempty"` // name of the clone that has the commits
	Fix         gitext.OID                  `json:"fix"`
	BICs        []gitext.OID                `json:"bics"`
	Twins       map[gitext.OID][]gitext.OID `json:"bic_twins,omitempty"` // cherry-picks of a BIC, which are right answers too
	LabelSource string                      `json:"label_source,omitempty"`
	Ghost       *bool                       `json:"ghost,omitempty"` // from the case file; see Facts
	CrossFile   *bool                       `json:"cross_file,omitempty"`
	Langs       []string                    `json:"langs,omitempty"`
	AgeDays     *float64                    `json:"age_days,omitempty"` // time from the newest BIC to the fix; nil if unknown

	File string `json:"file,omitempty"` // the case file's name without its folder
}

// Head returns the part of a case that package eval uses.
func (c Case) Head() eval.Head {
	return eval.Head{ID: c.ID, Repo: c.Repo, Mirror: c.Mirror, File: c.File, Question: string(c.Fix)}
}

// ReadCaseFiles reads several case files as one set.
func ReadCaseFiles(ctx context.Context, paths []string) ([]Case, error) {
	read, _, err := eval.ReadCaseFiles(ctx, Task{}, paths)
	cases := make([]Case, len(read))
	for i, c := range read {
		cases[i] = c.(Case)
	}
	return cases, err
}

// ReadCase reads one line of a case file.
func (Task) ReadCase(line []byte, file string) (eval.Case, error) {
	c, err := parseCase(line)
	c.File = file
	return c, err
}

// shareNames lets equal names in all cases share their memory, because there may be millions of
// cases.
func (c *Case) shareNames() {
	for _, name := range []*string{&c.Repo, &c.Mirror, &c.LabelSource, &c.File} {
		*name = unique.Make(*name).Value()
	}
	for i, lang := range c.Langs {
		c.Langs[i] = unique.Make(lang).Value()
	}
}

func parseCase(line []byte) (Case, error) {
	var c Case
	if err := json.Unmarshal(line, &c); err != nil {
		return Case{}, err
	}
	if err := eval.CheckRepoName(c.Repo); err != nil {
		return Case{}, err
	}
	if c.Fix == "" {
		return Case{}, errors.New(`the field "fix" is missing`)
	}
	if len(c.BICs) == 0 {
		return Case{}, errors.New(`the field "bics" is missing or empty, and a case without a known answer cannot be evaluated`)
	}
	if err := checkOIDs(&c); err != nil {
		return Case{}, err
	}
	if c.ID == "" {
		c.ID = c.Repo + "@" + c.Fix.Short()
	}
	return c, nil
}

func checkOIDs(c *Case) error {
	if err := cmp.Or(eval.ParseOIDs("fix", &c.Fix), eval.ParseOIDList("bics", c.BICs)); err != nil {
		return err
	}
	for bic, twins := range c.Twins {
		for _, twin := range twins {
			if _, err := gitext.ParseOID(string(twin)); err != nil {
				return fmt.Errorf(`the field "bic_twins" of %s: %w`, bic, err)
			}
		}
	}
	return nil
}

// truth maps every right answer to its BIC.
func (c *Case) truth() map[gitext.OID]gitext.OID {
	right := make(map[gitext.OID]gitext.OID, len(c.BICs))
	for _, bic := range c.BICs {
		for _, twin := range c.Twins[bic] {
			right[twin] = bic
		}
	}
	for _, bic := range c.BICs { // last, so that a BIC counts for itself even if it is another's twin
		right[bic] = bic
	}
	return right
}
