package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/gitext/quote"
)

// Player replays a recorded run. As the model of an [agent.Loop], it gives the recorded replies,
// in order. As the loop's journal, it compares the loop's steps with the recorded ones. The tools
// of the loop run for real.
//
// A loop with the recorded limits would not stop at the same turn, because time and cost differ.
// It must use [Player.Limits] instead.
type Player struct {
	t      *Trajectory
	strict bool

	mu     sync.Mutex
	asked  int // number of requests answered
	first  *Difference
	equal  int
	sent   int64 // tokens of all prompts
	answer json.RawMessage
}

// Difference is a step whose result differs from the recorded one.
type Difference struct {
	Step string // key of the step in the journal
	What string // the part that differs, on one line
	Was  string // recorded text
	Is   string // text of the replay
}

func (d *Difference) String() string { return d.Step + ": " + d.What }

// ErrPlayed is returned for a request after the recorded ones. A strict Player also returns it
// after the first difference.
var ErrPlayed = errors.New("the recorded conversation ends here")

// NewPlayer returns a Player for t. A strict Player answers no request after the first
// difference. Otherwise it continues with the recorded replies for any answers of the tools,
// which shows the cost of the same conversation with other tools.
func NewPlayer(t *Trajectory, strict bool) *Player {
	return &Player{t: t, strict: strict}
}

// Limits returns limits that make a loop ask for its final answer at the same turn as the
// recorded run. They have no other effect.
func (p *Player) Limits() agent.Limits {
	answers := 0
	for _, turn := range p.t.Turns {
		if turn.Limit != nil {
			return replayLimits(answers + 1)
		}
		if turn.Reply() != nil {
			answers++
		}
	}
	return replayLimits(maxNumber)
}

// replayLimits limits the turns. The limits on tokens and time are practically infinite; 0 would
// mean an engine's defaults.
func replayLimits(turns int) agent.Limits {
	return agent.Limits{Turns: turns, Tokens: 1 << 40, Wall: 24 * time.Hour}
}

// Ask returns the next recorded reply. Its usage is marked as estimated, so that the
// loop counts the tokens of each prompt itself.
func (p *Player) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p.strict && p.first != nil, p.asked >= len(p.t.Turns), p.t.Turns[p.asked].Result == nil:
		return nil, ErrPlayed
	}
	turn := p.t.Turns[p.asked]
	p.asked++
	if r := turn.Reply(); r != nil {
		again := *r
		again.Usage.Estimated = true
		return &again, nil
	}
	return nil, &model.Error{Class: turn.Result.Class, Message: turn.Result.Error}
}

// Recall always reports that a step is not recorded, so that the loop repeats every step.
func (p *Player) Recall(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

// Intend compares a request with the recorded one.
func (p *Player) Intend(_ context.Context, key string, payload []byte) error {
	where, numbers := splitKey(key)
	if where != "model" || len(numbers) != 1 {
		return nil
	}
	is, err := decode[agent.AskIntent](payload)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := numbers[0]; n <= len(p.t.Turns) && p.t.Turns[n-1].Result != nil {
		p.sent += is.Estimate
		p.compare(key, "the request", p.t.Turns[n-1].Intent.Request, is.Request)
	}
	return nil
}

// Record compares the result of a step with the recorded one.
func (p *Player) Record(_ context.Context, key string, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	where, numbers := splitKey(key)
	switch {
	case key == agent.StepOpening:
		return p.begin(payload)
	case where == "tool" && len(numbers) == 2:
		return p.toolAnswered(key, numbers[0], numbers[1], payload)
	case where == "user" && len(numbers) == 1:
		said, err := decode[agent.Said](payload)
		if err != nil {
			return err
		}
		if said.Final {
			p.answer = said.Detail
		}
		if turn := p.turn(numbers[0]); turn == nil || turn.Said == nil {
			p.compare(key, "something is said to the model that was not said then", "", said.Text)
		} else {
			p.compare(key, "what is said to the model", turn.Said.Text, said.Text)
		}
	}
	return nil
}

func (p *Player) begin(payload []byte) error {
	is, err := decode[agent.Opening](payload)
	if err != nil {
		return err
	}
	was := p.t.Opening
	p.compare(agent.StepOpening, "the system prompt", was.System, is.System)
	p.compare(agent.StepOpening, "the first prompt", was.Prompt, is.Prompt)
	then, err := quote.Marshal(was.Tools)
	if err != nil {
		return err
	}
	now, err := quote.Marshal(is.Tools)
	p.compare(agent.StepOpening, "what the model is told of the tools", string(then), string(now))
	return err
}

func (p *Player) toolAnswered(key string, n, i int, payload []byte) error {
	is, err := decode[agent.CallResult](payload)
	if err != nil {
		return err
	}
	if is.Final {
		p.answer = is.Detail
	}
	turn := p.turn(n)
	if turn == nil || i > len(turn.Calls) || turn.Calls[i-1].Result == nil {
		p.compare(key, "a call that has no recorded answer", "", is.Text)
		return nil
	}
	was := turn.Calls[i-1].Result
	p.compare(key, "the answer of "+is.Name, was.Text, is.Text)
	if was.Final || is.Final {
		p.compare(key, "the final answer", string(was.Detail), string(is.Detail))
	}
	return nil
}

func (p *Player) turn(n int) *Turn {
	if n > len(p.t.Turns) {
		return nil
	}
	return &p.t.Turns[n-1]
}

// compare counts equal and different steps and keeps the first difference.
func (p *Player) compare(step, what, was, is string) {
	if was == is {
		p.equal++
		return
	}
	if p.first == nil {
		p.first = &Difference{Step: step, What: what + " differs: " + describeDifference(was, is), Was: was, Is: is}
	}
}

// describeDifference describes the first line in which two texts differ.
func describeDifference(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			was, is := aroundDifference(a[i], b[i])
			return fmt.Sprintf("line %d was %q and is %q", i+1, was, is)
		}
	}
	return fmt.Sprintf("%d lines then, %d now", len(a), len(b))
}

// aroundDifference shortens two lines to the part around their first difference.
func aroundDifference(was, is string) (string, string) {
	const before, room = 20, 80
	a, b := []rune(was), []rune(is)
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	lead := ""
	if same > before {
		lead, a, b = "…", a[same-before:], b[same-before:]
	}
	return lead + Cut(string(a), room), lead + Cut(string(b), room)
}

// Note does nothing, because notes do not affect a run.
func (p *Player) Note(context.Context, string, []byte) error { return nil }

// Played is the result of a replay.
type Played struct {
	Turns    int         // number of requests that got a recorded reply
	Recorded int         // number of requests with a recorded reply or error
	Equal    int         // number of prompts, requests, tool answers and answers equal to the recorded ones
	First    *Difference // nil if all are equal
	Sent     int64       // tokens of all prompts, counted by the loop
	Same     bool        // the answer names the recorded commits
}

// Played returns the result so far.
func (p *Player) Played() Played {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Played{Turns: p.asked, Equal: p.equal, First: p.first, Sent: p.sent}
	for _, turn := range p.t.Turns {
		if turn.Result != nil {
			out.Recorded++
		}
	}
	if was := p.t.Answer(); was != nil {
		out.Same = p.answer != nil && sameAnswer(was.Detail, p.answer)
	} else {
		out.Same = p.answer == nil
	}
	return out
}

// sameAnswer reports whether two answers name the same commits. If neither names a
// commit, it compares the answers themselves.
func sameAnswer(was, is json.RawMessage) bool {
	a, b := claimsIn(was, 2), claimsIn(is, 2)
	if a == nil && b == nil {
		return canonical(string(was)) == canonical(string(is))
	}
	return slices.EqualFunc(a, b, func(x, y Claim) bool { return x.Commit == y.Commit })
}
