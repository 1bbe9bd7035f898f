package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"git-agent/agent/model"
)

// busy reads something new in each of n turns.
func busy(n int) []turn {
	var turns []turn
	for i := range n {
		turns = append(turns, call("look", fmt.Sprintf(`{"at":%d}`, i)))
	}
	return turns
}

// Each limit leads to one last word without tools, before it is exceeded.
func TestLimitsLeadToALastWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		limits Limits
		budget *Ledger
		step   time.Duration // of the clock, each time it is read
		reason string
		turns  int
	}{
		{name: "turns", limits: Limits{Turns: 4}, reason: "turn limit: 4", turns: 4},
		{name: "calls", limits: Limits{Calls: 4}, reason: "call limit: 4", turns: 5},
		{name: "only one turn", limits: Limits{Turns: 1}, reason: "turn limit: 1", turns: 1},
		// Each call takes 1020 tokens, but an answer may take 1000, and so may the last
		// word, which needs room after one more turn.
		{name: "tokens", limits: Limits{Tokens: 20000}, reason: "token limit: ", turns: 14},
		{name: "USD", limits: Limits{USD: 0.02}, reason: "cost limit: ", turns: 14},
		{name: "ledger", budget: NewLedger(Budget{USD: 0.02}), reason: "the budget of $0.02 does not hold", turns: 14},
		{name: "ledger of tokens", budget: NewLedger(Budget{Tokens: 20000}), reason: "the budget of 20000 tokens does not hold", turns: 14},
		{name: "wall", limits: Limits{Wall: time.Hour}, step: 4 * time.Minute, reason: "time limit: ", turns: 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{turns: busy(50), price: 1}
			l := newTestLoop(s)
			l.Limits, l.Ledger, l.MaxOutput = tt.limits, tt.budget, 1000
			now := time.Unix(0, 0)
			l.Now = func() time.Time { now = now.Add(tt.step); return now }
			out, err := l.Run(t.Context())
			if err != nil || out.Status != StatusLimit || !strings.HasPrefix(out.Reason, tt.reason) || out.Turns != tt.turns {
				t.Errorf("got %+v, %v", out, err)
			}
			if used := out.Usage.Prompt() + out.Usage.Output; tt.limits.Tokens > 0 && used > tt.limits.Tokens {
				t.Errorf("%d tokens of %d", used, tt.limits.Tokens)
			}
			if last := s.last(); last.Text != "say it now" || last.Role != model.User {
				t.Errorf("the last thing said is %+v", last)
			}
			for i, req := range s.asked {
				if is := req.Choice == model.ChoiceNone; is != (i == len(s.asked)-1) || len(req.Tools) != len(l.Tools) {
					t.Errorf("request %d of %d: choice %q, %d tools", i+1, len(s.asked), req.Choice, len(req.Tools))
				}
			}
		})
	}
}

// The last reply may be the answer: as text, or as a call of the one tool that takes it.
func TestLastWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer turn
		status string
		looked int
	}{
		{"text that is a verdict", say("verdict abc"), StatusFound, 1},
		{"text that is none", say("I do not know"), StatusLimit, 1},
		{"a report", call("report", `{"commit":"abc"}`), StatusFound, 1},
		{"a report that is rejected", call("report", `{}`), StatusLimit, 1},
		{"another call", call("look", `{"at":9}`), StatusLimit, 1},
		{"another call and a report", call("look", `{"at":9}`, "report", `{"commit":"abc"}`), StatusFound, 1},
		{"a call beside text that is a verdict", replies(model.Message{Text: "verdict abc", Calls: []model.Call{{ID: "1", Name: "look", Args: "{}"}}}, ""), StatusFound, 1},
		{"nothing", say(""), StatusLimit, 1},
		{"an error", fails(model.ClassServer), StatusFailed, 1},
		{"a cut answer and no turn left", replies(model.Message{Text: "verdict a"}, model.FinishLength), StatusLimit, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{turns: []turn{call("look", `{"at":1}`), tt.answer}}
			l := newTestLoop(s)
			l.Limits.Turns = 2
			looked := 0
			l.Tools[0] = fake{"look", func(context.Context, json.RawMessage) (Result, error) {
				looked++
				return Result{Text: "seen"}, nil
			}}
			out, err := l.Run(t.Context())
			if err != nil || out.Status != tt.status || looked != tt.looked || len(s.asked) != 2 {
				t.Errorf("got %+v, %v, looked %d times, asked %d times", out, err, looked, len(s.asked))
			}
			if out.Status == StatusFound && out.Reason != "turn limit: 2" {
				t.Errorf("the reason is %q", out.Reason)
			}
		})
	}
}

// A reason names the possible costs of the next answers, and omits zeros.
func TestReasonsNameNoZero(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`[0-9]{2,}|0\.[0-9]+`)
	for _, tt := range []struct {
		lastWord string
		limits   Limits
		price    float64
		want     string // with N for larger numbers
	}{
		{"", Limits{Tokens: 9}, 0, "token limit: 0 used of 9; the next answer may take N"},
		{"now", Limits{Tokens: 9}, 0, "token limit: 0 used of 9; the next answer may take N and the last word N; no last word: token limit: 0 used of 9; the next answer may take N"},
		{"", Limits{USD: 0.001}, 1, "cost limit: $0 used of $N; the next answer may cost $N"},
		{"", Limits{Wall: time.Second}, 0, "time limit: 1s used of 1s"},
	} {
		l := newTestLoop(&script{price: tt.price})
		l.LastWord, l.Limits = tt.lastWord, tt.limits
		now := time.Unix(0, 0)
		l.Now = func() time.Time { now = now.Add(time.Second); return now }
		out, err := l.Run(t.Context())
		if got := number.ReplaceAllString(out.Reason, "N"); err != nil || got != tt.want {
			t.Errorf("got %q, %v, want %q", got, err, tt.want)
		}
	}
}

// Without Loop.LastWord there is no last request, and all turns are used.
func TestNoLastWord(t *testing.T) {
	t.Parallel()
	s := &script{turns: busy(50)}
	l := newTestLoop(s)
	l.LastWord, l.Limits.Turns = "", 3
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusLimit || out.Turns != 3 || s.asked[2].Choice != model.ChoiceAuto {
		t.Errorf("got %+v, %v", out, err)
	}
}

// If the budget has no room even for the last answer, nothing is asked.
func TestBudgetTooSmallForAnything(t *testing.T) {
	t.Parallel()
	s := &script{price: 1}
	l := newTestLoop(s)
	l.Limits.USD = 1e-6
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusLimit || len(s.asked) != 0 || !strings.Contains(out.Reason, "no last word") {
		t.Errorf("got %+v, %v", out, err)
	}
}

// A limit in USD with an unknown price is an error, unless it is allowed.
func TestUnknownPrice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		usd      float64
		ledger   *Ledger
		unpriced bool
		price    float64
		want     error
	}{
		{name: "no limit"},
		{name: "limit", usd: 1, want: errUnpriced},
		{name: "limit of all runs", ledger: NewLedger(Budget{USD: 1}), want: errUnpriced},
		{name: "limit in tokens", ledger: NewLedger(Budget{Tokens: 1e6})},
		{name: "allowed", usd: 1, unpriced: true},
		{name: "known", usd: 1, price: 1},
	} {
		s := &script{turns: []turn{call("report", `{"a":1}`)}, price: tt.price}
		l := newTestLoop(s)
		l.Limits.USD, l.Ledger, l.Unpriced = tt.usd, tt.ledger, tt.unpriced
		out, err := l.Run(t.Context())
		if !errors.Is(err, tt.want) || (err != nil) != (len(s.asked) == 0) || (err != nil) != (out.Status == StatusFailed) {
			t.Errorf("%s: %+v, %v, asked %d times", tt.name, out, err, len(s.asked))
		}
		if known := out.Usage.CostUSD != nil; err == nil && known != (tt.price > 0) {
			t.Errorf("%s: the cost is known: %t", tt.name, known)
		}
	}
}

// If only the server's reported costs show the price, the highest so far is
// reserved for the next request and for the last one, and the limit holds.
func TestPriceFromBills(t *testing.T) {
	t.Parallel()
	billed := func(next turn) turn {
		return func(ctx context.Context, req model.Request) (*model.Reply, error) {
			reply, err := next(ctx, req)
			cost := 0.01
			reply.Usage.CostUSD = &cost
			return reply, err
		}
	}
	s := &script{}
	for _, t := range busy(50) {
		s.turns = append(s.turns, billed(t))
	}
	l := newTestLoop(s)
	l.Limits.USD, l.Unpriced, l.Ledger = 0.045, true, NewLedger(Budget{USD: 0.045})
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusLimit || out.Turns != 4 || s.asked[3].Choice == model.ChoiceAuto {
		t.Errorf("got %+v, %v", out, err)
	}
	if spent := l.Ledger.Spent().USD; spent > 0.045 {
		t.Errorf("$%g are spent", spent)
	}
}

// After a request that the time limit cuts off comes the last word, which has its own
// time.
func TestWallCutsARequest(t *testing.T) {
	t.Parallel()
	var left time.Duration
	s := &script{turns: []turn{call("look", "{}"), hang, func(ctx context.Context, req model.Request) (*model.Reply, error) {
		deadline, _ := ctx.Deadline()
		left = time.Until(deadline)
		return say("verdict abc")(ctx, req)
	}}}
	l := newTestLoop(s)
	journal, traces := journalIn(t, t.TempDir())
	l.Limits.Wall, l.Journal = 10*time.Millisecond, journal
	out, err := l.Run(t.Context())
	if err != nil || out.Status != StatusFound || out.Turns != 2 || left <= 0 || left > lastWordTime {
		t.Errorf("got %+v, %v, with %s left", out, err, left)
	}
	if step := results(t, traces, journal.Run())[modelStep(2)]; !strings.Contains(step, `"class":"wall"`) {
		t.Errorf("the request is recorded as %s", step)
	}
	again := newTestLoop(&script{})
	again.Limits, again.Journal = l.Limits, journal
	if second, err := again.Run(t.Context()); err != nil || second.Status != out.Status || fmt.Sprint(second.Final) != fmt.Sprint(out.Final) {
		t.Errorf("resumed, it is %+v, %v", second, err)
	}
}

// A tool cut off by the time limit gives an error, and the last word comes.
func TestWallCutsATool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{turns: []turn{call("look", "{}"), say("verdict abc")}}
		l := newTestLoop(s)
		l.Now, l.Limits.Wall = nil, 10*time.Minute
		l.Tools[0] = fake{"look", func(ctx context.Context, _ json.RawMessage) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}}
		out, err := l.Run(t.Context())
		if err != nil || out.Status != StatusFound || !strings.HasPrefix(out.Reason, "time limit: 10m0s used of 10m0s") {
			t.Errorf("got %+v, %v", out, err)
		}
	})
}

// The time of earlier processes counts.
func TestWallCountsAllLives(t *testing.T) {
	t.Parallel()
	journal, _ := journalIn(t, t.TempDir())
	lives := []struct {
		turns []turn
		step  time.Duration
	}{
		{[]turn{call("look", `{"at":1}`), call("look", `{"at":2}`), fails(model.ClassServer)}, 10 * time.Minute},
		{[]turn{say("verdict abc")}, time.Millisecond},
	}
	var out Outcome
	for _, life := range lives {
		l := newTestLoop(&script{turns: life.turns})
		now := time.Unix(0, 0)
		l.Now = func() time.Time { now = now.Add(life.step); return now }
		l.Journal, l.Limits.Wall = journal, 50*time.Minute
		if life.step > time.Second {
			l.Limits.Wall = 10 * time.Hour
		}
		var err error
		if out, err = l.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if out.Status != StatusFound || !strings.HasPrefix(out.Reason, "time limit: ") {
		t.Errorf("got %+v", out)
	}
}

// A last word that exceeds its time ends the run.
func TestLastWordHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLoop(&script{turns: []turn{call("look", "{}"), hang, hang}})
		l.Now, l.Limits.Wall = nil, 10*time.Minute
		begun := time.Now()
		out, err := l.Run(t.Context())
		if took := time.Since(begun); err != nil || out.Status != StatusLimit || !strings.HasPrefix(out.Reason, "time limit: 10m0s used of 10m0s") || took != l.Limits.Wall+lastWordTime {
			t.Errorf("got %+v, %v after %s", out, err, took)
		}
	})
}

// pages are a journal in memory.
type pages map[string][]byte

func (p pages) Recall(_ context.Context, key string) ([]byte, bool, error) {
	payload, ok := p[key]
	return payload, ok, nil
}

func (pages) Intend(context.Context, string, []byte) error { return nil }
func (pages) Note(context.Context, string, []byte) error   { return nil }

func (p pages) Record(_ context.Context, key string, payload []byte) error {
	p[key] = payload
	return nil
}

// hang never answers.
func hang(ctx context.Context, _ model.Request) (*model.Reply, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// A server that never answers gets no last request: the run ends with its time,
// and at once when it is resumed.
func TestWallWithoutAnyAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		journal := pages{}
		for life, want := range []struct {
			took  time.Duration
			asked int
		}{{5 * time.Second, 1}, {0, 0}} {
			s := &script{turns: []turn{hang, hang, hang}}
			l := newTestLoop(s)
			l.Now, l.Limits.Wall, l.Journal = nil, 5*time.Second, journal
			begun := time.Now()
			out, err := l.Run(t.Context())
			if took := time.Since(begun); err != nil || out.Status != StatusLimit || took != want.took || len(s.asked) != want.asked {
				t.Errorf("life %d: %+v, %v after %s and %d requests", life+1, out, err, took, len(s.asked))
			}
			if out.Reason != "time limit: 5s used of 5s; no last word: the model has not answered" {
				t.Errorf("life %d: the reason is %q", life+1, out.Reason)
			}
		}
	})
}

// A model that answered only in an earlier process gets its last request after the end of
// the time, but not if it has just let a request run into the limit.
func TestWallWithoutAnAnswerInThisLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			wall  time.Duration // in the second life
			turns []turn
			want  string
			took  time.Duration
		}{
			{time.Minute, []turn{hang, hang}, StatusLimit, 50 * time.Second},
			{5 * time.Second, []turn{say("verdict abc")}, StatusFound, 0},
		} {
			journal := pages{}
			slow := func(ctx context.Context, req model.Request) (*model.Reply, error) {
				time.Sleep(10 * time.Second) // in the bubble's time
				return call("look", "{}")(ctx, req)
			}
			l := newTestLoop(&script{turns: []turn{slow, fails(model.ClassServer)}})
			l.Now, l.Limits.Wall, l.Journal = nil, time.Minute, journal
			if out, err := l.Run(t.Context()); err != nil || out.Status != StatusFailed {
				t.Fatalf("first life: %+v, %v", out, err)
			}
			s := &script{turns: tt.turns}
			l = newTestLoop(s)
			l.Now, l.Limits.Wall, l.Journal = nil, tt.wall, journal
			begun := time.Now()
			out, err := l.Run(t.Context())
			if took := time.Since(begun); err != nil || out.Status != tt.want || took != tt.took || len(s.asked) != 1 {
				t.Errorf("%s: %+v, %v after %s and %d requests", tt.wall, out, err, took, len(s.asked))
			}
		}
	})
}

// If another limit makes the first request the last one, it ends with the time
// of the run, too.
func TestOnlyRequestEndsWithTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newTestLoop(&script{turns: []turn{hang}})
		l.Now, l.Limits.Wall, l.Limits.Turns = nil, 5*time.Second, 1
		begun := time.Now()
		out, err := l.Run(t.Context())
		if took := time.Since(begun); err != nil || out.Status != StatusLimit || took != 5*time.Second {
			t.Errorf("got %+v, %v after %s", out, err, took)
		}
	})
}

// A budget is charged for possible costs: in full for a request with a lost answer,
// nothing for one that the server refused, and the cost of answers that an earlier
// process received.
func TestLedgerAfterFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  turn
		lost bool
	}{
		{"busy", fails(model.ClassBusy), false},
		{"request", fails(model.ClassRequest), false},
		{"auth", fails(model.ClassAuth), false},
		{"transport", fails(model.ClassTransport), true},
		{"malformed", fails(model.ClassMalformed), true},
		{"an error that nobody knows", func(context.Context, model.Request) (*model.Reply, error) { return nil, errors.New("oh") }, true},
	} {
		journal, _ := journalIn(t, t.TempDir())
		first, second := NewLedger(Budget{Tokens: 1e6}), NewLedger(Budget{Tokens: 1e6})
		l := newTestLoop(&script{turns: []turn{call("look", "{}"), tt.end}})
		l.Journal, l.Ledger, l.MaxOutput = journal, first, 1000
		out, _ := l.Run(t.Context()) // how it ends is tested elsewhere
		if got := first.Spent().Tokens; out.Turns != 1 || tt.lost != (got > 2020) || !tt.lost && got != 1020 || first.holds != 0 {
			t.Errorf("%s: %+v, %d tokens", tt.name, out, got)
		}
		l = newTestLoop(&script{turns: []turn{answer}})
		l.Journal, l.Ledger = journal, second
		if out, err := l.Run(t.Context()); err != nil || second.Spent().Tokens != 2040 || out.Turns != 2 {
			t.Errorf("%s, resumed: %+v, %v, %+v", tt.name, out, err, second.Spent())
		}
	}
}

// A resumed run sends its last request for the same reason, even if the limit
// would now allow more.
func TestResumedLastWord(t *testing.T) {
	t.Parallel()
	journal, _ := journalIn(t, t.TempDir())
	for i, life := range []struct {
		turns  []turn
		limit  int
		status string
	}{
		{[]turn{call("look", "{}"), fails(model.ClassBusy)}, 2, StatusFailed},
		{[]turn{say("verdict abc")}, 9, StatusFound},
	} {
		s := &script{turns: life.turns}
		l := newTestLoop(s)
		l.Journal, l.Limits.Turns = journal, life.limit
		out, err := l.Run(t.Context())
		if err != nil || out.Status != life.status || i == 1 && out.Reason != "turn limit: 2" || s.last().Text != "say it now" {
			t.Errorf("life %d: %+v, %v", i+1, out, err)
		}
	}
}

// The reservation is the highest cost of reading the prompt, with a margin for the
// estimate, plus the whole allowed output.
func TestHold(t *testing.T) {
	t.Parallel()
	p := price{Price: model.Price{Input: 1, CacheRead: 0.1, CacheWrite: 1.25, Output: 10}}
	if got := p.project(1e6, 1e6); got.USD != 11.25 || got.Tokens != 2e6 {
		t.Errorf("projected %+v", got)
	}
	journal, traces := journalIn(t, t.TempDir())
	l := newTestLoop(&script{turns: []turn{answer}, price: 1})
	l.Journal, l.Ledger, l.MaxOutput = journal, NewLedger(Budget{USD: 1}), 1000
	if _, err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	intent := intentOf(t, traces, journal.Run(), 1)
	if want := float64(intent.Estimate+intent.Estimate/5+1000) / 1e6; intent.Estimate < 50 || intent.HoldUSD != want {
		t.Errorf("held $%g for %d tokens, not $%g", intent.HoldUSD, intent.Estimate, want)
	}
}
