package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"
)

// readEvents reads the lines of a file that --events wrote.
func readEvents(t *testing.T, file string) []app.EventLine {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []app.EventLine
	for line := range strings.Lines(string(text)) {
		e := app.EventLine{Answer: &render.AnswerJSON{}}
		if err := json.Unmarshal([]byte(line), &e); err != nil || !strings.HasSuffix(line, "\n") || e.Schema != app.EventSchema || e.Time.IsZero() {
			t.Errorf("line %q: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}

func names(list []app.EventLine) string {
	var names []string
	for _, e := range list {
		if e.Event != "progress" {
			names = append(names, e.Event)
		}
	}
	return strings.Join(names, " ")
}

// replayed is the event in a line, as a reader of the stream sees it.
func replayed(e app.EventLine) agent.Event {
	switch e.Event {
	case "progress":
		return agent.Progress{Text: e.Text, Done: e.Done, Total: e.Total}
	case "thought":
		return agent.Thought{Turn: e.Turn, Text: e.Text}
	case "tool_call":
		return agent.ToolCall{Turn: e.Turn, ID: e.ID, Name: e.Tool, Args: e.Args}
	case "tool_result":
		return agent.ToolResult{ID: e.ID, Name: e.Tool, Text: e.Text, Failed: e.Failed, Cached: e.Cached, Truncated: e.Truncated}
	case "usage":
		u := e.Usage
		return agent.Usage{Turn: e.Turn, Uncached: u.Uncached, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output,
			Reasoning: u.Reasoning, CostUSD: u.CostUSD, Estimated: u.Estimated}
	}
	return nil
}

// A recorded stream has everything shown on the terminal and the answer, so that it can be shown
// again; a second run is appended.
func TestEventsReplay(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("git_show", `{"commit":"HEAD~2"}`).And("git_show", `{"commit":"nope"}`).Saying("Look.\nThen think.")
		}
		return reports(b.bug)
	})
	file := filepath.Join(b.home, "events.jsonl")
	out, errs := b.run(app.ExitFound, "szz", "--json", "--progress", "--events="+file)
	list := readEvents(t, file)
	want := "start thought usage tool_call tool_call tool_result tool_result usage tool_call tool_result answer end"
	if got := names(list); !slices.Equal(sorted(got), sorted(want)) || !strings.HasPrefix(got, "start ") || !strings.HasSuffix(got, " answer end") {
		t.Errorf("events are %s", got)
	}
	shown := 0
	for _, e := range list {
		event := replayed(e)
		if event == nil {
			continue
		}
		if e.Fix == "" {
			t.Errorf("%s has no fix", e.Event)
		}
		for _, line := range app.LiveLines(event, false) {
			if shown++; !strings.Contains(errs, ui.OneLine(line)+"\n") {
				t.Errorf("%q was not shown: %s", line, errs)
			}
		}
	}
	if shown < 6 {
		t.Errorf("only %d lines were shown", shown)
	}
	answer := list[len(list)-2].Answer
	if line, err := quote.Marshal(answer); err != nil || string(line)+"\n" != out {
		t.Errorf("the answer is %s, %v, want %s", line, err, out)
	}

	b.run(app.ExitFound, "szz", "--json", "--events="+file)
	if got := names(readEvents(t, file)[len(list):]); got != "start answer end" {
		t.Errorf("the second run: %s", got)
	}
}

func sorted(text string) []string {
	words := strings.Fields(text)
	slices.Sort(words)
	return words
}

// Events of several conversations name their conversation; the stream has the reason for an early
// end; a file that cannot be written is named.
func TestEventsOfRunsAndTrouble(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.serve(func(modeltest.Request) modeltest.Reply { return reports(b.bug) })
	file := filepath.Join(b.home, "events.jsonl")
	b.run(app.ExitFound, "szz", "--runs=2", "--events="+file)
	runs := map[int]bool{}
	for _, e := range readEvents(t, file) {
		if e.Event == "tool_call" {
			runs[e.Run] = true
		}
	}
	if len(runs) != 2 || !runs[1] || !runs[2] {
		t.Errorf("runs are %v", runs)
	}

	b.serve(always(modeltest.Status(401, `{"error":{"message":"bad key"}}`)))
	other := filepath.Join(b.home, "other.jsonl")
	_, errs := b.run(app.ExitModel, "szz", "--no-cache", "--events="+other, "HEAD~1")
	list := readEvents(t, other)
	if end := list[len(list)-1]; end.Event != "end" || end.Error == "" || !strings.Contains(errs, end.Error) {
		t.Errorf("the last event is %+v, stderr %s", end, errs)
	}

	if _, errs := b.run(app.ExitFatal, "szz", "--events="+b.home); !strings.Contains(errs, b.home) {
		t.Errorf("stderr %s", errs)
	}
}

// Events of an uncommitted fix name no commit as the fix.
func TestEventsOfAnUncommittedFix(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.serve(func(modeltest.Request) modeltest.Reply { return reports(b.bug) })
	b.shell(`cd r; for f in *; do echo changed >"$f"; done; git add -A`)
	file := filepath.Join(b.home, "events.jsonl")
	b.run(app.ExitFound, "szz", "--staged", "--events="+file)
	list := readEvents(t, file)
	for _, e := range list {
		if e.Fix != "" {
			t.Errorf("%s is about the fix %s", e.Event, e.Fix)
		}
	}
	if !strings.Contains(names(list), "tool_call") {
		t.Errorf("events are %s", names(list))
	}
}
