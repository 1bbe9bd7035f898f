package szztrain

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"git-agent/agent/szz/rank"
)

// Params are the settings of the training.
type Params struct {
	Rounds       int     // trees
	Leaves       int     // most leaves of a tree
	MinRows      int     // fewest rows in a leaf
	LearningRate float64 // shrinkage of each tree
	L2           float64 // weight of the leaf values' penalty
	FeatureShare float64 // share of the features tried by a tree
	RowShare     float64 // share of the groups seen by a tree
	Seed         uint64
}

// Rows are the training set. The rows of a group are sampled together, so that a
// tree sees all candidates of a case or none.
type Rows struct {
	X      [][]float64
	Y      []bool
	Weight []float64
	Group  []int // number of each row's group, ascending from 0
	// Start has the initial scores, which the trees correct; nil is 0 for all. A Forest does not
	// add these scores.
	Start []float64
}

const maxBins = 64

// trainer is the state of one training run.
type trainer struct {
	p      Params
	rows   Rows
	cuts   [][]float64 // by feature: upper bounds of all bins but the last
	bins   [][]uint8   // by feature, by row
	score  []float64
	grad   []float64
	hess   []float64
	groups int
	rng    *rand.Rand
}

// Train fits a forest to rows. It boosts the conditional logit of McFadden (1974), the loss
// of ListNet with one true element: histogram-based as in LightGBM (Ke et al., NIPS 2017,
// algorithm 1), leaf-wise, with the second-order gain and the leaf shrinkage of XGBoost
// (Chen and Guestrin, KDD 2016, equations 5 to 7). The same rows and parameters give the
// same forest on every machine of one architecture.
func Train(rows Rows, p Params) *rank.Forest {
	t := &trainer{p: p, rows: rows, rng: rand.New(rand.NewPCG(p.Seed, 1))}
	t.groups = rows.Group[len(rows.Group)-1] + 1
	t.bin()
	m := &rank.Forest{}
	n := len(rows.Y)
	t.score, t.grad, t.hess = make([]float64, n), make([]float64, n), make([]float64, n)
	copy(t.score, rows.Start)
	for range p.Rounds {
		t.gradients()
		tree := t.grow(t.sample())
		for i := range t.score {
			t.score[i] += tree[tree.Leaf(rows.X[i])].Value
		}
		m.Trees = append(m.Trees, tree)
	}
	return m
}

// bin sorts each feature's values into at most maxBins bins of similar size.
func (t *trainer) bin() {
	n := len(t.rows.X)
	for f := range t.rows.X[0] {
		values := make([]float64, n)
		for i, x := range t.rows.X {
			values[i] = x[f]
		}
		cuts := cutPoints(values)
		bins := make([]uint8, n)
		for i, x := range t.rows.X {
			bins[i] = uint8(sort.SearchFloat64s(cuts, x[f]))
		}
		t.cuts, t.bins = append(t.cuts, cuts), append(t.bins, bins)
	}
}

func cutPoints(values []float64) []float64 {
	slices.Sort(values)
	distinct := slices.Compact(slices.Clone(values))
	var cuts []float64
	if len(distinct) <= maxBins {
		for i := 1; i < len(distinct); i++ {
			cuts = append(cuts, (distinct[i-1]+distinct[i])/2)
		}
		return cuts
	}
	// The bins have equal numbers of distinct values, not of rows: zero is the
	// commonest value of most features, and the other values would share few bins.
	for b := 1; b < maxBins; b++ {
		i := b * len(distinct) / maxBins
		cuts = append(cuts, (distinct[i-1]+distinct[i])/2)
	}
	return slices.Compact(cuts)
}

// gradients computes the gradients of the softmax loss within each group: the model predicts the
// true row of the group. Several true rows count in equal parts, and a group without a true row
// is ignored.
func (t *trainer) gradients() {
	for lo := 0; lo < len(t.score); {
		hi := lo
		for hi < len(t.score) && t.rows.Group[hi] == t.rows.Group[lo] {
			hi++
		}
		t.groupGradients(lo, hi)
		lo = hi
	}
}

func (t *trainer) groupGradients(lo, hi int) {
	top, sum, truths := math.Inf(-1), 0.0, 0.0
	for i := lo; i < hi; i++ {
		top = max(top, t.score[i])
		if t.rows.Y[i] {
			truths++
		}
	}
	for i := lo; i < hi; i++ {
		sum += math.Exp(t.score[i] - top)
	}
	const leastCurve = 1e-3 // lower bound for a row's curvature, so that clear answers do not cause wild steps
	for i := lo; i < hi; i++ {
		t.grad[i], t.hess[i] = 0, 0
		if truths == 0 {
			continue
		}
		p, y := math.Exp(t.score[i]-top)/sum, 0.0
		if t.rows.Y[i] {
			y = 1 / truths
		}
		t.grad[i] = t.rows.Weight[i] * (p - y)
		t.hess[i] = t.rows.Weight[i] * max(p*(1-p), leastCurve)
	}
}

// sample draws the rows and features for one tree.
func (t *trainer) sample() (rows []int32, feats []int) {
	in := make([]bool, t.groups)
	for g := range in {
		in[g] = t.rng.Float64() < t.p.RowShare
	}
	for i, g := range t.rows.Group {
		if in[g] {
			rows = append(rows, int32(i))
		}
	}
	k := max(1, int(t.p.FeatureShare*float64(len(t.cuts))))
	feats = t.rng.Perm(len(t.cuts))[:k]
	slices.Sort(feats)
	return rows, feats
}

// An openLeaf is a leaf that can still be split.
type openLeaf struct {
	node int
	rows []int32
	g, h float64
	hist []histogram // by index in the tree's features; nil if the leaf is too small to split
	best split
}

// A histogram sums the rows of a leaf by the bins of one feature.
type histogram [maxBins + 1]struct {
	g, h float64
	n    int
}

// A split divides a leaf in two.
type split struct {
	gain    float64
	feature int
	bin     int // rows with at most this bin go left
}

// grow builds one tree by splitting the leaf with the largest gain until there are enough leaves.
func (t *trainer) grow(rows []int32, feats []int) rank.Tree {
	tree := rank.Tree{{}}
	leaves := []*openLeaf{t.newLeaf(0, rows)}
	t.count(leaves[0], feats)
	t.findSplit(leaves[0], feats)
	tree[0].Value = t.value(leaves[0])
	for len(leaves) < t.p.Leaves {
		at := -1
		for i, l := range leaves {
			if l.best.gain > 1e-9 && (at < 0 || l.best.gain > leaves[at].best.gain) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		l := leaves[at]
		left, right := t.part(l)
		n := len(tree)
		tree[l.node].Feature, tree[l.node].Threshold = l.best.feature, t.cuts[l.best.feature][l.best.bin]
		tree[l.node].Left, tree[l.node].Right = n, n+1
		a, b := t.newLeaf(n, left), t.newLeaf(n+1, right)
		t.countHalves(l, a, b, feats)
		t.findSplit(a, feats)
		t.findSplit(b, feats)
		tree = append(tree, rank.Node{Value: t.value(a)}, rank.Node{Value: t.value(b)})
		leaves[at] = a
		leaves = append(leaves, b)
	}
	return tree
}

func (t *trainer) value(l *openLeaf) float64 {
	return -t.p.LearningRate * l.g / (l.h + t.p.L2)
}

func (t *trainer) part(l *openLeaf) (left, right []int32) {
	bins := t.bins[l.best.feature]
	for _, i := range l.rows {
		if int(bins[i]) <= l.best.bin {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return left, right
}

func (t *trainer) newLeaf(node int, rows []int32) *openLeaf {
	l := &openLeaf{node: node, rows: rows}
	for _, i := range rows {
		l.g += t.grad[i]
		l.h += t.hess[i]
	}
	return l
}

// count computes a leaf's histograms from its rows.
func (t *trainer) count(l *openLeaf, feats []int) {
	l.hist = make([]histogram, len(feats))
	for k, f := range feats {
		hist, bins := &l.hist[k], t.bins[f]
		for _, i := range l.rows {
			b := &hist[bins[i]]
			b.g += t.grad[i]
			b.h += t.hess[i]
			b.n++
		}
	}
}

// countHalves computes the histograms of a leaf's two halves. It counts the smaller half and
// subtracts it from the whole; the larger half reuses the memory of the whole.
func (t *trainer) countHalves(whole, a, b *openLeaf, feats []int) {
	if len(a.rows) > len(b.rows) {
		a, b = b, a
	}
	if t.splittable(b) {
		t.count(a, feats)
		b.hist, whole.hist = whole.hist, nil
		for k := range b.hist {
			for i := range b.hist[k] {
				x, y := &b.hist[k][i], &a.hist[k][i]
				x.g, x.h, x.n = x.g-y.g, x.h-y.h, x.n-y.n
			}
		}
	}
}

func (t *trainer) splittable(l *openLeaf) bool { return len(l.rows) >= 2*t.p.MinRows }

// findSplit looks for the best threshold over all features.
func (t *trainer) findSplit(l *openLeaf, feats []int) {
	if !t.splittable(l) {
		return
	}
	gain := func(g, h float64) float64 { return g * g / (h + t.p.L2) }
	whole := gain(l.g, l.h)
	for k, f := range feats {
		hist := &l.hist[k]
		var g, h float64
		n := 0
		for b := range len(t.cuts[f]) {
			g, h, n = g+hist[b].g, h+hist[b].h, n+hist[b].n
			if n < t.p.MinRows || len(l.rows)-n < t.p.MinRows {
				continue
			}
			if s := gain(g, h) + gain(l.g-g, l.h-h) - whole; s > l.best.gain {
				l.best = split{gain: s, feature: f, bin: b}
			}
		}
	}
}
