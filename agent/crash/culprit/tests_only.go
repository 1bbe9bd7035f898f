package culprit

import (
	"cmp"
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// testsOnlyChance is the largest probability of a candidate that changes only tests. Of 240 measured
	// reports with a known culprit, ten have such a one, and each of these is a target of a fuzzer with
	// which the bug could be seen for the first time.
	testsOnlyChance = 0.04
	// inTestsChance is the largest probability of a candidate where all frames are in tests. No measured
	// report has such frames: who wrote a test that fails is known, and who broke it is not.
	inTestsChance = 0.25
	maxTestsOnly  = 12  // candidates whose files are read
	maxTestFiles  = 200 // of one candidate; a commit with more is not only one of tests
)

// doubtTests lowers the probabilities of candidates that change only tests, and puts them behind the others in
// order: a commit that wrote a failing test owns the lines of its frames, but the test shows a bug
// of the code that it tests. probability has the probability of each candidate; the result says which
// ones change only tests.
func (g *gathering) doubtTests(ctx context.Context, candidates []*candidate, order []int, probability []float64) ([]bool, error) {
	doubted := make([]bool, len(candidates))
	if !slices.ContainsFunc(g.regions, func(r *region) bool { return source.FileKindOf(r.path) == source.TestFile }) {
		return doubted, nil
	}
	for _, i := range order[:min(len(order), maxTestsOnly)] {
		if probability[i] <= testsOnlyChance || !candidates[i].touchesTests() {
			continue
		}
		only, err := g.changesOnlyTests(ctx, candidates[i])
		if err != nil {
			return nil, err
		}
		if only {
			probability[i], doubted[i] = testsOnlyChance, true
		}
	}
	if !slices.ContainsFunc(g.regions, func(r *region) bool { return source.FileKindOf(r.path) != source.TestFile }) {
		g.notes = append(g.notes, "all frames of the project are in tests: the suspects wrote them, and may not have broken what they test; "+
			"git agent bisect finds the commit since which a test fails")
		for i := range probability {
			probability[i] = min(probability[i], inTestsChance)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(probability[b], probability[a]) })
	return doubted, nil
}

// touchesTests reports whether all lines that a candidate owns are in tests.
func (c *candidate) touchesTests() bool {
	return !slices.ContainsFunc(c.hits, func(h *hit) bool { return source.FileKindOf(h.region.path) != source.TestFile })
}

// changesOnlyTests reports whether a candidate changes tests, and beside them at most documents.
func (g *gathering) changesOnlyTests(ctx context.Context, c *candidate) (bool, error) {
	touched, err := g.repo.Touched(ctx, []gitext.OID{c.OID}, maxTestFiles)
	t := touched[c.OID]
	return err == nil && t.Files == len(t.Paths) && source.AreTests(t.Paths), err
}
