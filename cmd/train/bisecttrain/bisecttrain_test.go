package bisecttrain

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/bisect/prior"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A range ends at the failing commit, holds the culprit, and begins behind a good commit.
func TestDrawRange(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	var all []gitext.OID // newest first
	for i := range 90 {
		all = slices.Insert(all, 0, h.Commit(fmt.Sprint("change ", i), gittest.Files{"a": fmt.Sprint(i)}))
	}
	repo := h.Open()
	lengths := map[int]bool{}
	for i := range 12 {
		c := regression{known: known{ID: fmt.Sprint("case ", i), BICs: []gitext.OID{all[20]}}}
		for _, even := range []bool{false, true} {
			got, _, err := drawRange(t.Context(), repo, c, all[0], even)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, all[:len(got)]) || len(got) < leastCommits {
				t.Errorf("%s: %d commits that are not the newest ones", c.ID, len(got))
			}
			lengths[len(got)] = true
		}
	}
	if len(lengths) < 3 {
		t.Errorf("the ranges have the lengths %v", lengths)
	}
	if _, _, err := drawRange(t.Context(), repo, regression{known: known{ID: "short", BICs: []gitext.OID{all[85]}}}, all[80], false); err == nil {
		t.Error("a history of ten commits gave a range")
	}
}

// A fit takes the culprit and a sample of the other commits, and no merge.
func TestChoices(t *testing.T) {
	t.Parallel()
	n := len(prior.FeatureNames())
	r := row{ID: "a", Place: 3}
	for i := range 400 {
		r.Vectors = append(r.Vectors, make([]float64, n))
		r.Merges = append(r.Merges, i%2 == 0)
	}
	for _, s := range choices([]row{r, r}, n) {
		right := 0
		for _, yes := range s.Right {
			if yes {
				right++
			}
		}
		if len(s.Vectors) != sampled+1 || right != 1 || s.Weight != 0.5 {
			t.Errorf("%d commits, %d culprits, weight %f", len(s.Vectors), right, s.Weight)
		}
	}
}

// The committed results of reproduce are those of the committed cases.
func TestFailingAreOfTheCases(t *testing.T) {
	t.Parallel()
	shown, err := readFailing(filepath.Join("testdata", "failing.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := readRegressions([]string{filepath.Join("..", "szztrain", "testdata", "executed.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	known, failed := 0, 0
	for _, c := range cases {
		if f, ok := shown[c.ID]; ok {
			known++
			if f.State == "failing" && f.Output != "" && len(f.Opened) > 0 {
				failed++
			}
		}
	}
	if known != len(shown) || failed < 150 {
		t.Errorf("%d of %d results are of cases, and %d have an output and opened files", known, len(shown), failed)
	}
}

// So are the recorded lines.
func TestCoveredAreOfTheCases(t *testing.T) {
	t.Parallel()
	shown, err := readFailing(filepath.Join("testdata", "covered.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := readRegressions([]string{filepath.Join("..", "szztrain", "testdata", "executed.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, c := range cases {
		f, ok := shown[c.ID]
		if !ok {
			continue
		}
		known++
		for path, lines := range f.Covered.Lines {
			for _, l := range lines {
				if l[0] < 1 || l[1] < 1 || l[1] > f.Covered.Failing || l[2] > f.Covered.Passing {
					t.Errorf("%s: %s: %v of %d failing and %d passing tests", c.ID, path, l, f.Covered.Failing, f.Covered.Passing)
				}
			}
		}
	}
	if known != len(shown) || known < 160 {
		t.Errorf("%d of %d results are of cases", known, len(shown))
	}
}

// Steps that fit or tune refuse a repository that is held out for szz, whose cases they use.
func TestHeldOutIsRefused(t *testing.T) {
	t.Parallel()
	rows := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(rows, []byte(`{"id":"1","repo":"apache/accumulo","vectors":[],"merges":[]}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{"fit", "cross"} {
		if err := Run(t.Context(), []string{step, rows}); err == nil || !strings.Contains(err.Error(), "held out for szz") || !strings.Contains(err.Error(), "apache/accumulo") {
			t.Errorf("%s: %v", step, err)
		}
	}
}

func TestWithoutMiddle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", keptOutput) + "middle" + strings.Repeat("b", keptOutput)
	got := withoutMiddle(long)
	if strings.Contains(got, "middle") || !strings.HasPrefix(got, "aa") || !strings.HasSuffix(got, "bb") {
		t.Errorf("%.20q...", got)
	}
	if withoutMiddle("short") != "short" {
		t.Error("a short output was cut")
	}
}
