package bisect

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/stat"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A world is a history with a command whose outcomes are known.
type world struct {
	repo    *gitext.Repo
	commits []gitext.OID // oldest first
	above   map[gitext.OID]map[gitext.OID]bool
}

// newWorld makes a history of n commits; with merges, each seventh one merges a branch of three.
func newWorld(t testing.TB, n int, merges bool) *world {
	t.Helper()
	h := gittest.New(t)
	var in strings.Builder
	branch := func(name string, mark, from, merged int) {
		fmt.Fprintf(&in, "commit refs/heads/%s\nmark :%d\ncommitter A <a@x> %d +0000\ndata 2\nc\n", name, mark, 1700000000+60*mark)
		if from > 0 {
			fmt.Fprintf(&in, "from :%d\n", from)
		}
		if merged > 0 {
			fmt.Fprintf(&in, "merge :%d\n", merged)
		}
		fmt.Fprintf(&in, "M 100644 inline f\ndata <<E\n%d\nE\n\n", mark)
	}
	last, mark := 0, 0
	for mark < n {
		mark++
		if merges && mark%7 == 0 && last > 0 && mark+4 < n {
			side := last
			for range 3 {
				branch("side", mark, side, 0)
				side, mark = mark, mark+1
			}
			branch("main", mark, last, 0)
			last, mark = mark, mark+1
			branch("main", mark, last, side)
		} else {
			branch("main", mark, last, 0)
		}
		last = mark
	}
	h.Import(in.String())
	h.Git("symbolic-ref", "HEAD", "refs/heads/main")
	w := &world{repo: h.Open(), above: map[gitext.OID]map[gitext.OID]bool{}}
	for a, err := range w.repo.Ancestry(t.Context(), []gitext.OID{h.Head()}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		w.commits = append(w.commits, a.OID)
		w.above[a.OID] = map[gitext.OID]bool{a.OID: true}
		for _, p := range a.Parents {
			for c := range w.above[p] {
				w.above[a.OID][c] = true
			}
		}
	}
	return w
}

func (w *world) tip() gitext.OID { return w.commits[len(w.commits)-1] }

// A script says how the command behaves.
type script struct {
	culprit            gitext.OID
	falseNew, falseOld float64
	broken             map[gitext.OID]bool
	other              map[gitext.OID]int // runs that fail in another way
	fixed              bool
	seed               uint64
}

// find searches for the culprit of a script, and returns the number of runs, too.
func (w *world) find(t testing.TB, q Question, opt Options, sc script) (*Answer, int) {
	t.Helper()
	a, runs, err := w.findAnd(t, q, opt, sc)
	if err != nil {
		t.Fatal(err)
	}
	return a, runs
}

// findAnd searches, and returns the error of the search, too.
func (w *world) findAnd(t testing.TB, q Question, opt Options, sc script) (*Answer, int, error) {
	t.Helper()
	random := rand.New(rand.NewPCG(sc.seed, 7))
	runs := 0
	opt.Try = func(_ context.Context, _ int, c gitext.OID) (trial.Result, error) {
		runs++
		if sc.broken[c] {
			return trial.Result{Outcome: trial.Unknown, How: "does not build"}, nil
		}
		if sc.other[c] > 0 {
			sc.other[c]--
			return trial.Result{Outcome: trial.Unknown, Other: true, How: "fails (exit 1), but not as it does at the tip"}, nil
		}
		isNew := w.above[c][sc.culprit]
		if isNew && random.Float64() < sc.falseOld || !isNew && random.Float64() < sc.falseNew {
			isNew = !isNew
		}
		if isNew != sc.fixed {
			return trial.Result{Outcome: trial.Fails, How: "fails (exit 1)"}, nil
		}
		return trial.Result{How: "passes"}, nil
	}
	if q.Tip == "" {
		q.Tip = w.tip()
	}
	a, err := Find(t.Context(), w.repo, q, opt)
	return a, runs, err
}

// lying is a prior that favours every commit but the culprit, by a hash.
func lying(culprit gitext.OID) func(context.Context, gitext.OID, []gitext.OID) ([]float64, error) {
	return func(_ context.Context, _ gitext.OID, commits []gitext.OID) ([]float64, error) {
		weights := make([]float64, len(commits))
		for i, c := range commits {
			sum := fnv.New32a()
			sum.Write([]byte(c))
			if weights[i] = 1e-6; sum.Sum32()%10 == 0 {
				weights[i] = 1
			}
			if c == culprit {
				weights[i] = 1e-9
			}
		}
		return weights, nil
	}
}

// knowing is a prior that gives the culprit a share.
func knowing(culprit gitext.OID, share float64) func(context.Context, gitext.OID, []gitext.OID) ([]float64, error) {
	return func(_ context.Context, _ gitext.OID, commits []gitext.OID) ([]float64, error) {
		weights := make([]float64, len(commits))
		for i, c := range commits {
			if weights[i] = (1 - share) / float64(len(commits)); c == culprit {
				weights[i] = share
			}
		}
		return weights, nil
	}
}

func TestFind(t *testing.T) {
	// Each culprit of a history with merges is found and proved, with and without a prior, and
	// however wrong the prior is, it costs at most four runs more than halving.
	t.Parallel()
	w := newWorld(t, 300, true)
	good := w.commits[2]
	for i := 3; i < len(w.commits); i += 37 {
		culprit := w.commits[i]
		if w.above[good][culprit] {
			continue
		}
		for name, prior := range map[string]func(context.Context, gitext.OID, []gitext.OID) ([]float64, error){
			"none": nil, "lying": lying(culprit), "knowing": knowing(culprit, 0.5),
		} {
			a, runs := w.find(t, Question{Old: []gitext.OID{good}}, Options{Prior: prior}, script{culprit: culprit})
			if a.Status != Proved || a.First != culprit {
				t.Errorf("%s: %s at %d, not %d, %s", name, a.Status, slices.Index(w.commits, a.First), i, a.Notes)
			}
			if most := bits.Len(uint(a.Range-1)) + 4; runs > most {
				t.Errorf("%s: culprit %d took %d runs, more than %d", name, i, runs, most)
			}
			if name == "knowing" && runs > 6 {
				t.Errorf("knowing: culprit %d took %d runs", i, runs)
			}
		}
	}
}

func TestFindProvesEarly(t *testing.T) {
	// A right guess is mostly proved by the first runs behind that at the tip, even if it has a fifth
	// and the other commits are alike: these runs tell nearly as much as a halving.
	t.Parallel()
	w := newWorld(t, 200, true)
	good, least, all := w.commits[2], 0, 0
	for i := 5; i < len(w.commits)-5; i += 7 {
		culprit := w.commits[i]
		if w.above[good][culprit] {
			continue
		}
		all++
		if _, runs := w.find(t, Question{Old: []gitext.OID{good}}, Options{Prior: knowing(culprit, 0.2)}, script{culprit: culprit}); runs == 3 {
			least++
		}
	}
	if least <= all/2 {
		t.Errorf("%d of %d searches took three runs", least, all)
	}
}

func TestFindWithoutGood(t *testing.T) {
	// Without a good commit the search looks back as far as it must, and a bug as old as the
	// history is said to be so.
	t.Parallel()
	w := newWorld(t, 300, true)
	for i := 1; i < len(w.commits); i += 43 {
		a, runs := w.find(t, Question{}, Options{}, script{culprit: w.commits[i]})
		if a.Status != Proved || a.First != w.commits[i] || runs > 14 {
			t.Errorf("%d: %s after %d runs, %v", i, a.Status, runs, a.Notes)
		}
	}
	a, _ := w.find(t, Question{}, Options{}, script{culprit: w.commits[0]})
	if a.Status != Always || a.First != w.commits[0] {
		t.Errorf("from the start: %+v", a)
	}
}

func TestFindFlaky(t *testing.T) {
	// The culprit of a flaky command is found, although some outcomes are wrong.
	t.Parallel()
	w := newWorld(t, 200, true)
	good := w.commits[2]
	right, all, total, step := 0, 0, 0, 21
	if testing.Short() {
		step = 63
	}
	for i := 7; i < len(w.commits); i += step {
		for k, sc := range []script{{falseNew: 0.1}, {falseOld: 0.1}, {falseNew: 0.3}, {falseOld: 0.3}} {
			sc.culprit, sc.seed = w.commits[i], uint64(10*i+k)
			a, runs := w.find(t, Question{Old: []gitext.OID{good}, Flaky: true}, Options{}, sc)
			all++
			if a.Status == Proved && a.First == sc.culprit {
				right++
			}
			total += runs
		}
	}
	if 100*right < 95*all || total > 40*all {
		t.Errorf("right in %d of %d, with %d runs", right, all, total)
	}
	t.Logf("right in %d of %d, with %d runs", right, all, total)
}

func TestFindNoCulpritOfChance(t *testing.T) {
	// A command that fails by chance at all commits has no culprit, whether it was said to be flaky or not.
	t.Parallel()
	w := newWorld(t, 120, true)
	good := w.commits[2]
	wrong, all, total := 0, 0, 0
	for seed := range uint64(8) {
		for _, rate := range []float64{0.3, 0.6} {
			a, runs, err := w.findAnd(t, Question{Old: []gitext.OID{good}, Flaky: true}, Options{}, script{falseNew: rate, seed: seed})
			old := new(OldError)
			all, total = all+1, total+runs
			if wrong += stat.Count(a.Status == Proved); err != nil && (!errors.As(err, &old) || !old.Chance && !old.Base) {
				t.Error(err)
			}
		}
	}
	if wrong > 1 || total > 120*all {
		t.Errorf("a culprit in %d of %d, with %d runs", wrong, all, total)
	}
	t.Logf("a culprit in %d of %d, with %d runs", wrong, all, total)
}

func TestFindSaysWhatCannotBeToldApart(t *testing.T) {
	// Commits at which the command cannot be judged are stepped over. If the culprit is among
	// them, the answer has all that may be it.
	t.Parallel()
	w := newWorld(t, 60, false)
	good := w.commits[3]
	broken := map[gitext.OID]bool{}
	for _, c := range w.commits[30:36] {
		broken[c] = true
	}
	a, _ := w.find(t, Question{Old: []gitext.OID{good}}, Options{}, script{culprit: w.commits[20], broken: broken})
	if a.Status != Proved || a.First != w.commits[20] {
		t.Errorf("beside: %+v", a)
	}
	a, _ = w.find(t, Question{Old: []gitext.OID{good}}, Options{}, script{culprit: w.commits[33], broken: broken})
	if a.Status != Apart || len(a.Candidates) != 7 {
		t.Errorf("among: %s, %d candidates", a.Status, len(a.Candidates))
	}
}

func TestFindRunsAgain(t *testing.T) {
	// Where the command failed in another way at a commit that the proof needs, that may have been chance: it runs again
	// there. If it ends so again, it is not run a third time, nor elsewhere.
	t.Parallel()
	w := newWorld(t, 60, false)
	culprit, parent := w.commits[33], w.commits[32]
	for times, most := range map[int]int{1: 14, 100: 12} {
		other := map[gitext.OID]int{culprit: times, parent: times}
		a, runs := w.find(t, Question{Old: []gitext.OID{w.commits[3]}}, Options{}, script{culprit: culprit, other: other})
		if (a.Status == Proved && a.First == culprit) != (times == 1) || runs > most || (len(a.Notes) == 1) != (times == 1) {
			t.Errorf("%d times: %s at %s with %d runs: %q", times, a.Status, a.First.Short(), runs, a.Notes)
		}
		if times == 100 && other[culprit]+other[parent] != 200-3 {
			t.Errorf("%d runs at commits that fail in another way", 200-other[culprit]-other[parent])
		}
	}
}

func TestFindFixed(t *testing.T) {
	// With Fixed, the first commit at which the command passes is found.
	t.Parallel()
	w := newWorld(t, 80, false)
	a, _ := w.find(t, Question{Fixed: true, Old: w.commits[1:2]}, Options{}, script{culprit: w.commits[44], fixed: true})
	if a.Status != Proved || a.First != w.commits[44] {
		t.Errorf("%+v", a)
	}
}

func TestFindInParallel(t *testing.T) {
	// Several workers find the same commit.
	t.Parallel()
	w := newWorld(t, 200, true)
	for i := 10; i < 200; i += 31 {
		culprit := w.commits[i]
		try := func(_ context.Context, worker int, c gitext.OID) (trial.Result, error) {
			if worker > 2 {
				t.Error("too many workers")
			}
			if w.above[c][culprit] {
				return trial.Result{Outcome: trial.Fails}, nil
			}
			return trial.Result{}, nil
		}
		a, err := Find(t.Context(), w.repo, Question{Tip: w.tip(), Old: w.commits[1:2]}, Options{Workers: 3, Try: try})
		if err != nil || a.Status != Proved || a.First != culprit {
			t.Errorf("%d: %+v, %v", i, a, err)
		}
	}
}

func TestFindGoesOn(t *testing.T) {
	// A search that ended early leaves its runs, and the next one does not repeat them.
	t.Parallel()
	w := newWorld(t, 150, false)
	q := Question{Old: w.commits[1:2]}
	var kept []Run
	sc := script{culprit: w.commits[77]}
	a, _ := w.find(t, q, Options{MaxRuns: 4, OnRun: func(r Run) error { kept = append(kept, r); return nil }}, sc)
	if a.Status != Stopped || len(kept) != 4 {
		t.Fatalf("%+v, kept %d", a, len(kept))
	}
	_, all := w.find(t, q, Options{}, sc)
	a, runs := w.find(t, q, Options{Known: kept}, sc)
	if a.Status != Proved || a.First != sc.culprit || runs != all-3 { // the tip runs again
		t.Errorf("%s after %d runs of %d", a.Status, runs, all)
	}
}

func TestFindContradictions(t *testing.T) {
	// A tip that passes, and a good commit that fails, are said.
	t.Parallel()
	w := newWorld(t, 30, false)
	a, _ := w.find(t, Question{}, Options{}, script{culprit: "none"})
	if a.Status != Nothing {
		t.Errorf("%+v", a)
	}
	try := func(_ context.Context, _ int, c gitext.OID) (trial.Result, error) {
		return trial.Result{Outcome: trial.Fails}, nil
	}
	_, err := Find(t.Context(), w.repo, Question{Tip: w.tip(), Old: w.commits[4:5]}, Options{Try: try})
	if old := new(OldError); !errors.As(err, &old) || old.Commit != w.commits[4] {
		t.Error(err)
	}
	for _, flaky := range []bool{false, true} { // a good commit that is newer, or the tip itself, leaves no range
		_, err = Find(t.Context(), w.repo, Question{Tip: w.commits[9], Old: w.commits[12:13], Flaky: flaky}, Options{Try: try})
		if old := new(OldError); !errors.As(err, &old) || old.Commit != w.commits[12] || !old.Newer {
			t.Errorf("newer: %v", err)
		}
		_, err = Find(t.Context(), w.repo, Question{Tip: w.tip(), Old: []gitext.OID{w.tip()}, Flaky: flaky}, Options{Try: try})
		if old := new(OldError); !errors.As(err, &old) || old.Commit != w.tip() || old.Newer {
			t.Errorf("the tip: %v", err)
		}
	}
}
