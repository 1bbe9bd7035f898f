package engine

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/model/modeltest"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/gitext"
)

// An office is an agent engine for the repository of program, with a model server, a cache, and a
// record of its runs.
type office struct {
	*Engine
	t        *testing.T
	server   *modeltest.Server
	records  string // the folder of the recorded runs
	traces   *cache.Traces
	settings session.Settings
	question crash.Question
	crashed  gitext.OID
	said     []string
}

func newOffice(t *testing.T, runs int, answer func(modeltest.Request) modeltest.Reply) *office {
	t.Helper()
	h, crashed := program(t)
	kept := cache.Open(context.Background(), t.TempDir(), cache.Options{})
	t.Cleanup(func() { kept.Close() })
	o := &office{t: t, records: t.TempDir(), crashed: crashed, server: modeltest.Serve(t, answer), Engine: &Engine{Repo: h.Open(), Cache: kept, Build: "b"}}
	o.settings = session.Settings{Model: "m1", BaseURL: o.server.URL, From: map[string]string{}}
	o.open(runs)
	t.Cleanup(func() { o.traces.Close() })
	o.question = crash.Question{Report: read(t, asan), Commit: crashed, Suspects: 2}
	return o
}

// open opens the record and the session, as a new process does.
func (o *office) open(runs int) {
	o.t.Helper()
	err := o.traces.Close()
	if err == nil {
		o.traces, err = cache.OpenTraces(o.t.Context(), o.records, cache.Options{})
	}
	if err != nil {
		o.t.Fatal(err)
	}
	o.awaitEnd()
	note := func(s string) { o.said = append(o.said, s) }
	opened, err := session.Open(o.t.Context(), session.Options{
		Settings: o.settings, Traces: o.traces, Version: "v", Env: func(string) string { return "" }, Warn: note, Say: note,
	})
	if err == nil {
		o.Agent, err = NewAgent(opened, runs)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// awaitEnd waits until no run is locked: a child process of another test has the lock until it
// executes a program.
func (o *office) awaitEnd() {
	for range 100 {
		if !slices.ContainsFunc(o.recorded(), func(tr *trace.Trajectory) bool { return tr.Run.State == cache.Running }) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// names is a reply that reports a file.
func names(path string) modeltest.Reply {
	return modeltest.Call("report", `{"explanation":"It was freed.","files":[{"path":"`+path+`","reason":"it reads what is freed"}],"commits":[]}`)
}

// lookThenName looks at a file first, and then names one.
func lookThenName(path string) func(modeltest.Request) modeltest.Reply {
	return func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("get_nearby_code", `{"path":"src/own.c","line":2}`)
		}
		return names(path)
	}
}

func (o *office) answer(q crash.Question) *Result {
	o.t.Helper()
	ans, err := o.Answer(o.t.Context(), q, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return ans
}

// recorded returns the recorded runs, newest first.
func (o *office) recorded() (list []*trace.Trajectory) {
	o.t.Helper()
	runs, err := o.traces.List(o.t.Context(), cache.ListOptions{Kind: Kind})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, r := range runs {
		tr, err := trace.Read(r, o.traces.Steps(o.t.Context(), r.ID))
		if err != nil {
			o.t.Fatal(err)
		}
		list = append(list, tr)
	}
	return list
}

// A model investigates, its runs are recorded, and its answer is paid for only once.
func TestInvestigates(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 2, lookThenName("src/own.c"))
	var events int
	ans, err := o.Answer(t.Context(), o.question, func(agent.Event) { events++ })
	if err != nil {
		t.Fatal(err)
	}
	ans.End(t.Context())
	r := ans.Answer
	if r.Algorithm != "agent" || r.Files[0].Path != "src/own.c" || r.Unanswered() || len(r.Agent.Runs) != 2 || r.Agent.Runs[0].Trace == "" || r.Agent.Runs[0].Trace == r.Agent.Runs[1].Trace || events == 0 || len(r.Suspects) > 2 {
		t.Errorf("%+v, %d events", r, events)
	}
	asked := len(o.server.Requests())
	again := o.answer(crash.Question{Report: read(t, asan), Commit: o.crashed, Suspects: 2})
	again.End(t.Context())
	if len(o.server.Requests()) != asked || again.Answer.Files[0].Path != "src/own.c" || again.Answer.Agent.Runs[0].Trace != r.Agent.Runs[0].Trace {
		t.Errorf("%d more requests, %+v", len(o.server.Requests())-asked, again.Answer)
	}
	for name, q := range map[string]crash.Question{
		"other switches": {Commit: o.crashed, Suspects: 2, Switches: crash.Switches{NoCode: true}},
		"other suspects": {Commit: o.crashed, Suspects: 1},
		"since":          {Commit: o.crashed, Suspects: 2, Since: o.crashed},
	} {
		q.Report = read(t, asan)
		if o.kept(q) {
			t.Errorf("%s: the same key", name)
		}
	}
	other := o.question
	other.Report = read(t, strings.Replace(asan, "use.c:3", "use.c:2", 1))
	if o.kept(other) {
		t.Error("another report has the same key")
	}
	if o.Build = "c"; o.kept(o.question) {
		t.Error("another build has the same key")
	}
	if states := o.recorded(); len(states) != 2 || states[0].Run.State != cache.Done || states[0].Status() != agent.StatusFound {
		t.Errorf("%+v", states)
	}
}

// kept reports whether the answer to a question is in the cache.
func (o *office) kept(q crash.Question) bool {
	o.t.Helper()
	offline, err := o.Offline(o.t.Context(), q)
	if err != nil {
		o.t.Fatal(err)
	}
	key, err := o.key(Inquiry{Repo: o.Repo, Question: q, Offline: offline})
	if err != nil {
		o.t.Fatal(err)
	}
	_, ok := o.Cache.Get(o.t.Context(), key)
	return ok
}

// A substitute for a model's answer is not cached, and a run whose server refuses every request
// can be continued.
func TestGoesOn(t *testing.T) {
	// This test does not run in parallel: a process that another test starts has the lock of the
	// run between fork and exec, so that the run would not be resumed.
	status := http.StatusBadRequest
	o := newOffice(t, 1, func(req modeltest.Request) modeltest.Reply {
		if req.Turn() > 0 && status != 0 {
			return modeltest.Status(status, `{"error":{"message":"not now"}}`)
		}
		return lookThenName("src/own.c")(req)
	})
	ans := o.answer(o.question)
	ans.End(t.Context())
	if !ans.Answer.Unanswered() || ans.Answer.Algorithm != "rank" || o.kept(o.question) {
		t.Fatalf("%+v", ans.Answer)
	}
	status = http.StatusUnauthorized
	if ans, err := o.Answer(t.Context(), o.question, nil); err == nil {
		t.Fatalf("a server that refuses all gives %+v", ans.Answer)
	}
	status = 0
	o.open(1)
	o.question.Report = read(t, asan)
	ans = o.answer(o.question)
	ans.End(t.Context())
	if ans.Answer.Unanswered() || ans.Answer.Files[0].Path != "src/own.c" || ans.Answer.Agent.Runs[0].Resumed == 0 {
		t.Errorf("%+v", ans.Answer.Agent)
	}
	if n := len(o.server.Requests()); n != 5 || len(o.recorded()) != 2 || !strings.Contains(strings.Join(o.said, "\n"), "resuming run ") {
		t.Errorf("%d requests, %d runs, said %q", n, len(o.recorded()), o.said)
	}
}

// An interrupted run is resumed from its record alone, which contains the report.
func TestResume(t *testing.T) {
	// This test does not run in parallel: a process that another test starts has the lock of the
	// run between fork and exec, so that the run would not be resumed.
	refused := true
	o := newOffice(t, 1, func(req modeltest.Request) modeltest.Reply {
		if req.Turn() > 0 && refused {
			return modeltest.Status(http.StatusUnauthorized, `{"error":{"message":"no such key"}}`)
		}
		return lookThenName("src/own.c")(req)
	})
	if ans, err := o.Answer(t.Context(), o.question, nil); err == nil {
		t.Fatalf("a server that refuses all gives %+v", ans.Answer)
	}
	refused = false
	o.settings.Turns = 9 // the resumed run has the earlier limits
	o.open(1)
	run := o.recorded()[0]
	spec, err := SpecOf(run)
	if err != nil {
		t.Fatal(err)
	}
	q, err := spec.Question()
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.Agent.Resume(t.Context(), o.Repo, q, func() (agent.Journal, error) {
		return agent.NewTraceJournal(o.traces, run.Run.ID), o.traces.Resume(t.Context(), run.Run.ID)
	})
	if err != nil || found.Answer.Unanswered() || found.Answer.Files[0].Path != "src/own.c" || len(o.server.Requests()) != 3 || found.Answer.Agent.Runs[0].Resumed == 0 {
		t.Errorf("%v, %d requests, %+v", err, len(o.server.Requests()), found)
	}
}

// A spec contains everything of a question, in a fixed form, and can be converted back.
func TestSpecRoundTrip(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1, lookThenName("src/own.c"))
	o.question.Since, o.question.Dump, o.question.Switches = o.crashed, "/d.trc", crash.Switches{NoChanges: true, NoRanking: true}
	o.answer(o.question).End(t.Context())
	run := o.recorded()[0]
	spec, err := SpecOf(run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := spec.Question()
	if err != nil {
		t.Fatal(err)
	}
	was, _ := json.Marshal(o.question)
	if is, _ := json.Marshal(got); string(is) != string(was) {
		t.Errorf("%s\nwas\n%s", is, was)
	}
	var keys []string
	dec := json.NewDecoder(strings.NewReader(string(run.Run.Spec)))
	for depth := 0; dec.More() || depth > 0; {
		token, err := dec.Token()
		if err != nil {
			break
		}
		if d, ok := token.(json.Delim); ok && (d == '{' || d == '[') {
			depth++
		} else if ok {
			depth--
		} else if name, ok := token.(string); ok && depth == 1 {
			keys = append(keys, name)
		}
	}
	if text := strings.Join(keys, " "); !strings.HasPrefix(text, "commit "+string(o.crashed)+" title heap-use-after-free in use since ") || !strings.Contains(text, " content dump /d.trc model m1 base_url ") {
		t.Errorf("%s", text)
	}
	for name, spoil := range map[string]func(*trace.Trajectory){
		"no conversation": func(tr *trace.Trajectory) { tr.Opening = nil },
		"no spec":         func(tr *trace.Trajectory) { tr.Run.Spec = []byte("[") },
		"no report":       func(tr *trace.Trajectory) { tr.Run.Spec = []byte(`{"commit":"x"}`) },
	} {
		tr := *run
		spoil(&tr)
		if _, err := SpecOf(&tr); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (Spec{Content: []byte("7")}).Question(); err == nil {
		t.Error("a report that is none is read")
	}
}

// A title is short and clean for any report.
func TestTitle(t *testing.T) {
	t.Parallel()
	stacks := func(function string) []crash.Stack {
		return []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{{Function: function}}}}
	}
	for want, r := range map[string]*crash.Report{
		"crash":            {},
		"crash in f":       {Stacks: stacks("f")},
		"SIGSEGV":          {Problems: []crash.Problem{{Kind: "SIGSEGV"}}, Stacks: stacks("")},
		`crash in \x1b[2J`: {Stacks: stacks("\x1b[2J")},
	} {
		if got := titleOf(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := titleOf(&crash.Report{Stacks: stacks(strings.Repeat("f", 9000))}); len(got) > maxTitle+20 {
		t.Errorf("%d characters", len(got))
	}
}

// A report that is too large is not recorded, but its hash is.
func TestSpecOfALargeReport(t *testing.T) {
	t.Parallel()
	in := Inquiry{Offline: &crash.Answer{}, Question: crash.Question{Report: &crash.Report{Notes: []string{strings.Repeat("a", maxSpecReport)}}}}
	spec, err := specOf(in)
	if err != nil || spec.Content != nil || len(spec.Report) != 16 {
		t.Errorf("%d bytes, %q, %v", len(spec.Content), spec.Report, err)
	}
}

// A recorded run can be replayed to the last byte, even if the report contains invalid UTF-8. A
// different answer of the model or of a tool is reported as a difference.
func TestReplay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1, lookThenName("src/own.c"))
	o.question.Report = read(t, strings.Replace(asan, "in main /build", "in m\xff\xe9\u2028 /build", 1))
	o.answer(o.question).End(t.Context())
	run := o.recorded()[0]
	spec, err := SpecOf(run)
	if err != nil {
		t.Fatal(err)
	}
	played, err := Replay(t.Context(), o.Repo, run, spec, true)
	if err != nil || played.First != nil || played.Turns != 2 {
		t.Errorf("%v, %+v %v", err, played, played.First)
	}
	if n := len(o.server.Requests()); n != 2 {
		t.Errorf("a replay asks the model: %d requests", n)
	}
	run.Turns[0].Calls[0].Result.Text = "something else"
	for _, strict := range []bool{true, false} {
		played, err = Replay(t.Context(), o.Repo, run, spec, strict)
		if err != nil || played.First == nil || !strings.Contains(played.First.String(), "get_nearby_code") {
			t.Errorf("%v, %+v", err, played)
		}
	}
	spec.Commit = gitext.OID(strings.Repeat("1", len(o.crashed)))
	if _, err := Replay(t.Context(), o.Repo, run, spec, true); err == nil {
		t.Error("a commit that is not there is replayed")
	}
}

// The first request equals the request that is sent later. Showing it sends and records nothing.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 3, lookThenName("src/own.c"))
	offline, err := o.Offline(t.Context(), o.question)
	if err != nil {
		t.Fatal(err)
	}
	body, err := o.Agent.FirstRequest(t.Context(), Inquiry{Repo: o.Repo, Question: o.question, Offline: offline})
	if err != nil || len(o.server.Requests()) != 0 || len(o.recorded()) != 0 {
		t.Fatalf("%v, %d requests, %d runs", err, len(o.server.Requests()), len(o.recorded()))
	}
	o.question.Report = read(t, asan)
	o.answer(o.question).End(t.Context())
	if sent := o.server.Requests()[0].Raw; string(sent) != string(body) {
		t.Errorf("sent\n%s\nshown\n%s", sent, body)
	}
}

// Without a cache, and with one that cannot be written, the model answers.
func TestWithoutACache(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 1, lookThenName("src/own.c"))
	o.Cache = nil
	o.answer(o.question).End(t.Context())
	n := len(o.server.Requests())
	o.answer(o.question).End(t.Context())
	if len(o.server.Requests()) != 2*n {
		t.Errorf("%d requests, then %d", n, len(o.server.Requests()))
	}
}

// If a context ends, the work ends with its error, and the run stays open.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	o := newOffice(t, 1, func(modeltest.Request) modeltest.Reply {
		cancel()
		return names("src/own.c")
	})
	if _, err := o.Answer(ctx, o.question, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	o.open(1)
	if list := o.recorded(); len(list) != 1 || list[0].Run.State != cache.Interrupted {
		t.Errorf("%+v", list)
	}
}

// The setting of an evaluation lists the conditions of the answers.
func TestSetting(t *testing.T) {
	t.Parallel()
	o := newOffice(t, 2, lookThenName("src/own.c"))
	if got := o.Agent.Setting(crash.Switches{NoTools: true}); !strings.HasPrefix(got, "model=m1 url=") || !strings.Contains(got, " runs=2 wire= turns=") || !strings.HasSuffix(got, " no-tools") {
		t.Errorf("%s", got)
	}
}
