package engine

import (
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A compiler refuses a whole file of tests for one test that uses what an old commit does not have. This file
// has the runs without the bodies of such tests, so that the test that is looked for runs there.

// mostEmptied bounds the builds at one commit: compilers name the first errors only.
const mostEmptied = 6

// withoutOthers runs the command once more where the laid tests do not build, without the bodies of the tests that use
// what does not exist there. ok is false if none was run to its end, as where a test of the failure is one of these.
func (c *command) withoutOthers(
	ctx context.Context, w *trial.Workspace, commit gitext.OID, over []gitext.Overlay, ran seen,
) (again seen, ok bool, err error) {
	c.judging.Lock()
	failure := c.failure
	c.judging.Unlock()
	if !c.shown || c.builds || failure == nil || len(failure.Failing) == 0 || failure.Like(ran.ending).Likeness != testrun.Early {
		return ran, false, nil
	}
	var emptied []string
	again = ran
	for range mostEmptied {
		if !again.ending.FailsToBuild() {
			break
		}
		less, names, ok := emptyTests(over, again.ending.Report.BuildErrors)
		emptied = append(emptied, names...)
		if !ok || slices.ContainsFunc(names, func(name string) bool { return named(failure.Failing, name) }) {
			return ran, false, nil
		}
		over = less
		if err := w.Prepare(ctx, commit, over); err != nil {
			return ran, false, err
		}
		if again, err = c.runFocused(ctx, w, commit, over); err != nil {
			return ran, false, err
		}
	}
	if len(emptied) == 0 || again.ending.State != fix.Passing && again.ending.State != fix.Failing {
		return ran, false, nil
	}
	again.ending.How += withoutHow + emptied[0] + ")"
	return again, true, nil
}

// withoutHow is said of a run without the tests that use what does not exist, before the name of one.
const withoutHow = " without the tests that use what does not exist there (such as "

// named reports whether the name of a test is in the names of failing ones.
func named(failing []string, name string) bool {
	return slices.ContainsFunc(failing, func(test string) bool { return source.WordIndex(test, name) >= 0 })
}

// emptyTests empties the tests of files that are laid over a commit in which errors are, and returns their names.
// ok is false if an error is elsewhere.
func emptyTests(over []gitext.Overlay, errors []testlog.Place) (less []gitext.Overlay, names []string, ok bool) {
	less = slices.Clone(over)
	at := map[int][]int{}
	for _, p := range errors {
		if p.Line == 0 {
			continue
		}
		i := slices.IndexFunc(over, func(o gitext.Overlay) bool { return strings.HasSuffix("/"+o.Path, "/"+path.Clean(p.File)) })
		if i < 0 || over[i].OID != "" {
			return nil, nil, false
		}
		at[i] = append(at[i], p.Line)
	}
	for i, lines := range at {
		text, emptied, ok := source.EmptyTests(over[i].Path, over[i].Content, lines)
		if !ok {
			return nil, nil, false
		}
		less[i].Content = text
		names = append(names, emptied...)
	}
	slices.Sort(names)
	return less, slices.Compact(names), len(at) > 0
}
