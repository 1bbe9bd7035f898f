package eval

import "testing"

// The coverage curve answers the surest cases first and equally sure ones
// together; recall stays over all cases.
func TestCoverage(t *testing.T) {
	outcomes := []Outcome{scored(true, 0.9), scored(false, 0.5), scored(true, 0.5), {Evaluated: true, Score: toy{}.Score(question{}, nil), Unanswered: Tally{1, 0, 0}}}
	curve := coverage(toySheet, outcomes)
	if len(curve) != 2 {
		t.Fatalf("%d points, want 2: %v", len(curve), curve)
	}
	precision, recall := 0, 1
	near(t, "coverage", curve[0].Coverage, 0.25)
	near(t, "precision", curve[0].Values[precision], 1)
	near(t, "recall", curve[0].Values[recall], 0.25)
	near(t, "coverage", curve[1].Coverage, 0.75)
	near(t, "precision", curve[1].Values[precision], 2.0/3)
	near(t, "recall", curve[1].Values[recall], 2.0/4)
	near(t, "risk", curve[1].Risk, 1.0/3)
}

// Only cases that both sides evaluated are compared; the rest is counted.
func TestCompare(t *testing.T) {
	hit, miss := scored(true, 0), scored(false, 0)
	a := []Outcome{hit, hit, miss, miss, hit, {}}
	b := []Outcome{hit, miss, hit, hit, {}, miss}
	c := compare(toySheet, "a", "b", a, b)
	if c.Cases != 4 || c.OnlyA != 1 || c.OnlyB != 1 || c.BothRight != 1 || c.ARight != 1 || c.BRight != 2 || c.NoneRight != 0 {
		t.Errorf("wrong counts: %+v", c)
	}
	near(t, "p", c.McNemarP, 1)
	near(t, "difference", *c.Diff.Value, 0.75-0.5)
	same := compare(toySheet, "a", "a", a, a)
	if *same.Diff.Low != 0 || *same.Diff.High != 0 || same.DiffP != 1 {
		t.Errorf("a run differs from itself: %+v", same)
	}
}
