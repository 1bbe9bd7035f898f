package testrun

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// mostEmptied bounds the builds of WithoutOthers: compilers name the first errors only.
const mostEmptied = 6

// WithoutOthers runs tests once more that an old commit does not build, without the bodies of those
// that a compiler refuses there, such as for what does not exist yet: it refuses a whole file for one of them. over are the
// files that are laid over the commit, with their content, and ending is the end of the run with
// them. run runs the command with other files. The result says in How that tests were left out.
//
// ok is false, and ending is returned, if no run came to its end, as where the code or a test of the failure cannot
// be built. For such a test, the returned ending has only the errors in the tests of the failure: what else the file
// lacks there says nothing about these.
func (f *Failure) WithoutOthers(
	over []gitext.Overlay, ending Ending, run func(less []gitext.Overlay) (Ending, error),
) (again Ending, ok bool, err error) {
	if len(f.Failing) == 0 || f.build || !ending.FailsToBuild() {
		return ending, false, nil
	}
	var emptied []string
	again = ending
	for range mostEmptied {
		if !again.FailsToBuild() {
			break
		}
		less, names, ok := emptyTests(over, again.Report.BuildErrors)
		emptied = append(emptied, names...)
		if ok && slices.ContainsFunc(names, f.names) {
			ending.Report.BuildErrors = f.ownErrors(over, again.Report.BuildErrors)
			return ending, false, nil
		}
		if !ok {
			return ending, false, nil
		}
		over = less
		if again, err = run(over); err != nil {
			return ending, false, err
		}
	}
	if len(emptied) == 0 || again.State != fix.Passing && again.State != fix.Failing {
		return ending, false, nil
	}
	again.How += withoutHow + emptied[0] + ")"
	return again, true, nil
}

// withoutHow is said of a run without the tests that do not build, before the name of one.
const withoutHow = " without the tests that cannot be built there (such as "

// ownErrors returns the errors of a build that are in tests of the failure.
func (f *Failure) ownErrors(over []gitext.Overlay, errors []testlog.Place) []testlog.Place {
	return slices.DeleteFunc(slices.Clone(errors), func(p testlog.Place) bool {
		_, names, _ := emptyTests(over, []testlog.Place{p})
		return !slices.ContainsFunc(names, f.names)
	})
}

// names reports whether the name of a test is in the names of the failing ones.
func (f *Failure) names(name string) bool {
	return slices.ContainsFunc(f.Failing, func(test string) bool { return source.WordIndex(test, name) >= 0 })
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
		if i < 0 || over[i].OID != "" || path.Ext(p.File) == ".py" { // Python refuses no file for a name in a body
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
