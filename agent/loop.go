package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"git-agent/agent/model"
)

// Loop is a conversation of a model with tools. It lasts until a tool gives a
// final result, a limit is reached, or something fails.
type Loop struct {
	Model  model.Asker // if it is also a Pricer, its price is used
	Name   string      // the model's name, for the journal
	System string
	Prompt string // the user's first message
	Tools  []Tool // in the order that the model sees
	// Needs lists the deeds that a careful answer is based on. They are recorded
	// for readers of the run; the model is not asked for them.
	Needs []Deed
	// Repeats lets an answered call run again. Without it, the answer to a repeated call
	// names the turn of the first answer.
	Repeats bool
	Limits  Limits
	Ledger  *Ledger // shared by runs with a common budget; may be nil
	// MaxOutput is how many tokens an answer may have. With 0 the server decides, and
	// budgets assume defaultOutput; set it if budgets must hold for every behavior of the
	// model.
	MaxOutput int
	// Unpriced allows a model of unknown price despite a limit in USD. Calls of unknown
	// cost count as free.
	Unpriced bool
	// Text handles a reply that calls no tool. A final result ends the
	// conversation; the text of any other result, or of a *CallError, is sent to
	// the model. On resuming, Text is called again, so that it can keep count, but
	// the recorded result is used. Any other error ends the run. If Text is nil,
	// any text is a final result.
	Text func(ctx context.Context, reply string) (Result, error)
	// LastWord is sent to the model when a limit is near and it may only answer once
	// more, in text. If it is empty, there is no last request.
	LastWord string
	// Stop is called before each request. A reason makes that request the last one, as a
	// limit does. It may be nil.
	Stop    func() string
	Journal Journal // nil records nothing
	// Mask masks secrets in all sent and recorded texts. It is called
	// from several goroutines and must give equal texts for equal texts, so that a
	// resumed run sends the same. It may be nil.
	Mask func(string) string
	// OnEvent receives Thought, ToolCall, ToolResult and Usage, including those of
	// resumed steps, and Progress while a request waits for its server. It may be
	// nil.
	OnEvent func(Event)
	Now     func() time.Time // nil is time.Now
}

// Limits bound one run. Zero is no limit. They are checked before each request to the
// model, including the highest possible cost of the request.
type Limits struct {
	Turns  int           `json:"turns,omitempty"`  // answers of the model, including the last one
	Calls  int           `json:"calls,omitempty"`  // calls of tools; an answer whose calls exceed it may still run
	Tokens int64         `json:"tokens,omitempty"` // sent and received, cached ones too
	USD    float64       `json:"usd,omitempty"`    // of this run
	Wall   time.Duration `json:"wall,omitempty"`   // of all processes of the run; the request for a last answer may take 90 seconds more
}

// Or returns the limits, with those of defaults for the ones that are not set.
func (l Limits) Or(defaults Limits) Limits {
	return Limits{
		Turns:  cmp.Or(max(l.Turns, 0), defaults.Turns),
		Calls:  cmp.Or(max(l.Calls, 0), defaults.Calls),
		Tokens: cmp.Or(max(l.Tokens, 0), defaults.Tokens),
		USD:    cmp.Or(l.USD, defaults.USD),
		Wall:   cmp.Or(max(l.Wall, 0), defaults.Wall),
	}
}

// lastWordTime is the time for a last word after the wall limit.
const lastWordTime = 90 * time.Second

// defaultOutput is the number of tokens that budgets assume for an answer without a
// bound.
const defaultOutput = 8192

// Outcome is how a conversation ended.
type Outcome struct {
	Status string // one of the Status constants
	Reason string // for StatusLimit and StatusFailed: which limit or failure
	// Class is the kind of failure if the model's server ended the conversation,
	// else "".
	Class model.Class
	// Final is the result of the tool call or text that ended the conversation, if
	// any. Its Value is a json.RawMessage, as in the journal.
	Final    Result
	Turns    int // answers of the model, including the last one
	Calls    int // tool calls that were answered by their tools
	Usage    model.Usage
	Resumed  int // answers and tool results that an earlier process of the run had recorded
	Repeated int // requests left open by the death of an earlier process: sent again, and perhaps paid twice
}

// These are the possible ends of a run.
const (
	StatusFound       = "found"       // an answer was given
	StatusNothing     = "nothing"     // the search found no answer
	StatusLimit       = "limit"       // a limit ended it; its findings count
	StatusFailed      = "failed"      // an error ended it
	StatusInterrupted = "interrupted" // the user ended it
)

// Decider is a Tool whose result may be final. Its calls run one by one, in order, and
// even when only the last answer is allowed and no other tool runs. On resuming they run
// again, so that the tool can keep count, but the recorded results are used.
type Decider interface {
	Tool
	Decides()
}

// Stateful is a Tool whose calls change a state, such as the files of a scratch work
// tree. Its calls run one by one, in order, and a call runs again even if an equal one
// was answered before. In a resumed run, Resume replaces Call for each recorded call: it
// brings the tool to its state after the call. The model sees the recorded result.
type Stateful interface {
	Tool
	Resume(ctx context.Context, args json.RawMessage, recorded CallResult) error
}

// Pricer returns the price of a model, or false if it is unknown. *model.Client
// implements it.
type Pricer interface {
	Price() (model.Price, bool)
}

// Run runs the conversation. The outcome holds the mistakes of the model and its tools.
// The error is for failures that also end other runs, such as a wrong key (*model.Error),
// a journal that cannot be written, or the end of the context; the outcome is filled in
// then, too.
func (l *Loop) Run(ctx context.Context) (Outcome, error) {
	c, err := l.open(ctx)
	for n := 1; err == nil && !c.ended(); n++ {
		err = c.turn(ctx, n)
	}
	return c.close(ctx, err)
}

// turn sends the n-th request and handles the answer.
func (c *conversation) turn(ctx context.Context, n int) error {
	if err := c.checkLimits(ctx, n); err != nil || c.ended() {
		return err
	}
	answer, err := c.ask(ctx, n)
	switch {
	case err != nil || answer == nil:
		return err // without an answer the conversation has ended, or the next turn tries again
	case len(answer.Calls) > 0:
		return c.runCalls(ctx, n, answer)
	default:
		return c.acceptText(ctx, n, answer.Text)
	}
}
