package offline

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

// leastMisstated is the number of lines of a report, none of which is at its place in the version that the report states, from
// which on another version is looked for.
const leastMisstated = 3

// misstated reports whether a report is of another version than the one that it states, by its lines: its writer runs what is in
// development, or has several versions. A commit that it states is believed.
func (at *reading) misstated() bool {
	said, stated := strings.CutPrefix(at.from, fromReport)
	return stated && at.told && said != "build" && !strings.HasSuffix(said, at.commit.Short()) && at.fit.Same == 0 && at.fit.Moved >= leastMisstated
}

// corrected looks for the version of a report that is not of the one that it states, as if it stated none. It maps the report to
// a commit that has all its lines at their places. If there is none, it returns nil, and the report stays as it is.
func (at *reading) corrected(ctx context.Context, repo *gitext.Repo, report *crash.Report) (*reading, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	before := copied(report)
	unmap(report)
	denied := fmt.Sprintf(
		"the report says %.60s, where none of its %s is at its place",
		strings.TrimPrefix(at.from, fromReport), agent.Plural(at.fit.Moved, "line"),
	)
	found := &reading{commit: head, from: crash.FromHead, denied: denied}
	if err := found.place(ctx, repo, report); err != nil {
		return nil, err
	}
	if found.fit, err = locate.Compare(ctx, repo, found.commit, report); err != nil {
		return nil, err
	}
	better, err := found.better(ctx, repo, report, false)
	if err != nil {
		return nil, err
	}
	if better == nil && found.fit.Same > 0 {
		better = found
		better.notes = append(better.notes, fmt.Sprintf("%s; its lines fit the code of HEAD", denied))
	}
	if better == nil || better.fit.Moved > 0 {
		report.Stacks = before.Stacks
		return nil, nil
	}
	return better, nil
}
