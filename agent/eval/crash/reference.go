package crasheval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// checkReport returns an error unless a case has exactly one report: a text, or lines
// of the message of its fix.
func (c *Case) checkReport() error {
	switch {
	case c.Report == "" && c.ReportLines == nil:
		return errors.New(`the field "report" is missing or empty, and so is "report_lines"`)
	case c.ReportLines == nil:
		return nil
	case c.Report != "":
		return errors.New(`there are both the fields "report" and "report_lines"; leave one of them out`)
	case c.Fix == "":
		return errors.New(`the field "fix" is missing, whose message has the lines of "report_lines"`)
	}
	return checkLines(c.ReportLines)
}

// checkLines returns an error unless lines has a first and a last line number, counted from 1.
func checkLines(lines []int) error {
	if len(lines) != 2 || lines[0] < 1 || lines[1] < lines[0] {
		return fmt.Errorf(`the field "report_lines" is %v, not the numbers of a first and a last line, such as [3,17]`, lines)
	}
	return nil
}

// ReportOf returns the report of a case. If the case has only the position of its report,
// ReportOf reads the report from the message of the fix. It returns an [eval.AbsentError] if the
// repository lacks the fix.
func ReportOf(ctx context.Context, repo *gitext.Repo, c Case) (string, error) {
	if c.ReportLines == nil {
		return c.Report, nil
	}
	absent, err := eval.Absent(ctx, repo, c.Fix)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return "", err
	}
	commit, err := repo.Commit(ctx, c.Fix)
	if err != nil {
		return "", err
	}
	lines := strings.SplitAfter(commit.Message, "\n")
	if c.ReportLines[1] > len(lines) {
		return "", fmt.Errorf(
			`the message of %s has %d lines, but the field "report_lines" names line %d`,
			c.Fix.Short(),
			len(lines),
			c.ReportLines[1],
		)
	}
	return strings.Join(lines[c.ReportLines[0]-1:c.ReportLines[1]], ""), nil
}
