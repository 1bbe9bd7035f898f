package check

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strings"

	"git-agent/agent/stat"
	"git-agent/gitext"
)

// modelJSON is written by go run ./cmd/train szz plant fit.
//
//go:embed model.json
var modelJSON []byte

// A Model weighs the facts that speak for a trailer.
type Model struct {
	About string  `json:"about"` // what it is fitted to
	Tie   Weights `json:"tie"`
	// Ranked also weighs the answer of the ranking. Its feature "tie" is the sum of Tie.
	Ranked Weights `json:"ranked"`
}

// Weights are a logistic model. A trailer whose sum is below the level is doubted.
type Weights struct {
	Features map[string]float64 `json:"features"`
	Constant float64            `json:"constant"`
	Level    float64            `json:"level"`
}

// Sum returns the weighted sum of features.
func (w Weights) Sum(names []string, x []float64) float64 {
	z := w.Constant
	for i, name := range names {
		z += w.Features[name] * x[i]
	}
	return z
}

// Shipped returns the model in the program.
var Shipped = stat.Embedded[Model]("check", modelJSON)

// SurelyMissed is the least probability of a suspect for the finding that its trailer is missing. It
// was measured on fixes whose trailer was taken away: of 56 suspects at this level, 53 are the commit
// that the trailer had named (at 0.7, 70 of 83; at 0.9, 35 of 37).
const SurelyMissed = 0.85

// A Candidate is a suspect of the ranking.
type Candidate struct {
	Commit gitext.Commit
	P      float64
}

// RankedNames lists the features of Model.Ranked: the sum of the tie, and then the features of the
// ranking's answer about the named commit.
var RankedNames = []string{"tie", "suspect", "log_odds", "log_place", "first", "lead"}

// Ranked returns the features of Model.Ranked in the order of RankedNames. The candidates are in the
// order of the ranking.
func Ranked(tie float64, named gitext.OID, candidates []Candidate) []float64 {
	const least = 1e-4 // probability
	odds := func(p float64) float64 {
		p = min(max(p, least), 1-least)
		return math.Log(p / (1 - p))
	}
	first, other := 0.0, 0.0
	x := []float64{tie, 0, odds(0), math.Log1p(float64(len(candidates))), 0, 0}
	for i, c := range candidates {
		if i == 0 {
			first = c.P
		}
		if c.Commit.OID == named {
			x[1], x[2], x[3] = 1, odds(c.P), math.Log1p(float64(i))
		} else {
			other = max(other, c.P)
		}
	}
	x[4] = odds(first)
	if x[1] == 1 && x[3] == 0 {
		x[5] = odds(first) - odds(other)
	}
	return x
}

// A Pair is a fix and the commit that its only trailer names.
type Pair struct {
	commit  gitext.Commit
	trailer Named
	fix     *Side
	named   *Side
	tie     float64 // sum
}

// Pairs returns a pair for each of the commits with exactly one trailer, if the trailer names a
// commit of this repository. The key of a pair is the commit with the trailer.
func (c *Checker) Pairs(ctx context.Context, commits []gitext.Commit) (map[gitext.OID]*Pair, error) {
	pairs := map[gitext.OID]*Pair{}
	named := map[gitext.OID]gitext.OID{}
	var read []gitext.OID
	for _, commit := range commits {
		trailers := Trailers(commit.Message)
		if len(trailers) != 1 {
			continue
		}
		looked, err := c.Repo.Abbreviated(ctx, []string{trailers[0].ID})
		if err != nil {
			return nil, err
		}
		if looked[0].OID != "" && looked[0].OID != commit.OID {
			pairs[commit.OID] = &Pair{commit: commit, trailer: trailers[0]}
			named[commit.OID] = looked[0].OID
			read = append(read, commit.OID, looked[0].OID)
		}
	}
	if len(read) == 0 {
		return pairs, nil
	}
	sides, err := c.sides(ctx, read)
	if err != nil {
		return nil, err
	}
	for oid, p := range pairs {
		if p.fix, p.named = sides[oid], sides[named[oid]]; p.fix == nil || p.named == nil {
			delete(pairs, oid) // the clone lacks a part, so nothing can be said
			continue
		}
		p.tie = Shipped().Tie.Sum(TieNames, c.weigher.Tie(p.fix, p.named))
	}
	return pairs, nil
}

// sides reads commits, and how common words are before the first of them.
func (c *Checker) sides(ctx context.Context, oids []gitext.OID) (map[gitext.OID]*Side, error) {
	var err error
	if c.weigher == nil {
		if c.weigher, err = ReadWeigher(ctx, c.Repo, oids[0]); err != nil {
			return nil, err
		}
	}
	commits, err := c.Repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	return ReadSides(ctx, c.Repo, commits)
}

// Doubt returns a finding if the commits of the pair have too little in common, or nil. ranked are
// the suspects of the ranking, or nil if it was not asked.
func (p *Pair) Doubt(ranked []Candidate) *Finding {
	if p == nil {
		return nil
	}
	m := Shipped()
	if ranked == nil {
		if p.tie >= m.Tie.Level {
			return nil
		}
		return p.finding(p.differences())
	}
	if m.Ranked.Sum(RankedNames, Ranked(p.tie, p.named.commit.OID, ranked)) >= m.Ranked.Level {
		return nil
	}
	f := p.finding("")
	switch first := ranked[0]; {
	case first.Commit.OID != p.named.commit.OID && first.P >= likely:
		f.Text = fmt.Sprintf("the ranking suspects another commit, with %.0f%%", 100*first.P)
		f.Write = Format(first.Commit)
	default:
		f.Text = p.differences()
	}
	return f
}

// likely is the least probability of a suspect that is named instead.
const likely = 0.5

func (p *Pair) finding(text string) *Finding {
	return &Finding{Commit: p.commit.OID, Subject: p.commit.Subject(), Trailer: p.trailer.Text, Problem: Doubted, Text: text}
}

// differences says what the two commits do not have in common.
func (p *Pair) differences() string {
	var list []string
	if shared(p.fix.paths, p.named.paths) == 0 {
		list = append(list, "changes no file of the fix")
		if shared(p.fix.dirs, p.named.dirs) == 0 {
			list[0] = "changes no file in a directory of the fix"
		}
	}
	if shared(p.fix.removed, p.named.added) == 0 {
		list = append(list, "wrote no line that the fix changes or stands beside")
	}
	if n := len(telling(p.fix.names).Shared(p.named.names)); n == 0 {
		list = append(list, "has none of its names")
	}
	if len(list) == 0 {
		list = []string{"has hardly anything in common with the fix"}
	}
	return p.named.commit.OID.Short() + " " + strings.Join(list, ", ")
}

// Misses reports whether a commit has no trailer although its subject says that it is a fix, in a
// project that writes trailers.
func (c *Checker) Misses(commit gitext.Commit) bool {
	return c.Habit.Trailers > 0 && len(Trailers(commit.Message)) == 0 && SaysFix(commit.Subject())
}
