package fixeval

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// The estimate from all trajectories is the mean over all draws of k of them.
func TestAtLeastOne(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				draws, hits := 0, 0
				for set := range 1 << n {
					size, hit := 0, false
					for i := range n {
						if set>>i&1 == 1 {
							size++
							hit = hit || i < c
						}
					}
					if size != k {
						continue
					}
					draws++
					if hit {
						hits++
					}
				}
				if got, want := atLeastOne(n, c, k), float64(hits)/float64(draws); math.Abs(got-want) > 1e-12 {
					t.Errorf("n=%d c=%d k=%d: %v, want %v", n, c, k, got, want)
				}
			}
		}
	}
}

// The distance is the length of the path between two files in the tree of files.
func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"a/b.c", "a/b.c", 0}, {"a/b.c", "./a/b.c", 0}, {"a/b.c", "a/c.c", 2}, {"a/b.c", "b.c", 3}, {"a/b/c.c", "d/e.c", 5}, {"x.c", "y.c", 2}} {
		if got := distance(tt.a, tt.b); got != tt.want || distance(tt.b, tt.a) != got {
			t.Errorf("%s to %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// A trajectory is a repair with the analysis before it. An analysis without a repair is a
// trajectory by itself, and a review is none.
func TestAttempts(t *testing.T) {
	analysis, repair, review := fix.Run{Phase: fix.PhaseAnalysis}, fix.Run{}, fix.Run{Phase: fix.PhaseReview}
	var sizes []int
	for _, runs := range attempts([]fix.Run{analysis, repair, analysis, analysis, repair, repair, review}) {
		sizes = append(sizes, len(runs))
	}
	if !slices.Equal(sizes, []int{2, 1, 2, 1}) {
		t.Errorf("%v", sizes)
	}
}

// drawnFrom returns an answer with trajectories that write these files; nil writes none. said is
// the engine's verdict on each patch.
func drawnFrom(said []fix.Verdict, patches ...gittest.Files) *fix.Answer {
	ans := &fix.Answer{Reproduction: fix.Reproduction{State: fix.Failing}, Agent: &fix.AgentReport{}}
	for i, files := range patches {
		run := fix.Run{Trace: strings.Repeat("r", i+1)}
		if files != nil {
			run.Tried = &fix.Trial{Verdict: said[i], Patch: patchOf(files)}
			if run.Verdict = said[i]; said[i] == fix.Plausible {
				ans.Plausible = append(ans.Plausible, *run.Tried)
			}
		}
		ans.Agent.Runs = append(ans.Agent.Runs, run)
	}
	return ans
}

// The judge tries the patch of each trajectory, including patches that the engine does not show,
// and measures the distance of its files from the fix.
func TestTrajectoriesAreJudged(t *testing.T) {
	b := newBug(t)
	mended := fixedAdd + "\n# other\nid() {\n\techo \"$1\"\n}\n"
	ans := drawnFrom([]fix.Verdict{fix.Fails, fix.Plausible, "", fix.Plausible},
		gittest.Files{"lib.sh": mended}, // the engine was wrong
		gittest.Files{"README": "more\n", "a/b.sh": "new\n", "test/old.sh": "exit 0\n"}, // likewise
		nil, // no patch
		gittest.Files{"lib.sh": "# it adds\n" + mended, "test/gone.sh": gittest.Gone, "x": "new\n"}, // right
	)
	_, ask := b.begin(Options{Trial: local, Samples: 5,
		Repair: func(context.Context, Inquiry) (*fix.Answer, error) { return ans, nil },
		Smells: func(_ context.Context, runs []string) []string { return runs }})
	got := map[string]Prediction{}
	for _, name := range []string{"agent-none", "agent"} {
		a, err := ask(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = a.(Prediction)
	}
	p := got["agent-none"]
	if p.Samples != 5 || got["agent"].Samples != 0 {
		t.Errorf("samples: %d, and under auto %d", p.Samples, got["agent"].Samples)
	}
	want := []Trajectory{
		{Said: fix.Fails, Verdict: fix.Plausible, Edited: 1, RightFile: true, Found: 1, Of: 1, Smells: []string{"r"}},
		{Said: fix.Plausible, Verdict: fix.Fails, Edited: 2, Distance: 2.5, Of: 1, Smells: []string{"rr"}},
		{Of: 1, Smells: []string{"rrr"}},
		{Said: fix.Plausible, Verdict: fix.Plausible, Edited: 2, RightFile: true, Distance: 1, Found: 1, Of: 1, Smells: []string{"rrrr"}},
	}
	if !slices.EqualFunc(p.Trajectories, want, func(a, b Trajectory) bool {
		s, r := a.Smells, b.Smells
		a.Smells, b.Smells = nil, nil
		return slices.Equal(s, r) && equalTrajectory(a, b)
	}) {
		t.Errorf("trajectories %+v", p.Trajectories)
	}
	if len(p.Patches) != 2 || p.Patches[0].Verdict != fix.Fails || p.Patches[1].Verdict != fix.Plausible {
		t.Errorf("patches %+v", p.Patches)
	}
}

func equalTrajectory(a, b Trajectory) bool {
	return a.Said == b.Said && a.Verdict == b.Verdict && a.Edited == b.Edited && a.RightFile == b.RightFile && a.Found == b.Found && a.Of == b.Of && a.Distance == b.Distance
}

// The table of plausible@k contains the estimate from all trajectories, failures included, and
// the result of the engine's answers. There is no table if the number of trajectories depends on
// their results.
func TestPlausibleOfTrajectories(t *testing.T) {
	draw := func(n int, verdicts ...fix.Verdict) Prediction {
		p := judged(fix.Fails, fix.Plausible)
		p.Samples = n
		for _, v := range verdicts {
			p.Trajectories = append(p.Trajectories, Trajectory{Verdict: v})
		}
		return p
	}
	cases := []Case{{ID: "0", Category: "SL"}, {ID: "1", Category: "SH"}, {ID: "2"}}
	answers := []eval.Answer{draw(4, fix.Plausible, fix.Plausible, fix.Fails, ""), draw(4, fix.Plausible, fix.Regresses), nil}
	auto := []eval.Answer{draw(0, fix.Plausible), draw(0, fix.Fails, fix.Plausible), draw(0)}
	r := eval.NewReport(Task{}, eval.About{}, results(Task{}, cases, map[string][]eval.Answer{"agent-none": answers, "agent": auto}, "agent-none", "agent"))
	tables := map[string]eval.Table{}
	for _, table := range r.Algorithms[0].Tables {
		tables[table.Name] = table
	}
	for i, want := range []struct {
		name              string
		estimate, shownAs float64
	}{{"1", (0.5 + 0.25) / 3, 0}, {"2", (5.0/6 + 0.5) / 3, 2.0 / 3}, {"3", (1 + 0.75) / 3, 2.0 / 3}, {"4", 2.0 / 3, 2.0 / 3}} {
		row := tables["trajectories"].Rows[i]
		if row.Name != want.name {
			t.Fatalf("row %+v", row)
		}
		near(t, "estimate of "+want.name, *row.Values[0].Value, want.estimate)
		near(t, "answers at "+want.name, *row.Values[1].Value, want.shownAs)
	}
	if rows := tables["trajectories"].Rows; len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
	for _, table := range r.Algorithms[1].Tables {
		if table.Name == "trajectories" || table.Name == "habits" {
			t.Errorf("auto has the table %s", table.Name)
		}
	}
}

// Trajectories are divided by their outcome, the file of their cases and the category.
func TestHabits(t *testing.T) {
	p := Prediction{Engine: Agent, Samples: 3, Trajectories: []Trajectory{
		{Verdict: fix.Fails, Edited: 1, Distance: 4, Smells: []string{"no_test", "turn_cap"}},
		{Smells: []string{"no_test"}},
		{Verdict: fix.Plausible, Edited: 1, RightFile: true, Smells: []string{"consecutive_edits"}}}, Facts: &Facts{Category: "SL"}}
	cases := []Case{{ID: "0", File: "people"}, {ID: "1", File: "machines"}}
	none := Prediction{Engine: Agent, Samples: 3}
	r := eval.NewReport(Task{}, eval.About{}, results(Task{}, cases, map[string][]eval.Answer{"agent-none": {p, none}}, "agent-none"))
	at := slices.IndexFunc(r.Algorithms[0].Tables, func(t eval.Table) bool { return t.Name == "habits" })
	if at < 0 {
		t.Fatal("no table")
	}
	var b bytes.Buffer
	for _, row := range r.Algorithms[0].Tables[at].Rows {
		b.WriteString(row.Name)
		for _, v := range row.Values {
			b.WriteString(" " + v.String())
		}
		b.WriteString("\n")
	}
	failing, passing := " 2.000 0.000 4.000 1.000 0.000 0.000 0.000\n", " 1.000 1.000 0.000 0.000 0.000 0.000 1.000\n"
	want := "all, not plausible" + failing + "all, plausible" + passing + "people, not plausible" + failing + "people, plausible" + passing + "SL, not plausible" + failing + "SL, plausible" + passing
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}
