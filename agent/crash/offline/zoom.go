package offline

import (
	"context"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/gitext"
)

// Limits on the search of a long history by the distances of lines.
const (
	zoomSamples = 32    // commits that are compared in one round
	zoomRounds  = 3     // rounds
	zoomNear    = 100   // commits between two samples, at which the changes between them can be compared one by one
	maxZoomed   = 60000 // commits of the history
	leastZoomed = 3     // frames with lines, whose distances tell something
	farAway     = 1000  // lines; a frame is not farther from its place
)

// zoomed looks for the time of a report in a history whose changes are too many to be compared one by one. It compares commits
// that are far apart, and then others around the one at which the lines of the report are nearest to their places, because
// code moves little by little. It returns a commit that is a little younger, or "" if no distance tells.
func zoomed(ctx context.Context, repo *gitext.Repo, tip gitext.OID, report *crash.Report) (gitext.OID, error) {
	if withLines(report) < leastZoomed {
		return "", nil
	}
	var history []gitext.OID // the newest first
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: tip, NoMerges: true, Max: maxZoomed}) {
		if err != nil {
			return "", err
		}
		history = append(history, e.OID)
	}
	from, to := 0, len(history)
	start, nearest := -1, -1
	for range zoomRounds {
		step := max(1, (to-from)/zoomSamples)
		best := -1
		for i := from; i < to; i += step {
			n, err := distanceAt(ctx, repo, history[i], report)
			if gitext.Unreadable(err) {
				continue
			}
			if err != nil {
				return "", err
			}
			if i == 0 {
				start = n
			}
			if nearest < 0 || n < nearest || n == nearest && best < 0 {
				best, nearest = i, n
			}
		}
		if best >= 0 {
			from, to = max(0, best-step), min(len(history), best+step)
		}
		if best < 0 || step <= zoomNear {
			break
		}
	}
	if nearest < 0 || nearest >= start || from == 0 {
		return "", nil
	}
	return history[from], nil
}

// withLines counts the frames of a report with a line of a file, which may be no file of the repository.
func withLines(report *crash.Report) int {
	n := 0
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.File != "" && f.Line > 0 && !locate.Outside(f) {
				n++
			}
		}
	}
	return n
}

// distanceAt returns how far the lines of a report are from their places in the code of a commit, all together.
func distanceAt(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (int, error) {
	_, there, err := compareAt(ctx, repo, commit, report)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, s := range there.Stacks {
		for _, f := range s.Frames {
			switch {
			case f.Line == 0 || f.File == "":
			case f.Path == "" || f.Moved && f.At == 0 && f.DefinedAt == 0:
				sum += farAway
			case f.Moved && f.At > 0:
				sum += min(max(f.At-f.Line, f.Line-f.At), farAway)
			case f.Moved:
				sum += min(max(f.DefinedAt-f.Line, f.Line-f.DefinedAt), farAway)
			}
		}
	}
	return sum, nil
}
