package rank

import (
	"math"
	"sort"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// doubtedChance is the largest probability of a candidate that can hardly be the culprit. It changes only tests, for a
// fix of source code: of 1,580 such fixes with known culprits, two have such a culprit; some projects commit the test
// that shows the bug right before the fix, with the names and the words of the fix. Or it changes only the layout of
// code, and so owns the lines that it breaks, with the age and the neighbours of a culprit. Or it is recent, reads like
// the fix, and of the fix's files changes only tests: of 374 culprits of fixes that change tests or documents, too, nine
// share only these with the fix, and none of them was the first.
const doubtedChance = 0.01

// doubt lowers the probabilities of candidates that can hardly be the culprit, if the fix changes source code outside
// of tests, and divides what they lose among the others.
func (k *Case) doubt(ranked []Ranked) {
	if !k.fixesSource() {
		return
	}
	lost := 0.0
	for i := range ranked {
		j := &ranked[i]
		if j.Probability <= doubtedChance {
			continue
		}
		switch {
		case changesOnlyTests(j.Candidate):
			j.doubt = "changes only tests"
		case j.Candidate.OnlyLayout() && !k.Set.Spaces:
			j.doubt = "changes only the layout of code"
		case k.sharesOnlyTests(j.Candidate):
			j.doubt = "changes of the fix's files only tests"
		default:
			continue
		}
		lost += j.Probability - doubtedChance
		j.lowered = math.Log(doubtedChance / j.Probability)
		j.Probability = doubtedChance
	}
	if lost == 0 {
		return
	}
	for i := range ranked {
		if ranked[i].doubt == "" {
			ranked[i].Probability = WithoutShare(ranked[i].Probability, lost)
		}
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].Probability > ranked[j].Probability })
}

// fixesSource reports whether the fix changes a source file that is no test.
func (k *Case) fixesSource() bool {
	for p := range k.FixPath {
		if source.FileKindOf(p) == source.SourceFile {
			return true
		}
	}
	return false
}

// sharesOnlyTests reports whether a candidate was found only by its words, and of the files that the fix changes it changes
// tests, and no other.
func (k *Case) sharesOnlyTests(c *candidate.Candidate) bool {
	if c.Sources&^(candidate.FromRecent|candidate.FromIndex) != 0 || len(c.Paths) != c.Files {
		return false
	}
	tests := 0
	for _, p := range c.Paths {
		switch {
		case k.allPaths[p] == 0 && !k.Paths[p]:
		case !source.IsTestPath(p):
			return false
		default:
			tests++
		}
	}
	return tests > 0
}

// changesOnlyTests reports whether a candidate changes tests, and beside them at most documents.
func changesOnlyTests(c *candidate.Candidate) bool {
	return len(c.Paths) == c.Files && source.AreTests(c.Paths)
}
