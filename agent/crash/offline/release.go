package offline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// releaseTime bounds the search for a release; tests have more, on slow machines.
var releaseTime = 10 * time.Second

// Limits on the releases whose code is compared with a report that names no version.
const (
	maxReleases    = 48 // that are compared
	sampledAtFirst = 12
	leastFitting   = 2       // lines that must fit, if there are as many
	maxSource      = 1 << 20 // bytes of the file with the innermost line
)

// released looks for the version of a report that names none: the newest release whose code has all
// lines of the report that can be compared at their places, and at least two, or the only one if it
// calls the function of the next inner frame. Releases with this code are neighbours, so a few are
// tried first, then those around the best of them, and then the others, the newest first. Releases
// after the last day in the report come only if no other fits, and as far as comparisons are left. It
// maps the report to that release. If none fits, or if the search takes too long, it returns nil.
func released(ctx context.Context, repo *gitext.Repo, found *reading, report *crash.Report) (*reading, error) {
	tags, err := releases(ctx, repo)
	if err != nil || len(tags) == 0 || placed(report) == 0 {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	s := releaseSearch{ctx: within, repo: repo, report: report, least: placed(report), known: map[int]int{}}
	_, s.until, _ = lastDay(report)
	best := s.newest(tags)
	if best < 0 && len(s.younger) > 0 {
		s.until, s.younger = time.Time{}, nil
		best = s.newest(tags)
	}
	if s.err != nil && within.Err() == nil {
		return nil, s.err
	}
	if best < 0 && within.Err() != nil {
		found.notes = append(found.notes, fmt.Sprintf("the search for the release of the report was given up after %s", releaseTime))
	}
	if best < 0 || tags[best].Commit == found.commit {
		return nil, ctx.Err()
	}
	return readAt(ctx, repo, tags[best].Commit, "the newest release that fits", report, fmt.Sprintf(
		"%s; its lines fit the code of %s, and %s not that of %s; give the commit that crashed with --at if it is another one",
		cmp.Or(found.denied, "the report names no version"),
		tags[best].Name,
		agent.Plural(found.fit.Moved, "line"),
		found.commit.Short(),
	))
}

// releases returns the tags of versions, one for each commit, the newest version first.
func releases(ctx context.Context, repo *gitext.Repo) ([]gitext.Tag, error) {
	tags, err := repo.Tags(ctx)
	if err != nil {
		return nil, err
	}
	seen := map[gitext.OID]bool{}
	tags = slices.DeleteFunc(tags, func(t gitext.Tag) bool {
		if n := numbersOf(tagKey(t.Name)); len(n) == 0 || len(n) == 1 && n[0] < firstDay || seen[t.Commit] {
			return true
		}
		seen[t.Commit] = true
		return false
	})
	slices.SortStableFunc(tags, newestVersion)
	return tags, nil
}

// firstDay is the least number that is the day of a release: one number of other tags is rarely a version.
const firstDay = 1990_01_01

// newestVersion compares two tags by the numbers of their versions, the newest first.
func newestVersion(a, b gitext.Tag) int {
	return slices.Compare(numbersOf(tagKey(b.Name)), numbersOf(tagKey(a.Name)))
}

// A releaseSearch compares a report with releases, each of them once.
type releaseSearch struct {
	ctx     context.Context
	repo    *gitext.Repo
	report  *crash.Report
	least   int          // frames that a release must have files for
	known   map[int]int  // scores of the releases that were compared, by their place in the list
	until   time.Time    // the last moment of the report, zero if it tells none
	younger map[int]bool // the releases after that
	err     error
}

// fits is the score of a release that has all lines at their places; others have less.
const fits = 1 << 20

// score compares a release, and returns false if the search has to end.
func (s *releaseSearch) score(tags []gitext.Tag, i int) (int, bool) {
	if n, ok := s.known[i]; ok {
		return n, true
	}
	if s.err != nil || len(s.known) == maxReleases {
		return 0, false
	}
	if young, err := s.isYounger(tags, i); young || err != nil {
		s.err = err
		return -fits, err == nil
	}
	fit, there, err := compareAt(s.ctx, s.repo, tags[i].Commit, s.report)
	able := true
	if err == nil && fit.Moved == 0 {
		able, err = canFail(s.ctx, s.repo, tags[i].Commit, there)
	}
	if err != nil {
		s.err = err
		return 0, false
	}
	files := placed(there)
	n := fit.Same - fit.Moved + files - s.least
	if fit.Moved == 0 && fit.Same >= min(leastFitting, s.least) && files >= s.least && able {
		n = fits
	}
	s.known[i] = n
	return n, true
}

// isYounger reports whether a release is of a day after the report's last one: it did not crash.
func (s *releaseSearch) isYounger(tags []gitext.Tag, i int) (bool, error) {
	if s.until.IsZero() || s.younger[i] {
		return s.younger[i], nil
	}
	c, err := s.repo.Commit(s.ctx, tags[i].Commit)
	if err != nil || !c.Committer.Time.After(s.until) {
		return false, err
	}
	if s.younger == nil {
		s.younger = map[int]bool{}
	}
	s.younger[i] = true
	return true, nil
}

// outOfRange matches what fails at an index: its line has one.
var outOfRange = source.Lazy(`index out of range|slice bounds out of range|ArrayIndexOutOfBounds|index out of bounds`)

// canFail reports whether the innermost line of the crash can be at its place in a commit: no call of
// an inner frame tells, but something happens there, and an index if that was out of range. It is
// the line that a repair changes.
func canFail(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (bool, error) {
	i := slices.IndexFunc(report.Stacks, func(s crash.Stack) bool { return s.Kind == crash.StackCrash || s.Kind == crash.StackCause })
	if i < 0 {
		return true, nil
	}
	frames := report.Stacks[i].Frames
	j := slices.IndexFunc(frames, func(f crash.Frame) bool { return f.Path != "" && !f.Handler })
	if j < 0 || frames[j].Line == 0 {
		return true, nil
	}
	blob, err := repo.BlobAt(ctx, commit, frames[j].Path, maxSource)
	if lines := source.SplitLines(blob); err == nil && frames[j].Line <= len(lines) {
		line := strings.TrimSpace(string(lines[frames[j].Line-1]))
		ranged := slices.ContainsFunc(report.Problems, func(p crash.Problem) bool { return outOfRange().MatchString(p.Kind + " " + p.Message) })
		inner := j == 0 || strings.HasSuffix(frames[j-1].Function, "panic") || strings.Contains(frames[j-1].Function, "Panic")
		return len(line) > 1 && (!ranged || !inner || strings.Contains(line, "[")), nil
	}
	if err != nil && !gitext.Unreadable(err) {
		return false, err
	}
	return true, nil
}

// newest returns the place of the newest release that fits, or -1.
func (s *releaseSearch) newest(tags []gitext.Tag) int {
	step := max(1, len(tags)/sampledAtFirst)
	best, most := -1, 0
	for i := 0; i < len(tags); i += step {
		n, ok := s.score(tags, i)
		if !ok {
			break
		}
		if best < 0 || n > most {
			best, most = i, n
		}
		if n == fits {
			break
		}
	}
	if best < 0 {
		return -1
	}
	for i := max(0, best-step+1); i < min(len(tags), best+step); i++ {
		if n, ok := s.score(tags, i); ok && n == fits {
			return i
		}
	}
	if most == fits {
		return best
	}
	for i := range tags { // code that only one release has
		n, ok := s.score(tags, i)
		if !ok {
			break
		}
		if n == fits {
			return i
		}
	}
	return -1
}
