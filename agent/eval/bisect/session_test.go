package bisecteval

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// All algorithms find the culprit, in each sandbox: the files of the fix are laid over each
// commit, and a deleted one is gone.
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	const n, broken = 70, 40
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock, sandbox.None} {
		if _, err := sandbox.Probe(t.Context(), level); err != nil {
			continue
		}
		for _, simulate := range []bool{false, true} {
			if simulate && level != sandbox.None {
				continue
			}
			r := newRegressed(t, n, broken)
			ask, err := r.begin(Options{Trial: trial.Options{Sandbox: level}, Simulate: simulate})
			if err != nil {
				t.Fatal(err)
			}
			names := Algorithms
			if level != sandbox.None { // the searches of ours differ in nothing that a sandbox sees
				names = []string{Bayes, Git}
			}
			for _, name := range names {
				a, err := ask(t.Context(), name)
				if err != nil {
					t.Fatalf("%s, %s: %v", level, name, err)
				}
				p := a.(Prediction)
				if !p.Proved || p.First != r.c.BICs[0] || p.Runs < 3 || p.Runs > p.Halvings+3 || p.Newer != n-broken {
					t.Errorf("%s, %s: %+v", level, name, p)
				}
			}
		}
	}
}

// A case may have the texts of its test files, which are laid over each commit, and names of files
// that are removed. It needs no fix then.
func TestFiles(t *testing.T) {
	t.Parallel()
	const n, broken = 60, 30
	r := newRegressed(t, n, broken)
	test := r.Git("show", string(r.c.Fix)+":test/new.sh")
	line := fmt.Sprintf(`{"repo": "o/r", "bad": %q, "bics": [%q], "test_cmd": "sh test/new.sh", "files": {"test/new.sh": %q, "test/old.sh": null}}`,
		r.commits[n-1], r.commits[broken], test)
	c, err := Task{}.ReadCase([]byte(line), "f")
	if err != nil {
		t.Fatal(err)
	}
	r.c = c.(Case)
	ask, err := r.begin(Options{Trial: trial.Options{Sandbox: sandbox.None}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{Bayes, Git} {
		a, err := ask(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if p := a.(Prediction); !p.Proved || p.First != r.commits[broken] {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// A case that cannot be measured is left out, with the reason.
func TestUnfit(t *testing.T) {
	t.Parallel()
	const n, broken = 60, 30
	for reason, change := range map[string]func(*regressed){
		"not reproduced, at the bad commit the command passes":           func(r *regressed) { r.c.Test = "exit 0" },
		"not reproduced, at the bad commit the command found no program": func(r *regressed) { r.c.Test = "no-such-program" },
		"at the good commit the command fails (exit 1), too":             func(r *regressed) { r.c.Good, r.c.Test = r.commits[0], "echo bad; exit 1" },
		"the culprit is not in the history of the bad commit":            func(r *regressed) { r.c.Bad = r.commits[broken-1] },
		"the culprit is in the history of the good commit":               func(r *regressed) { r.c.Good = r.commits[broken+1] },
		"the culprit has no parent":                                      func(r *regressed) { r.c.BICs[0] = r.commits[0] },
		"the range has fewer than 20 commits":                            func(r *regressed) { r.c.Bad, r.c.BICs[0] = r.commits[10], r.commits[5] },
	} {
		r := newRegressed(t, n, broken)
		change(r)
		_, err := r.begin(Options{Trial: trial.Options{Sandbox: sandbox.None}})
		if !errors.As(err, new(*eval.UnfitError)) || !strings.HasPrefix(err.Error(), reason) {
			t.Errorf("want %q, got %v", reason, err)
		}
	}
	r := newRegressed(t, n, broken)
	r.c.BICs[0] = "1234567890123456789012345678901234567890"
	if _, err := r.begin(Options{Trial: trial.Options{Sandbox: sandbox.None}}); !errors.As(err, new(*eval.AbsentError)) {
		t.Errorf("an absent culprit: %v", err)
	}
}

// A drawn good commit at which the command does not pass moves towards the culprit, also if its tests use what
// does not exist there, because git bisect run takes each failure for the bug.
func TestNearerGood(t *testing.T) {
	t.Parallel()
	const n, broken = 120, 100
	for name, early := range map[string]string{
		"too early":   `echo "count:1: too early"; exit 1`,
		"not defined": `echo "NameError: name 'sum' is not defined"; exit 1`,
	} {
		r := newRegressed(t, n, broken)
		r.c.Test = `test "$(cat count)" -ge 60 || { ` + early + `; }; sh test/new.sh`
		for i := 0; ; i++ {
			r.c.ID = fmt.Sprint("c", i)
			if f, err := frameOf(t.Context(), r.Open(), r.c); err != nil || slices.Index(r.commits, f.good) < 30 {
				break
			}
		}
		ask, err := r.begin(Options{Trial: trial.Options{Sandbox: sandbox.None}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := ask(t.Context(), Uniform)
		if err != nil {
			t.Fatal(err)
		}
		p := a.(Prediction)
		at := slices.Index(r.commits, p.Good)
		if !p.Proved || at < 60 || p.Range != n-1-at {
			t.Errorf("%s: %+v, good is commit %d", name, p, at)
		}
	}
}

// The drawn range has the drawn length, or commits behind the culprit if the bad commit is far
// from it. Equal ids give equal ranges.
func TestDrawGood(t *testing.T) {
	t.Parallel()
	const n = 400
	repos := map[int]*regressed{}
	for _, broken := range []int{30, 200, 390} {
		repos[broken] = newRegressed(t, n, broken)
	}
	lengths := map[int]bool{}
	for broken, r := range repos {
		repo := r.Open()
		draws := 3
		if broken == 390 {
			draws = 10
		}
		for i := range draws {
			r.c.ID = fmt.Sprint("c", i)
			f, err := frameOf(t.Context(), repo, r.c)
			if err != nil {
				t.Fatal(err)
			}
			again := f
			if i == 0 {
				again, _ = frameOf(t.Context(), repo, r.c)
			}
			if again.good != f.good || f.bad != r.commits[n-1] || f.newer != n-broken || f.count < min(leastDrawn, n-1) || f.count <= f.newer-1 {
				t.Errorf("%d: %+v, again %s", broken, f, again.good)
			}
			if broken == 390 {
				lengths[f.count] = true
			}
		}
	}
	if len(lengths) < 5 {
		t.Errorf("only %d lengths", len(lengths))
	}
}

// Wrong outcomes are to one side, at the rate, and the same in each evaluation.
func TestStand(t *testing.T) {
	t.Parallel()
	sides := map[string]bool{}
	for i := range 20 {
		at := func(k int) gitext.OID { return gitext.OID(fmt.Sprintf("%040x", k)) }
		has := map[gitext.OID]bool{at(1): true, at(2): true}
		first := &stand{id: fmt.Sprint(i), bad: at(1), has: has, rate: 0.3, runs: map[gitext.OID]int{}}
		second := &stand{id: fmt.Sprint(i), bad: at(1), has: has, rate: 0.3, runs: map[gitext.OID]int{}}
		sides[first.side()] = true
		if !first.fails(at(1)) || !second.fails(at(1)) {
			t.Error("the first run at the bad commit passes")
		}
		wrong := map[int]int{}
		const n = 1000
		for range n {
			for _, k := range []int{2, 3} {
				got := first.fails(at(k))
				if got != second.fails(at(k)) {
					t.Fatal("outcomes differ")
				}
				if got != (k == 2) {
					wrong[k]++
				}
			}
		}
		erring, other := 3, 2
		if first.side() == falsePasses {
			erring, other = 2, 3
		}
		if wrong[other] > 0 || wrong[erring] < n/4 || wrong[erring] > n*35/100 {
			t.Errorf("%s: %v", first.side(), wrong)
		}
	}
	if len(sides) != 2 {
		t.Errorf("sides %v", sides)
	}
}
