// Package offline is the offline engine of crash: it finds the commit that crashed, maps the
// frames of the report to its files, and orders files and commits by suspicion. It needs
// neither a model nor a network.
package offline

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Rank maps the frames of a question's report to files of the commit that crashed, and stores
// these files in the report. It orders files and commits by suspicion. It returns an error if the
// repository cannot be read or the algorithm is unknown; the answer's notes list effects of
// missing single objects.
func Rank(ctx context.Context, repo *gitext.Repo, q crash.Question) (*crash.Answer, error) {
	commit, from, notes, err := commitOf(ctx, repo, q)
	if err != nil {
		return nil, err
	}
	located := crash.Answer{Notes: notes}
	if commit, from, err = place(ctx, repo, commit, from, q.Report, &located); err != nil {
		return nil, err
	}
	if from == crash.FromHead || q.Commit != "" {
		located.Notes = append(located.Notes, readWork(q.Report, q.Work)...)
	}
	algorithm := rank.Algorithm(q.Algorithm)
	if algorithm == "" {
		algorithm = rank.Ours
	}
	answer, err := rank.Rank(ctx, repo, commit, q.Report, algorithm)
	if err != nil {
		return nil, err
	}
	answer.CommitFrom, answer.Since, answer.Until = from, q.Since, q.Until
	answer.Notes = append(located.Notes, answer.Notes...)
	if err := checkFit(ctx, repo, q.Report, answer); err != nil {
		return nil, err
	}
	if err := checkDay(ctx, repo, q.Report, answer); err != nil {
		return nil, err
	}
	if err := checkSince(ctx, repo, answer); err != nil {
		return nil, err
	}
	if q.Suspects > 0 {
		opt := culprit.Options{Since: q.Since, Until: answer.Until, Max: q.Suspects}
		found, err := culprit.Find(ctx, repo, commit, q.Report, answer.Files, opt)
		if err != nil {
			return nil, err
		}
		answer.Suspects = found.Suspects
		answer.Notes = append(answer.Notes, found.Notes...)
	}
	return answer, nil
}

// place maps the frames of a report to files of a commit. If nothing told this commit, and HEAD
// lacks files of the report that its history has, it maps them to those of an older commit, which
// it returns with its source. The notes of the answer say so.
func place(
	ctx context.Context,
	repo *gitext.Repo,
	commit gitext.OID,
	from string,
	report *crash.Report,
	answer *crash.Answer,
) (gitext.OID, string, error) {
	files, err := locate.Locate(ctx, repo, commit, report)
	if files == nil {
		return "", "", err
	}
	if from == crash.FromHead {
		older, name, missing := goneFiles(ctx, repo, commit, files, report)
		if missing != nil && !gitext.Unreadable(missing) {
			return "", "", missing
		}
		if older != "" {
			unmap(report)
			answer.Notes = append(answer.Notes, goneNote(name, older))
			return place(ctx, repo, older, "the last with "+name, report, answer)
		}
	}
	return commit, from, answer.Unread("not all functions were looked up", err)
}

// unmap removes what Locate wrote into the frames of a report.
func unmap(report *crash.Report) {
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			f := &report.Stacks[i].Frames[j]
			f.Path, f.Rule, f.DefinedAt = "", "", 0
		}
	}
}

// checkSince checks whether the commit that did not crash comes after the one that crashed. If
// so, it adds a note and removes the former from the answer, because there is nothing to bisect.
func checkSince(ctx context.Context, repo *gitext.Repo, answer *crash.Answer) error {
	if answer.Since == "" {
		return nil
	}
	after, err := repo.IsAncestor(ctx, answer.Commit, answer.Since)
	if err != nil || !after {
		return err
	}
	answer.Notes = append(
		answer.Notes,
		fmt.Sprintf("%s, which did not crash, contains the commit that crashed: no commit is between them", answer.Since.Short()),
	)
	answer.Since = ""
	return nil
}

// checkFit compares the report with the code of the files in the answer. It adds a note if most of
// the lines that can be compared do not fit, unless the report or the user names the commit.
func checkFit(ctx context.Context, repo *gitext.Repo, report *crash.Report, answer *crash.Answer) error {
	var paths []string
	for _, f := range answer.Files {
		if len(f.Frames) > 0 {
			paths = append(paths, f.Path)
		}
	}
	fit, err := locate.Compare(ctx, repo, answer.Commit, report, paths)
	if err != nil || fit.Moved <= fit.Same {
		return err
	}
	note := fmt.Sprintf(
		"%d of %s of the report that can be compared with the code of %s are elsewhere there: the report is of another version",
		fit.Moved,
		agent.Plural(fit.Moved+fit.Same, "line"),
		answer.Commit.Short(),
	)
	if answer.CommitFrom == crash.FromHead {
		note += "; give the commit that crashed with --at"
	}
	answer.Notes = append(answer.Notes, note)
	return nil
}

// checkDay compares the last day in the report with HEAD, if nothing tells the commit that
// crashed. A commit after that day cannot have caused the crash. It adds a note if HEAD is younger.
func checkDay(ctx context.Context, repo *gitext.Repo, report *crash.Report, answer *crash.Answer) error {
	if answer.CommitFrom != crash.FromHead || report.Written == "" {
		return nil
	}
	day, err := time.Parse(time.DateOnly, report.Written)
	if err != nil {
		return nil // no such day: 2018-00-00 is no time of the report
	}
	const zones = 2 * 24 * time.Hour // the end of the day, in any time zone
	until := day.Add(zones)
	head, err := repo.Commit(ctx, answer.Commit)
	if err != nil || !head.Committer.Time.After(until) {
		return err
	}
	answer.Until = until
	answer.Notes = append(
		answer.Notes,
		fmt.Sprintf(
			"the report is of %s, and HEAD is %s younger: no commit after that day is suspected; give the commit that crashed with --at",
			report.Written,
			agent.Plural(int(head.Committer.Time.Sub(day).Hours()/24), "day"),
		),
	)
	return nil
}

// commitOf returns the commit that crashed, and its source.
func commitOf(ctx context.Context, repo *gitext.Repo, q crash.Question) (commit gitext.OID, from string, notes []string, err error) {
	if q.Commit != "" {
		return q.Commit, "given", nil, nil
	}
	build := q.Report.Build
	if oid, ok := buildCommit(ctx, repo, build.Commit); ok {
		return oid, "the report's build", nil, nil
	}
	for _, tag := range []string{build.Version, versionTag(build.Version)} {
		if tag == "" {
			continue
		}
		if oid, err := repo.ResolveName(ctx, "refs/tags/"+tag); err == nil {
			return oid, "the report's version", nil, nil
		}
	}
	mentioned, err := versionOf(ctx, repo, q.Report.Mentions)
	switch {
	case err != nil:
		return "", "", nil, err
	case mentioned != nil && mentioned.commit != "":
		return mentioned.commit, "the report's " + mentioned.said, nil, nil
	case mentioned != nil:
		notes = append(notes, mentioned.note())
	}
	if said := cmp.Or(build.Commit, build.Version); said != "" && mentioned == nil {
		notes = append(
			notes,
			fmt.Sprintf("the report is of %.60q, which this repository does not have; give the commit that crashed with --at", said),
		)
	}
	commit, err = repo.Resolve(ctx, "HEAD")
	return commit, crash.FromHead, notes, err
}

// digits matches the id of a commit, perhaps abbreviated.
var digits = source.Lazy(`^[0-9a-f]{7,64}$`)

// buildCommit returns the commit that a report names as its build. It accepts only ids, so that
// the writer of a report cannot choose a branch or a stash of the user: these may contain the
// repair, or private work.
func buildCommit(ctx context.Context, repo *gitext.Repo, said string) (gitext.OID, bool) {
	said = strings.ToLower(said)
	if !digits().MatchString(said) {
		return "", false
	}
	oid, err := repo.ResolveName(ctx, said)
	return oid, err == nil && strings.HasPrefix(string(oid), said) // a branch may have the name of a hash
}

// versionTag returns the tag that projects give to a version, or "".
func versionTag(version string) string {
	if version == "" || version[0] < '0' || version[0] > '9' {
		return ""
	}
	return "v" + version
}
