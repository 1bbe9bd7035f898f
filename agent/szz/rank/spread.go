package rank

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file counts the files of the repository that have the names which tie a suspect to the fix.
// The candidates of a fix mostly change the same few files, so that a name which the whole project
// uses, such as that of a macro, looks rare among them. It is no evidence.

// Bounds of the count.
const (
	mostCounted  = 5    // of the best candidates
	leastCounted = 0.05 // the least probability of a candidate whose names are counted
	mostNames    = 12   // of one candidate
	mostGreps    = 3    // searches of the tree
)

// countFiles counts, at the parent of the fix, the files with the names that the best candidates
// share with the fix. It counts only for candidates that own no line in or near its changes, of
// which names are the only evidence. Names that it could not count stay unknown.
func (k *Case) countFiles(ctx context.Context, repo *gitext.Repo, ranked []Ranked) error {
	var names []string
	for _, j := range ranked[:min(mostCounted, len(ranked))] {
		if j.Probability >= leastCounted && !k.ownsNear(j.Candidate) {
			own := k.bothTouch(j.Candidate)
			names = append(names, own[:min(mostNames, len(own))]...)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for range mostGreps {
		if len(names) == 0 {
			break
		}
		hits, err := repo.Grep(ctx, k.fc.Parent, gitext.GrepOptions{Pattern: anyOf(names), Word: true, Max: candidate.MaxGrepHits})
		if gitext.Unreadable(err) {
			return nil
		}
		if err != nil {
			return err
		}
		found := filesOf(hits, names)
		if len(hits) < candidate.MaxGrepHits {
			for _, n := range names {
				k.spread[n] = len(found[n])
			}
			break
		}
		// The search ended early: only what is common already is known.
		left := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return len(found[n]) > candidate.MaxNameFiles })
		for _, n := range names {
			if len(found[n]) > candidate.MaxNameFiles {
				k.spread[n] = len(found[n])
			}
		}
		if len(left) == len(names) {
			break
		}
		names = left
	}
	return nil
}

// anyOf returns a pattern for any of the names.
func anyOf(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = regexp.QuoteMeta(n)
	}
	return strings.Join(quoted, "|")
}

// filesOf returns the files with each name.
func filesOf(hits []gitext.GrepMatch, names []string) map[string]map[string]bool {
	files := map[string]map[string]bool{}
	for _, h := range hits {
		line := source.CodeWordsOf(h.Text)
		for _, n := range names {
			if line[n] > 0 {
				if files[n] == nil {
					files[n] = map[string]bool{}
				}
				files[n][h.Path] = true
			}
		}
	}
	return files
}

// common reports whether many files of the repository have a name.
func (k *Case) common(name string) bool { return k.spread[name] > candidate.MaxNameFiles }
