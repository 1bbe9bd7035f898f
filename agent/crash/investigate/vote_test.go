package investigate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/session"
	"git-agent/agent/stat"
	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// naming returns a run that names files, in this order.
func naming(paths ...string) (r crash.Run) {
	r.Status = agent.StatusFound
	for _, p := range paths {
		r.Claim.Files = append(r.Claim.Files, crash.FileClaim{Path: p, Reason: "of " + p})
	}
	if len(paths) == 0 {
		r.Status = agent.StatusNothing
	}
	return r
}

// The votes equal those computed by hand from the paper: 1/|S| from each run, ties by the
// positions in the lists, then by the first mention.
func TestElect(t *testing.T) {
	t.Parallel()
	failed := crash.Run{RunReport: agent.RunReport{Status: agent.StatusFailed}}
	for _, test := range []struct {
		runs  []crash.Run
		order string
		score []float64
		of    int
	}{
		{[]crash.Run{naming("a")}, "a", []float64{1}, 1},
		{[]crash.Run{naming("a", "b"), naming("b")}, "b a", []float64{1.5, 0.5}, 2},
		{[]crash.Run{naming("a", "b", "c"), naming("c"), naming("c", "b")}, "c b a", []float64{1./3 + 1.5, 1./3 + 0.5, 1. / 3}, 3},
		{[]crash.Run{naming("a", "b"), naming("b", "a")}, "a b", []float64{1, 1}, 2},                                        // named first
		{[]crash.Run{naming("x", "a", "b"), naming("y", "b", "a"), naming("b", "a", "z")}, "b a x y z", []float64{1, 1}, 3}, // b's places are 3, 2, 1, a's are 2, 3, 2
		{[]crash.Run{naming("a", "b"), naming("b"), naming("a")}, "a b", []float64{1.5, 1.5}, 3},                            // a is first in both of its lists
		{[]crash.Run{naming("a"), naming(), failed}, "a", []float64{1}, 2},                                                  // a run that names nothing votes, one that failed does not
		{[]crash.Run{naming(), failed}, "", nil, 0},
		{nil, "", nil, 0},
	} {
		votes, order := elect(test.runs)
		if got := strings.Join(order, " "); got != test.order {
			t.Errorf("%s, want %s", got, test.order)
			continue
		}
		for i, want := range test.score {
			if v := votes[order[i]]; math.Abs(v.Score-want) > 1e-9 || v.Of != test.of {
				t.Errorf("%s: %+v, want %g of %d", order[i], v, want, test.of)
			}
		}
	}
	votes, _ := elect([]crash.Run{naming("a"), naming("a"), naming("b")})
	if v := votes["a"]; v.Runs != 2 || !slices.Equal(v.Explanations, []string{"of a"}) {
		t.Errorf("%+v", v)
	}
}

// The files that the runs name come first, with their data from the offline ranking. The others
// follow in its order, with lower probabilities than before.
func TestMerge(t *testing.T) {
	t.Parallel()
	offline := []crash.File{
		{Path: "a", Probability: 0.6, Score: 3, Reasons: []string{"innermost"}, Frames: []crash.FrameRef{{}}},
		{Path: "b", Probability: 0.3}, {Path: "c", Probability: 0.01, Related: true},
	}
	votes, order := elect([]crash.Run{naming("c", "new"), naming("c")})
	files := merge(offline, votes, order, probability)
	if pathsOf(files) != "c new a b" {
		t.Fatalf("%s", pathsOf(files))
	}
	if c := files[0]; !c.Related || c.Vote.Score != 1.5 || !slices.Equal(c.Reasons, []string{"2 of 2 investigations name it"}) {
		t.Errorf("%+v", c)
	}
	if a := files[2]; a.Score != 3 || len(a.Frames) != 1 || a.Vote != nil || !slices.Equal(a.Reasons, []string{"innermost"}) || a.Probability >= 0.6 {
		t.Errorf("%+v", a)
	}
	for _, f := range files {
		if f.Probability <= 0 || f.Probability >= 1 {
			t.Errorf("%s: %g", f.Path, f.Probability)
		}
	}
	if len(offline[2].Reasons) != 0 || offline[0].Probability != 0.6 {
		t.Errorf("the offline ranking has changed: %+v", offline)
	}
}

// The probability grows with the share of the votes and with the offline one.
func TestProbability(t *testing.T) {
	t.Parallel()
	last := 0.0
	for _, score := range []float64{0, 0.5, 1, 2, 3} {
		p := probability(&crash.Vote{Score: score, Of: 3}, 0.3)
		if p <= last || p >= 1 || probability(&crash.Vote{Score: score, Of: 3}, 0.9) <= p {
			t.Errorf("score %g: %g after %g", score, p, last)
		}
		last = p
	}
	for _, offline := range []float64{0, 1, -5, 7} {
		if p := probability(&crash.Vote{}, offline); math.IsNaN(p) || p <= 0 || p >= 1 {
			t.Errorf("%g gives %g", offline, p)
		}
	}
}

// The commits named by most runs come first, with the offline engine's data, then its other
// suspects, up to the requested number.
func TestSuspectsMerge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := b.investigation()
	start, any := b.oid("start the program"), b.oid("take any length")
	claim := func(reason string, oids ...gitext.OID) crash.Run {
		r := naming("a")
		for _, oid := range oids {
			r.Claim.Commits = append(r.Claim.Commits, crash.CommitClaim{Commit: oid, Reason: reason})
		}
		return r
	}
	other := b.oid("unrelated")
	list, err := d.suspects(t.Context(), []crash.Run{claim("first", other, any), claim("", any)}, d.offline.Files)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v, %+v", err, list)
	}
	if list[0].Commit.OID != any || list[1].Commit.OID != other || list[2].Commit.OID != start || list[0].Commit.Subject() != "reader: take any length" {
		t.Errorf("%+v", list)
	}
	last := func(s suspect.Suspect) string { return s.Evidence[len(s.Evidence)-1].Text }
	if list[0].Reason != "first" || list[1].Reason != "first" || last(list[0]) != "2 of 2 investigations name it" || last(list[1]) != "1 of 2 investigations name it" {
		t.Errorf("%+v", list[:2])
	}
	gone := gitext.OID(strings.Repeat("1", len(any)))
	if list, err = d.suspects(t.Context(), []crash.Run{claim("", gone)}, d.offline.Files); err != nil || list[0].Commit.OID != gone || list[0].Reason != "named by the model without a reason" {
		t.Errorf("a commit that is not there: %v, %+v", err, list)
	}
	d.q.Suspects = 0
	if list, err = d.suspects(t.Context(), []crash.Run{claim("", any)}, d.offline.Files); err != nil || len(list) != 0 {
		t.Errorf("none was asked for: %v, %+v", err, list)
	}
	if len(d.offline.Suspects) != 2 || slices.ContainsFunc(d.offline.Suspects, func(s suspect.Suspect) bool { return strings.Contains(last(s), "investigation") }) {
		t.Errorf("the offline ranking has changed: %+v", d.offline.Suspects)
	}
}

// If the runs put another file first, the suspects are determined again, for that file.
func TestSuspectsFollowTheFiles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("own", gittest.Files{"own.c": "int own(int a)\n{\n\treturn a;\n}\n"})
	crashed := h.Commit("start", gittest.Files{"main.c": "int own(int);\nint main(void)\n{\n\treturn own(0);\n}\n"})
	b := askedAt(h, crashed, "Program received signal SIGSEGV, Segmentation fault.\n#0  0x01 in own (a=0) at own.c:3\n#1  0x02 in main () at main.c:4\n")
	b.question.Suspects = 2
	d := b.investigation()
	subjects := func(first string) (list []string) {
		runs := []crash.Run{{RunReport: agent.RunReport{Status: agent.StatusFound}, Claim: crash.Claim{Files: []crash.FileClaim{{Path: first}}}}}
		votes, order := elect(runs)
		found, err := d.suspects(t.Context(), runs, merge(d.offline.Files, votes, order, probability))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			list = append(list, s.Commit.Subject())
		}
		return list
	}
	first, other := d.offline.Files[0].Path, d.offline.Files[1].Path
	a, z := subjects(first), subjects(other)
	if len(a) != 2 || len(z) != 2 || a[0] == z[0] {
		t.Errorf("with %s first %q, with %s %q", first, a, other, z)
	}
}

// A calibration for the basis is used if each run has a claim. The basis of the probabilities is
// always reported.
func TestCalibrated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r, _ := b.trace(Options{}, accuse("main.c"))
	if a := r.Agent; a.Calibrated || a.Calibration != uncalibrated || a.Basis.Model != "scripted" || a.Basis.Runs != 1 {
		t.Errorf("%+v", a)
	}
	raw, offline := r.Files[0].Probability, r.Files[0].Vote.Offline
	c := &session.Calibration{Basis: r.Agent.Basis, Named: "file", Predictions: 210, Platt: stat.Platt{Raw: 0.1, Agreement: 1, Constant: -2}}
	r, _ = b.trace(Options{Calibration: c}, accuse("main.c"))
	if p := r.Files[0].Probability; p != c.Probability(offline, 1) || p == raw || !r.Agent.Calibrated || !strings.HasPrefix(r.Agent.Calibration, "on 210 files") {
		t.Errorf("%g for %g, %+v", p, raw, r.Agent)
	}
	r, _ = b.trace(Options{Calibration: c, Runs: 2}, accuse("main.c"), accuse("main.c"))
	if r.Agent.Calibrated || !strings.Contains(r.Agent.Calibration, "it is for 1 run, and there are 2") {
		t.Errorf("%+v", r.Agent)
	}
	b.question.NoCode = true
	r, _ = b.trace(Options{Calibration: c}, accuse("main.c"))
	if r.Agent.Calibrated || r.Files[0].Probability != raw || !strings.Contains(r.Agent.Calibration, "the method with no-code") {
		t.Errorf("%+v", r.Agent)
	}
}
