// Package fixlike estimates whether a commit is a fix. The lines of documentation, new
// features, refactorings and releases have owners too, but these owners introduced no
// bug.
//
// The model is a logistic regression over the subject and the shape of the patch. It
// cannot tell for sure: a fix may look like a refactoring. [Temper] therefore lowers
// probabilities and adds a note, and removes no suspect.
package fixlike

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// prior is the probability that a commit is a fix, before its features are known. It is
// not the share of fixes in a history, which is about a quarter: a user who asks for the
// culprit of a commit mostly has a reason to take the commit for a fix. With this value
// the probabilities of fixes stay calibrated. Of the first suspects of 400 fixes in 19
// repositories that the ranker was not trained on, .66 are right; the mean of their
// probabilities is .65, and .69 without this package (ECE .054 and .041, where chance
// gives .05; log loss .469 and .476). Of the first suspects of 149 commits that are no
// fixes, all are wrong; the mean is .39, and .55 without. The command is the one at
// defaultTrailerFloor in cmd/git-agent, with cmd/train/szztrain/testdata/read.jsonl as one
// more file.
const prior = 0.95

// doubtful is the probability of a fix below which a note says that the commit does not
// look like one. The probability is below it for 40 % of the commits that are no fixes,
// for one of 47 fixes read by hand, and for 6 % of the fixes that name a culprit.
const doubtful = 0.7

// ordinaryFix is the least probability of a fix at which the probabilities of suspects do
// not change, so that ordinary fixes keep theirs. On 388 fixes of dev.jsonl (git agent
// eval szz), which are all fixes, the expected calibration error is .086 with it, .084
// without this package, and .103 with the factor uncapped. The figures at prior are for
// the uncapped factor.
const ordinaryFix = 0.85

// A Judgement is the estimate whether a commit is a fix.
type Judgement struct {
	Probability float64  // that the commit is a fix
	Why         []string // other purposes that it looks like, strongest first; nil if it looks like a fix
}

// Judge judges a fix by the subject of its message and its patch.
func Judge(fc *szz.FixContext) Judgement {
	x := Vector(fc)
	j := Judgement{Probability: stat.Logistic(logOdds(x) + math.Log(prior/(1-prior)))}
	if j.Probability < doubtful {
		j.Why = reasons(x)
	}
	return j
}

// share is the share of fixes in a history: among 196 random commits with a purpose clear to a
// reader, 47 were fixes.
const share = 0.24

// Likely reports whether any commit of a history is more likely to be a fix than not. Judge is for a
// commit that the user calls a fix. Without a patch, the commit is judged by its subject, as if it
// changed some lines of source code.
func Likely(c gitext.Commit, patch *gitext.Patch) bool {
	x := Vector(&szz.FixContext{Fix: c.OID, Commit: c, Message: c.Message, Patch: patch})
	if patch == nil {
		copy(x[len(x)-len(patchFeatures):], someLines)
	}
	return logOdds(x)+math.Log(share/(1-share)) > 0
}

// someLines are the features of a patch of 25 lines in two files, three quarters of them source code.
var someLines = []float64{math.Log1p(2), math.Log(25), 0.75, 0.1, 0, 0, 0, 0, 0}

// logOdds returns the log-odds of a fix where half of the commits are fixes.
func logOdds(x []float64) float64 {
	z := weights[len(x)].weight
	for i, v := range x {
		z += weights[i].weight * v
	}
	return z
}

// factor returns the factor for the probabilities of suspects: 1 if the commit looks like
// a fix, and less the less it looks like one.
func (j Judgement) factor() float64 { return min(1, j.Probability/ordinaryFix) }

// Temper multiplies the probabilities of the ranking, which hold for fixes, by the
// probability that the commit is a fix, if that is below ordinaryFix. If the commit does
// not look like a fix, Temper adds a note to any answer. It does not change an answer
// from the message of the fix, which says that the commit is a fix, nor one from the history of
// whole files, because it judges by changed lines. The order of the
// suspects stays. An answer of a model keeps its probabilities, because the model has
// seen the fix itself.
func Temper(fc *szz.FixContext, v *szz.Answer) {
	if v.Algorithm == szz.ByAnnotation || v.Algorithm == szz.ByFileHistory || len(v.Suspects) == 0 {
		return
	}
	j := Judge(fc)
	if v.Algorithm == "rank" {
		for i := range v.Suspects {
			v.Suspects[i].Probability *= j.factor()
		}
		if v.Owner != nil { // the owner is listed beside them
			v.Owner.Probability *= j.factor()
		}
	}
	if j.Probability >= doubtful {
		return
	}
	note := "this does not look like a fix of a bug"
	if len(j.Why) > 0 {
		note += ": " + strings.Join(j.Why, " and ")
	}
	if v.Algorithm == "rank" {
		note += "; the probabilities are therefore lower"
	}
	v.Note("%s", note)
}

// ordinary is the weight that many files or lines may have against a fix, in log-odds,
// before they count as a reason: the weight of 6 files or 40 lines.
var ordinary = map[string]float64{"files": 0.74, "lines": 2.3}

// reasons returns the strongest features against a fix, in words.
func reasons(x []float64) (why []string) {
	const most, least = 2, 0.4 // number of reasons, and least log-odds of one
	type reason struct {
		say    string
		weight float64
	}
	var found []reason
	for i, v := range x {
		w := weights[i]
		if r := (reason{w.say, w.weight*v + ordinary[w.name]}); r.say != "" && r.weight <= -least {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b reason) int { return cmp.Compare(a.weight, b.weight) })
	for _, r := range found[:min(most, len(found))] {
		why = append(why, r.say)
	}
	return why
}

// WithoutMessage returns the features of the same commit without its message.
func WithoutMessage(x []float64) []float64 {
	silent := make([]float64, len(x))
	copy(silent[1+len(wordFeatures):], x[1+len(wordFeatures):])
	return silent
}
