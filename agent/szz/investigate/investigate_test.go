package investigate

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A scriptedModel answers from a list and keeps the requests.
type scriptedModel struct {
	t       testing.TB
	mu      sync.Mutex
	replies []model.Message
	asked   []model.Request
}

func (s *scriptedModel) Ask(_ context.Context, req model.Request) (*model.Reply, error) {
	req.Messages = slices.Clone(req.Messages)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req)
	if len(s.replies) == 0 {
		return nil, &model.Error{Class: model.ClassServer, Message: "the script is over"}
	}
	m := s.replies[0]
	s.replies = s.replies[1:]
	m.Role = model.Assistant
	for i := range m.Calls {
		m.Calls[i].ID = fmt.Sprintf("call-%d-%d", len(s.asked), i)
	}
	return &model.Reply{Message: m, Finish: model.FinishStop, Usage: model.Usage{Uncached: 100, Output: 10}, Attempts: 1}, nil
}

// last returns the text of the last message of the n-th request, from 1.
func (s *scriptedModel) last(n int) string {
	s.t.Helper()
	if n > len(s.asked) {
		s.t.Fatalf("asked %d times, not %d", len(s.asked), n)
	}
	m := s.asked[n-1].Messages
	return m[len(m)-1].Text
}

func said(text string) model.Message { return model.Message{Text: text} }

func called(name string, args any) model.Message {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return model.Message{Calls: []model.Call{{Name: name, Args: string(data)}}}
}

// accuse returns a report of commits, all with confidence 0.8.
func accuse(names ...string) model.Message {
	list := []map[string]any{}
	for _, n := range names {
		list = append(list, map[string]any{"commit": n, "confidence": 0.8, "type": "omission", "reasoning": "it\x1b[31m lacks\n the check"})
	}
	return called("report", map[string]any{"commits": list})
}

func (h *history) detect(fix gitext.OID, opt Options, replies ...model.Message) (*szz.Answer, *scriptedModel) {
	h.T.Helper()
	s := &scriptedModel{t: h.T, replies: replies}
	opt.Model, opt.ModelName = s, "scripted"
	v, err := Trace(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), opt)
	if err != nil {
		h.T.Fatal(err)
	}
	return v, s
}

// movedHistory makes a bug in the first commit, a commit that moves the faulty function
// to another file, and a fix there.
func movedHistory(t *testing.T) (h *history, origin, mover, fix gitext.OID) {
	h = newHistory(t)
	program := strings.Replace(szztest.Program, "max = 10", "max = min_of(n, 10)", 1)
	head, tail, _ := strings.Cut(program, "int main")
	tail = "int main" + tail
	h.Commit("empty", gittest.Files{"README": "x\n"})
	origin = h.Commit("start the program", gittest.Files{"p.c": program})
	mover = h.Commit("move limit to a file of its own", gittest.Files{"p.c": "int limit(int n);\n\n" + tail, "limit.c": head})
	h.Commit("unrelated", gittest.Files{"README": "x y\n"})
	fix = h.Commit("keep the limit low", gittest.Files{"limit.c": strings.Replace(head, "(n, 10)", "(n, 9)", 1)})
	return h, origin, mover, fix
}

func TestDetectReports(t *testing.T) {
	// A reported commit is the answer, with the model's reasoning, cleaned. The
	// first prompt has the patch, the owners of its lines and the ranking.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	bad := h.Commit("raise the limit", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 1000", 1)})
	h.Commit("say nothing", gittest.Files{"README": "\n"})
	h.Commit("say more, unlike "+string(bad), gittest.Files{"README": "x y\n"})
	fix := h.Commit("keep the limit low", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 12", 1)})
	for _, name := range []string{string(bad), string(bad[:12]) + "ffff", "`" + string(bad[:9]) + "`", "c1", "commit " + string(bad)} {
		v, s := h.detect(fix, Options{}, called("git_show", map[string]any{"commit": "HEAD"}), called("git_show", map[string]any{"commit": "c1^"}), accuse(name))
		if v.Engine != "agent" || v.Agent.Fallback != "" || len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != bad {
			t.Fatalf("%q: %s, report %+v", name, szztest.Subjects(v), v.Agent)
		}
		x := v.Suspects[0]
		if x.Type != "omission" || x.Reason != `it\x1b[31m lacks the check` || len(x.Evidence) == 0 || x.Probability <= 0 || x.Probability >= 1 {
			t.Errorf("suspect %+v", x)
		}
		if r := v.Agent.Runs; len(r) != 1 || r[0].Turns != 3 || r[0].Calls != 3 || r[0].Usage.Uncached != 300 || r[0].Status != agent.StatusFound {
			t.Errorf("runs %+v", r)
		}
		first := s.asked[0]
		prompt := first.Messages[1].Text
		for _, want := range []string{"keep the limit low", "c1 -\tint max = 1000;\n   +\tint max = 12;\n", "c1 " + string(bad[:12]), "raise the limit; wrote the line of code"} {
			if !strings.Contains(prompt, want) {
				t.Errorf("no %q in\n%s", want, prompt)
			}
		}
		if len(first.Tools) != 6 || first.Tools[5].Name != "report" || !strings.Contains(first.Messages[0].Text, "Say to yourself") {
			t.Errorf("%d tools, system %q", len(first.Tools), first.Messages[0].Text)
		}
		if shown := s.last(3); !strings.Contains(shown, "start the program") {
			t.Errorf("a short name is not understood: %s", shown)
		}
		if shown := s.last(2); strings.Contains(shown, string(bad[:7])) || !regexp.MustCompile(`unlike <commit [A-Z]{4}>`).MatchString(shown) {
			t.Errorf("a message names the culprit: %s", shown)
		}
	}
}

func TestDetectObjects(t *testing.T) {
	// The tool objects once to a commit that only moved the faulty line, and names the
	// former place of the line. The model may change its mind or insist.
	t.Parallel()
	h, origin, mover, fix := movedHistory(t)
	blind := Options{Switches: szz.Switches{NoCandidates: true}}
	v, s := h.detect(fix, blind, accuse(string(mover)), accuse(string(origin)))
	if v.Suspects[0].Commit.OID != origin || v.Agent.Runs[0].Objections != 1 {
		t.Errorf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	if text := s.last(2); !strings.Contains(text, "`int max = min_of(n, 10);` was in p.c:5 at "+string(mover[:12])+"^, by "+string(origin[:12])) {
		t.Errorf("the objection is %q", text)
	}
	v, _ = h.detect(fix, blind, accuse(string(mover)), accuse(string(mover)))
	if v.Suspects[0].Commit.OID != mover || v.Agent.Runs[0].Claims[0].Checked == "" {
		t.Errorf("insisting gives %s, %+v", szztest.Subjects(v), v.Agent.Runs[0].Claims)
	}
	v, _ = h.detect(fix, blind, accuse(string(mover))) // the server fails before the answer
	if len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != mover || v.Agent.Fallback != "" {
		t.Errorf("a verdict with an objection is lost: %s, %+v", szztest.Subjects(v), v.Agent)
	}
	v, _ = h.detect(fix, Options{Switches: szz.Switches{NoCandidates: true, NoClaimCheck: true}}, accuse(string(mover)))
	if v.Suspects[0].Commit.OID != mover || v.Agent.Runs[0].Objections != 0 {
		t.Errorf("without the check: %s, %+v", szztest.Subjects(v), v.Agent)
	}
	v, s = h.detect(fix, Options{}, accuse(string(mover)))
	if !strings.Contains(s.last(1), "but the line that ties c") || v.Agent.Runs[0].Objections != 0 {
		t.Errorf("the first prompt does not tell of the move:\n%s", s.last(1))
	}
}

func TestDetectRejects(t *testing.T) {
	// A name that is no commit of the history may be corrected once, and is dropped after
	// that. An empty report may be corrected once too. If it is repeated, the offline
	// engine answers.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	v, s := h.detect(fix, Options{}, accuse("0123456789abcdef", string(fix)), accuse("main", string(origin)))
	if len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != origin {
		t.Errorf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	if text := s.last(2); !strings.Contains(text, "no visible commit is called 0123456789abcdef") || !strings.Contains(text, "is the fix under study") {
		t.Errorf("the rejection is %q", text)
	}
	v, s = h.detect(fix, Options{}, called("report", map[string]any{"commits": []any{}}), accuse())
	if v.Agent.Fallback == "" || v.Algorithm != "rank" || len(v.Suspects) == 0 || v.Agent.Runs[0].Status != agent.StatusNothing {
		t.Errorf("an empty report gives %s, %+v", szztest.Subjects(v), v.Agent)
	}
	if text := s.last(2); !strings.Contains(text, "no commit is named") {
		t.Errorf("an empty report is answered by %q", text)
	}
	v, _ = h.detect(fix, Options{}, called("report", map[string]any{"commits": "c1"}), accuse(string(origin)))
	if len(v.Suspects) != 1 || v.Agent.Fallback != "" {
		t.Errorf("a malformed report ends with %s, %+v", szztest.Subjects(v), v.Agent)
	}
}

func TestDetectReasonNamesCommits(t *testing.T) {
	// The short names of the prompt mean nothing to a reader of the answer.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	list := []any{map[string]any{"commit": string(origin), "confidence": 0.8, "type": "omission", "reasoning": "c1 moved it, c1 is innocent; c99 and sec1 are no names"}}
	v, s := h.detect(fix, Options{Switches: szz.Switches{NoClaimCheck: true}}, called("report", map[string]any{"commits": list}))
	_, ranked, _ := strings.Cut(s.asked[0].Messages[1].Text, "# Candidates")
	_, line, found := strings.Cut(ranked, "\nc1 ")
	if !found || len(v.Suspects) != 1 {
		t.Fatalf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	want := "c1 (" + line[:12] + ") moved it, c1 is innocent; c99 and sec1 are no names"
	if got := v.Suspects[0].Reason; got != want {
		t.Errorf("the reason is %q, want %q", got, want)
	}
}

func TestDetectFallsBack(t *testing.T) {
	// If a model fails or gives no answer, the answer is the offline engine's, and the
	// report gives the reason.
	t.Parallel()
	h, _, _, fix := movedHistory(t)
	look := called("git_show", map[string]any{"commit": "HEAD"})
	for name, test := range map[string]struct {
		replies []model.Message
		why     string
	}{
		"no server": {nil, "the script is over"},
		"no answer": {[]model.Message{look, said("I give up"), said("really")}, "limit"},
	} {
		v, _ := h.detect(fix, Options{Limits: agent.Limits{Turns: 3}}, test.replies...)
		if len(v.Suspects) == 0 || v.Engine != "agent" || v.Algorithm != "rank" || !strings.Contains(v.Agent.Fallback, test.why) ||
			!strings.Contains(strings.Join(v.Notes, "\n"), "the answer is the offline engine's") {
			t.Errorf("%s: %s, %+v, notes %q", name, szztest.Subjects(v), v.Agent, v.Notes)
		}
	}
}

func TestDetectLastWord(t *testing.T) {
	// After the last turn the model may answer once in text.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	look := called("git_show", map[string]any{"commit": "HEAD"})
	v, s := h.detect(fix, Options{Limits: agent.Limits{Turns: 2}}, look, said("BIC: "+string(origin[:10])+" 0.7 it wrote the limit"))
	if len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != origin || v.Suspects[0].Reason != "it wrote the limit" {
		t.Errorf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	if !strings.Contains(s.last(2), "no tool runs any more") {
		t.Errorf("the last word is asked for by %q", s.last(2))
	}
}

func TestDetectVotes(t *testing.T) {
	// If there are several runs, a commit that more than half of them name is a suspect,
	// with their agreement. A commit that only one of them names is not.
	t.Parallel()
	h, origin, mover, fix := movedHistory(t)
	v, s := h.detect(fix, Options{Runs: 3}, accuse(string(origin), string(mover)), accuse(string(mover)), accuse(string(origin)))
	if len(v.Suspects) != 2 || v.Agent.Agreement < 0.66 || v.Agent.Agreement > 0.67 || len(s.asked) != 3 {
		t.Fatalf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	v, _ = h.detect(fix, Options{Runs: 3}, accuse(string(origin), string(mover)), accuse(string(origin)), accuse(string(origin)))
	if len(v.Suspects) != 1 || v.Suspects[0].Commit.OID != origin || v.Agent.Agreement != 1 {
		t.Errorf("%s, %+v", szztest.Subjects(v), v.Agent)
	}
	v, s = h.detect(fix, Options{Runs: 3})
	if len(s.asked) > 3 || v.Agent.Fallback == "" || len(v.Agent.Runs) != 1 {
		t.Errorf("a dead server was asked %d times: %+v", len(s.asked), v.Agent)
	}
}

func TestDetectAblations(t *testing.T) {
	// Each switch turns off its part and nothing else.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	ask := func(opt Options) model.Request {
		_, s := h.detect(fix, opt, accuse(string(origin)))
		return s.asked[0]
	}
	if r := ask(Options{Switches: szz.Switches{NoTools: true}}); len(r.Tools) != 1 || r.Tools[0].Name != "report" || !strings.Contains(r.Messages[1].Text, "You have no tools") {
		t.Errorf("without tools: %d, %s", len(r.Tools), r.Messages[1].Text)
	} else if said := r.Messages[0].Text + r.Messages[1].Text; strings.Contains(said, "git_") || !strings.Contains(said, "Say to yourself") {
		t.Errorf("without tools, one is spoken of: %s", said)
	}
	if r := ask(Options{Switches: szz.Switches{NoDomainKnowledge: true}}); strings.Contains(r.Messages[0].Text, "Say to yourself") || len(r.Tools) != 6 {
		t.Errorf("without domain knowledge: %s", r.Messages[0].Text)
	}
	if r := ask(Options{Switches: szz.Switches{NoCandidates: true}}); strings.Contains(r.Messages[1].Text, "c1") || !strings.Contains(r.Messages[1].Text, "int max = min_of(n, 9)") {
		t.Errorf("without candidates: %s", r.Messages[1].Text)
	}
	masked := ask(Options{Mask: func(s string) string { return strings.ReplaceAll(s, "limit", "*****") }})
	if strings.Contains(masked.Messages[1].Text, "limit") {
		t.Errorf("unmasked: %s", masked.Messages[1].Text)
	}
}

func TestDetectTrustsAnnotations(t *testing.T) {
	// If the message names a verified culprit, no model is asked.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	bad := h.Commit("widen the counter", gittest.Files{"a.c": "long a;\n"})
	fix := h.Commit("fix a\n\nFixes: "+string(bad[:12])+" (\"widen the counter\")", gittest.Files{"a.c": "int a;\n"})
	s := &scriptedModel{t: t}
	v, err := Trace(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{}), Options{Model: s})
	if err != nil || v.Algorithm != "annotation" || v.Agent != nil || len(s.asked) > 0 {
		t.Errorf("%+v, %v, asked %d times", v, err, len(s.asked))
	}
}

func TestFirstPromptIsBounded(t *testing.T) {
	// A huge fix fits into the prompt: its files share the room, and the prompt gives the
	// number of missing ones.
	t.Parallel()
	h := newHistory(t)
	before, after := gittest.Files{}, gittest.Files{}
	for i := range 30 {
		name := fmt.Sprintf("src/f%02d.c", i)
		before[name] = strings.Repeat("int a;\n", 40)
		after[name] = strings.Repeat("long "+strings.Repeat("b", 300)+";\n", 40)
	}
	before["a/test_x.c"], after["a/test_x.c"] = "int t;\n", "long t;\n"
	h.Commit("start", before)
	_, s := h.detect(h.Commit("widen all\n\n"+strings.Repeat("because ", 1000), after), Options{}, accuse("c1"))
	prompt := s.asked[0].Messages[1].Text
	if len(prompt) > 14_000 || !strings.Contains(prompt, "--- M src/f08.c") || !strings.Contains(prompt, "more files changed, tests and texts last") {
		t.Errorf("%d characters:\n%s", len(prompt), prompt)
	}
}

// A memoryJournal is a Journal in memory.
type memoryJournal map[string][]byte

func (j memoryJournal) Recall(_ context.Context, key string) ([]byte, bool, error) {
	data, ok := j[key]
	return data, ok, nil
}
func (j memoryJournal) Intend(context.Context, string, []byte) error { return nil }
func (j memoryJournal) Note(context.Context, string, []byte) error   { return nil }
func (j memoryJournal) Record(_ context.Context, key string, data []byte) error {
	j[key] = data
	return nil
}

// A cancellingModel cancels the caller's context after its last answer.
type cancellingModel struct {
	*scriptedModel
	quit context.CancelFunc
}

func (m cancellingModel) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	if len(m.replies) == 0 {
		m.quit()
		return nil, context.Canceled
	}
	return m.scriptedModel.Ask(ctx, req)
}

func TestDetectResumes(t *testing.T) {
	// A resumed run knows its objections: the second report of the same commit is
	// accepted.
	t.Parallel()
	h, _, mover, fix := movedHistory(t)
	journal := memoryJournal{}
	opt := Options{ModelName: "scripted", Switches: szz.Switches{NoCandidates: true}, Journal: func(int) (agent.Journal, error) { return journal, nil }}
	ctx, cancel := context.WithCancel(context.Background())
	opt.Model = cancellingModel{&scriptedModel{t: t, replies: []model.Message{accuse(string(mover))}}, cancel}
	if v, err := Trace(ctx, h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), opt); err == nil {
		t.Fatalf("an interrupted run gives %+v", v)
	}
	v, s := h.detect(fix, opt, accuse(string(mover)))
	if len(s.asked) != 1 || v.Suspects[0].Commit.OID != mover {
		t.Fatalf("asked %d times, %s, %+v", len(s.asked), szztest.Subjects(v), v.Agent)
	}
	if r := v.Agent.Runs[0]; r.Objections != 1 || r.Turns != 2 || r.Resumed != 2 || r.Claims[0].Checked == "" {
		t.Errorf("run %+v", r)
	}
}
