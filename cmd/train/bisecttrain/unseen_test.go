package bisecttrain

import (
	"slices"
	"testing"

	"git-agent/gitext"
)

func TestUnseenCases(t *testing.T) {
	// Nothing was fitted to the cases that only measure: their fixes are not among the fitted ones, and
	// each names one culprit, which its proof found.
	t.Parallel()
	fitted, err := readRegressions([]string{"../szztrain/testdata/executed.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := readRegressions([]string{"testdata/unseen.jsonl"})
	if err != nil || len(unseen) == 0 {
		t.Fatal(len(unseen), err)
	}
	seen := map[gitext.OID]bool{}
	for _, c := range unseen {
		if seen[c.Fix] || slices.ContainsFunc(fitted, func(f regression) bool { return f.Repo == c.Repo && f.Fix == c.Fix }) {
			t.Errorf("%s: there is such a case already", c.ID)
		}
		if seen[c.Fix] = true; len(c.BICs) != 1 || c.Proof.Command == "" || len(c.Proof.Tests) == 0 || len(c.Langs) != 1 {
			t.Errorf("%s: %+v", c.ID, c.Proof)
		}
	}
}
