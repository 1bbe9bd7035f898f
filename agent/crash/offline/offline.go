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
	at, err := read(ctx, repo, q)
	if err != nil {
		return nil, err
	}
	answer, repair, err := at.answer(ctx, repo, q)
	if err != nil || repair == "" {
		return answer, err
	}
	before, err := beforeRepair(ctx, repo, at, repair, q.Report)
	if err != nil || before == nil {
		return answer, err
	}
	if !q.AsReported {
		if err := locate.Resettle(ctx, repo, before.commit, q.Report); err != nil {
			return nil, err
		}
	}
	answer, _, err = before.answer(ctx, repo, q)
	return answer, err
}

// answer orders the files and the commits of a question whose report is mapped to a reading's commit. It also returns the
// commit that would be the first suspect, if it is one that mends the failure.
func (at *reading) answer(ctx context.Context, repo *gitext.Repo, q crash.Question) (*crash.Answer, gitext.OID, error) {
	algorithm := rank.Algorithm(q.Algorithm)
	if algorithm == "" {
		algorithm = rank.Ours
	}
	answer, err := rank.Rank(ctx, repo, at.commit, q.Report, algorithm)
	if err != nil {
		return nil, "", err
	}
	answer.CommitFrom, answer.Fit, answer.Since, answer.Until = at.from, at.fit, q.Since, q.Until
	answer.Notes = append(at.notes, answer.Notes...)
	if answer.Fit.Other() {
		answer.Notes = append(answer.Notes, fitNote(answer))
	}
	if of := locate.MadeLines(q.Report); of != "" {
		answer.Notes = append(answer.Notes, fmt.Sprintf("the lines of the report are those of %s: only functions can be found", of))
	}
	answer.Declarations, err = locate.Racing(ctx, repo, at.commit, q.Report)
	if err = answer.Unread("the types of racing fields were not looked up", err); err != nil {
		return nil, "", err
	}
	if err := checkDay(ctx, repo, q.Report, answer); err != nil {
		return nil, "", err
	}
	if err := checkSince(ctx, repo, answer); err != nil {
		return nil, "", err
	}
	repair, err := at.suspects(ctx, repo, q, answer)
	return answer, repair, err
}

// suspects adds the suspect commits to an answer. It returns what answer does.
func (at *reading) suspects(ctx context.Context, repo *gitext.Repo, q crash.Question, answer *crash.Answer) (gitext.OID, error) {
	if q.Suspects == 0 {
		return "", nil
	}
	opt := culprit.Options{Since: q.Since, Until: answer.Until, Max: q.Suspects + moreForRepairs}
	found, err := culprit.Find(ctx, repo, at.commit, q.Report, answer.Files, opt)
	if err != nil {
		return "", err
	}
	var repair gitext.OID
	if !at.told {
		found.Suspects, repair = withoutRepairs(at, q.Report, answer, found.Suspects)
	}
	if answer.Suspects, err = withAccused(ctx, repo, answer, q.Report.Accused, found.Suspects, q.Suspects); err != nil {
		return "", err
	}
	answer.Notes = append(answer.Notes, found.Notes...)
	return repair, nil
}

// fromUser is the source of a commit that the user gives, fromReport the beginning of that of a version in the report's text, and
// releaseAfter that of a release after the one that crashed: nothing else tells where the development was before it.
const (
	fromUser     = "given"
	fromReport   = "the report's "
	releaseAfter = "the release after the report's "
)

// A reading is the commit whose files a report is mapped to.
type reading struct {
	commit gitext.OID
	from   string // where the commit comes from
	told   bool   // the user or the report tells the commit
	mended bool   // the commit is the one before a repair of the failure
	mute   bool   // the innermost line of the report cannot fail there
	denied string // why the version that the report states is not believed, "" if it states none
	fit    crash.Fit
	notes  []string
	work   []crash.WorkFile
}

// read finds the commit that crashed, maps the frames of the report to its files, and compares
// their lines with it.
func read(ctx context.Context, repo *gitext.Repo, q crash.Question) (*reading, error) {
	at, err := compared(ctx, repo, q)
	if err != nil || q.AsReported {
		return at, err
	}
	return at, locate.Resettle(ctx, repo, at.commit, q.Report)
}

func compared(ctx context.Context, repo *gitext.Repo, q crash.Question) (*reading, error) {
	commit, from, notes, err := commitOf(ctx, repo, q)
	if err != nil {
		return nil, err
	}
	later := strings.HasPrefix(from, releaseAfter)
	at := &reading{commit: commit, from: from, told: from != crash.FromHead && !later, notes: notes, work: q.Work}
	if err := at.place(ctx, repo, q.Report); err != nil {
		return nil, err
	}
	if q.AsReported {
		return at, nil
	}
	var worked []string
	if at.from == crash.FromHead || q.Commit != "" {
		worked = readWork(q.Report, q.Work)
	}
	at.notes = append(at.notes, worked...)
	if at.fit, err = locate.Compare(ctx, repo, at.commit, q.Report); err != nil {
		return nil, err
	}
	if others := at.others(q.Report); at.fit.Other() && len(others) > 0 {
		better, err := fitting(ctx, repo, at, q.Report, others)
		if err != nil || better != nil {
			return better, err
		}
	}
	if later, err = at.tooLate(ctx, repo, q.Report, later); err != nil {
		return nil, err
	}
	if at.misstated() {
		better, err := at.corrected(ctx, repo, q.Report)
		if err != nil || better != nil {
			return better, err
		}
	}
	if at.told || len(worked) > 0 {
		return at, nil
	}
	if later {
		able, err := canFail(ctx, repo, at.commit, q.Report)
		if err != nil {
			return nil, err
		}
		at.mute = !able
	}
	better, err := at.better(ctx, repo, q.Report, later || len(notes) > 0)
	if err != nil || better == nil {
		if later {
			at.notes = append(at.notes, "the report is of a version before that release, so that commits after the crash may be suspects; give the commit that crashed with --at")
		}
		return at, err
	}
	better.notes = append(notes, better.notes...)
	return better, nil
}

// tooLate reports whether the commit is that of a release after the one that crashed: it was known to be, or the report, which does not fit it,
// is older, so that it is of a version in development.
func (at *reading) tooLate(ctx context.Context, repo *gitext.Repo, report *crash.Report, later bool) (bool, error) {
	said, found := strings.CutPrefix(at.from, fromReport)
	_, until, dated := lastDay(report)
	if later || !found || !dated || !at.fit.Other() {
		return later, nil
	}
	c, err := repo.Commit(ctx, at.commit)
	if err != nil || !c.Committer.Time.After(until) {
		return false, err
	}
	at.from, at.told = releaseAfter+said, false
	return true, nil
}

// better looks for another commit if the report does not fit this one, which nothing told: a version
// that the report mentions, the one of its day, any release if it states no version, or a change of the files in the past.
// It returns nil if there is none.
func (at *reading) better(ctx context.Context, repo *gitext.Repo, report *crash.Report, stated bool) (*reading, error) {
	if at.fit.Same <= at.fit.Moved {
		if better, err := fitting(ctx, repo, at, report, report.Mentions); err != nil || better != nil {
			return better, err
		}
	}
	day, err := ofTheDay(ctx, repo, at, report)
	if err != nil {
		return nil, err
	}
	if day.fits(at.fit) {
		return day.read(ctx, repo, at, report)
	}
	if at.fit.Moved > 0 && !stated {
		if better, err := released(ctx, repo, at, report); err != nil || better != nil {
			return better, err
		}
	}
	return past(ctx, repo, at, report, day)
}

// place maps the frames of a report to files of the commit. If nothing told this commit, and HEAD
// lacks files of the report that its history has, it maps them to those of an older commit.
func (at *reading) place(ctx context.Context, repo *gitext.Repo, report *crash.Report) error {
	files, err := locate.Locate(ctx, repo, at.commit, report)
	if files == nil {
		return err
	}
	if at.from == crash.FromHead {
		older, name, missing := goneFiles(ctx, repo, at, files, report)
		if missing != nil && !gitext.Unreadable(missing) {
			return missing
		}
		if older != "" {
			unmap(report)
			at.notes = append(at.notes, goneNote(name, older))
			at.commit, at.from = older, "the last with "+name
			return at.place(ctx, repo, report)
		}
	}
	var unread crash.Answer
	err = unread.Unread("not all functions were looked up", err)
	at.notes = append(at.notes, unread.Notes...)
	return err
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

// checkDay compares the last day in the report with HEAD, if nothing tells the commit that
// crashed. A commit after that day cannot have caused the crash. It adds a note if HEAD is younger.
func checkDay(ctx context.Context, repo *gitext.Repo, report *crash.Report, answer *crash.Answer) error {
	day, until, ok := lastDay(report)
	if answer.CommitFrom != crash.FromHead || !ok {
		return nil
	}
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

// zones is the time from the start of a day to its end in any time zone.
const zones = 36 * time.Hour

// lastDay returns the beginning and the end of the last day in the times of a report.
func lastDay(report *crash.Report) (day, until time.Time, ok bool) {
	day, err := time.Parse(time.DateOnly, report.Written)
	if err != nil {
		return time.Time{}, time.Time{}, false // 2018-00-00 is no time of the report
	}
	if report.WrittenUTC {
		return day, day.AddDate(0, 0, 1), true
	}
	return day, day.Add(zones), true
}

// commitOf returns the commit that crashed, and its source.
func commitOf(ctx context.Context, repo *gitext.Repo, q crash.Question) (commit gitext.OID, from string, notes []string, err error) {
	if q.Commit != "" {
		return q.Commit, fromUser, nil, nil
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
	case mentioned != nil && mentioned.before:
		return mentioned.commit, releaseAfter + mentioned.said, nil, nil
	case mentioned != nil && mentioned.commit != "":
		return mentioned.commit, fromReport + mentioned.said, nil, nil
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
var digits = source.Lazy(`^[0-9a-f]{6,64}$`)

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
