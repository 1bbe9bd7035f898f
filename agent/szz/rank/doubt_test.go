package rank

import (
	"math"
	"testing"

	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

func TestCommitsThatChangeOnlyTests(t *testing.T) {
	// In nova, the commit "Reproduce bug #2144660: NUMA cell sorting bug for non-PCI VMs" adds a test
	// right before the fix, and led with .43.
	list := func() []Ranked {
		return []Ranked{
			{Candidate: &candidate.Candidate{OID: "test", Files: 2, Paths: []string{"nova/tests/functional/test_numa.py", "doc/tests.rst"}}, Probability: 0.5},
			{Candidate: &candidate.Candidate{OID: "both", Files: 2, Paths: []string{"nova/tests/functional/test_pci.py", "nova/pci.py"}}, Probability: 0.25},
			{Candidate: &candidate.Candidate{OID: "huge", Files: 900, Paths: []string{"nova/tests/functional/test_all.py"}}, Probability: 0.1},
			{Candidate: &candidate.Candidate{OID: "docs", Files: 1, Paths: []string{"doc/numa.rst"}}, Probability: 0.08},
		}
	}
	of := func(paths ...string) *Case {
		k := &Case{FixPath: map[string]bool{}}
		for _, p := range paths {
			k.FixPath[p] = true
		}
		return k
	}
	source := list()
	of("nova/virt/hardware.py", "nova/tests/functional/test_numa.py").doubt(source)
	var order []gitext.OID
	sum := 0.0
	for _, j := range source {
		order, sum = append(order, j.Candidate.OID), sum+j.Probability
	}
	if order[0] != "both" || order[1] != "huge" || order[2] != "docs" || source[3].Probability != doubtedChance {
		t.Errorf("order %s, %+v", order, source[3])
	}
	if math.Abs(source[0].Probability-0.25/0.51) > 1e-9 || sum > 1 {
		t.Errorf("first %.3f, sum %.3f", source[0].Probability, sum)
	}
	if s := signals(source[3]); len(s) != 1 || s[0].Name != "changes only tests" || s[0].Weight > -3 {
		t.Errorf("signals: %+v", s)
	}
	alike := []Ranked{
		{Candidate: &candidate.Candidate{OID: "alike", Sources: candidate.FromRecent, Files: 2, Paths: []string{"src/client.ts", "hmr/__tests__/hmr.spec.ts"}}, Probability: 0.5},
		{Candidate: &candidate.Candidate{OID: "names", Sources: candidate.FromNames, Files: 2, Paths: []string{"src/names.ts", "hmr/__tests__/hmr.spec.ts"}}, Probability: 0.1},
		{Candidate: &candidate.Candidate{OID: "elsewhere", Sources: candidate.FromRecent, Files: 1, Paths: []string{"src/other.ts"}}, Probability: 0.1},
	}
	fix := of("src/environment.ts")
	fix.allPaths = map[string]int{"src/environment.ts": 1, "hmr/__tests__/hmr.spec.ts": 1}
	fix.doubt(alike) // vitejs/vite 616296895bd1, whose first suspect had .49
	if alike[2].Candidate.OID != "alike" || alike[2].doubt == "" || alike[0].doubt+alike[1].doubt != "" {
		t.Errorf("%+v", alike)
	}
	tests := list()
	of("nova/tests/functional/test_numa.py").doubt(tests)
	if tests[0].Candidate.OID != "test" || tests[0].Probability != 0.5 {
		t.Errorf("a fix of tests: %+v", tests[0])
	}
}
