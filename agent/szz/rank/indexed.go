package rank

import (
	"context"
	"math"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file has the features that need an index of changed lines. They come after the
// others, and only the model of IndexModelFile reads them.

// indexedFeatures are the additional inputs from an index.
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
	{"index_took_out_added", "took out texts that the fix adds", named(func(n *candidate.Naming) float64 { return n.TookOutAdded })},
	{"index_brought_added", "brought texts that the fix adds", named(func(n *candidate.Naming) float64 { return n.BroughtAdded })},
	{"index_took_out_gone", "took out texts that the fix removes", named(func(n *candidate.Naming) float64 { return n.TookOutGone })},
	{"index_brought_gone", "brought texts that the fix removes", named(func(n *candidate.Naming) float64 { return n.BroughtGone })},
	{"index_rarest_first", "first to bring a very rare text of the fix", named(func(n *candidate.Naming) float64 { return n.RarestFirst })},
	{"index_rarest_last", "last to change a very rare text of the fix", named(func(n *candidate.Naming) float64 { return n.RarestLast })},
	{"index_telling", "changed rare texts that the fix changes or its message names", named(func(n *candidate.Naming) float64 { return n.Telling })},
	{"index_telling_rank", "among those that changed most of these", named(func(n *candidate.Naming) float64 { return reciprocal(n.TellingRank) })},
	{"index_near", "changed texts of the fix near the fixed files", named(func(n *candidate.Naming) float64 { return n.Near })},
	{"index_place", "later commits, as git log lists them", named(func(n *candidate.Naming) float64 { return math.Log1p(float64(n.Place)) })},
	{"from_index", "found by texts of the fix only", func(_ *Case, c *candidate.Candidate) float64 { return stat.Flag(c.Sources == candidate.FromIndex) }},
	{"fix_named", "how many commits changed texts of the fix", func(k *Case, _ *candidate.Candidate) float64 {
		return math.Log1p(float64(len(k.pool.Named)))
	}},
	{"fix_named_best", "how much the best of these changed", func(k *Case, _ *candidate.Candidate) float64 { return k.bestNaming }},
}

// named returns a feature of a commit's changes to texts; 0 is none.
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

// CorrectedNames lists the columns of the model that corrects scores if there is an
// index: the columns of IndexedNames, and the distance of the score from the best of the
// fix.
func CorrectedNames() []string { return append(IndexedNames(), "score_below") }

// withIndex returns the case with the additional candidates from an index of changed
// lines, and with the index's facts about all candidates.
func (k *Case) withIndex(ctx context.Context, repo *gitext.Repo) (*Case, error) {
	if err := k.pool.AddIndexed(ctx, repo, k.fc, k.Set); err != nil {
		return nil, err
	}
	with, err := newCase(ctx, k.fc, k.Set, k.pool)
	if err == nil {
		with.indexed = k.pool.Named != nil
	}
	return with, err
}

// indexReason names the texts of the fix that a candidate changed according to an index
// of changed lines.
func (k *Case) indexReason(c *candidate.Candidate) string {
	n := k.pool.Named[c.OID]
	if n == nil || len(n.Best) == 0 {
		return k.wordsReason(c)
	}
	if best := n.Best[0]; best.Last && best.Sum <= 0 {
		return "the last commit that " + didTo(best) + " " + best.Shown() + ", which the fix uses"
	}
	texts := make([]string, len(n.Best))
	for i, t := range n.Best {
		texts[i] = t.Shown()
	}
	return "changed lines elsewhere that have " + strings.Join(texts, ", ") + " of the fix"
}

// didTo describes a commit's change to a text.
func didTo(t candidate.NamedText) string {
	switch {
	case t.Sum < 0:
		return "took out"
	case t.Sum > 0:
		return "added"
	}
	return "changed lines with"
}

// TextChanges returns the changes of commits to a text of the fix, newest first. It is
// nil if no index of changed lines was asked, or the text is common.
func (k *Case) TextChanges(text string) []gitext.TextChange { return k.pool.Texts[text] }

// indexedVector computes all features of a candidate, including those of the index.
func (k *Case) indexedVector(c *candidate.Candidate) []float64 {
	x := k.vector(c)
	for _, f := range indexedFeatures {
		x = append(x, f.get(k, c))
	}
	return x
}

// readNamings notes the best score in the index.
func (k *Case) readNamings() {
	for _, n := range k.pool.Named {
		k.bestNaming = max(k.bestNaming, n.Score)
	}
}
