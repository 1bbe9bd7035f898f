package fixeval

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/fix"
)

// Recall, all, any and none are computed by trajectory; a trajectory without a patch edits no
// files. Reads are counted for the whole case.
func TestFixFiles(t *testing.T) {
	trajectories := []Trajectory{{Edited: 2, Found: 2, Of: 2}, {Edited: 3, Found: 1, Of: 2}, {Of: 2}, {Edited: 1, Of: 2}}
	rows := []any{scoreRow{trajectories: trajectories, read: 3, readCommits: 1}, scoreRow{trajectories: trajectories[:1]}, scoreRow{}}
	res := &eval.Results{Algorithms: []string{"agent"}, Outcomes: map[string][]eval.Outcome{}}
	for _, row := range rows {
		res.Cases = append(res.Cases, Case{ID: "c", Repo: "o/r"})
		res.Outcomes["agent"] = append(res.Outcomes["agent"], eval.Outcome{Score: eval.Score{Row: row}, Evaluated: true})
	}
	tables := fixFiles(res, "agent")
	if len(tables) != 1 {
		t.Fatalf("%+v", tables)
	}
	var got []float64
	for _, v := range tables[0].Rows[0].Values {
		got = append(got, *v.Value)
	}
	want := []float64{(1.5 + 2) / 2, (0.375 + 1) / 2, (0.25 + 1) / 2, 0.125, 0.25, 1.5, 0.5}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if none := fixFiles(res, "offline"); none != nil {
		t.Errorf("%+v", none)
	}
}

// The files and commits that a model's calls request are stored with the answer.
func TestReadIsKept(t *testing.T) {
	b := newBug(t)
	_, ask := b.begin(Options{Trial: local, Repair: func(_ context.Context, in Inquiry) (*fix.Answer, error) {
		for id, args := range map[string]string{"cat": `{"path":"lib.sh"}`, "git_show": `{"commit":"HEAD^"}`} {
			in.OnEvent(agent.ToolCall{Turn: 1, ID: id, Name: id, Args: json.RawMessage(args)})
			in.OnEvent(agent.ToolResult{ID: id, Name: id})
		}
		return &fix.Answer{Agent: &fix.AgentReport{Runs: []fix.Run{{}}}}, nil
	}})
	a, err := ask(t.Context(), "agent-none")
	if err != nil {
		t.Fatal(err)
	}
	p := a.(Prediction)
	if !slices.Equal(p.Read, []string{"lib.sh"}) || !slices.Equal(p.ReadCommits, []string{"HEAD^"}) || len(p.Trajectories) != 1 || p.Trajectories[0].Of != 1 {
		t.Errorf("%+v", p)
	}
	row, ok := (Task{}).Score(b.c, p).Row.(scoreRow)
	if !ok || row.read != 1 || row.readCommits != 1 {
		t.Errorf("%+v", row)
	}
}
