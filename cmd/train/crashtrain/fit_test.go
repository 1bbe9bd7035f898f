package crashtrain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// simulated makes cases in which the probability of a file grows with its first feature, and
// falls with its second one only in managed languages.
func simulated(n int) []choiceSet {
	rnd := rand.New(rand.NewPCG(1, 2))
	var sets []choiceSet
	for i := range n {
		s := choiceSet{repo: fmt.Sprint("r", i%5), family: fmt.Sprint("r", i%5), id: fmt.Sprint(i), managed: i%2 == 1}
		weights := []float64{1} // of "none"
		sum := 1.0
		for range 4 {
			v := []float64{rnd.NormFloat64(), rnd.NormFloat64(), 0}
			u := 2 * v[0]
			if s.managed {
				u -= 2 * v[1]
			}
			s.vectors = append(s.vectors, v)
			weights = append(weights, math.Exp(u))
			sum += math.Exp(u)
		}
		s.right = make([]bool, 4)
		x := rnd.Float64() * sum
		for j, w := range weights {
			if x -= w; x < 0 {
				if j > 0 {
					s.right[j-1] = true
				}
				break
			}
		}
		sets = append(sets, s)
	}
	return sets
}

func TestFitChoice(t *testing.T) {
	// The fit finds the weights behind the data, and ignores a constant feature.
	t.Parallel()
	c := fitChoice(simulated(3000), 1)
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 0.35 {
			t.Errorf("%s: %.2f, want %.2f", what, got, want)
		}
	}
	near("first", c.shared[0], 2)
	near("second, native", c.shared[1], 0)
	near("second, managed", c.shared[1]+c.managed[1], -2)
	near("constant", c.shared[2], 0)
	near("none", c.shared[3], 0)
}

func TestChosen(t *testing.T) {
	// The probabilities of the files and of "none" add up to 1.
	t.Parallel()
	sets := simulated(200)
	c := fitChoice(sets, 5)
	w := c.standardized()
	for _, s := range sets[:20] {
		p, none := c.chosen(s, w)
		sum := none
		for _, q := range p {
			sum += q
		}
		if math.Abs(sum-1) > 1e-9 || none <= 0 {
			t.Errorf("%s: sum %f, none %f", s.id, sum, none)
		}
	}
}

func TestLeftOut(t *testing.T) {
	// A repository's reversed labels do not change the predictions for the repository itself.
	t.Parallel()
	sets := simulated(200)
	before := leftOut(sets, penalty)
	for i := range sets {
		if sets[i].repo == "r0" {
			sets[i].right = []bool{true, false, false, false}
		}
	}
	after := leftOut(sets, penalty)
	changed := false
	for i, s := range sets {
		for j := range s.vectors {
			same := before[i][j] == after[i][j]
			if s.repo == "r0" && !same {
				t.Fatalf("the labels of %s were used for it", s.repo)
			}
			changed = changed || !same
		}
	}
	if !changed {
		t.Error("the labels of r0 are used for no repository")
	}
}

func TestAccAt(t *testing.T) {
	t.Parallel()
	ranked := ranks(
		[]choiceSet{{vectors: make([][]float64, 3), right: []bool{false, false, true}}, {}},
		[][]float64{{0.1, 0.5, 0.4}, nil},
	)
	for k, want := range map[int]float64{1: 0, 2: 0.5, 10: 0.5} {
		if got := accAt(k, ranked); got != want {
			t.Errorf("acc@%d: %f, want %f", k, got, want)
		}
	}
}

func TestVotesOf(t *testing.T) {
	// Only the first of each set are forecasts.
	t.Parallel()
	sets := []choiceSet{{vectors: make([][]float64, 3), right: []bool{false, false, true}}, {}}
	shares := [][]float64{{0.1, 0.5, 0.4}, nil}
	for most, want := range map[int]string{1: "[0.5 false]", 2: "[0.5 false][0.4 true]", math.MaxInt: "[0.5 false][0.4 true][0.1 false]"} {
		got := ""
		for _, v := range votesOf(sets, shares, most) {
			got += fmt.Sprintf("[%v %v]", v.Raw, v.Right)
		}
		if got != want {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
}
