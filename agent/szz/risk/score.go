package risk

import (
	_ "embed"
	"math"
	"sort"
	"time"

	"git-agent/agent/stat"
)

// modelJSON is written by go run ./cmd/train szz risk fit.
//
//go:embed model.json
var modelJSON []byte

// A Model weighs features. Without an index of changed lines, Plain is used.
type Model struct {
	About   string  `json:"about"` // what it is fitted to
	Plain   Weights `json:"plain"`
	Indexed Weights `json:"indexed"`
}

// Weights are a logistic model without its constant, and the scores of ordinary commits.
type Weights struct {
	Features map[string]float64 `json:"features"`
	Ordinary []float64          `json:"ordinary"` // ascending: evenly spread quantiles of the scores of random commits
}

// Shipped returns the model in the program.
var Shipped = stat.Embedded[Model]("risk", modelJSON)

// names of the features; those behind plainFeatures need an index.
var featureNames = []string{
	"added", "removed", "code", "files", "blocks", "fresh_files", "share_of_tests", "no_source", "only_adds",
	"commits_of_files", "fixes_of_files", "share_of_fixes", "people", "days_since_file", "recent_commits", "files_at_once",
	"commits_of_lines", "fixes_of_lines", "days_since_lines", "last_was_fix", "checks_removed", "undoes", "reverted", "siblings",
	"names_changes", "names_unknown", "names_fixes", "names_share_of_fixes", "took_out",
}

// plainFeatures is the number of features that need no index.
const plainFeatures = 24

// Names lists the features in the order of Answer.Features.
func Names() []string { return featureNames }

// PlainNames lists the features that need no index.
func PlainNames() []string { return featureNames[:plainFeatures] }

// features returns the inputs of the score.
func (s *study) features() []float64 {
	c, log := s.change, math.Log1p
	lines := float64(max(1, c.added+c.removed+c.testAddition))
	x := []float64{
		log(float64(c.added)), log(float64(c.removed)), log(float64(c.code)), log(float64(c.count)), log(float64(len(c.blocks))),
		log(float64(c.fresh)), float64(c.testAddition) / lines, stat.Flag(c.sources == 0), stat.Flag(c.removed == 0),
	}
	x = append(x, s.pastFeatures()...)
	x = append(x, log(s.traced.commits), log(s.traced.fixes), log(max(0, s.traced.newest)), stat.Flag(s.traced.newestIsFix),
		log(s.traced.checksRemoved), s.found[Undoes], s.found[Reverted], log(s.found[Sibling]))
	n := s.named
	return append(x, n.changes, n.unknown/max(1, n.names), log(n.fixes), n.fixes/max(1, n.judged), log(n.tookOut))
}

// pastFeatures returns what is known of the files of the change.
func (s *study) pastFeatures() []float64 {
	commits, fixes, recent, atOnce := 0.0, 0.0, 0.0, 0.0
	people := map[string]bool{}
	days := 0.0
	for i, e := range s.past.entries {
		age := s.fc.Date.Sub(e.commit.Committer.Time)
		if i == 0 {
			days = max(0, age.Hours()/24)
		}
		commits++
		fixes += stat.Flag(e.fix)
		recent += stat.Flag(age < 365*24*time.Hour)
		atOnce += math.Log1p(float64(e.touched.Files))
		people[e.commit.Author.Email] = true
	}
	return []float64{
		math.Log1p(commits), math.Log1p(fixes), fixes / max(1, commits), math.Log1p(float64(len(people))), math.Log1p(days),
		math.Log1p(recent), atOnce / max(1, commits),
	}
}

// score returns the share of ordinary commits that look less risky.
func score(x []float64, indexed bool) float64 {
	w := Shipped().Plain
	if indexed {
		w = Shipped().Indexed
	}
	return w.Rank(w.Sum(x))
}

// Sum returns the weighted sum of features.
func (w Weights) Sum(x []float64) float64 {
	z := 0.0
	for i, name := range featureNames {
		z += w.Features[name] * x[i]
	}
	return z
}

// Rank returns the share of ordinary commits with a lower sum.
func (w Weights) Rank(z float64) float64 {
	if len(w.Ordinary) == 0 {
		return 0
	}
	return float64(sort.SearchFloat64s(w.Ordinary, z)) / float64(len(w.Ordinary))
}
