package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/fix/testrun/testlog"
	"git-agent/gitext"
)

// These bound the search for the names of tests in a tree.
const (
	maxSought    = 100  // failing tests
	maxNameLines = 5000 // lines with a name
	minOwnName   = 4    // bytes of a name
)

// newTests returns the failing tests whose names are in the present tree and not in that of a distant state. Most tools name
// no passing tests unless they are asked to: then the names in the files tell whether a test existed. It returns nil where
// the report names passing tests, or the files tell nothing.
func (s *study) newTests(ctx context.Context, before earlier, failing []string, then testlog.Report) (map[string]bool, error) {
	if !before.distant || then.NamesPassing() || len(failing) > maxSought {
		return nil, nil
	}
	var names []string
	for _, test := range failing {
		if name := ownName(test); len(name) >= minOwnName {
			names = append(names, name)
		}
	}
	now, ok, err := s.namesIn(ctx, s.problem.Tree.Commit, names)
	if err != nil || !ok {
		return nil, err
	}
	past, ok, err := s.namesIn(ctx, before.commit, names)
	if err != nil || !ok {
		return nil, err
	}
	isNew := map[string]bool{}
	for _, test := range failing {
		name := ownName(test)
		isNew[test] = !now[name] || !past[name] // of a name that no file has, nothing is known
	}
	return isNew, nil
}

// namesIn returns which names the files of a commit contain; ok is false if that is not known.
func (s *study) namesIn(ctx context.Context, commit gitext.OID, names []string) (found map[string]bool, ok bool, err error) {
	if len(names) == 0 {
		return nil, false, nil
	}
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, regexp.QuoteMeta(name))
	}
	slices.Sort(quoted)
	pattern := strings.Join(slices.Compact(quoted), "|")
	lines, err := s.engine.Repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: pattern, Max: maxNameLines})
	if gitext.Unreadable(err) || len(lines) == maxNameLines {
		return nil, false, nil
	}
	found = map[string]bool{}
	for _, line := range lines {
		for _, name := range names {
			found[name] = found[name] || strings.Contains(string(line.Text), name)
		}
	}
	return found, err == nil, err
}

// ownName returns what the source has of a test's name: the last part, without the parameters of a case.
func ownName(test string) string {
	for _, separator := range []string{" > ", " › "} {
		if at := strings.LastIndex(test, separator); at >= 0 {
			return test[at+len(separator):]
		}
	}
	test, _, _ = strings.Cut(test, "[")
	test, _, _ = strings.Cut(test, "(")
	if at := strings.LastIndex(test, ":"); at >= 0 {
		test, _, _ = strings.Cut(test[at+1:], "/") // of Go, a case
	}
	return strings.TrimSpace(test[strings.LastIndex(test, ".")+1:])
}
