package fixtrain

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A bug is a case of a case file.
type bug struct {
	ID        string     `json:"id"`
	Repo      string     `json:"repo"`
	Base      gitext.OID `json:"base"`
	Fix       gitext.OID `json:"fix"`
	TestFiles []string   `json:"test_files"`
	SrcFiles  []string   `json:"src_files"`
	TestCmd   string     `json:"test_cmd"`
	BugReport string     `json:"bug_report"`
}

// measured is the output and the coverage of a bug's failing command.
type measured struct {
	Reproduction fix.Reproduction `json:"reproduction"`
	Spectrum     *fix.Spectrum    `json:"spectrum"`
	Note         string           `json:"note"`
}

func measure(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the folder that holds the repositories")
	into := flags.String("into", "", "the folder for what is measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return eachBug(ctx, *dir, flags.Args(), func(repo *gitext.Repo, b bug) error {
		name := filepath.Join(*into, b.ID+".json")
		if _, err := os.Stat(name); err == nil {
			return nil
		}
		m, err := measureBug(ctx, repo, b)
		if err != nil {
			return fmt.Errorf("%s: %w", b.ID, err)
		}
		fmt.Fprintln(os.Stderr, b.ID, m.Reproduction.State, m.Note)
		text, err := json.Marshal(m)
		if err != nil {
			return err
		}
		return os.WriteFile(name, text, 0o644)
	})
}

// measureBug runs the failing command of a bug.
func measureBug(ctx context.Context, repo *gitext.Repo, b bug) (m measured, err error) {
	w, err := trial.Open(ctx, repo, trial.Options{
		Command: b.TestCmd, Timeout: 5 * time.Minute, Sandbox: sandbox.None,
		Env: []string{"GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "GOMODCACHE", "GOPATH", "NODE_PATH"},
	})
	if err != nil {
		return m, err
	}
	defer w.Close()
	p, err := problemOf(ctx, repo, b)
	if err != nil {
		return m, err
	}
	if m.Reproduction, err = testrun.Reproduce(ctx, w, p, testrun.Options{Runs: 1}); err != nil {
		return m, err
	}
	m.Spectrum, m.Note, err = coverage.Measure(ctx, w, p, m.Reproduction, coverage.Options{Budget: 4 * time.Minute})
	return m, err
}

// problemOf returns the problem of a bug: the commit before the fix with the tests of the fix.
func problemOf(ctx context.Context, repo *gitext.Repo, b bug) (fix.Problem, error) {
	p := fix.Problem{Tree: fix.Tree{Commit: b.Base}, Test: b.TestCmd}
	for _, name := range b.TestFiles {
		entries, err := repo.Tree(ctx, b.Fix, name)
		if err != nil {
			return p, err
		}
		over := gitext.Overlay{Path: name} // the fix removes it
		for _, e := range entries {
			if e.Path == name {
				over.Mode, over.OID = e.Mode, e.OID
			}
		}
		p.Tree.Over = append(p.Tree.Over, over)
	}
	return p, nil
}

// eachBug calls use with each bug of case files and its repository.
func eachBug(ctx context.Context, dir string, caseFiles []string, use func(*gitext.Repo, bug) error) error {
	bugs, err := eval.ReadLines[bug](caseFiles...)
	if err != nil {
		return err
	}
	repos := map[string]*gitext.Repo{}
	for _, b := range bugs {
		if repos[b.Repo] == nil {
			repo, err := material.Open(ctx, dir, b.Repo)
			if err != nil {
				return err
			}
			defer repo.Close()
			repos[b.Repo] = repo
		}
		if err := use(repos[b.Repo], b); err != nil {
			return err
		}
	}
	return nil
}
