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

func TestFixesOfOtherBugs(t *testing.T) {
	// In caddy, "reverseproxy: fix misleading handle_response error", which makes the same change in another file, led with
	// .83 for c1907df2; in pydantic, "Fix `Interval` zero bounds" led with .53 for 60d4c487, of which it wrote nothing.
	t.Parallel()
	check, message := map[string]bool{"if len(args) == 2 {": true}, map[string]bool{"return d.Errf(\"one name\")": true}
	with := func(oid gitext.OID, sources candidate.SourceSet, subject, path string, removed, added map[string]bool) candidate.Candidate {
		return candidate.Candidate{
			OID: oid, Sources: sources, Commit: gitext.Commit{Message: subject}, Files: 1, Paths: []string{path},
			Diff: &candidate.CommitDiff{Paths: []string{path}, RemovedLines: removed, AddedLines: added},
		}
	}
	for _, c := range []struct {
		candidate candidate.Candidate
		want      float64
	}{
		{with("copy", candidate.FromRecent, "proxy: reject more names", "proxy.go", check, message), doubtedChance},
		{with("same file", candidate.FromHistory, "reject more names", "intercept.go", check, message), 0.5},
		{with("other line", candidate.FromRecent, "proxy: reject more names", "proxy.go", nil, message), 0.5},
		{with("owner", candidate.FromContext, "reject more names", "proxy.go", check, message), 0.5},
		{with("fix", candidate.FromHistory, "Fix a crash", "intercept.go", nil, nil), nearbyOdds / (1 + nearbyOdds)},
		{with("fix of the line", candidate.FromHistory|candidate.FromContext, "Fix a crash", "intercept.go", nil, nil), 0.5},
		{with("fix that took out", candidate.FromHistory, "Fix a crash", "intercept.go", message, nil), 0.5},
		{with("feature", candidate.FromHistory, "Add a name", "intercept.go", nil, nil), 0.5},
	} {
		k := &Case{Set: &candidate.AnchorSet{}, FixPath: map[string]bool{"intercept.go": true}, DelKeys: check, addKeys: message}
		list := []Ranked{{Candidate: &c.candidate, Probability: 0.5}}
		if k.doubt(list); math.Abs(list[0].Probability-c.want) > 1e-9 {
			t.Errorf("%s: %.3f, want %.3f: %s", c.candidate.OID, list[0].Probability, c.want, list[0].doubt)
		}
	}
}
