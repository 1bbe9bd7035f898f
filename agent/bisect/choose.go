package bisect

import (
	"cmp"
	"math"
	"slices"

	"git-agent/gitext"
)

const (
	// leastInformation ends a search: no further run is expected to tell as much, in bits. The
	// chance that the command can be judged at the commit counts.
	leastInformation = 0.02
	flakyInformation = 0.002 // likewise for a flaky command, whose runs tell less each
)

// choose returns up to k commits whose runs together are expected to tell most, given an estimate;
// none if no run would tell enough. A run that the proof probably needs counts up to twice, because
// it is made in any case. choose may replace the estimate's weights.
func (s *search) choose(e *estimate, k int) []gitext.OID {
	needed := s.needed(e.weights)
	if s.mustHalve() {
		e.weights = s.uniform()
		clear(needed)
	}
	least := leastInformation
	if s.flaky {
		least = flakyInformation
	}
	type option struct {
		at      gitext.OID
		p, bits float64
	}
	var options []option
	usable, gain := s.usability(), e.gain(s.g)
	for _, x := range s.eligible(e.weights) {
		if p, bits := gain.at(x); bits > least {
			options = append(options, option{s.g.commits[x], p, bits * usable(x) * (1 + needed[x])})
		}
	}
	if s.flaky && len(s.old) > 0 {
		options = append(options, option{s.old[0], 0, gain.atOld()})
	}
	var picks []gitext.OID
	for j := range k {
		target := float64(j+1) / float64(k+1)
		best, most := gitext.OID(""), least
		for _, o := range options {
			score := o.bits
			if k > 1 && !s.flaky {
				score *= entropy(warp(o.p, target)) / max(entropy(o.p), leastInformation)
			}
			if score > most && !slices.Contains(picks, o.at) {
				best, most = o.at, score
			}
		}
		if best != "" {
			picks = append(picks, best)
		}
	}
	return picks
}

// warp maps a probability so that target becomes one half.
func warp(p, target float64) float64 {
	if p < target {
		return p / target / 2
	}
	return 1 - (1-p)/(1-target)/2
}

// mustHalve reports whether the runs that may be lost on a bad prior are spent, so that the rest
// of the range has to be halved.
func (s *search) mustHalve() bool {
	if s.flaky || len(s.q.Old) == 0 {
		return false
	}
	const spare, atTip = 3, 1 // runs
	return Halvings(s.belief.live.len()) >= s.halvings+spare-atTip-s.elsewhere()
}

// uniform returns the same weight for all commits that no outcome excludes.
func (s *search) uniform() []float64 {
	weights := make([]float64, len(s.belief.prior))
	n := float64(s.belief.live.len())
	for i := range s.g.commits {
		if s.belief.live.has(i) {
			weights[i] = 1 / n
		}
	}
	return weights
}

// eligible returns the commits at which a run could tell something. In a flaky search, these are
// the probable culprits, their parents, and some commits between, each as often as needed.
func (s *search) eligible(weights []float64) []int {
	var list []int
	if !s.flaky {
		for i, c := range s.g.commits {
			if s.belief.live.has(i) && !s.unusable(c) {
				list = append(list, i)
			}
		}
		return list
	}
	const most = 60
	order := s.byWeight(weights)
	for _, i := range order[:min(most, len(order))] {
		list = append(list, s.g.around(i)...)
	}
	for i := 0; i < len(s.g.commits); i += 1 + len(s.g.commits)/most {
		list = append(list, i)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(i int) bool { return s.unusable(s.g.commits[i]) })
}

// byWeight returns the commits of the graph, the heaviest first.
func (s *search) byWeight(weights []float64) []int {
	order := make([]int, len(s.g.commits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	return order
}

// needed returns, for each commit, the probability that the proof of the culprit needs a run there:
// that it is the culprit or one of its parents.
func (s *search) needed(weights []float64) []float64 {
	chance := make([]float64, len(s.g.commits))
	for i := range s.g.commits {
		for _, x := range s.g.around(i) {
			chance[x] += weights[i]
		}
	}
	return chance
}

// usability returns a function that estimates the chance that the command can be judged at a
// commit: by the outcomes at the nearest commits, because commits that do not build are mostly
// neighbours.
func (s *search) usability() func(x int) float64 {
	type seen struct {
		at      int
		unknown bool
	}
	var all []seen
	unknown := false
	for c, t := range s.tallies {
		if i, ok := s.g.known(c); ok {
			all = append(all, seen{i, t.New+t.Old == 0})
			unknown = unknown || t.New+t.Old == 0
		}
	}
	if !unknown {
		return func(int) float64 { return 1 }
	}
	const strength, usual, parts = 0.05, 0.9, 8
	reach := max(1.5, float64(s.span())/parts)
	return func(x int) float64 {
		good, bad := strength*usual, strength*(1-usual)
		for _, o := range all {
			near := math.Exp(-math.Abs(float64(x-o.at)) / reach)
			if o.unknown {
				bad += near
			} else {
				good += near
			}
		}
		return good / (good + bad) * s.buildsBack(x)
	}
}

// buildsBack returns the chance that a commit is not too old for the command, if no Old commit is
// known: each commit between it and the oldest judged one whose outcome is unknown lessens it, but
// for the first two. A test of today does not build with the code before its feature.
func (s *search) buildsBack(x int) float64 {
	if s.belief.olds > 0 || len(s.old) > 0 {
		return 1
	}
	const perUnknown, spared = 0.3, 2
	unknown := 0
	for i := x - 1; i >= 0; i-- {
		t, seen := s.tallies[s.g.commits[i]]
		if seen && t.New > 0 {
			break
		}
		if seen {
			unknown++
		}
	}
	return math.Pow(perUnknown, float64(max(0, unknown-spared)))
}

// span returns the number of places in the graph's order between the first and the last commit
// that is not excluded.
func (s *search) span() int {
	first, last := -1, 0
	for i := range s.g.commits {
		if s.belief.live.has(i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return last - first + 1
}
