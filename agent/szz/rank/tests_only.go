package rank

import (
	"math"
	"sort"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// testsOnlyChance is the largest probability of a candidate that changes only tests, for a fix of
// source code: of 1,580 such fixes with known culprits, two have such a culprit. Some projects commit
// the test that shows the bug right before the fix, with the names and the words of the fix.
const testsOnlyChance = 0.01

// doubtTests lowers the probabilities of candidates that change only tests, if the fix changes source
// code outside of tests, and divides what they lose among the others.
func (k *Case) doubtTests(ranked []Ranked) {
	if !k.fixesSource() {
		return
	}
	lost := 0.0
	doubted := make([]bool, len(ranked))
	for i := range ranked {
		j := &ranked[i]
		if j.Probability <= testsOnlyChance || !changesOnlyTests(j.Candidate) {
			continue
		}
		lost += j.Probability - testsOnlyChance
		j.testsOnly = math.Log(testsOnlyChance / j.Probability)
		j.Probability, doubted[i] = testsOnlyChance, true
	}
	if lost == 0 {
		return
	}
	for i := range ranked {
		if !doubted[i] {
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
