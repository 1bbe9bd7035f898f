package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/model/modeltest"
)

// historyWords are words that no request of a repair without history has.
var historyWords = []string{"history", "blame", "changed it on", "introduced", "size: count", "first words"}

// saidOf returns all text of a request, its tools and its messages, in lower case.
func saidOf(req modeltest.Request) string { return strings.ToLower(string(req.Raw)) }

// Each arm of HAFixAgent shows only its kind of history. The arm without history shows none,
// and has no tools for it.
func TestArms(t *testing.T) {
	t.Parallel()
	passages := map[fix.Heuristic]string{fix.FlDiff: "fl_diff: what it changed", fix.FnPair: "fn_pair: the function", fix.FnAll: "fn_all: the functions"}
	for _, c := range []struct {
		kinds      []fix.Heuristic
		tools      fix.Toolset
		strategy   fix.Strategy
		want       string // tools
		unsearched bool   // without the search of commits
	}{
		{[]fix.Heuristic{fix.FlDiff}, "", "", "cat code_search search_definition git_blame git_show git_log_function edit test finish", true},
		{[]fix.Heuristic{fix.FnAll}, "", fix.Research, "cat code_search search_definition git_blame git_show git_log_function close_definition done", true},
		{nil, "", "", "cat code_search search_definition edit test finish", false},
		{nil, fix.Bash, "", "bash finish", false},
		{nil, "", fix.Research, "cat code_search search_definition close_definition done", false},
		{[]fix.Heuristic{fix.FlDiff}, "", "", "cat code_search search_definition search_commits git_blame git_show git_log_search git_log_function edit test finish", false},
		{[]fix.Heuristic{fix.FnPair}, fix.Bash, "", "bash finish", false},
		{[]fix.Heuristic{fix.FnAll}, "", fix.Research, "cat code_search search_definition search_commits git_blame git_show git_log_search git_log_function close_definition done", false},
	} {
		b := newBench(t, func(req modeltest.Request) modeltest.Reply {
			if slices.Contains(req.Tools, "done") {
				return modeltest.Call("done", `{"hypothesis":"Only the first line is read."}`)
			}
			return modeltest.Call("finish", gives)
		})
		b.question.Method = fix.Method{Heuristics: c.kinds, Tools: c.tools, Strategy: c.strategy, NoCommitSearch: c.unsearched}
		ans := b.answer()
		sent := b.server.Requests()
		if len(sent) == 0 {
			t.Fatalf("%v: no request, %+v", c, ans.Answer)
		}
		if got := strings.Join(sent[0].Tools, " "); got != c.want {
			t.Errorf("%v: tools %s", c, got)
		}
		if without := c.kinds == nil; without != (ans.History == nil) {
			t.Errorf("%v: history %+v", c, ans.History)
		}
		for _, req := range sent {
			first := req.Messages[1].Text
			for kind, head := range passages {
				if strings.Contains(first, head) != slices.Contains(c.kinds, kind) {
					t.Errorf("%v: %s is shown, or is not:\n%s", c, kind, first)
				}
			}
			for _, word := range historyWords {
				if c.kinds == nil && strings.Contains(saidOf(req), word) {
					t.Errorf("%v: %q in %s", c, word, req.Raw)
				}
			}
			for _, word := range []string{"search_commits", "git_log_search"} {
				if c.unsearched && strings.Contains(saidOf(req), word) {
					t.Errorf("%v: %q in %s", c, word, req.Raw)
				}
			}
			if c.kinds != nil && !strings.Contains(first, "changed it on") {
				t.Errorf("%v: no age in\n%s", c, first)
			}
		}
	}
}

// Without history, no command of a model can read any: neither in a shell nor through the
// message about a refused path. With history, git answers in the same place.
func TestNoHistoryInTheWorkTree(t *testing.T) {
	t.Parallel()
	command, err := json.Marshal(map[string]string{"command": "git log --all --format=%H.%s HEAD; git cat-file --batch-check --batch-all-objects; git show HEAD~1; git status --short"})
	if err != nil {
		t.Fatal(err)
	}
	for _, kinds := range [][]fix.Heuristic{nil, {fix.FlDiff}} {
		b := newBench(t, func(req modeltest.Request) modeltest.Reply {
			if req.Turn() == 0 {
				return modeltest.Call("bash", string(command))
			}
			return modeltest.Call("finish", gives)
		})
		b.question.Method = fix.Method{Heuristics: kinds, Tools: fix.Bash}
		b.answer()
		answer := b.server.Requests()[1].Last().Text
		if !strings.Contains(answer, " commit ") || !strings.Contains(answer, " blob ") {
			t.Fatalf("git does not answer: %s", answer)
		}
		knows := strings.Contains(answer, string(b.broke)) && strings.Contains(answer, "size: count the words") && strings.Count(answer, " commit ") == 2
		hint := strings.Contains(answer, string(b.broke)) || strings.Contains(answer, "size: count") || strings.Count(answer, " commit ") > 1
		if kinds == nil && hint || kinds != nil && !knows {
			t.Errorf("history %v: %s", kinds, answer)
		}
	}
}

// The trajectory without history that "auto" makes in its third round is without it too,
// although the others are not.
func TestAutoWithoutHistory(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return spoils
		}
		return modeltest.Call("finish", gives)
	})
	b.question.Method = fix.Method{Auto: true}
	ans := b.answer()
	if len(ans.Agent.Runs) != 3 || ans.Agent.Runs[2].History != nil {
		t.Fatalf("%+v", ans.Agent)
	}
	for _, req := range b.server.Requests() {
		without := !slices.Contains(req.Tools, "git_blame")
		if without != !strings.Contains(saidOf(req), "history of the suspected lines") || without != !strings.Contains(saidOf(req), "changed it on") {
			t.Errorf("without history %v: %s", without, req.Raw)
		}
	}
	last := b.server.Requests()[len(b.server.Requests())-1]
	if slices.Contains(last.Tools, "git_blame") {
		t.Errorf("tools %v", last.Tools)
	}
	// resumed, it is the same trajectory: the order of the functions is that of all rounds
	spec, err := SpecOf(b.recorded()[0])
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.again(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.close()
	defer again.proof.Close()
	if again.q.Method.ShowsHistory() || again.answer.History == nil {
		t.Errorf("%+v, history %+v", again.q.Method, again.answer.History)
	}
}
