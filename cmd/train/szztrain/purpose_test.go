package szztrain

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz/fixlike"
)

func TestFitRowsSeparatesFixesFromNoise(t *testing.T) {
	// One feature indicates fixes. Though a quarter of the random commits are fixes, too, its
	// weight is high, and the weight of a useless feature is low.
	t.Parallel()
	n := len(fixlike.Names())
	row := func(i int, fix, telling bool) purposeRow {
		x := make([]float64, n)
		x[n-1], x[n-2] = stat.Flag(telling), float64(i%2)
		return purposeRow{Repo: fmt.Sprint(i % 5), Fix: fix, X: x}
	}
	var rows []purposeRow
	for i := range 200 {
		rows = append(rows, row(i, true, i%10 > 0), row(i, false, i%4 == 0))
	}
	m := fitRows(rows)
	if m[n-1] < 2 || math.Abs(m[n-2]) > 0.5 {
		t.Errorf("weights %.2f and %.2f, want more than 2 and about 0", m[n-1], m[n-2])
	}
	read := append(rows, purposeRow{Read: "fix", X: rows[0].X})
	if got := fitRows(read); math.Abs(got[n-1]-m[n-1]) > 1e-9 {
		t.Errorf("a commit that was read by hand changes the fit: %v, %v", got[n-1], m[n-1])
	}
}

func TestAreaUnderROC(t *testing.T) {
	// The area is the share of pairs in order, plus half of the share of equal pairs.
	t.Parallel()
	if got := areaUnderROC([]float64{3, 1}, []float64{0, 1}); got != 3.5/4 {
		t.Errorf("%v", got)
	}
}

func TestReadCommitsAreCases(t *testing.T) {
	// The files of commits read by hand, and of cases with tests, are valid, and have the fields
	// for the steps.
	t.Parallel()
	read, err := eval.ReadLines[purposeCase](filepath.Join("testdata", "read.jsonl"))
	if err != nil || len(read) < 100 {
		t.Fatalf("%d commits, %v", len(read), err)
	}
	for _, c := range read {
		if c.Repo == "" || c.Fix == "" || c.Read != "fix" && c.Read != "other" {
			t.Errorf("%+v", c)
		}
	}
	tested, err := eval.ReadLines[testedCase](filepath.Join("testdata", "confirm.jsonl"))
	if err != nil || len(tested) < 20 {
		t.Fatalf("%d cases, %v", len(tested), err)
	}
	for _, c := range tested {
		if c.Repo == "" || c.Fix == "" || c.Command == "" || len(c.BICs) == 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestRatiosCountCasesThatTell(t *testing.T) {
	// A case without a culprit, or in which no command was run, does not count.
	t.Parallel()
	name := filepath.Join(t.TempDir(), "rows")
	rows := `{"suspects":[{"status":"confirmed","culprit":true},{"status":"refuted"},{"status":"refuted"}]}
{"suspects":[{"status":"confirmed"}]}
{"suspects":[{"status":"","culprit":true}]}
`
	if err := os.WriteFile(name, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	counts, cases, err := countResults([]string{name})
	if err != nil || cases != 1 || counts[true]["confirmed"] != 1 || counts[false]["refuted"] != 2 || total(counts[false]) != 2 {
		t.Errorf("%d cases, %v, %v", cases, counts, err)
	}
	if got := smoothed(counts[true], "confirmed") / smoothed(counts[false], "confirmed"); math.Abs(got-(2.0/4)/(1.0/5)) > 1e-9 {
		t.Errorf("ratio %v", got)
	}
}
