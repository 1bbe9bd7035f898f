package bisecteval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// Case is a command that fails at a commit, with the commits that made it fail. Other fields of a
// case file are ignored.
type Case struct {
	ID     string       `json:"id"`
	Repo   string       `json:"repo"`
	Mirror string       `json:"mirror,omitempty"` // name of the clone that has the commits
	Fix    gitext.OID   `json:"fix,omitempty"`    // the commit that repairs the failure
	Bad    gitext.OID   `json:"bad,omitempty"`    // a commit at which the command fails; "" means the first parent of Fix
	Good   gitext.OID   `json:"good,omitempty"`   // a commit at which it passes; "" means that one is drawn
	BICs   []gitext.OID `json:"bics"`             // commits since which it fails, any of which is right
	Source string       `json:"label_source,omitempty"`
	Langs  []string     `json:"langs,omitempty"`

	Commands
	// Proof has the commands of a case whose culprit was found by execution, if the case has none
	// of its own.
	Proof *Commands `json:"proof,omitempty"`

	File string `json:"file,omitempty"` // the case file's name without its folder
}

// Commands are the commands of a case.
type Commands struct {
	Build string `json:"build_cmd,omitempty"`
	Test  string `json:"test_cmd,omitempty"`
	// TestFiles are laid over each commit as they are in Case.Fix.
	TestFiles []string `json:"test_files,omitempty"`
	// Files are texts that are laid over each commit, by their paths. A path without a text is
	// removed from each commit.
	Files map[string]*string `json:"files,omitempty"`
}

// regression is the source of cases whose tests pass before the culprit.
const regression = "executed:regression"

// Regression reports whether a case is a regression. A culprit that never worked has no good
// commit before it.
func Regression(c eval.Case) bool {
	source := c.(Case).Source
	return source == "" || source == regression
}

// Head returns the part of a case that package eval uses.
func (c Case) Head() eval.Head {
	text, _ := json.Marshal(c.Commands) // it has only texts
	sum := sha256.Sum256(text)
	return eval.Head{ID: c.ID, Repo: c.Repo, Mirror: c.Mirror, File: c.File,
		Question: fmt.Sprint(cmp.Or(c.Bad, c.Fix), " ", c.Good, " ", hex.EncodeToString(sum[:16]))}
}

// ReadCase reads one line of a case file.
func (Task) ReadCase(line []byte, file string) (eval.Case, error) {
	c, err := parseCase(line)
	c.File = file
	return c, err
}

func parseCase(line []byte) (Case, error) {
	var c Case
	if err := json.Unmarshal(line, &c); err != nil {
		return Case{}, err
	}
	if err := eval.CheckRepoName(c.Repo); err != nil {
		return Case{}, err
	}
	if c.Proof != nil && c.Test == "" {
		c.Commands = *c.Proof
	}
	c.Proof = nil
	switch {
	case c.Test == "":
		return Case{}, errors.New(`the field "test_cmd" is missing`)
	case c.Fix == "" && c.Bad == "":
		return Case{}, errors.New(`the fields "fix" and "bad" are missing, and one of them has to say where the command fails`)
	case c.Fix == "" && len(c.TestFiles) > 0:
		return Case{}, errors.New(`the field "fix" is missing, and "test_files" are those of the fix`)
	case len(c.BICs) == 0:
		return Case{}, errors.New(`the field "bics" is missing or empty, and a case without a known answer cannot be evaluated`)
	}
	if err := checkOIDs(&c); err != nil {
		return Case{}, err
	}
	c.ID = cmp.Or(c.ID, c.Repo+"@"+cmp.Or(c.Fix, c.Bad).Short())
	return c, nil
}

func checkOIDs(c *Case) error {
	for name, oid := range map[string]*gitext.OID{"fix": &c.Fix, "bad": &c.Bad, "good": &c.Good} {
		if *oid == "" {
			continue
		}
		if err := eval.ParseOIDs(name, oid); err != nil {
			return err
		}
	}
	return eval.ParseOIDList("bics", c.BICs)
}
