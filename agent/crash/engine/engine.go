// Package engine answers questions about crashes.
//
// The command line, the MCP server and evaluations call it. It prints nothing.
package engine

import (
	"cmp"
	"context"
	"fmt"

	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/gitext"
)

// An Engine answers questions about crashes of one repository. It is safe for
// concurrent use.
type Engine struct {
	Repo *gitext.Repo
}

// Answer maps the frames of a question's report to files, which it stores in the
// report, and ranks files and commits.
func (e *Engine) Answer(ctx context.Context, q crash.Question) (*crash.Ranking, error) {
	commit, from, notes, err := e.commitOf(ctx, q)
	if err != nil {
		return nil, err
	}
	located := crash.Ranking{Notes: notes}
	files, err := locate.Locate(ctx, e.Repo, commit, q.Report)
	if files == nil {
		return nil, err
	}
	if err := located.Unread("not all functions were looked up", err); err != nil {
		return nil, err
	}
	algorithm := rank.Algorithm(q.Algorithm)
	if algorithm == "" {
		algorithm = rank.Ours
	}
	ranking, err := rank.Rank(ctx, e.Repo, commit, q.Report, algorithm)
	if err != nil {
		return nil, err
	}
	ranking.CommitFrom, ranking.Since = from, q.Since
	ranking.Notes = append(located.Notes, ranking.Notes...)
	if q.Suspects > 0 {
		found, err := culprit.Find(ctx, e.Repo, commit, q.Report, ranking.Files, culprit.Options{Since: q.Since, Max: q.Suspects})
		if err != nil {
			return nil, err
		}
		ranking.Suspects = found.Suspects
		ranking.Notes = append(ranking.Notes, found.Notes...)
	}
	return ranking, nil
}

// commitOf returns the commit that crashed, and how it was found.
func (e *Engine) commitOf(ctx context.Context, q crash.Question) (commit gitext.OID, from string, notes []string, err error) {
	if q.Commit != "" {
		return q.Commit, "given", nil, nil
	}
	build := q.Report.Build
	for _, try := range []struct{ name, from string }{
		{build.Commit, "the report's build"},
		{build.Version, "the report's version"},
		{versionTag(build.Version), "the report's version"},
	} {
		if try.name == "" {
			continue
		}
		if oid, err := e.Repo.ResolveName(ctx, try.name); err == nil {
			return oid, try.from, nil, nil
		}
	}
	if said := cmp.Or(build.Commit, build.Version); said != "" {
		notes = append(notes, fmt.Sprintf("the report is of %.60q, which this repository does not have; give the commit that crashed with --at", said))
	}
	oid, err := e.Repo.Resolve(ctx, "HEAD")
	return oid, "HEAD", notes, err
}

// versionTag returns the tag that projects give to a version, "" if there is none.
func versionTag(version string) string {
	if version == "" || version[0] < '0' || version[0] > '9' {
		return ""
	}
	return "v" + version
}
