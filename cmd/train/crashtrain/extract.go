package crashtrain

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/agent/eval"
	crasheval "git-agent/agent/eval/crash"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A crashCase is a case of a case file.
type crashCase struct {
	ID          string     `json:"id"`
	Repo        string     `json:"repo"`
	CrashCommit gitext.OID `json:"crash_commit"`
	Report      string     `json:"report,omitempty"`
	ReportLines []int      `json:"report_lines,omitempty"`
	FixFiles    []string   `json:"fix_files"`
	Type        string     `json:"type"`
	Source      string     `json:"source"`
	Ecosystem   string     `json:"ecosystem"`

	Fix          gitext.OID   `json:"fix"`
	IntroCommits []gitext.OID `json:"intro_commits,omitempty"`
}

// A row is a case with the features of the files of its report.
type row struct {
	crashCase
	rank.Example
}

func (c crashCase) repository() string { return c.Repo }

// isCore reports whether a case counts for the headline figures: it is no leak, and its report
// has more than the names of three functions.
func (c crashCase) isCore() bool { return c.Source != "arvo-state" && c.Type != "leak" }

func extract(ctx context.Context, args []string) error {
	return eachCase(ctx, args, func(crashCase) bool { return true }, examine)
}

// eachCase reads case files and writes the results of examine for the cases to keep.
func eachCase(
	ctx context.Context,
	args []string,
	keep func(crashCase) bool,
	examine func(context.Context, *gitext.Repo, crashCase) (any, error),
) error {
	flags := flag.NewFlagSet("extract", flag.ContinueOnError)
	dir := flags.String("repos", ".", "the folder that holds the repositories")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cases, err := eval.ReadLines[crashCase](flags.Args()...)
	if err != nil {
		return err
	}
	slices.SortStableFunc(cases, func(a, b crashCase) int { return strings.Compare(a.Repo, b.Repo) })
	out := json.NewEncoder(os.Stdout)
	var repo *gitext.Repo
	opened := ""
	for _, c := range cases {
		if !keep(c) {
			continue
		}
		if c.Repo != opened {
			if repo != nil {
				_ = repo.Close()
			}
			opened = c.Repo
			if repo, err = material.Open(ctx, *dir, c.Repo); err != nil {
				return err
			}
		}
		r, err := examineCase(ctx, repo, c, examine)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", c.ID, err)
			continue
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	if repo == nil {
		return nil
	}
	return repo.Close()
}

// examineCase examines a case, after reading its report if the case has only a reference.
func examineCase(
	ctx context.Context,
	repo *gitext.Repo,
	c crashCase,
	examine func(context.Context, *gitext.Repo, crashCase) (any, error),
) (r any, err error) {
	c.Report, err = crasheval.ReportOf(ctx, repo, crasheval.Case{Report: c.Report, ReportLines: c.ReportLines, Fix: c.Fix})
	if err != nil {
		return nil, err
	}
	return examine(ctx, repo, c)
}

// located reads the report of a case, maps it to the repository, and leaves it out of the case. A
// report without a stack is nil.
func (c *crashCase) located(ctx context.Context, repo *gitext.Repo) (*crash.Report, error) {
	report, err := format.Read(strings.NewReader(c.Report))
	c.Report = ""
	if errors.Is(err, format.ErrUnknown) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := locate.Locate(ctx, repo, c.CrashCommit, report); err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	return report, nil
}

// examine returns the row of a case. A report without a stack gives a row without files.
func examine(ctx context.Context, repo *gitext.Repo, c crashCase) (any, error) {
	report, err := c.located(ctx, repo)
	r := row{crashCase: c}
	if report == nil || err != nil {
		return r, err
	}
	r.Example, err = rank.Examine(ctx, repo, c.CrashCommit, report)
	return r, err
}

func readRows(files []string) ([]row, error) {
	return material.ReadTraining("crash", files, row.repository)
}
