package crasheval

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

// Case is one crash report, with the files that the fix of the crash changes. Other fields of a
// case file are ignored.
type Case struct {
	ID           string       `json:"id"`
	Repo         string       `json:"repo"`
	Mirror       string       `json:"mirror,omitempty"` // name of the clone that has the commits
	CrashCommit  gitext.OID   `json:"crash_commit"`     // the commit that crashed
	Report       string       `json:"report,omitempty"`
	ReportLines  []int        `json:"report_lines,omitempty"` // instead of Report: first and last line of the report in the message of Fix
	Fix          gitext.OID   `json:"fix,omitempty"`          // the commit that fixes the crash
	FixFiles     []string     `json:"fix_files"`              // the files that the fix changes, with their names in the crash commit
	IntroCommits []gitext.OID `json:"intro_commits,omitempty"`
	Type         string       `json:"type,omitempty"`
	Source       string       `json:"source,omitempty"` // origin of the case
	Ecosystem    string       `json:"ecosystem,omitempty"`
	// Signal and Null are somebody's statements about the crash. Cases are divided by the content
	// of the report, and these fields are compared with it.
	Signal string `json:"signal,omitempty"`           // such as "SIGSEGV"
	Null   *bool  `json:"null_dereference,omitempty"` // nil if unknown

	File string `json:"file,omitempty"` // the case file's name without its folder

	failure failure // computed from Report
}

// Head returns the part of a case that package eval uses.
func (c Case) Head() eval.Head {
	text := c.Report
	if c.ReportLines != nil {
		text = fmt.Sprint(c.Fix, c.ReportLines)
	}
	sum := sha256.Sum256([]byte(text))
	return eval.Head{ID: c.ID, Repo: c.Repo, Mirror: c.Mirror, File: c.File, Question: string(c.CrashCommit) + " " + hex.EncodeToString(sum[:16])}
}

// Core reports whether a case counts for headline figures. A leak does not, because its stack
// shows the allocation of the memory, rather than its loss. A state of ClusterFuzz does not,
// because it has only the names of three functions.
func Core(c eval.Case) bool {
	k := c.(Case)
	return k.Source != stateSource && k.Type != leakType
}

// These values mark the cases that are not core cases.
const (
	stateSource = "arvo-state"
	leakType    = "leak"
)

// ReadCase reads one line of a case file.
func (Task) ReadCase(line []byte, file string) (eval.Case, error) {
	c, err := parseCase(line)
	c.File = file
	c.failure = failureOf(c.Report)
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
	switch {
	case c.CrashCommit == "":
		return Case{}, errors.New(`the field "crash_commit" is missing`)
	case len(c.FixFiles) == 0:
		return Case{}, errors.New(`the field "fix_files" is missing or empty, and a case without a known answer cannot be evaluated`)
	}
	if err := cmp.Or(c.checkReport(), checkOIDs(&c)); err != nil {
		return Case{}, err
	}
	if c.ID == "" {
		c.ID = c.Repo + "@" + cmp.Or(c.Fix, c.CrashCommit).Short()
	}
	return c, nil
}

func checkOIDs(c *Case) error {
	if err := eval.ParseOIDs("crash_commit", &c.CrashCommit); err != nil {
		return err
	}
	if c.Fix != "" {
		if err := eval.ParseOIDs("fix", &c.Fix); err != nil {
			return err
		}
	}
	return eval.ParseOIDList("intro_commits", c.IntroCommits)
}
