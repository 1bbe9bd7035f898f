package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

// maxFitting bounds the versions whose code is compared with a report.
const maxFitting = 8

// fitting looks for the version of a report that names none for this program, or several, and does not fit the
// commit that was found for it, among the given versions in its text that are tags. It returns
// the one whose code fits best, and of several the newest, because the version that crashed is
// newer than one that worked. A version counts that has the files and that nothing contradicts, if
// the found commit is contradicted. It maps the report to that version. If none fits, it returns nil.
func fitting(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report, mentions []crash.Mention) (*reading, error) {
	tags, err := mentionedTags(ctx, repo, mentions)
	if err != nil {
		return nil, err
	}
	var best gitext.Tag
	most := found.fit.Same - found.fit.Moved
	for _, tag := range tags {
		if tag.Commit == found.commit {
			continue
		}
		fit, there, err := compareAt(ctx, repo, tag.Commit, report)
		if err != nil {
			return nil, err
		}
		contradicted := !found.told && found.fit.Other() && placed(there) >= placed(report)
		if n := fit.Same - fit.Moved; n > most && (n > 0 || n == 0 && contradicted) {
			best, most = tag, n
		}
	}
	if best.Commit == "" {
		return nil, nil
	}
	return readAt(ctx, repo, best.Commit, "the version that fits", report, fmt.Sprintf(
		"the report mentions %s, and fits the code of that version, but not that of %s; if it is of another one, give the commit that crashed with --at",
		best.Name,
		found.commit.Short(),
	))
}

// others returns the versions of a report that have the same name as the one of the reading, such as those before and after an
// upgrade, if there are several.
func (at *reading) others(report *crash.Report) []crash.Mention {
	named := slices.DeleteFunc(slices.Clone(report.Mentions), func(m crash.Mention) bool {
		return m.Name == "" || !strings.HasPrefix(at.from, fromReport+m.Name+" ")
	})
	if len(named) < 2 {
		return nil
	}
	return named
}

// compareAt compares a report with the code of a commit, and leaves the report as it is. It also
// returns a copy that is mapped to the files of the commit.
func compareAt(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (crash.Fit, *crash.Report, error) {
	there := withoutFiles(report)
	if err := locate.ByPath(ctx, repo, commit, &there); err != nil {
		return crash.Fit{}, &there, err
	}
	fit, err := locate.Compare(ctx, repo, commit, &there)
	return fit, &there, err
}

// readAt maps a report to another commit than the first one, with a note that says why.
func readAt(ctx context.Context, repo *gitext.Repo, commit gitext.OID, from string, report *crash.Report, note string) (*reading, error) {
	unmap(report)
	at := &reading{commit: commit, from: from}
	if err := at.place(ctx, repo, report); err != nil {
		return nil, err
	}
	at.notes = append(at.notes, note)
	var err error
	at.fit, err = locate.Compare(ctx, repo, at.commit, report)
	return at, err
}

// placed counts the frames of a report that name a line of a file of the commit.
func placed(report *crash.Report) int {
	return count(report, func(f crash.Frame) bool { return f.Path != "" && f.Line > 0 && f.File != "" })
}

func count(report *crash.Report, has func(crash.Frame) bool) int {
	n := 0
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if has(f) {
				n++
			}
		}
	}
	return n
}

// mapped counts the frames of a report with a file of the commit.
func mapped(report *crash.Report) int {
	return count(report, func(f crash.Frame) bool { return f.Path != "" })
}

// withoutFiles returns a copy of a report without the files of its frames.
func withoutFiles(report *crash.Report) crash.Report {
	out := copied(report)
	unmap(&out)
	return out
}

// copied returns a copy of a report whose frames can be changed.
func copied(report *crash.Report) crash.Report {
	out := *report
	out.Stacks = slices.Clone(report.Stacks)
	for i := range out.Stacks {
		out.Stacks[i].Frames = slices.Clone(out.Stacks[i].Frames)
	}
	return out
}

// mentionedTags returns the tags of the versions in a report, the newest versions first.
func mentionedTags(ctx context.Context, repo *gitext.Repo, mentions []crash.Mention) ([]gitext.Tag, error) {
	if len(mentions) == 0 {
		return nil, nil
	}
	all, err := repo.Tags(ctx)
	if err != nil {
		return nil, err
	}
	var tags []gitext.Tag
	for _, m := range mentions {
		tag := tagOf(all, m.Version)
		if tag != nil && !slices.ContainsFunc(tags, func(t gitext.Tag) bool { return t.Commit == tag.Commit }) {
			tags = append(tags, *tag)
		}
	}
	slices.SortStableFunc(tags, newestVersion)
	return tags[:min(len(tags), maxFitting)], nil
}

// fitNote says that a report does not fit the commit of an answer.
func fitNote(answer *crash.Answer) string {
	compared, are := answer.Fit.Moved+answer.Fit.Same, "are"
	if answer.Fit.Moved == 1 {
		are = "is"
	}
	lines := fmt.Sprintf("%d of %s", answer.Fit.Moved, agent.Plural(compared, "line"))
	if compared == 1 {
		lines = "the only line"
	}
	note := fmt.Sprintf(
		"%s of the report that can be compared with the code of %s %s elsewhere there: the report is of another version",
		lines, answer.Commit.Short(), are,
	)
	if answer.CommitFrom != fromUser {
		note += "; give the commit that crashed with --at"
	}
	return note
}
