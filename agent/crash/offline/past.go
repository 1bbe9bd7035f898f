package offline

import (
	"cmp"
	"context"
	"errors"
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
// found, which lacks lines or files of it: at each change of the frames' files, the newest first. A change counts if all
// lines that can be compared are at their places behind it, one of them surely, and if there are two frames, or the report
// quotes the line of the only one, or has a message that tells it. It maps the report to what it finds. If nothing fits,
// it is the commit of the report's day, if there is one; else it is the change with most of the lines, if most are at
// their places; else it returns nil.
//
// A change whose subject says that it mends something is taken only if no older one fits: it may have mended this crash.
func past(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report, day dayCommit) (*reading, error) {
	if found.fit.Moved == 0 && day.files <= placed(report) && !found.mute && !day.tells(found.fit) {
		return nil, nil
	}
	within, cancel := context.WithTimeout(ctx, pastTime)
	defer cancel()
	first := cmp.Or(day.commit, found.commit)
	s := pastSearch{
		ctx: within, repo: repo, report: report, first: first, tip: first, files: max(1, placed(report)), left: maxStates,
		mute: found.mute,
	}
	state, err := s.newest()
	if err != nil && within.Err() == nil && !gitext.Unreadable(err) {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if state == "" && day.commit == "" {
		if state, err = s.afar(ctx); err != nil {
			return nil, err
		}
	}
	if state == "" && s.best.commit != "" {
		return readAt(ctx, repo, s.best.commit, "the change that fits best", report, fmt.Sprintf(
			"%s; no change of these files was found that has all lines of the report, but %s, and %s not; "+
				"give the commit that crashed with --at if it is another one",
			cmp.Or(found.denied, untold), agent.Plural(s.best.fit.Same, "line")+" fit the code of "+s.best.commit.Short(), agent.Plural(s.best.fit.Moved, "line"),
		))
	}
	which := "the newest such change of these files"
	if s.cut {
		which = "a change whose subject says that it mends something, since older ones could not all be compared"
	}
	switch {
	case state != "" && found.mute:
		return readAt(ctx, repo, state, "the last change that fits", report, fmt.Sprintf(
			"the report is of a version before %s, where its innermost line cannot fail; it is read at %s, the newest change of these files behind "+
				"which the line can; give the commit that crashed with --at if it is another one",
			found.commit.Short(), state.Short(),
		))
	case state != "":
		return readAt(ctx, repo, state, "the last change that fits", report, fmt.Sprintf(
			"%s; the report's lines fit the code of %s, %s, and %s that of %s; "+
				"give the commit that crashed with --at if it is another one",
			cmp.Or(found.denied, untold), state.Short(), which, found.unfit(), found.commit.Short(),
		))
	case day.commit != "":
		return day.read(ctx, repo, found, report)
	}
	return nil, nil
}

// untold begins the note of a report that has no version.
const untold = "nothing tells the commit that crashed"

// A dayCommit is the last commit of a report's time, "" if the one that was found is no younger.
type dayCommit struct {
	commit gitext.OID
	fit    crash.Fit
	files  int // frames that it has files for
}

// fits reports whether a commit has the lines of its report, and as many of them surely as another one that has them all: a
// time in a report may be that of something else.
func (d dayCommit) fits(other crash.Fit) bool {
	return d.commit != "" && d.fit.Moved == 0 && (other.Moved > 0 || d.fit.Same >= other.Same)
}

// tells reports whether the commit of the day has lines that can be compared, and another one has none, as where its scripts
// are made of other files since.
func (d dayCommit) tells(other crash.Fit) bool {
	return d.commit != "" && other.Same+other.Moved == 0 && d.fit.Same+d.fit.Moved > 0
}

// unfit says how many lines of the report are not at their places in the code of the commit.
func (at *reading) unfit() string {
	if at.fit.Moved == 0 {
		return "none can be compared with"
	}
	return agent.Plural(at.fit.Moved, "line") + " not"
}

// ofTheDay finds the last commit before the report's day, where the found one is younger, or, if more lines fit, the last
// one until the end of the day: a crash is often repaired on the day of its report. Both must have files for as many frames
// as the found one, or where it has none of the places, functions.
func ofTheDay(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report) (dayCommit, error) {
	day, until, ok := lastDay(report)
	if !ok {
		return dayCommit{}, nil
	}
	head, err := repo.Commit(ctx, found.commit)
	if err != nil || !head.Committer.Time.After(until) {
		return dayCommit{}, err
	}
	var best dayCommit
	for _, until := range []time.Time{day, until} {
		for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: found.commit, Until: until, Max: 1}) {
			if err != nil {
				return dayCommit{}, err
			}
			fit, there, err := compareAt(ctx, repo, e.OID, report)
			if err != nil && !gitext.Unreadable(err) {
				return dayCommit{}, err
			}
			files := placed(there)
			if err == nil && files >= max(1, placed(report)) && (best.commit == "" || fit.Moved < best.fit.Moved) {
				best = dayCommit{e.OID, fit, files}
			}
		}
	}
	if best.commit == "" && placed(report) == 0 {
		return functionsOfTheDay(ctx, repo, found, report, day)
	}
	return best, nil
}

// functionsOfTheDay finds the last commit before the report's day, if it has as many of the functions as the found one, which has none of
// the places.
func functionsOfTheDay(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report, day time.Time) (dayCommit, error) {
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: found.commit, Until: day, Max: 1}) {
		if err != nil {
			return dayCommit{}, err
		}
		there := withoutFiles(report)
		if _, err := locate.Locate(ctx, repo, e.OID, &there); err != nil && !gitext.Unreadable(err) {
			return dayCommit{}, err
		}
		if n := mapped(&there); n >= max(1, mapped(report)) {
			return dayCommit{commit: e.OID, files: n}, nil
		}
	}
	return dayCommit{}, nil
}

// read maps a report to the commit of its day.
func (d dayCommit) read(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report) (*reading, error) {
	return readAt(ctx, repo, d.commit, fmt.Sprintf("the last until %s", report.Written), report, fmt.Sprintf(
		"the report is of %s: it is read at %s, the last commit of that time, and not at %s; give the commit that crashed with --at if it is another one",
		report.Written, d.commit.Short(), found.commit.Short(),
	))
}

// A pastSearch compares a report with the history before a commit.
type pastSearch struct {
	ctx    context.Context
	repo   *gitext.Repo
	report *crash.Report
	first  gitext.OID // where the search begins
	tip    gitext.OID // the newest commit that is compared
	files  int        // frames that a commit must have files for
	mute   bool       // at the commit that was found, the innermost line cannot fail: one where it can is enough
	left   int        // number of changes that may still be compared
	cut    bool       // not all changes were compared that may fit
	afresh bool       // the search begins where the lines are nearest to their places: the change that fits best is kept
	best   dayCommit  // which has most of the lines surely
}

// newest returns the newest change of the files of the frames that the report fits, or "". If the search is cut off, also by an
// error, it returns the newest one that mends something, if any.
func (s *pastSearch) newest() (gitext.OID, error) {
	var repair gitext.OID // that fits, too
	s.cut = true
	for range maxMoves {
		there := withoutFiles(s.report)
		if err := locate.ByPath(s.ctx, s.repo, s.tip, &there); err != nil {
			return repair, err
		}
		paths := pathsOf(&there)
		if len(paths) == 0 || placed(&there) < s.files {
			break
		}
		if s.left == 0 {
			return repair, nil
		}
		var oldest gitext.OID
		for e, err := range s.repo.Log(s.ctx, gitext.LogOptions{Tip: s.tip, Paths: paths, Max: s.left}) {
			if err != nil {
				return repair, err
			}
			s.left--
			switch fits, err := s.fits(e.OID, &there); {
			case err != nil:
				return repair, err
			case !fits && repair != "":
				s.cut = false
				return repair, nil // the lines came with it
			case fits && !repairWord().MatchString(e.Subject):
				s.cut = false
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
		if err != nil {
			return repair, err
		}
		if len(c.Parents) == 0 {
			break
		}
		s.tip = c.Parents[0] // the files may have been elsewhere
	}
	s.cut = false
	return repair, nil
}

// afar looks for the change that the report fits where its lines are nearest to their places, in the time of another search.
// The search then begins anew there.
func (s *pastSearch) afar(ctx context.Context) (gitext.OID, error) {
	within, cancel := context.WithTimeout(ctx, pastTime)
	defer cancel()
	tip, err := zoomed(within, s.repo, s.first, s.report)
	if err == nil && tip != "" {
		s.ctx, s.tip, s.left, s.afresh = within, tip, maxStates, true
		var state gitext.OID
		if state, err = s.newest(); err == nil {
			return state, nil
		}
	}
	if err != nil && within.Err() == nil && !gitext.Unreadable(err) {
		return "", err
	}
	return "", ctx.Err()
}

// fits reports whether a report that was mapped to files fits their code at a commit.
func (s *pastSearch) fits(commit gitext.OID, mapped *crash.Report) (bool, error) {
	there := copied(mapped)
	fit, err := locate.Compare(s.ctx, s.repo, commit, &there)
	if s.afresh && err == nil && fit.Same >= leastZoomed && fit.Same > 2*fit.Moved && fit.Same-fit.Moved > s.best.fit.Same-s.best.fit.Moved {
		s.best = dayCommit{commit, fit, placed(&there)}
	}
	surely := fit.Same > 0 && (placed(&there) >= leastFitting || quotesCode(&there) || locate.HasMessage(&there, leastQuoted))
	if err != nil || fit.Moved > 0 || !surely && !s.mute {
		return false, err
	}
	able, err := canFail(s.ctx, s.repo, commit, &there)
	if errors.Is(err, gitext.ErrNotExist) {
		return false, nil
	}
	return able, err
}

// leastQuoted is the least length of the text of a line that tells one change of a file from others by its place alone.
const leastQuoted = 20

// quotesCode reports whether a frame in a file of the commit has the text of its line.
func quotesCode(report *crash.Report) bool {
	return slices.ContainsFunc(report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path != "" && f.Line > 0 && len(f.Quote) >= leastQuoted })
	})
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
