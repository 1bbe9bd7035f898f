package szztrain

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// figures are the usual metrics, micro-averaged over bug-introducing commits.
type figures struct {
	Precision, Recall, F1 float64
	Ghost, Cross          float64 // recall on fixes without deletions, and on cross-file ones
	Three                 float64 // recall of the first three suspects, named or not
	Ceiling               float64 // highest possible recall: the share of true commits that are candidates
	ECE                   float64 // expected calibration error of the first suspect's probability
	NamedECE              float64 // the same for all named suspects
	LogLoss               float64 // of all candidates' probabilities, mean of the cases
	Cases                 int
}

// A figure is one of the figures with its printed name.
type figure struct {
	name  string
	value float64
}

// list returns the figures in the order of printing.
func (f figures) list() []figure {
	return []figure{
		{"P", f.Precision}, {"R", f.Recall}, {"F1", f.F1}, {"ghost", f.Ghost}, {"cross-file", f.Cross}, {"three", f.Three},
		{"ceiling", f.Ceiling}, {"ECE first", f.ECE}, {"named", f.NamedECE}, {"log loss", f.LogLoss},
	}
}

func (f figures) String() string {
	var b strings.Builder
	for _, x := range f.list() {
		fmt.Fprintf(&b, "%s %.3f ", x.name, x.value)
	}
	return b.String() + fmt.Sprintf("(%d cases)", f.Cases)
}

// nameThresholds are the lowest probabilities for naming a second or later suspect. ghost applies
// to fixes without deletions, most to all others.
type nameThresholds struct{ most, ghost float64 }

// firstOnly names one commit for each fix, because no probability is above 1.
var firstOnly = nameThresholds{2, 2}

func (n nameThresholds) of(ex rank.Example) float64 {
	if ex.Ghost {
		return n.ghost
	}
	return n.most
}

// A tally is the contribution of one case to the figures.
type tally struct {
	named, hits, three   int // named commits, the right ones, and the right ones of the first three
	truth, reach         int // true commits, and true candidates
	ghost, cross         bool
	first, namedForecast []stat.Forecast
	loss                 float64
}

// tallyOf names the best candidate of a case and all others whose probability reaches
// the threshold.
func tallyOf(r rank.Example, ps []float64, from nameThresholds) tally {
	t := tally{truth: r.Truth, ghost: r.Ghost, cross: r.Cross}
	order := inOrder(ps)
	list := chosen(ps, from.of(r))
	for place, j := range order {
		if r.Hit[j] {
			t.reach++
			if place < len(list) {
				t.hits++
			}
			if place < 3 {
				t.three++
			}
		}
		t.loss += logLoss(ps[j], r.Hit[j])
	}
	t.named, t.hits, t.three = len(list), min(t.hits, t.truth), min(t.three, t.truth)
	for _, j := range list {
		t.namedForecast = append(t.namedForecast, stat.Forecast{P: ps[j], Right: r.Hit[j]})
	}
	t.first = t.namedForecast[:min(1, len(list))]
	return t
}

func talliesOf(rows []rank.Example, ps [][]float64, from nameThresholds) []tally {
	list := make([]tally, len(rows))
	for i, r := range rows {
		list[i] = tallyOf(r, ps[i], from)
	}
	return list
}

// measure computes the figures of cases.
func measure(rows []rank.Example, ps [][]float64, from nameThresholds) figures {
	return figuresOf(talliesOf(rows, ps, from))
}

func figuresOf(cases []tally) figures {
	var hits, named, truth, three, ghost, ghosts, cross, crosses, reach int
	first, list := make([][]stat.Forecast, len(cases)), make([][]stat.Forecast, len(cases))
	loss := 0.0
	for i, t := range cases {
		hits, named, truth, three, reach = hits+t.hits, named+t.named, truth+t.truth, three+t.three, reach+t.reach
		if t.ghost {
			ghost, ghosts = ghost+t.hits, ghosts+t.truth
		}
		if t.cross {
			cross, crosses = cross+t.hits, crosses+t.truth
		}
		first[i], list[i] = t.first, t.namedForecast
		loss += t.loss
	}
	f := figures{
		Precision: share(hits, named), Recall: share(hits, truth), Three: share(three, truth), Ceiling: share(reach, truth),
		Ghost: share(ghost, ghosts), Cross: share(cross, crosses), Cases: len(cases),
		ECE: stat.ECE(first), NamedECE: stat.ECE(list), LogLoss: loss / float64(max(1, len(cases))),
	}
	if hits > 0 {
		f.F1 = 2 * f.Precision * f.Recall / (f.Precision + f.Recall)
	}
	return f
}

// logLoss returns the cost of a probability. The sum of costs shows changes too small to affect
// the order of candidates.
func logLoss(p float64, hit bool) float64 {
	const least = 1e-9 // least probability, so that one blunder does not dominate the sum
	if !hit {
		p = 1 - p
	}
	return -math.Log(max(p, least))
}

// namedForecasts returns the forecasts of the named suspects of each case.
func namedForecasts(cases []tally) [][]stat.Forecast {
	forecasts := make([][]stat.Forecast, len(cases))
	for i, t := range cases {
		forecasts[i] = t.namedForecast
	}
	return forecasts
}

func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// inOrder returns the indexes of the candidates, most probable first.
func inOrder(ps []float64) []int {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return ps[order[a]] > ps[order[b]] })
	return order
}

func chosen(ps []float64, threshold float64) []int {
	order := inOrder(ps)
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
