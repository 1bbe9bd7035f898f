package engine

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/model/modeltest"
	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/agent/trial"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// TestMain lets the test binary act as the sandbox helper.
func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

// These are the versions of a script whose last commit broke it, and its test.
const (
	goodScript = "#!/bin/sh\nsize() {\n\tcat \"$1\" | wc -w\n}\nsize text\n"
	badScript  = "#!/bin/sh\nsize() {\n\thead -n 1 \"$1\" | wc -w\n}\nsize text\n"
	checkTest  = "test \"$(sh size.sh)\" -eq 4 || { echo 'size.sh:3: wrong size'; exit 1; }\n"
)

// A bench is an engine over a repository with the broken script, a model server, and a
// record of its runs.
type bench struct {
	*Engine
	t        *testing.T
	server   *modeltest.Server
	records  string
	traces   *cache.Traces
	question fix.Question
	broke    gitext.OID
}

func newBench(t *testing.T, answer func(modeltest.Request) modeltest.Reply) *bench {
	t.Helper()
	h := gittest.New(t)
	h.Commit("size: count the words", gittest.Files{"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": checkTest})
	broke := h.Commit("size: count the first words", gittest.Files{"size.sh": badScript})
	b := &bench{t: t, broke: broke, records: t.TempDir(), Engine: &Engine{
		Repo: h.Open(), Trial: trial.Options{Sandbox: sandbox.None, Scratch: t.TempDir(), MaxRuns: 1000}, Effort: Effort{Abstain: true, Tries: 20},
	}}
	b.question.Problem = fix.Problem{Tree: fix.Tree{Commit: broke}, Test: "sh check_test.sh", Given: []fix.GivenLocation{{Path: "size.sh"}}}
	if answer != nil {
		b.server = modeltest.Serve(t, answer)
		b.open()
	}
	return b
}

// open opens the record and the session, as a new process does.
func (b *bench) open() {
	b.t.Helper()
	err := b.traces.Close()
	if err == nil {
		b.traces, err = cache.OpenTraces(b.t.Context(), b.records, cache.Options{})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { b.traces.Close() })
	settings := session.Settings{Model: "m1", BaseURL: b.server.URL, From: map[string]string{}}
	none := func(string) {}
	opened, err := session.Open(b.t.Context(), session.Options{Settings: settings, Traces: b.traces, Version: "v", Env: func(string) string { return "" }, Warn: none, Say: none})
	if err == nil {
		b.Agent, err = NewAgent(opened)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) answer() *Result {
	b.t.Helper()
	ans, err := b.Answer(b.t.Context(), b.question, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	ans.End(b.t.Context())
	return ans
}

// recorded returns the recorded runs, newest first.
func (b *bench) recorded() (list []*trace.Trajectory) {
	b.t.Helper()
	runs, err := b.traces.List(b.t.Context(), cache.ListOptions{Kind: Kind})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, r := range runs {
		t, err := trace.Read(r, b.traces.Steps(b.t.Context(), r.ID))
		if err != nil {
			b.t.Fatal(err)
		}
		list = append(list, t)
	}
	return list
}

// These are calls of a model: the repair, one that does not help, and the end.
var (
	repairs  = modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"cat"}`)
	spoils   = modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"head -n 0"}`)
	finishes = `{"status":"success","explanation":"It counts all lines.","root_cause":"Only the first line was read."}`
	gives    = `{"status":"failure","explanation":"I do not know."}`
)

// Without a model, the change that broke the script is undone, and the answer names its
// commit and the commands that proved it.
func TestOffline(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	ans := b.answer()
	if len(ans.Plausible) == 0 || ans.Engine != "offline" || ans.Reproduction.State != fix.Failing {
		t.Fatalf("%+v", ans.Answer)
	}
	best := ans.Plausible[0]
	if best.Commit != b.broke || !strings.Contains(string(best.Patch.Diff), "+\tcat \"$1\" | wc -w\n") || len(best.Checks) == 0 || best.Checks[0].How != "passes" {
		t.Errorf("%+v\n%s", best, best.Patch.Diff)
	}
	if len(ans.Localization.Locations) == 0 || ans.Localization.Locations[0].Path != "size.sh" || ans.History == nil || ans.History.Blamed[0].Commit.OID != b.broke {
		t.Errorf("%+v, %+v", ans.Localization, ans.History)
	}
}

// With Locate, nothing is tried.
func TestLocate(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Effort.Locate = true
	if ans := b.answer(); ans.Tried != 0 || len(ans.Localization.Locations) == 0 || ans.History == nil {
		t.Errorf("%+v", ans.Answer)
	}
}

// Problems that a repair cannot solve are declined with a reason.
func TestDeclines(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"true":            "the test passes as things are",
		"no-such-program": "the test cannot be judged: it ",
		"":                "there is no command that fails",
		`test -e "$(dirname "$TMPDIR")/cache/seen" && exit 0; mkdir -p "$(dirname "$TMPDIR")/cache"; touch "$(dirname "$TMPDIR")/cache/seen"; exit 1`: "the test is flaky",
	} {
		b := newBench(t, nil)
		b.question.Problem.Test = test
		if ans := b.answer(); !strings.Contains(ans.Declined, want) || ans.Tried != 0 {
			t.Errorf("%q: %q after %d candidates", test, ans.Declined, ans.Tried)
		}
	}
}

// A guess of a few tests that runs into the time limit is not followed by one of more tests.
func TestSlowPartIsNotWidened(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Trial.Timeout = 300 * time.Millisecond
	b.question.Problem.Others = []fix.Commands{{Test: b.question.Problem.Test}}
	b.question.Problem.Test, b.question.Problem.Part = "sleep 20", true
	if ans := b.answer(); !ans.Reproduction.TimedOut || ans.Reproduction.Command != "sleep 20" || ans.Declined == "" {
		t.Errorf("%+v", ans.Reproduction)
	}
}

// A part of a project that does not build is followed by a part that builds more of it, unless the
// user's new test does not build. Of several commands for tests that pass, one is enough.
func TestPartThatDoesNotBuild(t *testing.T) {
	t.Parallel()
	const first, part, whole = "true", "echo a part; sh check_test.sh", "sh check_test.sh"
	for build, want := range map[string]string{
		"echo 'error: no such item'; false":                                                   part,
		"echo ' --> sub/new_test.sh:3 no such item'; false":                                   first,
		"echo ' --> sub/new_test.sh:3 no such item: it is gated behind the x feature'; false": part,
		"true": whole,
	} {
		b := newBench(t, nil)
		p := &b.question.Problem
		p.Tree.Over = []gitext.Overlay{{Path: "sub/new_test.sh", Mode: 0o100644, Content: []byte("false\n")}}
		p.Build, p.Test, p.Part = build, first, true
		p.Others = []fix.Commands{{Test: part, Part: true}, {Test: whole}}
		if ans := b.answer(); ans.Reproduction.Command != want {
			t.Errorf("%s: %q %s %q", build, ans.Reproduction.Command, ans.Reproduction.How, ans.Declined)
		}
	}
}

// Where the tests of the changed package pass, those of the whole workspace run. Directories whose tests these are, are not
// said to be left out.
func TestPartThatPassesIsWidened(t *testing.T) {
	t.Parallel()
	for whole, covered := range map[string]bool{"sh check_test.sh": true, "true": true, "echo": false} {
		b := newBench(t, nil)
		p := &b.question.Problem
		p.Test, p.Part = "echo a part", true
		p.Others = []fix.Commands{{Test: whole}, {Test: "cd sub && true", Covered: covered}}
		ans := b.answer()
		said := strings.Contains(strings.Join(ans.Notes, " "), "of other directories")
		if ans.Reproduction.Command != whole || said == covered || strings.Contains(strings.Join(ans.Notes, " "), "a part passes") {
			t.Errorf("%s: %q, notes %q", whole, ans.Reproduction.Command, ans.Notes)
		}
	}
}

// A model repairs the bug; the tests decide, the trajectory is recorded, and FirstRequest
// returns the request that is later sent.
func TestModelRepairs(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		return repairs.And("test", `{}`).And("finish", finishes)
	})
	b.question.Method = fix.Method{Heuristics: []fix.Heuristic{fix.FlDiff}}
	body, declined, err := b.FirstRequest(t.Context(), b.question)
	if err != nil || declined != "" || len(b.server.Requests()) != 0 {
		t.Fatalf("%v, %q, %d requests", err, declined, len(b.server.Requests()))
	}
	for _, want := range []string{"size.sh:3: wrong size", "size: count the first words", "head -n 1"} {
		if !strings.Contains(string(body), want) {
			t.Errorf("the first request lacks %q", want)
		}
	}
	ans := b.answer()
	if len(ans.Plausible) != 1 || ans.Engine != "agent" || ans.Agent.Fallback != "" {
		t.Fatalf("%+v", ans.Answer)
	}
	run := ans.Agent.Runs[0]
	if run.Status != agent.StatusFound || run.Verdict != fix.Plausible || !run.Claim.Success || run.Trace == "" || run.Turns != 1 {
		t.Errorf("%+v", run)
	}
	if got := ans.Plausible[0]; got.Why != "It counts all lines." || got.Origin != "trajectory 1" {
		t.Errorf("%+v", got)
	}
	if list := b.recorded(); len(list) != 1 || list[0].Run.State != cache.Done {
		t.Errorf("%d recorded runs", len(list))
	}
}

// A model's claim about its patch has no effect. Under Auto, the next trajectory sees another
// history and the rejected patch.
func TestAutoGoesOn(t *testing.T) {
	t.Parallel()
	n := 0
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		if n++; n == 1 {
			return spoils.And("finish", gives)
		}
		return repairs.And("finish", finishes)
	})
	b.question.Method.Auto = true
	ans := b.answer()
	if len(ans.Plausible) != 1 || ans.Tried != 2 || len(ans.Agent.Runs) != 2 {
		t.Fatalf("%+v", ans.Answer)
	}
	if got := ans.Agent.Runs; got[0].Verdict != fix.Fails || fix.Name(got[0].History) != "fl_diff" || fix.Name(got[1].History) != "fn_pair" {
		t.Errorf("%+v", got)
	}
	second := b.server.Requests()[1]
	if text := second.Messages[1].Text; !strings.Contains(text, "head -n 0") || !strings.Contains(text, "# Patches that did not repair it") {
		t.Errorf("%s", text)
	}
}

// Research analyses first; the repair starts from the kept findings.
func TestResearch(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		switch {
		case strings.HasPrefix(req.Messages[0].Text, "You analyse") && req.Turn() == 0:
			return modeltest.Call("cat", `{"path":"text"}`)
		case strings.HasPrefix(req.Messages[0].Text, "You analyse"):
			return modeltest.Call("done", `{"hypothesis":"only the first line counts","plan":"read all lines","keep":"1"}`)
		}
		return repairs.And("finish", finishes)
	})
	b.question.Method.Strategy = fix.Research
	ans := b.answer()
	if len(ans.Plausible) != 1 || len(ans.Agent.Runs) != 2 || ans.Agent.Runs[0].Phase != fix.PhaseAnalysis || ans.Agent.Runs[0].Claim.RootCause != "only the first line counts" {
		t.Fatalf("%+v, %+v", ans.Answer, ans.Agent)
	}
	last := b.server.Requests()[2]
	if text := last.Messages[1].Text; !strings.Contains(text, "Hypothesis: only the first line counts") || !strings.Contains(text, "three four") {
		t.Errorf("%s", text)
	}
}

// A trajectory whose server refuses all stays open, and goes on after its last answer
// with its edits made again.
func TestResumes(t *testing.T) {
	t.Parallel()
	refused := true
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return repairs
		}
		if refused {
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)
		}
		return modeltest.Call("finish", finishes)
	})
	if ans, err := b.Answer(t.Context(), b.question, nil); err == nil {
		t.Fatalf("a server that refuses all gives %+v", ans.Answer)
	}
	refused = false
	b.open()
	run := b.recorded()[0]
	spec, err := SpecOf(run)
	if err != nil {
		t.Fatal(err)
	}
	ans, err := b.Resume(t.Context(), spec, func() (agent.Journal, error) {
		return agent.NewTraceJournal(b.traces, run.Run.ID), b.traces.Resume(t.Context(), run.Run.ID)
	}, nil)
	if err != nil || len(ans.Plausible) != 1 || ans.Agent.Runs[0].Resumed == 0 || len(b.server.Requests()) != 3 {
		t.Errorf("%v, %d requests, %+v", err, len(b.server.Requests()), ans)
	}
}

// If the model's server fails, the offline engine goes on, and the answer says so.
func TestFallsBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(modeltest.Request) modeltest.Reply {
		return modeltest.Status(http.StatusBadRequest, `{"error":{"message":"not now"}}`)
	})
	ans := b.answer()
	if len(ans.Plausible) == 0 || ans.Agent.Fallback == "" || ans.Engine != "offline" {
		t.Errorf("%+v, %+v", ans.Answer, ans.Agent)
	}
}

// A model without a plausible patch is no failure of its server. The offline engine then goes on if
// it may, and the trajectory stays in the answer.
func TestGoesOnAfterTheModel(t *testing.T) {
	t.Parallel()
	for _, goOn := range []bool{false, true} {
		b := newBench(t, func(modeltest.Request) modeltest.Reply { return spoils.And("finish", gives) })
		b.Effort.GoOn = goOn
		ans := b.answer()
		engine, fallback := "agent", ""
		if goOn {
			engine, fallback = "offline", "the model found no plausible patch"
		}
		if (len(ans.Plausible) > 0) != goOn || ans.Engine != engine || ans.Agent.Fallback != fallback || len(ans.Agent.Runs) != 1 || ans.Agent.Runs[0].Verdict != fix.Fails {
			t.Errorf("GoOn %v: %d patches, engine %s, %+v", goOn, len(ans.Plausible), ans.Engine, ans.Agent)
		}
	}
}

// The end of the context ends the work with the context's error.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ans, err := newBench(t, nil).Answer(ctx, fix.Question{Problem: fix.Problem{Test: "true"}}, nil); err == nil {
		t.Errorf("%+v", ans)
	}
}

// The first guessed command with a judgement tests the bug.
func TestGuessedCommandThatCanBeJudged(t *testing.T) {
	b := newBench(t, nil)
	b.question.Problem.Test, b.question.Problem.Others = "no-such-program", []fix.Commands{{Test: "sh check_test.sh", Suite: "true"}}
	ans := b.answer()
	if len(ans.Plausible) != 1 || ans.Reproduction.Command != "sh check_test.sh" || !strings.Contains(strings.Join(ans.Notes, "\n"), "no-such-program cannot be judged") {
		t.Errorf("%+v %q %q", ans.Reproduction, ans.Declined, ans.Notes)
	}
	b.question.Problem.Others = nil
	if ans := b.answer(); ans.Declined == "" || ans.Reproduction.Command != "no-such-program" {
		t.Errorf("%+v %q", ans.Reproduction, ans.Declined)
	}
}

// The reviewer's choice among different plausible patches comes first, with the reason. The
// reviewer sees all of them.
func TestReview(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	b := newBench(t, func(req modeltest.Request) modeltest.Reply {
		if strings.HasPrefix(req.Messages[0].Text, "You review") {
			first, _, _ := strings.Cut(req.Messages[1].Text, "## Patch 2")
			if strings.Contains(first, "+\tcat -- ") {
				return modeltest.Call("prefer", `{"patch":1,"reason":"It takes names that begin with a dash."}`)
			}
			return modeltest.Call("prefer", `{"patch":2,"reason":"It takes names that begin with a dash."}`)
		}
		if n.Add(1) == 1 {
			return repairs.And("finish", finishes)
		}
		return modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"cat --"}`).And("finish", finishes)
	})
	b.question.Method = fix.Method{Samples: 2, Review: true}
	ans := b.answer()
	if len(ans.Plausible) != 2 || !strings.Contains(string(ans.Plausible[0].Patch.Diff), "+\tcat -- ") {
		t.Fatalf("%+v", ans.Plausible)
	}
	if got := ans.Plausible[0].Preferred; got != "It takes names that begin with a dash." || ans.Plausible[1].Preferred != "" {
		t.Errorf("%q, %q", got, ans.Plausible[1].Preferred)
	}
	runs := ans.Agent.Runs
	if last := runs[len(runs)-1]; len(runs) != 3 || last.Phase != fix.PhaseReview || last.Status != agent.StatusFound || len(b.recorded()) != 3 {
		t.Errorf("%+v, %d recorded", runs, len(b.recorded()))
	}
	for _, run := range b.recorded() {
		if spec, err := SpecOf(run); err != nil || spec.Sample == 2 {
			_, err := b.Replay(t.Context(), run, spec, true)
			if err == nil || !strings.Contains(err.Error(), "it is a review") {
				t.Errorf("%v", err)
			}
		}
	}
}
