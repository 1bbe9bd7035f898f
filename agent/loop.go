package agent

import (
	"context"
	"time"

	"git-agent/agent/model"
)

// Loop is a conversation of a model with tools, until one of them gives a
// final result, a limit is met, or something fails.
type Loop struct {
	Model  model.Asker // may also be a Pricer
	Name   string      // of the model, for the journal
	System string
	Prompt string // the first message of the user
	Tools  []Tool // in the order in which the model is told of them
	// Needs are deeds without which a verdict would be rash. They are recorded
	// for readers of the run, and ask nothing of the model.
	Needs  []Deed
	Limits Limits
	Ledger *Ledger // shared by runs that draw on one budget; nil for none
	// MaxOutput is how many tokens an answer may have. With 0 the server
	// decides, and budgets reckon with DefaultOutput: set it where they must
	// hold whatever the model does.
	MaxOutput int
	// Unpriced lets a model run whose price is not known although there is a
	// limit in USD. What it does not tell counts as nothing then.
	Unpriced bool
	// Text judges a reply that calls no tool: a final result ends the
	// conversation, the text of another one, or of a *CallError, is said to
	// the model. It is asked again when a run is resumed, so that it can keep
	// count, but what it said the first time stands. Another error ends the
	// run. Nil takes any text.
	Text func(ctx context.Context, reply string) (Result, error)
	// LastWord is what the model is told when a limit is near and it may
	// only answer in text once more. Empty asks for nothing.
	LastWord string
	Journal  Journal // nil records nothing
	// Mask takes what looks like a secret out of all that is sent and
	// recorded. It is asked from several goroutines, and gives equal texts
	// for equal texts, so that a resumed run says the same. May be nil.
	Mask func(string) string
	// OnEvent gets Thought, ToolCall, ToolResult and Usage, also those of
	// steps that are resumed, and Progress while a request waits for its
	// server. May be nil.
	OnEvent func(Event)
	Now     func() time.Time // nil for time.Now
}

// Limits bound one run. Zero means no limit. They are checked before each
// call of the model, with what the call may cost added.
type Limits struct {
	Turns  int           `json:"turns,omitempty"`  // answers of the model, the last word included
	Tokens int64         `json:"tokens,omitempty"` // sent and received, cached ones too
	USD    float64       `json:"usd,omitempty"`    // of this run
	Wall   time.Duration `json:"wall,omitempty"`   // of all its lives; the last word of a model that answers may add LastWordTime
}

// LastWordTime is how long a last word may take after the wall limit.
const LastWordTime = 90 * time.Second

// DefaultOutput is how many tokens budgets expect of an answer whose length
// nobody bounds.
const DefaultOutput = 8192

// Outcome is how a conversation ended.
type Outcome struct {
	Status string // one of the Status constants
	Reason string // for StatusLimit and StatusFailed: which limit, what failed
	// Class is the kind of failure when it was the model's server that ended
	// it, "" when it was not.
	Class model.Class
	// Final is the result of the tool call or text that ended it; zero
	// without one. Its Value is a json.RawMessage, as the journal keeps it.
	Final    Result
	Turns    int // answers of the model, the last word included
	Calls    int // tool calls that were answered by their tools
	Usage    model.Usage
	Resumed  int // answers and tool results that an earlier life of the run had recorded
	Repeated int // requests that an earlier life had open when it died: sent again, and perhaps paid twice
}

// How a run may end.
const (
	StatusFound       = "found"       // an answer was given
	StatusNothing     = "nothing"     // looked, and there is no answer
	StatusLimit       = "limit"       // a budget ended it; what was found stands
	StatusFailed      = "failed"      // an error ended it
	StatusInterrupted = "interrupted" // the user ended it
)

// Decider is a Tool whose result may be final. Its calls run one by one, in
// order, also in the last word, where nothing else runs. When a run is
// resumed they run again, so that the tool can keep count of what it was
// told, but what it answered the first time stands.
type Decider interface {
	Tool
	Decides()
}

// Pricer says what a model costs, or that it does not know. *model.Client is
// one.
type Pricer interface {
	Price() (model.Price, bool)
}

// Run holds the conversation. What the model and its tools did wrong is in
// the outcome; the error is for what ends other runs too, such as a wrong key
// (*model.Error), a journal that cannot be written, or a context that ended.
// The outcome is filled in then as well.
func (l *Loop) Run(ctx context.Context) (Outcome, error) {
	c, err := l.open(ctx)
	for n := 1; err == nil && !c.ended(); n++ {
		err = c.turn(ctx, n)
	}
	return c.close(ctx, err)
}

// turn is the n-th request and what follows from it.
func (c *conversation) turn(ctx context.Context, n int) error {
	if err := c.checkLimits(ctx, n); err != nil || c.ended() {
		return err
	}
	answer, err := c.ask(ctx, n)
	switch {
	case err != nil || answer == nil:
		return err // without an answer the conversation has ended, or is ready for another try
	case len(answer.Calls) > 0:
		return c.act(ctx, n, answer)
	default:
		return c.listen(ctx, n, answer.Text)
	}
}
