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
// code, and so owns the lines that it breaks, with the age and the neighbours of a culprit.
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

// changesOnlyTests reports whether a candidate changes tests, and beside them at most documents.
func changesOnlyTests(c *candidate.Candidate) bool {
	return len(c.Paths) == c.Files && source.AreTests(c.Paths)
}
