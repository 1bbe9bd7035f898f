package rank

// A Forest is a gradient-boosted model of small binary trees, which cmd/train/szztrain fits.
// It scores rows of features: a score is the sum of one leaf of each tree, and the
// softmax of the scores of a group gives each row the chance to be the true one.
// [Forest.Explain] splits a score into one contribution for each feature: on the way from
// a root to a leaf, each step changes the expected value of the tree, and the feature of
// that step gets the change (the path attribution of Saabas, 2014). Contributions and
// base add up to the score, except for rounding. Features are finite numbers; no value is
// missing.
type Forest struct {
	Trees []Tree `json:"trees"`
}

// A Tree is a list of nodes, the root first.
type Tree []Node

// A Node is a leaf when Left is zero, since no node points back to the root.
type Node struct {
	Feature   int     `json:"f,omitempty"`
	Threshold float64 `json:"t,omitempty"` // rows with at most this value go left
	Left      int     `json:"l,omitempty"`
	Right     int     `json:"r,omitempty"`
	Value     float64 `json:"v"` // expected score of the rows that reach the node
}

// Score returns the model's score for x. Only differences within a group have a meaning.
func (m *Forest) Score(x []float64) float64 {
	s := 0.0
	for _, t := range m.Trees {
		s += t[t.Leaf(x)].Value
	}
	return s
}

// Leaf returns the index of the leaf that a row of features reaches.
func (t Tree) Leaf(x []float64) int {
	i := 0
	for t[i].Left != 0 {
		i = t[i].next(x)
	}
	return i
}

func (n *Node) next(x []float64) int {
	if x[n.Feature] <= n.Threshold {
		return n.Left
	}
	return n.Right
}

// Explain returns the score of x, the base score without knowledge of x, and each
// feature's contribution to the difference.
func (m *Forest) Explain(x []float64) (score, base float64, because []float64) {
	because = make([]float64, len(x))
	for _, t := range m.Trees {
		base += t[0].Value
		for i := 0; t[i].Left != 0; {
			n := t[i].next(x)
			because[t[i].Feature] += t[n].Value - t[i].Value
			i = n
		}
	}
	score = base
	for _, b := range because {
		score += b
	}
	return score, base, because
}
