package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/gitext/visible"
)

// Player plays a recorded run again. As the model of a [agent.Loop] it answers
// with the recorded replies, in order; as its journal it holds what the loop
// does now against what was recorded. The tools of the loop run for real.
//
// Limits of time and money cannot be met again at the same place: give the
// loop those of [Player.Limits].
type Player struct {
	t      *Trajectory
	strict bool

	mu      sync.Mutex
	asked   int // requests answered
	first   *Difference
	equal   int
	sent    int64 // tokens
	verdict json.RawMessage
}

// Difference is a step that did not come out as it was recorded.
type Difference struct {
	Step string // key in the journal
	What string // what differs, one line
	Was  string // what was recorded
	Is   string // what came out now
}

func (d *Difference) String() string { return d.Step + ": " + d.What }

// ErrPlayed is returned to a loop that asks more than was recorded.
var ErrPlayed = errors.New("the recorded conversation ends here")

// NewPlayer plays t. A strict one answers no request after the first
// difference; another one goes on with the recorded replies whatever the
// tools say, which shows what a conversation would have cost with other tools.
func NewPlayer(t *Trajectory, strict bool) *Player {
	return &Player{t: t, strict: strict}
}

// Limits make a loop give its last word where the recorded run gave it, and
// have no other effect.
func (p *Player) Limits() agent.Limits {
	answers := 0
	for _, turn := range p.t.Turns {
		if turn.Limit != nil {
			return agent.Limits{Turns: answers + 1}
		}
		if turn.Reply() != nil {
			answers++
		}
	}
	return agent.Limits{Turns: maxNumber}
}

// Ask answers with the next recorded reply. Its usage counts as an estimate,
// so that the loop counts the tokens of each prompt itself.
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

// Recall finds nothing: all is done again.
func (p *Player) Recall(context.Context, string) ([]byte, bool, error) { return nil, false, nil }

// Intend compares a request with the recorded one.
func (p *Player) Intend(_ context.Context, key string, payload []byte) error {
	where, numbers := place(key)
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

// Record compares what came of a step with what was recorded.
func (p *Player) Record(_ context.Context, key string, payload []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	where, numbers := place(key)
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
			p.verdict = said.Detail
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
	then, err := visible.Marshal(was.Tools)
	if err != nil {
		return err
	}
	now, err := visible.Marshal(is.Tools)
	p.compare(agent.StepOpening, "what the model is told of the tools", string(then), string(now))
	return err
}

func (p *Player) toolAnswered(key string, n, i int, payload []byte) error {
	is, err := decode[agent.CallResult](payload)
	if err != nil {
		return err
	}
	if is.Final {
		p.verdict = is.Detail
	}
	turn := p.turn(n)
	if turn == nil || i > len(turn.Calls) || turn.Calls[i-1].Result == nil {
		p.compare(key, "a call that has no recorded answer", "", is.Text)
		return nil
	}
	was := turn.Calls[i-1].Result
	p.compare(key, "the answer of "+is.Name, was.Text, is.Text)
	if was.Final || is.Final {
		p.compare(key, "the verdict", string(was.Detail), string(is.Detail))
	}
	return nil
}

func (p *Player) turn(n int) *Turn {
	if n > len(p.t.Turns) {
		return nil
	}
	return &p.t.Turns[n-1]
}

// compare counts, and keeps the first difference.
func (p *Player) compare(step, what, was, is string) {
	if was == is {
		p.equal++
		return
	}
	if p.first == nil {
		p.first = &Difference{Step: step, What: what + " differs: " + firstLine(was, is), Was: was, Is: is}
	}
}

// firstLine shows where two texts part.
func firstLine(was, is string) string {
	a, b := strings.Split(was, "\n"), strings.Split(is, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			was, is := aroundParting(a[i], b[i])
			return fmt.Sprintf("line %d was %q and is %q", i+1, was, is)
		}
	}
	return fmt.Sprintf("%d lines then, %d now", len(a), len(b))
}

// aroundParting cuts two lines to where they part, and a little before it.
func aroundParting(was, is string) (string, string) {
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

// Note notes nothing: how it ended follows from what was compared.
func (p *Player) Note(context.Context, string, []byte) error { return nil }

// Played is what came of it.
type Played struct {
	Turns int         // requests that were answered with a recorded reply
	Of    int         // requests that have one
	Equal int         // prompts, requests, tool answers and verdicts that came out as recorded
	First *Difference // nil when all is equal
	Sent  int64       // tokens of all prompts, counted by the loop
	Same  bool        // the verdict names the recorded commits
}

// Played tells what came of it so far.
func (p *Player) Played() Played {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := Played{Turns: p.asked, Equal: p.equal, First: p.first, Sent: p.sent}
	for _, turn := range p.t.Turns {
		if turn.Result != nil {
			out.Of++
		}
	}
	if was := p.t.Verdict(); was != nil {
		out.Same = p.verdict != nil && sameVerdict(was.Detail, p.verdict)
	} else {
		out.Same = p.verdict == nil
	}
	return out
}

// sameVerdict compares the commits of two verdicts, or, where they name none,
// the verdicts themselves.
func sameVerdict(was, is json.RawMessage) bool {
	a, b := claimsIn(was, 2), claimsIn(is, 2)
	if a == nil && b == nil {
		return canonical(string(was)) == canonical(string(is))
	}
	return slices.EqualFunc(a, b, func(x, y Claim) bool { return x.Commit == y.Commit })
}
