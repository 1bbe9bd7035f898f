package rank

import (
	"math"

	"git-agent/agent/szz/candidate"
)

// This file has the features that need an index of changed lines. They come after the
// others, and the shipped model does not read them.

// indexedFeatures are the inputs that an index adds.
var indexedFeatures = []feature{
	{"index_score", "changed rare texts of the fix", named(func(n *candidate.Naming) float64 { return n.Score })},
	{"index_rank", "among those that changed most of the fix's rare texts", named(func(n *candidate.Naming) float64 { return reciprocal(n.Rank) })},
	{"index_names", "how many texts of the fix it changed", named(func(n *candidate.Naming) float64 { return math.Log1p(float64(n.Names)) })},
	{"index_changed", "changed texts that the fix changes", named(func(n *candidate.Naming) float64 { return n.Changed })},
	{"index_said", "changed texts of the fix's message", named(func(n *candidate.Naming) float64 { return n.Said })},
	{"index_first", "first to bring texts of the fix anywhere", named(func(n *candidate.Naming) float64 { return n.First })},
	{"index_last", "last to change texts of the fix anywhere", named(func(n *candidate.Naming) float64 { return n.Last })},
	{"index_took_out", "took out texts of the fix anywhere", named(func(n *candidate.Naming) float64 { return n.TookOut })},
	{"index_brought", "brought texts of the fix anywhere", named(func(n *candidate.Naming) float64 { return n.Brought })},
	{"index_rarest", "changed a very rare text of the fix", named(func(n *candidate.Naming) float64 { return n.Rarest })},
	{"index_near", "changed texts of the fix near the fixed files", named(func(n *candidate.Naming) float64 { return n.Near })},
	{"index_place", "later commits, as git log lists them", named(func(n *candidate.Naming) float64 { return math.Log1p(float64(n.Place)) })},
	{"from_index", "found by texts of the fix only", func(_ *Case, c *candidate.Candidate) float64 { return flag(c.Sources == candidate.FromIndex) }},
	{"fix_named", "how many commits changed texts of the fix", func(k *Case, _ *candidate.Candidate) float64 {
		return math.Log1p(float64(len(k.pool.Named)))
	}},
	{"fix_named_best", "how much the best of these changed", func(k *Case, _ *candidate.Candidate) float64 { return k.bestNaming }},
}

// named returns the feature of what a commit did to texts; 0 is nothing.
func named(get func(*candidate.Naming) float64) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		if n := k.pool.Named[c.OID]; n != nil {
			return get(n)
		}
		return 0
	}
}

// IndexedNames lists the columns of an Example of StudyIndexed.
func IndexedNames() []string {
	names := FeatureNames()
	for _, f := range indexedFeatures {
		names = append(names, f.name)
	}
	return names
}

// indexedVector computes all features of a candidate, those of the index as well.
func (k *Case) indexedVector(c *candidate.Candidate) []float64 {
	x := k.vector(c)
	for _, f := range indexedFeatures {
		x = append(x, f.get(k, c))
	}
	return x
}

// readNamings notes the best score that the index gives.
func (k *Case) readNamings() {
	for _, n := range k.pool.Named {
		k.bestNaming = max(k.bestNaming, n.Score)
	}
}
