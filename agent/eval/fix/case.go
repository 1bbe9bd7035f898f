package fixeval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// Case is one bug of a repository, with the commit that fixes it. Other fields of a case
// file are ignored.
type Case struct {
	ID        string     `json:"id"`
	Repo      string     `json:"repo"`
	Mirror    string     `json:"mirror,omitempty"` // name of the clone that has the commits
	Base      gitext.OID `json:"base"`             // the commit before the fix, with the bug
	Fix       gitext.OID `json:"fix"`
	TestFiles []string   `json:"test_files"` // the tests that the fix changes; absent in the fix means deleted
	SrcFiles  []string   `json:"src_files"`  // the other files that the fix changes
	TestCmd   string     `json:"test_cmd"`   // fails at Base with the tests of Fix, and passes at Fix
	SuiteCmd  string     `json:"suite_cmd,omitempty"`

	KnownFailing []string `json:"known_failing,omitempty"` // tests of SuiteCmd that fail at Fix too
	FailingTests []string `json:"failing_tests,omitempty"` // tests that fail at Base and pass at Fix

	Category  string `json:"category,omitempty"`   // SL, SH, SFMH or MFMH
	Blameable *bool  `json:"blameable,omitempty"`  // the fix changes or removes lines, and does not only add some
	BugReport string `json:"bug_report,omitempty"` // a user's description of the bug
	// CrashReport is the report of a crash; "" if there is none.
	CrashReport string `json:"crash_report,omitempty"`
	Lang        string `json:"lang,omitempty"`
	Regression  string `json:"regression,omitempty"` // whether an earlier commit lacks the bug: yes, no or unknown
	Quality     string `json:"quality,omitempty"`

	File string `json:"file,omitempty"` // the case file's name without its folder
}

// Head returns the part of a case that package eval uses. The source files of the fix are part of
// the question, because stored answers depend on them.
func (c Case) Head() eval.Head {
	h := sha256.New()
	for _, list := range [][]string{{string(c.Fix), c.TestCmd, c.SuiteCmd, c.BugReport}, c.TestFiles, c.SrcFiles, c.KnownFailing} {
		fmt.Fprintf(h, "%q\n", list)
	}
	if c.CrashReport != "" {
		fmt.Fprintf(h, "%q\n", c.CrashReport)
	}
	question := string(c.Base) + " " + hex.EncodeToString(h.Sum(nil)[:16])
	return eval.Head{ID: c.ID, Repo: c.Repo, Mirror: c.Mirror, File: c.File, Question: question}
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
	for _, f := range []struct {
		name string
		oid  *gitext.OID
	}{{"base", &c.Base}, {"fix", &c.Fix}} {
		if *f.oid == "" {
			return Case{}, fmt.Errorf("the field %q is missing", f.name)
		}
		if err := eval.ParseOIDs(f.name, f.oid); err != nil {
			return Case{}, err
		}
	}
	if err := c.check(); err != nil {
		return Case{}, err
	}
	if c.ID == "" {
		c.ID = c.Repo + "@" + c.Fix.Short()
	}
	return c, nil
}

// check returns an error for a case that cannot be evaluated.
func (c *Case) check() error {
	switch {
	case c.Base == c.Fix:
		return errors.New(`the fields "base" and "fix" name the same commit`)
	case strings.TrimSpace(c.TestCmd) == "":
		return errors.New(`the field "test_cmd" is missing or empty`)
	case len(c.SrcFiles) == 0:
		return errors.New(`the field "src_files" is missing or empty, and a case without a known fix cannot be evaluated`)
	}
	if err := checkPaths("test_files", c.TestFiles); err != nil {
		return err
	}
	if err := checkPaths("src_files", c.SrcFiles); err != nil {
		return err
	}
	for _, path := range c.SrcFiles {
		for _, test := range c.TestFiles {
			if path == test {
				return fmt.Errorf("%q is both in \"test_files\" and in \"src_files\"", path)
			}
		}
	}
	return nil
}

func checkPaths(field string, paths []string) error {
	for _, path := range paths {
		if !filepath.IsLocal(filepath.FromSlash(path)) || strings.ContainsRune(path, 0) {
			return fmt.Errorf("the field %q has %q, which is no path inside a repository", field, path)
		}
	}
	return nil
}
