package szztrain

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// The figures count suspects and culprits, not cases. A case never has more hits than
// true commits.
func TestMeasure(t *testing.T) {
	rows := []rank.Example{
		{Truth: 1, Hit: []bool{true, false}},
		{Truth: 2, Hit: []bool{false, true, true}, Ghost: true},
		{Truth: 1, Hit: []bool{false}, Cross: true},
		{Truth: 1}, // no candidate at all
	}
	ps := [][]float64{{0.9, 0.2}, {0.5, 0.4, 0.1}, {0.3}, nil}
	f := measure(rows, ps, nameThresholds{most: 0.6, ghost: 0.4}) // names 1, 2 and 1 commits; 2 are right
	if f.Precision != 0.5 || f.Recall != 0.4 || f.Ghost != 0.5 || f.Cross != 0 || f.Ceiling != 0.6 || f.Cases != 4 {
		t.Errorf("%+v", f)
	}
	if want := -math.Log(.9*.8*.5*.4*.1*.7) / 4; math.Abs(f.LogLoss-want) > 1e-12 {
		t.Errorf("log loss %g, want %g", f.LogLoss, want)
	}
	if want := 2 * 0.5 * 0.4 / 0.9; math.Abs(f.F1-want) > 1e-12 {
		t.Errorf("F1 %g, want %g", f.F1, want)
	}
}

// The best candidate is always named, and others if they reach the threshold.
func TestChosen(t *testing.T) {
	ps := []float64{0.1, 0.3, 0.2}
	for threshold, want := range map[float64]int{2: 1, 0.2: 2, 0: 3} {
		if got := chosen(ps, threshold); len(got) != want || got[0] != 1 {
			t.Errorf("from %g: %v", threshold, got)
		}
	}
	if got := chosen(nil, 0); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
}

// A feature that is left out is in no row, and the others stay in their order.
func TestLeaveOut(t *testing.T) {
	names := rank.FeatureNames()
	rows := []rank.Example{{X: make([][]float64, 2)}, {}}
	for i := range rows[0].X {
		for n := range names {
			rows[0].X[i] = append(rows[0].X[i], float64(n))
		}
	}
	left, err := leaveOut(rows, names[1]+","+names[3])
	if err != nil || len(left) != len(names)-2 || left[1] != names[2] || left[2] != names[4] {
		t.Fatal(left, err)
	}
	for _, x := range rows[0].X {
		if len(x) != len(names)-2 || x[0] != 0 || x[1] != 2 || x[2] != 4 {
			t.Errorf("%g", x)
		}
	}
	if _, err := leaveOut(rows, "no_such"); err == nil {
		t.Error("an unknown feature is no error")
	}
}

// Calibration recovers the parameters that generated the data.
func TestCalibrate(t *testing.T) {
	made := rank.Calibrator{A: 1.2, B: -0.6, C: -0.4}
	rng := rand.New(rand.NewPCG(3, 4))
	var rows []rank.Example
	var scores [][]float64
	for range 6000 {
		s := []float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		ex := rank.Example{Truth: 1}
		for _, p := range made.Probabilities(s) {
			ex.Hit = append(ex.Hit, rng.Float64() < p)
		}
		rows, scores = append(rows, ex), append(scores, s)
	}
	weights := make([]float64, len(rows))
	for i := range weights {
		weights[i] = 0.3
	}
	got := calibrate(rows, scores, weights)
	if math.Abs(got.A-made.A) > 0.1 || math.Abs(got.B-made.B) > 0.15 || math.Abs(got.C-made.C) > 0.2 {
		t.Errorf("got %+v, made by %+v", got, made)
	}
}

// Forks form one family, and a family is in only one fold.
func TestFamilies(t *testing.T) {
	rows := []rank.Example{
		{Repo: "c/fork", Candidates: []gitext.OID{"1", "2"}},
		{Repo: "b/other", Candidates: []gitext.OID{"3"}},
		{Repo: "a/origin", Candidates: []gitext.OID{"2", "4"}},
		{Repo: "d/fork", Candidates: []gitext.OID{"4"}},
	}
	families := familiesOf(rows)
	if want := []string{"a/origin", "b/other", "a/origin", "a/origin"}; !slices.Equal(families, want) {
		t.Fatalf("%q, want %q", families, want)
	}
	fold := assignFolds(families, 0)
	if len(fold) != 2 || fold["a/origin"] == fold["b/other"] {
		t.Errorf("folds %v", fold)
	}
	if w := caseWeights(rows, families); w[1] != 1 || w[0] != w[3] || w[0] >= 1 {
		t.Errorf("weights %v", w)
	}
}

// pickEvenly picks cases from the whole list, and readCases leaves out the fixes of
// skipped files.
func TestReadCases(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	line := func(n string) string {
		return `{"id":"` + n + `","repo":"a/b","fix":"` + strings.Repeat(n, 40) + `","bics":["` + strings.Repeat("a", 40) + `"]}` + "\n"
	}
	all := write("all", line("1")+line("2")+line("3")+line("4"))
	byRepo, err := readCases(t.Context(), []string{all}, write("skip", line("2")))
	if err != nil || len(byRepo["a/b"]) != 3 {
		t.Fatalf("%v, %v", byRepo, err)
	}
	if got := pickEvenly(byRepo["a/b"], 2); len(got) != 2 || got[0].ID != "1" || got[1].ID != "3" {
		t.Errorf("spread: %v", got)
	}
	if _, err := readCases(t.Context(), []string{write("bad", "{\n")}, ""); err == nil {
		t.Error("a bad line is no error")
	}
}

// The weight of a feature outside the scores is negative if fewer candidates with the feature are
// true than the scores expect, and finite if none is true. Cases of weight 0 do not count.
func TestFitLinear(t *testing.T) {
	var rows []rank.Example
	var scores [][]float64
	for n := range 40 {
		rows = append(rows, rank.Example{Truth: 1, Hit: []bool{n%2 == 0, n%2 == 1, false}, X: [][]float64{{0, 1}, {0, 0}, {1, 0}}})
		scores = append(scores, []float64{0, 0, 0})
	}
	w := fitLinear(rows, scores, slices.Repeat([]float64{1}, 40), []int{0, 1})
	if w[0] > -2 || w[0] < -6 || math.Abs(w[1]) > 0.2 {
		t.Errorf("weights %.2f, want one far below 0 and one near it", w)
	}
	if got := plusLinear(rows[0], scores[0], []int{0, 1}, w); got[2] != w[0] || got[0] != w[1] || got[1] != 0 || scores[0][2] != 0 {
		t.Errorf("scores %.2f by the weights %.2f", got, w)
	}
	half := make([]float64, 40)
	for n := range half {
		half[n] = float64(n % 2)
	}
	if w := fitLinear(rows, scores, half, []int{1}); w[0] > -2 {
		t.Errorf("weight %.2f, want that of the cases in which it is never a true one", w[0])
	}
}

// Trees cannot read a hidden column, and the rows themselves stay as they are.
func TestHidden(t *testing.T) {
	rows := []rank.Example{{X: [][]float64{{1, 2, 3}}}}
	if got := hidden(rows, []int{1})[0].X[0]; !slices.Equal(got, []float64{1, 0, 3}) || rows[0].X[0][1] != 2 {
		t.Errorf("hidden %v of %v", got, rows[0].X[0])
	}
}

// Rows of a version without the rare features have no columns for them.
func TestColumnsOf(t *testing.T) {
	all := rank.FeatureNames()
	row := func(n int) []rank.Example { return []rank.Example{{X: [][]float64{make([]float64, n)}}} }
	got, err := columnsOf(row(len(all)), all, rareFeatures)
	if err != nil || len(got) != 2 || all[got[0]]+","+all[got[1]] != rareFeatures {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := columnsOf(row(got[0]), all, rareFeatures); err != nil || len(got) != 0 {
		t.Errorf("of older rows: %v, %v", got, err)
	}
	if got := keptOf(rareFeatures, all[:len(all)-1]); got != "beside_share" {
		t.Errorf("kept %q", got)
	}
}

// Two methods are compared on their common cases, and the difference of a method from itself is
// 0.
func TestDifferences(t *testing.T) {
	a := []rank.Example{{ID: "1"}, {ID: "2"}, {ID: "3"}}
	b := []rank.Example{{ID: "3", Truth: 1}, {ID: "1", Truth: 1}}
	fromA, fromB := inBoth(a, b)
	if len(fromA) != 2 || fromA[0].ID != "1" || fromB[0].ID != "1" || fromB[0].Truth != 1 || fromB[1].ID != "3" {
		t.Errorf("%v and %v", fromA, fromB)
	}
	cases := []tally{{named: 1, hits: 1, truth: 1}, {named: 1, truth: 1}, {named: 1, hits: 1, truth: 1}}
	if got := differences([][]tally{cases}, [][]tally{cases}); !strings.Contains(got, "F1 +0.000 [+.000, +.000]") {
		t.Errorf("from itself: %s", got)
	}
	worse := slices.Clone(cases)
	worse[0].hits = 0
	if got := differences([][]tally{cases, cases}, [][]tally{worse, cases}); !strings.Contains(got, "P +0.167 ") {
		t.Errorf("from one that is wrong in one of three cases in one of two runs: %s", got)
	}
	if got := spreadOf([][]tally{cases, worse}).String(); !strings.Contains(got, "P 0.500 ±0.236 ") {
		t.Errorf("spread: %s", got)
	}
}

// Each repetition has another assignment to folds, and the same one each time.
func TestAssignFolds(t *testing.T) {
	families := strings.Split("a a b c d e f g h i", " ")
	first, other := assignFolds(families, 1), assignFolds(families, 2)
	if maps.Equal(first, other) || !maps.Equal(first, assignFolds(families, 1)) || len(first) != 9 {
		t.Errorf("%v and %v", first, other)
	}
}

// A model is judged only on rows with its own columns.
func TestApplied(t *testing.T) {
	m, err := readModel("")
	if err != nil {
		t.Fatal(err)
	}
	row := rank.Example{Hit: []bool{true, false}, X: [][]float64{make([]float64, len(m.Features)), make([]float64, len(m.Features))}}
	row.X[1][slices.Index(m.Features, "applied_together")] = 1
	v, err := applied(m, []rank.Example{row})
	if err != nil || v[0].ps[0][1] >= v[0].ps[0][0] {
		t.Errorf("%v, %v: the weight of the feature is not counted", v, err)
	}
	row.X = row.X[:1]
	row.X[0] = row.X[0][1:]
	if _, err := applied(m, []rank.Example{row}); err == nil {
		t.Error("rows with other columns are judged")
	}
}
