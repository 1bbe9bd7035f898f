package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"git-agent/agent/model"
)

var answer = call("report", `{"commit":"abc"}`)

func cutAt(text string, calls ...model.Call) turn {
	return replies(model.Message{Text: text, Calls: calls}, model.FinishLength)
}

func refused(text string) turn { return replies(model.Message{Text: text}, model.FinishRefused) }

// Every mistake of a model leads to an answer or to a reason, and the model reads how to
// do better.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	look := call("look", `{"at":1}`)
	for _, tt := range []struct {
		name   string
		turns  []turn
		status string
		reason string
		asked  int
		heard  string // part of the last text to the model
	}{
		{"no JSON", []turn{call("look", `{"at":`), answer}, StatusFound, "", 2, "not one valid JSON object (it ends too early)"},
		{"two objects", []turn{call("look", `{}{}`), answer}, StatusFound, "", 2, "something follows the object"},
		{"a list", []turn{call("look", `[1]`), answer}, StatusFound, "", 2, "does not begin with {"},
		{"empty arguments", []turn{call("look", ``), answer}, StatusFound, "", 2, "it ends too early"},
		{"no UTF-8", []turn{call("look", "{\"a\":\"\xff\"}"), answer}, StatusFound, "", 2, "seen {\"a\":\"\ufffd\"}"},
		{"a tool behind the prefix of gpt-oss", []turn{call("functions.look", `{"at":1}`), call("functions.report", `{"commit":"abc"}`)}, StatusFound, "", 2, "seen {\"at\":1}"},
		{"a tool before the channel of gpt-oss", []turn{call("functions.report<|channel|>commentary", `{"commit":"abc"}`)}, StatusFound, "", 1, ""},
		{"an unknown tool behind a prefix", []turn{call("functions.bash", `{}`), answer}, StatusFound, "", 2, "no tool called bash; the tools are look"},
		{"arguments encoded twice", []turn{call("look", `"{\"at\":1}"`), call("report", ` "{\"commit\":\"abc\"}"`)}, StatusFound, "", 2, "seen {\"at\":1}"},
		{"arguments encoded three times", []turn{call("look", `"\"{}\""`), answer}, StatusFound, "", 2, "does not begin with {"},
		{"no object encoded twice", []turn{call("look", `"{\"at\":"`), answer}, StatusFound, "", 2, "it ends too early"},
		{"the same call in other words", []turn{call("look", `{"at":1}`), call("functions.look", `"{\"at\": 1}"`), answer}, StatusFound, "", 3, "turn 1"},
		{"an unknown tool", []turn{call("bash\x1b", `{}`), answer}, StatusFound, "", 2, `no tool called bash\x1b; the tools are look, read,`},
		{"a refusal of the tool", []turn{call("refuse", `{}`), answer}, StatusFound, "", 2, "error: not there"},
		{"a tool that fails", []turn{call("break", `{}`), answer}, StatusFound, "", 2, `error: break failed (disk on fire\x1b[31m)`},
		{"a tool that panics", []turn{call("panic", `{}`), answer}, StatusFound, "", 2, "error: panic failed (internal error: oh)"},
		{"a tool that says nothing", []turn{call("silent", `{}`), answer}, StatusFound, "", 2, "(no output)"},
		{"three malformed turns", []turn{call("look", `{`), call("nope", `{}`), call("misread", `{}`), answer}, StatusFailed, "3 answers in a row brought nothing to run: error: what", 3, ""},
		{"malformed turns between good ones", []turn{call("look", `{`), call("nope", `{}`), look, call("look", `{`), call("look", `{`), answer}, StatusFound, "", 6, ""},
		{"refusals of a tool do not count", []turn{call("refuse", `{}`), call("refuse", `{"a":1}`), call("refuse", `{"a":2}`), answer}, StatusFound, "", 4, ""},
		{"a good call among malformed ones", []turn{call("nope", `{}`, "look", `{}`), call("look", `{`, "look", `{"a":1}`), call("nope", `{}`, "look", `{"a":2}`), answer}, StatusFound, "", 4, ""},
		{"empty once", []turn{say(" \n"), answer}, StatusFound, "", 2, "Your answer was empty"},
		{"only thoughts", []turn{replies(model.Message{Thought: "hm"}, ""), answer}, StatusFound, "", 2, "Your answer was empty"},
		{"empty for ever", []turn{say(""), say(""), say("")}, StatusFailed, "brought nothing to run: the answer is empty", 3, ""},
		{"text that is no verdict", []turn{say("let me think"), answer}, StatusFound, "", 2, "call report"},
		{"nothing but text", []turn{say("a"), say("b"), say("c")}, StatusFailed, "no tool is called", 3, ""},
		{"empty, text and malformed in turn", []turn{say(""), say("b"), call("nope", "{}")}, StatusFailed, "no tool called nope", 3, ""},
		{"text that is the verdict", []turn{look, say("verdict abc")}, StatusFound, "", 2, ""},
		{"cut once", []turn{cutAt("so"), answer}, StatusFound, "", 2, ""},
		{"cut with a call that looks whole", []turn{cutAt("", model.Call{ID: "1", Name: "report", Args: `{"commit":"bad"}`}), answer}, StatusFound, "", 2, ""},
		{"cut twice", []turn{cutAt("so"), cutAt("so"), answer}, StatusFound, "", 3, "cut at its length limit"},
		{"cut three times", []turn{cutAt("so"), cutAt("so"), cutAt("so")}, StatusFailed, "3 answers in a row were cut", 3, ""},
		{"cut now and then", []turn{cutAt("so"), look, cutAt("so"), call("look", `{"at":2}`), cutAt("so"), answer}, StatusFound, "", 6, ""},
		{"overflow with nothing to take out", []turn{fails(model.ClassOverflow)}, StatusFailed, "overflow: ", 1, ""},
		{"overflow once", []turn{call("read", `{"at":1}`), fails(model.ClassOverflow), answer}, StatusFound, "", 3, "taken out to make room: 513 characters of read from turn 1"},
		{"overflow twice", []turn{call("read", `{"at":1}`), fails(model.ClassOverflow), fails(model.ClassOverflow)}, StatusFailed, "overflow: ", 3, ""},
		{"overflow again later", []turn{call("read", `{"at":1}`), fails(model.ClassOverflow), call("read", `{"at":2}`), fails(model.ClassOverflow), answer}, StatusFound, "", 5, "read from turn 2"},
		{"a filter", []turn{look, fails(model.ClassRefused), answer}, StatusFound, "", 3, "withheld: the model server refused this answer of look"},
		{"a filter in a reply", []turn{look, refused("I can't"), answer}, StatusFound, "", 3, "withheld"},
		{"a filter that stays", []turn{look, fails(model.ClassRefused), fails(model.ClassRefused)}, StatusFailed, "refused: ", 3, ""},
		{"a filter, and later again", []turn{look, call("read", `{"at":2}`), fails(model.ClassRefused), say("hm"), fails(model.ClassRefused), answer}, StatusFound, "", 6, "answer of look"},
		{"a refusal of the task", []turn{refused("I can't help")}, StatusFailed, "refused: I can't help", 1, ""},
		{"a filter without a word", []turn{refused(" \n")}, StatusFailed, "refused: a content filter of the server stopped the answer", 1, ""},
		{"busy", []turn{fails(model.ClassBusy)}, StatusFailed, "busy: ", 1, ""},
		{"server", []turn{look, fails(model.ClassServer)}, StatusFailed, "server: ", 2, ""},
		{"transport", []turn{fails(model.ClassTransport)}, StatusFailed, "transport: ", 1, ""},
		{"malformed", []turn{fails(model.ClassMalformed)}, StatusFailed, "malformed: ", 1, ""},
		{"request", []turn{fails(model.ClassRequest)}, StatusFailed, "request: ", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{turns: append(tt.turns, answer)}
			out, err := newTestLoop(s).Run(t.Context())
			if err != nil || out.Status != tt.status || !strings.Contains(out.Reason, tt.reason) || len(s.asked) != tt.asked {
				t.Errorf("got %+v, %v, asked %d times", out, err, len(s.asked))
			}
			if text := fmt.Sprintf("%+v", s.asked[len(s.asked)-1].Messages); !strings.Contains(text, tt.heard) {
				t.Errorf("the model heard %s", text)
			}
			checkAnswered(t, s)
		})
	}
}

// attentive is a journal like pages whose notes need a context with a deadline that has
// not ended.
type attentive struct{ pages }

func (a attentive) Note(ctx context.Context, key string, payload []byte) error {
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("the note may take for ever")
	}
	a.pages[key] = payload
	return ctx.Err()
}

// A run that is stopped right after its answer still has its closing.
func TestStoppedAtItsAnswer(t *testing.T) {
	t.Parallel()
	journal := attentive{pages{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := newTestLoop(&script{turns: []turn{answer}})
	l.Journal = journal
	l.OnEvent = func(e Event) {
		if r, ok := e.(ToolResult); ok && r.Name == "report" {
			cancel()
		}
	}
	out, err := l.Run(ctx)
	if err != nil || out.Status != StatusFound || !strings.Contains(string(journal.pages[StepClosing]), `"status":"found"`) {
		t.Errorf("%+v, %v, closed with %s", out, err, journal.pages[StepClosing])
	}
}

// The record holds a call in the model's own words, even if it is understood as another
// call.
func TestRecordKeepsWhatWasSaid(t *testing.T) {
	t.Parallel()
	journal := pages{}
	l := newTestLoop(&script{turns: []turn{call("functions.report", `"{\"commit\":\"abc\"}"`)}})
	l.Journal = journal
	if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFound {
		t.Fatalf("%+v, %v", out, err)
	}
	var asked AskResult
	if err := json.Unmarshal(journal[modelStep(1)], &asked); err != nil {
		t.Fatal(err)
	}
	if said := asked.Reply.Message.Calls[0]; said.Name != "functions.report" || said.Args != `"{\"commit\":\"abc\"}"` {
		t.Errorf("the record has %+v", said)
	}
}

// checkAnswered reports an error unless each call in each request is answered once, in
// order, right after the answer that holds it: servers refuse any other order.
func checkAnswered(t *testing.T, s *script) {
	t.Helper()
	for i, req := range s.asked {
		var open []string
		for _, m := range req.Messages {
			if m.Role == model.ToolReply {
				if len(open) == 0 || open[0] != m.CallID {
					t.Fatalf("request %d answers %q where %q are open", i+1, m.CallID, open)
				}
				open = open[1:]
				continue
			}
			if len(open) > 0 {
				t.Fatalf("request %d leaves %q open", i+1, open)
			}
			for _, c := range m.Calls {
				open = append(open, c.ID)
			}
		}
		if len(open) > 0 {
			t.Fatalf("request %d ends with %q open", i+1, open)
		}
	}
}

// Errors that other runs would meet as well are returned, so that a batch stops. Errors
// without a connection to the model are returned, too.
func TestErrorsThatEndAll(t *testing.T) {
	t.Parallel()
	for _, class := range []model.Class{model.ClassAuth, model.ClassQuota, model.ClassModel} {
		out, err := newTestLoop(&script{turns: []turn{fails(class)}}).Run(t.Context())
		var failed *model.Error
		if !errors.As(err, &failed) || failed.Class != class || out.Status != StatusFailed {
			t.Errorf("%s: %+v, %v", class, out, err)
		}
	}
	ours := errors.New("the replay differs")
	out, err := newTestLoop(&script{turns: []turn{func(context.Context, model.Request) (*model.Reply, error) { return nil, ours }}}).Run(t.Context())
	if !errors.Is(err, ours) || out.Status != StatusFailed {
		t.Errorf("%+v, %v", out, err)
	}
}

// A cut answer gets twice the room, and keeps it.
func TestCutRaisesTheLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ first, then int }{{0, 2048}, {4000, 8000}} {
		s := &script{turns: []turn{cutAt("so"), call("look", "{}"), answer}}
		l := newTestLoop(s)
		l.MaxOutput = tt.first
		if _, err := l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := []int{s.asked[0].MaxOutput, s.asked[1].MaxOutput, s.asked[2].MaxOutput}; !slices.Equal(got, []int{tt.first, tt.then, tt.then}) {
			t.Errorf("limits are %v", got)
		}
		if len(s.asked[1].Messages) != 2 {
			t.Errorf("the cut answer stays: %+v", s.asked[1].Messages)
		}
	}
}

// An overflow removes the oldest half of the tools' answers in one step. The
// other answers, and requests already sent, stay as they were. A removed answer
// may be asked for again.
func TestOverflowTakesTheOldest(t *testing.T) {
	t.Parallel()
	s := &script{turns: []turn{
		call("read", `{"at":1}`, "read", `{"at":2}`), call("read", `{"at":3}`), call("read", `{"at":4}`),
		fails(model.ClassOverflow), call("read", `{"at":1}`), answer,
	}}
	l := newTestLoop(s)
	journal, traces := journalIn(t, t.TempDir())
	l.Journal = journal
	if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFound || out.Calls != 6 {
		t.Errorf("%+v, %v", out, err)
	}
	// The server's earlier count does not apply to the shorter request.
	if got, want := intentOf(t, traces, journal.Run(), 5).Estimate, model.Estimate(s.asked[4]); got != want {
		t.Errorf("%d tokens are expected of a request of %d", got, want)
	}
	read := func(req model.Request) string {
		text := ""
		for _, m := range req.Messages {
			if m.Role == model.ToolReply {
				text += map[bool]string{true: "-", false: "+"}[strings.HasPrefix(m.Text, "[taken out")]
			}
		}
		return text
	}
	if got := []string{read(s.asked[3]), read(s.asked[4]), read(s.asked[5])}; !slices.Equal(got, []string{"++++", "--++", "--+++"}) {
		t.Errorf("answers in the requests are %q", got)
	}
}

// Ordinary calls of one answer run concurrently, each once, and at most eight
// of them. The answer waits for the calls before it.
func TestParallelCalls(t *testing.T) {
	t.Parallel()
	var calls []string
	for i := range 7 {
		calls = append(calls, "look", fmt.Sprintf(`{"at":%d}`, i%6))
	}
	calls = append(calls, "report", `{}`, "look", `{"at":8}`, "look", `{"at":9}`)
	s := &script{turns: []turn{call(calls...), call("look", `{ "at" : 3 }`, "report", `{"a":1}`, "report", `{"a":2}`)}}
	l := newTestLoop(s)
	var now, most, runs atomic.Int64
	together := make(chan struct{})
	gather := sync.OnceFunc(func() { close(together) })
	l.Tools[0] = fake{"look", func(_ context.Context, args json.RawMessage) (Result, error) {
		runs.Add(1)
		if n := now.Add(1); n == concurrency { // again, if the last one comes before the first one leaves
			gather()
		}
		<-together // passes only if that many run at the same time
		most.Store(max(most.Load(), now.Load()))
		now.Add(-1)
		return Result{Text: "seen " + string(args)}, nil
	}}
	journal, traces := journalIn(t, t.TempDir())
	l.Journal = journal
	out, err := l.Run(t.Context())
	if value, _ := out.Final.Value.(json.RawMessage); err != nil || string(value) != `{"a":1}` || runs.Load() != 6 || most.Load() > concurrency {
		t.Errorf("got %+v, %v; %d runs, %d at a time", out, err, runs.Load(), most.Load())
	}
	var texts []string
	for _, m := range s.asked[1].Messages[3:] {
		texts = append(texts, m.Text)
	}
	for i, want := range []string{`seen {"at":0}`, `seen {"at":1}`, `seen {"at":2}`, `seen {"at":3}`, `seen {"at":4}`, `seen {"at":5}`,
		"the same answer as in turn 1", "rejected", "not run: at most 8", "not run: at most 8"} {
		if !strings.HasPrefix(texts[i], want) {
			t.Errorf("call %d is answered %q", i+1, texts[i])
		}
	}
	kept := results(t, traces, journal.Run())
	if !strings.Contains(kept["tool/2/1"], `"same_as":"tool/1/4"`) || !strings.Contains(kept["tool/2/3"], "the verdict is accepted") {
		t.Errorf("%s\n%s", kept["tool/2/1"], kept["tool/2/3"])
	}
	checkAnswered(t, s)
}

// A model that repeats the same call is told so, then asked for its last word.
func TestRepeatedCalls(t *testing.T) {
	t.Parallel()
	var turns []turn
	for range 6 {
		turns = append(turns, call("look", `{"at":1}`))
	}
	s := &script{turns: append(turns, say("no idea"))}
	out, err := newTestLoop(s).Run(t.Context())
	if err != nil || out.Status != StatusLimit || out.Calls != 1 || len(s.asked) != 7 || !strings.HasPrefix(out.Reason, "repeated calls: 6 of the last 6 calls are look") {
		t.Errorf("got %+v, %v, asked %d times", out, err, len(s.asked))
	}
}

// A repeated call runs again if it failed, or if its tool takes the answer.
func TestRepeatsThatRun(t *testing.T) {
	t.Parallel()
	again := call("refuse", `{}`, "break", `{}`, "report", `{}`)
	s := &script{turns: []turn{again, again, answer}}
	out, err := newTestLoop(s).Run(t.Context())
	if text := fmt.Sprint(s.asked[2]); err != nil || out.Calls != 7 || strings.Contains(text, "the same answer") {
		t.Errorf("%+v, %v: %s", out, err, text)
	}
}

// The tools of a run have ended when the run ends.
func TestNoToolOutlivesARun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := newTestLoop(&script{turns: []turn{call("look", "{}", "read", "{}")}})
	var ended atomic.Bool
	l.Tools[0] = fake{"look", func(context.Context, json.RawMessage) (Result, error) {
		cancel()
		return Result{}, ctx.Err()
	}}
	l.Tools[1] = fake{"read", func(ctx context.Context, _ json.RawMessage) (Result, error) {
		<-ctx.Done()
		runtime.Gosched()
		ended.Store(true)
		return Result{}, ctx.Err()
	}}
	if out, err := l.Run(ctx); err == nil || out.Status != StatusInterrupted || !ended.Load() {
		t.Errorf("%+v, %v; the other tool has ended: %t", out, err, ended.Load())
	}
}

// No masked text is sent or recorded.
func TestMask(t *testing.T) {
	t.Parallel()
	journal, traces := journalIn(t, t.TempDir())
	s := &script{turns: []turn{call("look", `{"at":1}`, "refuse", "{}", "break", "{}"), say("so"), answer}}
	l := newTestLoop(s)
	l.Journal, l.System, l.Prompt = journal, "the hidden system", "the hidden prompt"
	l.Mask = func(text string) string { return strings.ReplaceAll(text, "hidden", "***") }
	l.Tools[0] = fake{"look", func(context.Context, json.RawMessage) (Result, error) {
		return Result{Text: "a hidden text", Full: "a long hidden text"}, nil
	}}
	l.Tools[2] = fake{"refuse", func(context.Context, json.RawMessage) (Result, error) {
		return Result{}, &CallError{Text: "the hidden path"}
	}}
	l.Tools[4] = fake{"break", func(context.Context, json.RawMessage) (Result, error) {
		return Result{}, errors.New("the hidden error")
	}}
	l.Text = func(context.Context, string) (Result, error) { return Result{Text: "the hidden nudge"}, nil }
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := fmt.Sprintf("%+v", s.asked)
	if n := strings.Count(fmt.Sprintf("%+v", s.asked[2]), "***"); n != 6 || strings.Contains(sent, "hidden") {
		t.Errorf("%d places are masked in %s", n, sent)
	}
	for step, err := range traces.Steps(t.Context(), journal.Run()) {
		if err != nil || strings.Contains(string(step.Payload), "hidden") {
			t.Errorf("%s holds %s, %v", step.Key, step.Payload, err)
		}
	}
}

// A run interrupted in the model or in a tool ends at once with all its steps on record,
// and continues from there.
func TestInterruption(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"model", "tool"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			journal, traces := journalIn(t, t.TempDir())
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := func() error { cancel(errors.New("pressed ^C")); <-ctx.Done(); return ctx.Err() }
			turns := []turn{call("look", `{"at":1}`), call("read", `{"at":2}`), answer}
			s := &script{turns: slices.Clone(turns)}
			l := newTestLoop(s)
			l.Journal = journal
			if where == "model" {
				s.turns[2] = func(context.Context, model.Request) (*model.Reply, error) { return nil, stop() }
			} else {
				l.Tools[1] = fake{"read", func(context.Context, json.RawMessage) (Result, error) { return Result{}, stop() }}
			}
			out, err := l.Run(ctx)
			if !errors.Is(err, context.Canceled) || out.Status != StatusInterrupted || out.Reason != "pressed ^C" || out.Turns != 2 {
				t.Fatalf("got %+v, %v", out, err)
			}
			if open, err := traces.OpenIntents(t.Context(), journal.Run()); err != nil || len(open) != 1 {
				t.Errorf("open are %v, %v", open, err)
			}
			s = &script{turns: turns[2:]}
			l = newTestLoop(s)
			l.Journal = journal
			out, err = l.Run(t.Context())
			want := map[string][2]int{"model": {4, 1}, "tool": {3, 0}}[where]
			if err != nil || out.Status != StatusFound || out.Resumed != want[0] || out.Repeated != want[1] || len(s.asked) != 1 {
				t.Errorf("resumed: %+v, %v", out, err)
			}
		})
	}
}

// A request that failed and ended the run is sent again when it is resumed.
func TestResumeAfterFailure(t *testing.T) {
	t.Parallel()
	journal, _ := journalIn(t, t.TempDir())
	for i, turns := range [][]turn{{call("look", "{}"), fails(model.ClassBusy)}, {fails(model.ClassAuth)}, {call("read", "{}"), answer}} {
		s := &script{turns: turns}
		l := newTestLoop(s)
		l.Journal = journal
		out, err := l.Run(t.Context())
		if want := []string{StatusFailed, StatusFailed, StatusFound}[i]; out.Status != want || (err != nil) != (i == 1) || len(s.asked) != len(turns) {
			t.Errorf("life %d: %+v, %v", i+1, out, err)
		}
	}
}

// A run cannot be resumed with another prompt, model or tools.
func TestResumeWithAnotherPrompt(t *testing.T) {
	t.Parallel()
	journal, _ := journalIn(t, t.TempDir())
	for i, change := range []func(*Loop){
		func(*Loop) {},
		func(l *Loop) { l.Prompt += "." },
		func(l *Loop) { l.System += "." },
		func(l *Loop) { l.Name += "." },
		func(l *Loop) { l.Tools = l.Tools[1:] },
		func(l *Loop) { l.Limits.Turns = 99 },
	} {
		l := newTestLoop(&script{turns: []turn{answer}})
		l.Journal = journal
		change(l)
		_, err := l.Run(t.Context())
		if refused := err != nil && strings.Contains(err.Error(), "start a new one"); refused != (i > 0 && i < 5) {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// brokenJournal fails at the n-th write.
type brokenJournal struct {
	Journal
	left int
}

func (j *brokenJournal) write() error {
	if j.left--; j.left < 0 {
		return errors.New("disk full")
	}
	return nil
}

func (j *brokenJournal) Recall(context.Context, string) ([]byte, bool, error) { return nil, false, nil }
func (j *brokenJournal) Intend(context.Context, string, []byte) error         { return j.write() }
func (j *brokenJournal) Record(context.Context, string, []byte) error         { return j.write() }
func (j *brokenJournal) Note(context.Context, string, []byte) error           { return j.write() }

// After a step that cannot be recorded, nothing happens.
func TestJournalThatFails(t *testing.T) {
	t.Parallel()
	asked := []int{0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3} // by the number of successful writes
	for n, asked := range asked {
		s := &script{turns: []turn{call("look", "{}"), say("so"), answer}}
		l := newTestLoop(s)
		l.Journal, l.Ledger = &brokenJournal{left: n}, NewLedger(Budget{Tokens: 1e6})
		out, err := l.Run(t.Context())
		if err == nil || out.Status == "" || n < 12 && out.Status != StatusFailed {
			t.Errorf("after %d writes: %+v, %v", n, out, err)
		}
		if len(s.asked) != asked {
			t.Errorf("after %d writes the model was asked %d times, not %d", n, len(s.asked), asked)
		}
		if l.Ledger.holds != 0 {
			t.Errorf("after %d writes a hold is left", n)
		}
	}
}

// If Text returns a *CallError the model gets its text; any other error ends
// the run.
func TestTextThatFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err    error
		status string
	}{
		{&CallError{Text: "no such commit"}, StatusFound},
		{errors.New("disk full"), StatusFailed},
	} {
		s := &script{turns: []turn{say("I think so"), answer}}
		l := newTestLoop(s)
		l.Text = func(context.Context, string) (Result, error) { return Result{}, tt.err }
		out, err := l.Run(t.Context())
		if out.Status != tt.status || (err != nil) != (out.Status == StatusFailed) {
			t.Errorf("%v: %+v, %v", tt.err, out, err)
		}
		if err == nil && s.last().Text != "error: no such commit\n" {
			t.Errorf("the model heard %q", s.last().Text)
		}
	}
}

// Without Text any text is a final result.
func TestNoText(t *testing.T) {
	t.Parallel()
	l := newTestLoop(&script{turns: []turn{say("done")}})
	l.Text = nil
	if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFound || out.Final.Text != "done" {
		t.Errorf("%+v, %v", out, err)
	}
}
