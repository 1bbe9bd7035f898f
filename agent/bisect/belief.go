package bisect

import "math"

// rates are the rates of wrong outcomes of a command.
type rates struct {
	falseNew float64 // of New where the truth is Old
	falseOld float64 // of Old where the truth is New
}

// almostNever stands for a rate of 0: a contradiction is improbable and not impossible, so that
// logarithms exist.
const almostNever = 1e-6

// A weightedRates is a pair of rates with its prior probability.
type weightedRates struct {
	rates
	weight float64
}

// ratesOf returns the possible rates: almost none if the command is not flaky. Most flaky commands
// err to one side: a test that sometimes fails for another reason, or a bug that sometimes does
// not show.
func ratesOf(flaky bool) []weightedRates {
	if !flaky {
		return []weightedRates{{rates{almostNever, almostNever}, 1}}
	}
	steps := []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}
	var list []weightedRates
	for _, r := range steps {
		list = append(list, weightedRates{rates{r, almostNever}, 2}, weightedRates{rates{almostNever, r}, 2})
		for _, other := range steps {
			if r+other <= 0.6 {
				list = append(list, weightedRates{rates{r, other}, 0.25})
			}
		}
	}
	total := 0.0
	for _, r := range list {
		total += r.weight
	}
	for i := range list {
		list[i].weight /= total
	}
	return list
}

// A belief is a joint distribution of the culprit and of the rates. The culprit is a commit of a
// graph, or one behind it.
type belief struct {
	g     *graph
	prior []float64 // of each commit, and last of all those behind the graph
	rates []weightedRates

	// newIn and oldIn count, for each possible culprit, the runs at commits with this culprit in
	// their history; news and olds count all.
	newIn, oldIn []int
	news, olds   int
	live         set // commits that no outcome excludes, if no outcome is wrong
}

// behind is the index of the culprits behind the graph.
func (b *belief) behind() int { return len(b.g.commits) }

// newBelief returns the belief before any run. weights are those of the graph's commits; older is
// the probability that the culprit is behind them.
func newBelief(g *graph, weights []float64, older float64, flaky bool) *belief {
	n := len(g.commits)
	b := &belief{g: g, rates: ratesOf(flaky), prior: make([]float64, n+1), newIn: make([]int, n+1), oldIn: make([]int, n+1), live: g.full()}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for i, w := range weights {
		b.prior[i] = w / total * (1 - older)
	}
	b.prior[n] = older
	return b
}

// seeOld adds a run at a commit whose history does not have the culprit, as the user says. One behind the graph is in
// the history of all commits.
func (b *belief) seeOld(outcome Outcome) {
	switch outcome {
	case New:
		b.news++
		b.newIn[b.behind()]++
	case Old:
		b.olds++
		b.oldIn[b.behind()]++
	}
}

// see adds a run at commit x.
func (b *belief) see(x int, outcome Outcome) {
	if outcome == Unknown {
		return
	}
	count, total := b.newIn, &b.news
	if outcome == Old {
		count, total = b.oldIn, &b.olds
		b.live.subtract(b.g.above[x])
	} else {
		b.live.keep(b.g.above[x])
	}
	*total++
	for i := range b.g.commits {
		if b.g.above[x].has(i) {
			count[i]++
		}
	}
	count[b.behind()]++
}

// An estimate is what a belief says about the culprits and about the next outcome.
type estimate struct {
	weights []float64 // probability of each culprit
	// ifIn and ifOut are the probabilities of New at a commit, given the culprit: if it is in the
	// commit's history, and if it is not.
	ifIn, ifOut []float64
	mean        rates
}

// estimate computes the distribution after all runs.
func (b *belief) estimate() *estimate {
	n := len(b.prior)
	e := &estimate{weights: make([]float64, n), ifIn: make([]float64, n), ifOut: make([]float64, n)}
	total := 0.0
	for _, r := range b.rates {
		trueNew, falseOld := math.Log(1-r.falseOld), math.Log(r.falseOld)
		falseNew, trueOld := math.Log(r.falseNew), math.Log(1-r.falseNew)
		here := 0.0
		for i, p := range b.prior {
			if p == 0 {
				continue
			}
			joint := p * r.weight * math.Exp(float64(b.newIn[i])*trueNew+float64(b.oldIn[i])*falseOld+
				float64(b.news-b.newIn[i])*falseNew+float64(b.olds-b.oldIn[i])*trueOld)
			e.weights[i] += joint
			e.ifIn[i] += joint * (1 - r.falseOld)
			e.ifOut[i] += joint * r.falseNew
			here += joint
		}
		e.mean.falseNew += here * r.falseNew
		e.mean.falseOld += here * r.falseOld
		total += here
	}
	for i, w := range e.weights {
		if w > 0 {
			e.ifIn[i] /= w
			e.ifOut[i] /= w
		}
		e.weights[i] /= total
	}
	e.mean.falseNew /= total
	e.mean.falseOld /= total
	return e
}

// contradicted reports whether some outcome must be wrong.
func (b *belief) contradicted() bool {
	return b.live.len() == 0 && (!b.g.deeper || b.olds > 0)
}

// A gain computes the information that a run gives about the culprit: the entropy of its outcome
// less the mean entropy that is left when the culprit is known, in bits.
type gain struct {
	g                                *graph
	probable                         set
	weight, in, out, inLeft, outLeft []float64 // by culprit, each times its weight
	behind                           float64   // weight of the culprits behind the graph
	allOut, allOutLeft               float64
	lastIn, lastInLeft               float64
}

func (e *estimate) gain(g *graph) *gain {
	n := len(g.commits)
	out := &gain{g: g, probable: newSet(n), weight: e.weights, behind: e.weights[n]}
	arrays := []*[]float64{&out.in, &out.out, &out.inLeft, &out.outLeft}
	for _, a := range arrays {
		*a = make([]float64, n)
	}
	for i, w := range e.weights[:n] {
		if w < leastWeight {
			continue
		}
		out.probable.add(i)
		out.in[i], out.inLeft[i] = w*e.ifIn[i], w*entropy(e.ifIn[i])
		out.out[i], out.outLeft[i] = w*e.ifOut[i], w*entropy(e.ifOut[i])
		out.allOut += out.out[i]
		out.allOutLeft += out.outLeft[i]
	}
	out.lastIn, out.lastInLeft = out.behind*e.ifIn[n], out.behind*entropy(e.ifIn[n])
	return out
}

// leastWeight is the least probability of a culprit that counts.
const leastWeight = 1e-9

// atOld returns the information of a run at a good commit: it tells how often New is false.
func (a *gain) atOld() float64 {
	return max(0, entropy(a.lastIn+a.allOut)-a.lastInLeft-a.allOutLeft)
}

// at returns the probability that the culprit is in the history of commit x, and the information
// of a run there.
func (a *gain) at(x int) (p, bits float64) {
	above := a.g.above[x]
	in := func(values []float64) float64 { return above.sum(a.probable, values) }
	isNew := in(a.in) + a.lastIn + a.allOut - in(a.out)
	left := in(a.inLeft) + a.lastInLeft + a.allOutLeft - in(a.outLeft)
	return in(a.weight) + a.behind, max(0, entropy(isNew)-left)
}

// entropy returns the entropy of an event with probability p, in bits.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log2(p) - (1-p)*math.Log2(1-p)
}
