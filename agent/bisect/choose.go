package bisect

import (
	"cmp"
	"math"
	"math/bits"
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
// it is made in any case. If the runs that may be lost on a bad prior are spent, only commits count that
// leave a range which the other runs can halve; if the prior expects nothing of them, the range is
// halved, and choose replaces the estimate's weights.
func (s *search) choose(e *estimate, k int) []gitext.OID {
	list := s.eligible(e.weights)
	if left, bound := s.runsLeft(); bound && Halvings(s.belief.live.len()) >= left {
		list = slices.DeleteFunc(list, func(x int) bool { return !s.leaves(x, left-1) })
		if picks := s.pick(s.options(e, list, s.needed(e.weights)), k); len(picks) > 0 {
			return picks
		}
		e.weights = s.uniform()
		return s.pick(s.options(e, s.eligible(e.weights), nil), k)
	}
	return s.pick(s.options(e, list, s.needed(e.weights)), k)
}

// An option is a commit that could be run.
type option struct {
	at   gitext.OID
	p    float64 // probability that the culprit is in its history
	bits float64 // what the run is expected to tell
}

// options returns the commits of a list whose runs would tell enough. needed has, for each commit of the graph,
// the probability that the proof needs a run there; nil lets it not count.
func (s *search) options(e *estimate, list []int, needed []float64) []option {
	var options []option
	usable, gain := s.usability(), e.gain(s.g)
	for _, x := range list {
		if p, told := gain.at(x); told > s.leastBits() {
			o := option{s.g.commits[x], p, told * usable(x)}
			if needed != nil {
				o.bits *= 1 + needed[x]
			}
			options = append(options, o)
		}
	}
	if s.flaky && len(s.old) > 0 {
		options = append(options, option{s.old[0], 0, gain.atOld()})
	}
	return options
}

// leastBits is the information below which a run tells too little.
func (s *search) leastBits() float64 {
	if s.flaky {
		return flakyInformation
	}
	return leastInformation
}

// pick returns up to k of the options, whose runs together are expected to tell most.
func (s *search) pick(options []option, k int) []gitext.OID {
	var picks []gitext.OID
	for j := range k {
		target := float64(j+1) / float64(k+1)
		best, most := gitext.OID(""), s.leastBits()
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

// runsLeft returns the runs that are left of the logarithm of the range and three; bound is false for a search
// that has no such bound.
func (s *search) runsLeft() (left int, bound bool) {
	const spare, atTip = 3, 1 // runs
	return s.halvings + spare - atTip - s.elsewhere(), !s.flaky && len(s.q.Old) > 0
}

// leaves reports whether some runs can halve what is left behind either outcome at a commit, with a third to
// spare, because no commit halves some histories with merges.
func (s *search) leaves(x, runs int) bool {
	in := 0
	for i, word := range s.belief.live {
		in += bits.OnesCount64(word & s.g.above[x][i])
	}
	most := max(in, s.belief.live.len()-in)
	return most == 1 || Halvings(most+most/3) <= runs
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
