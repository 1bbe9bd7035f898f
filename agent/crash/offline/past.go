package offline

import (
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

// pastTime bounds the search in the history of files; tests have more, on slow machines.
var pastTime = 3 * time.Second

// Limits on the history of the files of a report.
const (
	maxStates = 400 // changes of the files
	maxMoves  = 3   // times that the files were in other directories before
)

// past looks for the code of a report, of which nothing tells the commit, in the history before the commit that was
// found: at the last commit before the report's day and until its end, where the found one is younger, and then at each
// change of the frames' files, the newest first. A change counts if all lines of the report that can be compared are
// at their places behind it, and at least two. It maps the report to what it finds. If nothing fits, it is the last
// commit until that day, if it has as many files of the report as the found one; else it returns nil.
//
// A crash is often repaired on the day of its report. So the code before that day is tried first, and a change whose
// subject says that it mends something is taken only if no older one fits.
func past(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report) (*reading, error) {
	if found.fit.Moved == 0 && report.Written == "" {
		return nil, nil
	}
	within, cancel := context.WithTimeout(ctx, pastTime)
	defer cancel()
	s := pastSearch{ctx: within, repo: repo, report: report, tip: found.commit, files: max(1, placed(report))}
	day, err := s.ofTheDay(found)
	var state gitext.OID
	if err == nil && found.fit.Moved > 0 && !day.fits {
		state, err = s.newest()
	}
	if err != nil && within.Err() == nil && !gitext.Unreadable(err) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	than := fmt.Sprintf("%s not that of %s", agent.Plural(found.fit.Moved, "line"), found.commit.Short())
	switch {
	case state != "":
		return readAt(ctx, repo, state, "the last change that fits", report, fmt.Sprintf(
			"nothing tells the commit that crashed; the report's lines fit the code of %s, the newest such change of these files, and %s; "+
				"give the commit that crashed with --at if it is another one",
			state.Short(), than,
		))
	case day.commit != "":
		return readAt(ctx, repo, day.commit, fmt.Sprintf("the last until %s", report.Written), report, fmt.Sprintf(
			"the report is of %s: it is read at %s, the last commit of that time, and not at %s; give the commit that crashed with --at if it is another one",
			report.Written, day.commit.Short(), found.commit.Short(),
		))
	}
	return nil, nil
}

// A pastSearch compares a report with the history before a commit.
type pastSearch struct {
	ctx    context.Context
	repo   *gitext.Repo
	report *crash.Report
	tip    gitext.OID // the newest commit that is compared
	files  int        // frames that a commit must have files for
}

// A dayCommit is the last commit until the report's day, "" if that is no better than the one that was found.
type dayCommit struct {
	commit gitext.OID
	fits   bool // no line of the report is elsewhere there
}

// ofTheDay compares the last commit before the report's day, and then the last one until its end, if the found one is
// younger, and makes the last of them that has the files the newest that counts.
func (s *pastSearch) ofTheDay(found *reading) (dayCommit, error) {
	day, until, ok := lastDay(s.report)
	if !ok {
		return dayCommit{}, nil
	}
	head, err := s.repo.Commit(s.ctx, found.commit)
	if err != nil || !head.Committer.Time.After(until) {
		return dayCommit{}, err
	}
	var best dayCommit
	for _, until := range []time.Time{day, until} {
		for e, err := range s.repo.Log(s.ctx, gitext.LogOptions{Tip: found.commit, Until: until, Max: 1}) {
			if err != nil {
				return best, err
			}
			fit, there, err := compareAt(s.ctx, s.repo, e.OID, s.report)
			if err != nil {
				return best, err
			}
			if placed(there) < s.files {
				continue
			}
			s.tip, best = e.OID, dayCommit{e.OID, fit.Moved == 0}
		}
		if best.fits {
			break
		}
	}
	return best, nil
}

// newest returns the newest change of the files of the frames that the report fits, or "".
func (s *pastSearch) newest() (gitext.OID, error) {
	left := maxStates
	var repair gitext.OID // that fits, too
	for range maxMoves {
		there := withoutFiles(s.report)
		if err := locate.ByPath(s.ctx, s.repo, s.tip, &there); err != nil {
			return "", err
		}
		paths := pathsOf(&there)
		if len(paths) == 0 || placed(&there) < s.files || left == 0 {
			break
		}
		var oldest gitext.OID
		for e, err := range s.repo.Log(s.ctx, gitext.LogOptions{Tip: s.tip, Paths: paths, NoMerges: true, Max: left}) {
			if err != nil {
				return "", err
			}
			left--
			switch fits, err := s.fits(e.OID, &there); {
			case err != nil:
				return repair, err
			case !fits && repair != "":
				return repair, nil // the lines came with it
			case fits && !repairWord().MatchString(e.Subject):
				return e.OID, nil
			case fits && repair == "":
				repair = e.OID
			}
			oldest = e.OID
		}
		if oldest == "" {
			break
		}
		c, err := s.repo.Commit(s.ctx, oldest)
		if err != nil || len(c.Parents) == 0 {
			return repair, err
		}
		s.tip = c.Parents[0] // the files may have been elsewhere
	}
	return repair, nil
}

// fits reports whether a report that was mapped to files fits their code at a commit.
func (s *pastSearch) fits(commit gitext.OID, mapped *crash.Report) (bool, error) {
	there := copied(mapped)
	fit, err := locate.Compare(s.ctx, s.repo, commit, &there)
	if err != nil || fit.Moved > 0 || fit.Same < leastFitting {
		return false, err
	}
	return canFail(s.ctx, s.repo, commit, &there)
}

// pathsOf returns the files of the frames of a report that have lines.
func pathsOf(report *crash.Report) []string {
	var paths []string
	for _, stack := range report.Stacks {
		for _, f := range stack.Frames {
			if f.Path != "" && f.Line > 0 && !slices.Contains(paths, f.Path) && len(paths) < maxGone {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}
