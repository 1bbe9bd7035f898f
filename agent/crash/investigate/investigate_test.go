package investigate

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/model"
)

// A reported file comes first, with the model's reason, cleaned; the offline ranking follows,
// unchanged.
func TestReported(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	before, _ := json.Marshal(b.offline)
	report := called("report", map[string]any{"explanation": "The length\n runs\x1b[2J away.", "files": []any{map[string]any{"path": "/build/p/main.c", "reason": "it\x1b[31m lacks\n a check"}},
		"commits": []any{map[string]any{"commit": "c2", "why": "it took the check out, c1 had it"}, map[string]any{"commit": string(b.oid("start the program")), "why": ""}}})
	r, s := b.trace(Options{}, look, report)
	if r.Algorithm != "agent" || r.Agent.Fallback != "" || pathsOf(r.Files[:2]) != "main.c lib/reader.c" || !r.Answered {
		t.Fatalf("%s by %s, %+v", pathsOf(r.Files), r.Algorithm, r.Agent)
	}
	f := r.Files[0]
	if f.Vote == nil || f.Vote.Score != 1 || f.Vote.Explanations[0] != `it\x1b[31m lacks a check` || len(f.Frames) != 1 || !strings.HasPrefix(strings.Join(f.Reasons, "; "), "1 of 1 investigation names it; ") {
		t.Errorf("file %+v", f)
	}
	if r.Files[1].Vote != nil || r.Files[1].Probability >= f.Probability {
		t.Errorf("files %+v", r.Files)
	}
	if a := r.Agent; a.Explanation != `The length runs\x1b[2J away.` || a.Confidence != 1 || len(a.Runs) != 1 || a.Runs[0].Turns != 2 || a.Runs[0].Calls != 2 || a.Runs[0].Status != agent.StatusFound || a.Model != "scripted" {
		t.Errorf("report %+v", a)
	}
	if len(r.Suspects) != 2 || r.Suspects[0].Commit.OID != b.oid("take any length") || r.Suspects[0].Reason != "it took the check out, c1 ("+b.oid("start the program").Short()+") had it" || r.Suspects[1].Reason == "" {
		t.Errorf("suspects %+v", r.Suspects)
	}
	if e := r.Suspects[0].Evidence; e[len(e)-1].Text != "1 of 1 investigation names it" || !strings.HasPrefix(e[len(e)-1].Command, "git show ") {
		t.Errorf("evidence %+v", e)
	}
	if shown := s.last(2); !strings.Contains(shown, "return in[0];") {
		t.Errorf("the tool shows %s", shown)
	}
	if after, _ := json.Marshal(b.offline); string(after) != string(before) {
		t.Error("the offline ranking has changed")
	}
}

// If the model fails or names nothing, the answer is the offline engine's, with the requested
// number of suspects, and the report gives the reason.
func TestFallsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.question.Suspects = 1
	empty := called("report", map[string]any{"explanation": "", "files": []any{}, "commits": []any{}})
	for name, test := range map[string]struct {
		replies []model.Message
		why     string
		status  string
	}{
		"no server": {nil, "the script is over", agent.StatusFailed},
		"no answer": {[]model.Message{look, said("I give up"), said("really")}, "the limit was reached without an answer: ", agent.StatusLimit},
		"empty":     {[]model.Message{empty, empty}, "the model named no file", agent.StatusNothing},
		"unknown":   {[]model.Message{accuse("no/such.c"), accuse("no/such.c")}, "the model named no file", agent.StatusNothing},
	} {
		r, _ := b.trace(Options{Limits: agent.Limits{Turns: 3}}, test.replies...)
		if r.Algorithm != "rank" || !strings.Contains(r.Agent.Fallback, test.why) || r.Agent.Runs[0].Status != test.status || pathsOf(r.Files) != pathsOf(b.offline.Files) ||
			!strings.Contains(strings.Join(r.Notes, "\n"), "the ranking is the offline engine's: ") || r.Agent.Confidence != 0 {
			t.Errorf("%s: %s, %+v, notes %q", name, r.Algorithm, r.Agent, r.Notes)
		}
		if len(r.Suspects) != 1 {
			t.Errorf("%s: %d suspects were asked for, and %d given", name, 1, len(r.Suspects))
		}
	}
	if len(b.offline.Notes) != 0 || len(b.offline.Suspects) < 2 {
		t.Errorf("the offline ranking has changed: %+v", b.offline)
	}
}

// After the last turn, the model may answer once in text.
func TestLastWord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r, s := b.trace(Options{Limits: agent.Limits{Turns: 2}}, look, said("EXPLANATION: a long packet\nFILE: lib/reader.c it trusts the length"))
	if r.Agent.Fallback != "" || pathsOf(r.Files[:1]) != "lib/reader.c" || r.Files[0].Vote.Explanations[0] != "it trusts the length" || r.Agent.Explanation != "a long packet" {
		t.Errorf("%s, %+v", pathsOf(r.Files), r.Agent)
	}
	if !strings.Contains(s.last(2), "no tool runs any more") {
		t.Errorf("the last word is asked for by %q", s.last(2))
	}
}

// A refused claim stands if the conversation ends before the next one.
func TestRefusedClaimStands(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r, _ := b.trace(Options{}, accuse("lib/reader.c", "no/such.c")) // the server fails before the answer
	if r.Agent.Fallback != "" || pathsOf(r.Files[:1]) != "lib/reader.c" || r.Agent.Runs[0].Status != agent.StatusFailed {
		t.Errorf("%s, %+v", pathsOf(r.Files), r.Agent)
	}
}

// Several runs vote: each run divides its vote among the files that it names.
func TestRunsVote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r, s := b.trace(Options{Runs: 3}, accuse("main.c", "lib/reader.c"), accuse("lib/reader.c"), accuse("lib/reader.c"))
	if len(s.asked) != 3 || pathsOf(r.Files[:2]) != "lib/reader.c main.c" {
		t.Fatalf("asked %d times, %s", len(s.asked), pathsOf(r.Files))
	}
	first, second := r.Files[0].Vote, r.Files[1].Vote
	if first.Score != 2.5 || first.Runs != 3 || first.Of != 3 || second.Score != 0.5 || second.Runs != 1 || r.Agent.Confidence < 0.83 || r.Agent.Confidence > 0.84 {
		t.Errorf("%+v, %+v, confidence %g", first, second, r.Agent.Confidence)
	}
	if len(first.Explanations) != 1 || !strings.HasPrefix(r.Files[1].Reasons[0], "1 of 3 investigations name") {
		t.Errorf("%q, %q", first.Explanations, r.Files[1].Reasons)
	}
	r, s = b.trace(Options{Runs: 3})
	if len(s.asked) > 3 || r.Agent.Fallback == "" || len(r.Agent.Runs) != 1 {
		t.Errorf("a dead server was asked %d times: %+v", len(s.asked), r.Agent)
	}
}

// A resumed run knows its earlier answers: a report that was refused once is accepted.
func TestResumes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	journal := memoryJournal{}
	opt := Options{ModelName: "scripted", Runs: 1, Journal: func(int) (agent.Journal, error) { return journal, nil }}
	ctx, cancel := context.WithCancel(t.Context())
	opt.Model = cancellingModel{&scriptedModel{t: t, replies: []model.Message{look, accuse("no/such.c", "main.c")}}, cancel}
	if r, err := Trace(ctx, b.repo, b.question, b.offline, opt); err == nil {
		t.Fatalf("an interrupted run gives %+v", r)
	}
	r, s := b.trace(opt, accuse("no/such.c", "main.c"))
	if run := r.Agent.Runs[0]; len(s.asked) != 1 || pathsOf(r.Files[:1]) != "main.c" || run.Turns != 3 || run.Resumed == 0 {
		t.Errorf("asked %d times, %s, %+v", len(s.asked), pathsOf(r.Files), run)
	}
}

// A claim can be restored from its record.
func TestAccountReadsTheRecord(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	journal := memoryJournal{}
	opt := Options{Journal: func(int) (agent.Journal, error) { return journal, nil }}
	first, _ := b.trace(opt, accuse("main.c"))
	again, s := b.trace(opt)
	if len(s.asked) != 0 || pathsOf(again.Files[:1]) != "main.c" || again.Agent.Runs[0].Claim.Explanation != first.Agent.Runs[0].Claim.Explanation {
		t.Errorf("asked %d times, %+v", len(s.asked), again.Agent)
	}
}

// Secrets are masked, in the prompt and in the tools' answers.
func TestMasked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, s := b.trace(Options{Mask: func(s string) string { return strings.ReplaceAll(s, "read_length", "*****") }}, look, accuse("main.c"))
	for n, req := range s.asked {
		for _, m := range req.Messages {
			if strings.Contains(m.Text, "read_length") {
				t.Errorf("request %d: %s", n+1, m.Text)
			}
		}
	}
}

// No tool shows anything newer than the commit that crashed, under any name.
func TestNothingNewerIsVisible(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	repair := string(b.oid("check the length again"))
	_, s := b.trace(Options{}, called("git_show", map[string]any{"commit": repair}), called("git_show", map[string]any{"commit": "main"}),
		called("search_commits", map[string]any{"pattern": "length"}), called("git_show", map[string]any{"commit": "c2"}), accuse("main.c"))
	for n := 2; n <= 4; n++ {
		if strings.Contains(s.last(n), "& 3;") || strings.Contains(s.last(n), "again") {
			t.Errorf("answer %d shows the repair: %s", n, s.last(n))
		}
	}
	if !strings.Contains(s.last(5), "reader: take any length") {
		t.Errorf("the short name of a commit is not understood: %s", s.last(5))
	}
}

// The explanation comes from a run that puts the first file first.
func TestExplain(t *testing.T) {
	t.Parallel()
	run := func(text string, paths ...string) (r crash.Run) {
		r.Claim.Explanation = text
		for _, p := range paths {
			r.Claim.Files = append(r.Claim.Files, crash.FileClaim{Path: p})
		}
		return r
	}
	runs := []crash.Run{run("none"), run("of b", "b", "a"), run("", "a"), run("of a", "a", "b")}
	if got := explain(runs, "a"); got != "of a" {
		t.Errorf("%q", got)
	}
	if got := explain(runs[:3], "a"); got != "of b" {
		t.Errorf("%q", got)
	}
	if got := explain(runs[:1], "a"); got != "" {
		t.Errorf("%q", got)
	}
}

// The code of a missing file is not shown, but the file can be named.
func TestMissingFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	oid := b.Git("rev-parse", string(b.crashed)+":lib/reader.c")
	if err := os.Remove(filepath.Join(b.Dir, ".git", "objects", oid[:2], oid[2:])); err != nil {
		t.Fatal(err)
	}
	b.repo = b.Open()
	r, s := b.trace(Options{}, look, called("get_term_definition", map[string]any{"symbol": "read_packet"}), accuse("lib/reader.c"))
	if r.Agent.Fallback != "" || pathsOf(r.Files[:1]) != "lib/reader.c" {
		t.Errorf("%s, %+v", pathsOf(r.Files), r.Agent)
	}
	if first := s.asked[0].Messages[1].Text; !strings.Contains(first, "## #1, main.c") || strings.Contains(first, "## #0, lib/reader.c") {
		t.Errorf("%s", first)
	}
	if !strings.Contains(s.last(2), "is not in this clone") {
		t.Errorf("the tool says %s", s.last(2))
	}
}
