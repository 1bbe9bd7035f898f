package locate

import (
	"context"
	"errors"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the files whose code is compared with the report.
const (
	maxFitted   = 12      // files
	maxFitBytes = 2 << 20 // of one file
)

// Compare compares the lines of a report's frames with their files at a commit: the files of the
// first frames. It sets Moved, At and DefinedAt of the frames whose code is not at the report's
// line. Files that cannot be read are left as they are.
func Compare(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) (crash.Fit, error) {
	var fit crash.Fit
	var all []map[crash.FrameRef]Site
	for _, path := range filesOf(report) {
		blob, err := repo.BlobAt(ctx, commit, path, maxFitBytes)
		if errors.Is(err, gitext.ErrNotExist) || gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return fit, err
		}
		sites := Sites(report, path, source.SplitLines(blob))
		takeSites(report, sites, &fit)
		all = append(all, sites)
	}
	if fit.Other() {
		for _, sites := range all {
			distrust(report, sites)
		}
	}
	return fit, nil
}

// takeSites takes the sites of the frames of one file into the report.
func takeSites(report *crash.Report, sites map[crash.FrameRef]Site, fit *crash.Fit) {
	counted := map[int]bool{}
	for _, ref := range inOrder(sites) { // of two frames at one line, the first counts
		s, f := sites[ref], &report.Stacks[ref.Stack].Frames[ref.Frame]
		if f.Line == 0 {
			if f.DefinedAt == 0 && f.Function != "" && !s.inlined && s.Function.End > 0 {
				f.DefinedAt = s.Function.Body // the report has no line
			}
			continue
		}
		if f.Moved && f.At == 0 && (f.Uncommitted || linesMade(Rule(f.Rule))) {
			f.DefinedAt = s.Function.Body // the line is not committed, or of another file, but its function may be there
			continue
		}
		if !counted[f.Line] && (s.sure || s.Moved) {
			counted[f.Line] = true
			switch {
			case !s.Moved:
				fit.Same++
			case f.Rule != string(RuleKotlin): // R8 may have numbered the lines anew
				fit.Moved++
			}
		}
		if !s.Moved {
			continue
		}
		f.Moved, f.At = true, s.At
		if s.At == f.Line && !s.sure {
			f.At = 0 // other code is at this line
		}
		if f.At == 0 && s.Function.End > 0 {
			f.DefinedAt = s.Function.Body
		}
	}
}

// filesOf returns the files of a report's frames with lines, those of the crash first.
func filesOf(report *crash.Report) []string {
	var paths []string
	for _, crashed := range []bool{true, false} {
		for _, s := range report.Stacks {
			for _, f := range s.Frames {
				placed := f.Path != "" && (f.Line > 0 || f.Function != "" && f.DefinedAt == 0)
				if placed && (s.Kind == crash.StackCrash) == crashed && len(paths) < maxFitted && !slices.Contains(paths, f.Path) {
					paths = append(paths, f.Path)
				}
			}
		}
	}
	return paths
}

// distrust drops the lines that nothing confirms, in a report of which most lines are elsewhere.
func distrust(report *crash.Report, sites map[crash.FrameRef]Site) {
	for ref, s := range sites {
		f := &report.Stacks[ref.Stack].Frames[ref.Frame]
		if f.Line == 0 || s.sure || s.Moved || f.Uncommitted {
			continue
		}
		f.Moved, f.At = true, 0
		if s.Function.End > 0 && !s.inlined {
			f.DefinedAt = s.Function.Body
		}
	}
}
