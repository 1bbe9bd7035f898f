package offline

import (
	"context"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const forkSource = `def area(kind, n):
    if kind == 'square':
        return n * n
    if kind == 'line' and n < 1:
        return n
    return 0
`

const forkTests = `import unittest

from shape import area


class Shapes(unittest.TestCase):
    def test_square(self):
        self.assertEqual(area('square', 3), 9)

    def test_line(self):
        self.assertEqual(area('line', 1), 1)
`

// Candidates for Python share one process, and only those that pass are tried as patches. The
// endless loop of a candidate ends at a limit.
func TestPythonCandidatesShareAProcess(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"shape.py": forkSource, "test_shape.py": forkTests})
	found := repairShape(t, h, commit)
	alone := aloneIn(found)
	if len(found.Trials) < 10 || alone > len(found.Trials)/2 {
		t.Errorf("%d of %d candidates had a process of their own", alone, len(found.Trials))
	}
	if found.Trials[0].Verdict != fix.Plausible || !strings.Contains(string(found.Trials[0].Patch.Diff), "\n-    if kind == 'line' and n < 1:\n") {
		t.Errorf("%+v", found.Trials[0])
	}
}

// The time of a search ends while a process tries candidates: the results until then count. A slow machine
// gets more time.
func TestProcessThatIsCutOffHasResults(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"shape.py": forkSource, "test_shape.py": forkTests})
	w, err := trial.Open(t.Context(), h.Open(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	in := &Input{Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "python3 -m unittest -v test_shape"}}
	s := &search{in: in, whole: t.Context(), baseline: baseline{took: time.Minute, limit: time.Minute}}
	variants := map[int]variant{
		1: {Path: "shape.py", Content: []byte(strings.Replace(forkSource, " and n < 1", "", 1))},
		2: {Path: "shape.py", Content: []byte("import time\ntime.sleep(600)\n" + forkSource)},
	}
	for limit := 2 * time.Second; limit < time.Minute; limit *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		runs, _, err := pythonFork{}.run(ctx, &screen{search: s, w: w, begun: time.Now()}, variants)
		cancel()
		if err == nil && len(runs[1]) == 1 && runs[1][0].outcome == trial.Passes && len(runs[2]) == 0 {
			return
		}
		t.Logf("%s: %v, %+v", limit, err, runs)
	}
	t.Error("a process that was cut off has no results")
}

// rewritingTests refuse to run if a module that they load with a hook like pytest's has been imported before.
const rewritingTests = `import importlib.util
import sys
from importlib.machinery import PathFinder, SourceFileLoader


class AssertionRewritingHook(SourceFileLoader):
    pass


if 'wsgiref' in sys.modules:
    sys.exit('Module already imported so cannot be rewritten; wsgiref')
found = PathFinder.find_spec('wsgiref')
spec = importlib.util.spec_from_file_location('wsgiref', found.origin, loader=AssertionRewritingHook('wsgiref', found.origin),
                                              submodule_search_locations=found.submodule_search_locations)
sys.modules['wsgiref'] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules['wsgiref'])
import wsgiref.util

` + forkTests

// Where warnings are errors, pytest ends if a plugin is imported before it can rewrite its assertions.
func TestForksDoNotImportWhatPytestRewrites(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"shape.py": forkSource, "test_shape.py": rewritingTests})
	found := repairShape(t, h, commit)
	if alone := aloneIn(found); len(found.Trials) < 10 || alone > len(found.Trials)/2 {
		t.Errorf("%d of %d candidates had a process of their own", alone, len(found.Trials))
	}
}

// On a busy machine, the tests take longer in a fork than they took before: the first run in the process says how long.
func TestForksHaveTheTimeOfTheFirstOne(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	slow := "import time\ntime.sleep(1.5)\n" + forkTests
	commit := h.Commit("c", gittest.Files{"shape.py": forkSource, "test_shape.py": slow})
	w, err := trial.Open(t.Context(), h.Open(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	in := &Input{Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "python3 -m unittest -v test_shape"}}
	s := &search{in: in, whole: t.Context(), baseline: baseline{took: time.Millisecond, limit: time.Minute}}
	variants := map[int]variant{1: {Path: "shape.py", Content: []byte(strings.Replace(forkSource, " and n < 1", "", 1))}}
	runs, _, err := pythonFork{}.run(t.Context(), &screen{search: s, w: w, begun: time.Now()}, variants)
	if err != nil || len(runs[1]) != 1 || runs[1][0].outcome != trial.Passes {
		t.Errorf("%v, %+v", err, runs[1])
	}
}

// repairShape repairs shape.py.
func repairShape(t *testing.T, h *gittest.History, commit gitext.OID) Found {
	t.Helper()
	found, err := Repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "python3 -m unittest -v test_shape"},
		Localization: &fix.Localization{Locations: []fix.Location{{
			Path: "shape.py", Function: "area", Lines: gitext.LineRange{Start: 1, End: strings.Count(forkSource, "\n")},
		}}},
		Trial: options(t), Jobs: 1, Budget: Budget{Tries: 90, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The newest changes are undone in forks, too, and the one that repairs ends the search.
func TestPythonLeadsShareAProcess(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	h := gittest.New(t)
	good := strings.Replace(forkSource, " and n < 1", "", 1)
	h.Commit("Begin", gittest.Files{"shape.py": good, "test_shape.py": forkTests})
	bad := h.Commit("Check n", gittest.Files{"shape.py": forkSource})
	commit := h.Commit("Say less", gittest.Files{"shape.py": strings.Replace(forkSource, "return 0", "return int()", 1)})
	found := repairShape(t, h, commit)
	if tr := found.Trials[0]; tr.Verdict != fix.Plausible || tr.Commit != bad {
		t.Errorf("%+v", tr)
	}
	if len(found.Trials) > 4 {
		t.Errorf("%d candidates were tried", len(found.Trials))
	}
}

// aloneIn counts the candidates of a search that had a build or a process of their own, and were
// not the repair.
func aloneIn(found Found) int {
	alone := 0
	for _, tr := range found.Trials {
		if tr.Verdict != fix.Plausible && len(tr.Checks) > 0 {
			alone++
		}
	}
	return alone
}
