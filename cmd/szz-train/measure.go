package main

import (
	"fmt"
	"math"
	"sort"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// figures are the usual metrics, micro-averaged over bug-introducing commits.
type figures struct {
	Precision, Recall, F1 float64
	Ghost, Cross          float64 // recall on fixes that delete nothing, and on cross-file ones
	Ceiling               float64 // highest possible recall: the share of true commits that are candidates
	ECE                   float64 // expected calibration error of the first suspect's probability
	NamedECE              float64 // the same for all named suspects
	LogLoss               float64 // of all candidates' probabilities, a case on average
	Cases                 int
}

func (f figures) String() string {
	return fmt.Sprintf("P %.3f R %.3f F1 %.3f ghost %.3f cross-file %.3f ceiling %.3f ECE first %.3f named %.3f log loss %.3f (%d cases)",
		f.Precision, f.Recall, f.F1, f.Ghost, f.Cross, f.Ceiling, f.ECE, f.NamedECE, f.LogLoss, f.Cases)
}

// nameThresholds are the lowest probabilities at which a second or later suspect is
// named. ghost applies to fixes that delete nothing, most to all others.
type nameThresholds struct{ most, ghost float64 }

// firstOnly names one commit for each fix, because no probability is above 1.
var firstOnly = nameThresholds{2, 2}

func (n nameThresholds) of(ex rank.Example) float64 {
	if ex.Ghost {
		return n.ghost
	}
	return n.most
}

// measure names the best candidate of each case and all others whose
// probability reaches the threshold, and computes the figures.
func measure(rows []rank.Example, ps [][]float64, from nameThresholds) figures {
	var hits, named, truth, ghost, ghosts, cross, crosses, reach int
	for i, r := range rows {
		h := 0
		for _, j := range chosen(ps[i], from.of(r)) {
			named++
			if r.Hit[j] {
				h++
			}
		}
		h = min(h, r.Truth)
		hits += h
		truth += r.Truth
		if r.Ghost {
			ghost, ghosts = ghost+h, ghosts+r.Truth
		}
		if r.Cross {
			cross, crosses = cross+h, crosses+r.Truth
		}
		for _, hit := range r.Hit {
			if hit {
				reach++
			}
		}
	}
	f := figures{
		Precision: share(hits, named), Recall: share(hits, truth), Ceiling: share(reach, truth),
		Ghost: share(ghost, ghosts), Cross: share(cross, crosses), Cases: len(rows),
		ECE: stat.ECE(namedForecasts(rows, ps, firstOnly)), NamedECE: stat.ECE(namedForecasts(rows, ps, from)),
		LogLoss: logLoss(rows, ps),
	}
	if hits > 0 {
		f.F1 = 2 * f.Precision * f.Recall / (f.Precision + f.Recall)
	}
	return f
}

// logLoss returns the mean cost of a case: the sum of the log losses of its
// candidates' probabilities. It shows changes that are too small to move a candidate
// to another place.
func logLoss(rows []rank.Example, ps [][]float64) float64 {
	const least = 1e-9 // of a probability, so that one blunder does not decide the sum
	sum := 0.0
	for i, r := range rows {
		for j, p := range ps[i] {
			if !r.Hit[j] {
				p = 1 - p
			}
			sum -= math.Log(max(p, least))
		}
	}
	return sum / float64(max(1, len(rows)))
}

// namedForecasts returns the forecasts of the suspects that are named in each case.
func namedForecasts(rows []rank.Example, ps [][]float64, from nameThresholds) [][]stat.Forecast {
	forecasts := make([][]stat.Forecast, len(rows))
	for i, r := range rows {
		for _, j := range chosen(ps[i], from.of(r)) {
			forecasts[i] = append(forecasts[i], stat.Forecast{P: ps[i][j], Right: r.Hit[j]})
		}
	}
	return forecasts
}

func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

func chosen(ps []float64, threshold float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return ps[order[a]] > ps[order[b]] })
	n := min(1, len(order))
	for n < len(order) && ps[order[n]] >= threshold {
		n++
	}
	return order[:n]
}

func provenance(rows []rank.Example, f figures) rank.Provenance {
	p := rank.Provenance{Repos: map[string]int{}, Cross: map[string]float64{
		"precision": round4(f.Precision), "recall": round4(f.Recall), "f1": round4(f.F1),
		"ghost_recall": round4(f.Ghost), "cross_file_recall": round4(f.Cross), "ceiling": round4(f.Ceiling), "ece": round4(f.ECE),
	}}
	for _, r := range rows {
		p.Cases++
		p.Candidates += len(r.Hit)
		p.Repos[r.Repo]++
	}
	return p
}
