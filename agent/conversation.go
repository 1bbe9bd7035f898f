package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent/model"
	"git-agent/prompts"
)

// conversation is a Loop that runs. Its methods are the steps of Run: each
// takes what the journal has of the step, or does it and records it.
type conversation struct {
	*Loop
	book  book
	out   Outcome
	told  []model.Tool // what the model is told of the tools
	tools map[string]Tool

	talk      []model.Message
	heard     int      // answers in talk
	placed    []placed // tool answers in talk
	answers   memory   // tool answers by their calls
	maxOutput int
	lastWord  string // the limit that made the next answer the last; "" before
	hold      *Hold  // for the next request
	price     price
	used      Spending // by this run, as limits count it
	denied    string   // the limit that forbade to send a request again; "" for none
	clock     clock
	slowest   time.Duration // request
	live      int           // answers that came in this life
	closing   time.Duration // when the last word was announced, on the clock
	unheard   bool          // a request was given up at the time limit, and none was answered in this life
	counted   counted

	idle    int // turns in a row that brought nothing to run
	cuts    int // answers in a row that were cut by their length
	retreat int // requests in a row that failed and had something taken out
}

// placed is where a tool's answer stands in the conversation.
type placed struct {
	message int // index in talk
	step    string
	turn    int // of the model, as it can count them
}

// counted is what the server said of a request: its tokens, and how many
// messages it held.
type counted struct {
	tokens   int64
	messages int
}

// open begins the conversation, or finds that it began in an earlier life.
func (l *Loop) open(ctx context.Context) (*conversation, error) {
	c := &conversation{Loop: l, tools: map[string]Tool{}, maxOutput: l.MaxOutput}
	c.book = book{journal: l.Journal}
	c.clock = newClock(l.Now)
	c.price = newPrice(l.Model)
	deeds := map[string]Deed{}
	for _, t := range l.Tools {
		s := t.Spec()
		c.tools[s.Name] = t
		c.told = append(c.told, model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
		if _, ok := t.(Decider); ok {
			s.Deed = DeedVerdict
		}
		if s.Deed != "" {
			deeds[s.Name] = s.Deed
		}
	}
	if err := c.price.check(l); err != nil {
		return c, err
	}
	opening := Opening{Model: l.Name, System: c.mask(l.System), Prompt: c.mask(l.Prompt), Tools: c.told, Limits: l.Limits, Deeds: deeds, Needs: l.Needs}
	if err := c.book.begin(ctx, opening); err != nil {
		return c, err
	}
	var err error
	if c.out.Repeated, err = c.book.open(ctx); err != nil {
		return c, err
	}
	if opening.System != "" {
		c.talk = append(c.talk, model.Message{Role: model.System, Text: opening.System})
	}
	c.say(opening.Prompt)
	return c, nil
}

func (c *conversation) mask(text string) string {
	if c.Mask == nil {
		return text
	}
	return c.Mask(text)
}

// say adds what the user says. It is masked already.
func (c *conversation) say(text string) {
	c.talk = append(c.talk, model.Message{Role: model.User, Text: text})
}

func (c *conversation) emit(e Event) {
	if c.OnEvent != nil {
		c.OnEvent(e)
	}
}

func (c *conversation) ended() bool { return c.out.Status != "" }

func (c *conversation) end(status, format string, args ...any) {
	c.out.Status, c.out.Reason = status, fmt.Sprintf(format, args...)
}

// decide ends the conversation with a final result.
func (c *conversation) decide(text string, detail json.RawMessage) {
	c.end(StatusFound, "%s", c.lastWord)
	c.out.Final = Result{Text: text, Value: detail, Final: true}
}

// request is what the model is asked now. The tools stay in the last word,
// because without them the prefix would change, and some servers refuse a
// conversation that holds calls of tools they are not told of.
func (c *conversation) request() model.Request {
	req := model.Request{Messages: c.talk, Tools: c.told, MaxOutput: c.maxOutput}
	if c.lastWord != "" {
		req.Choice = model.ChoiceNone
	}
	return req
}

// closingTime bounds the record of how a run ended.
const closingTime = 10 * time.Second

// close records how it ended, also when ctx ended first: a run that was
// stopped right after its verdict has one.
func (c *conversation) close(ctx context.Context, err error) (Outcome, error) {
	if c.hold != nil {
		c.hold.Release()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		c.end(StatusInterrupted, "%v", context.Cause(ctx))
	case err != nil:
		c.end(StatusFailed, "%s", Clean(err.Error()))
	}
	c.out.Resumed = c.book.recalled
	closing := Closing{Status: c.out.Status, Reason: c.out.Reason, Turns: c.out.Turns, Calls: c.out.Calls, Usage: c.out.Usage}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	return c.out, errors.Join(err, c.book.note(ctx, StepClosing, closing))
}

// phrase is a text of prompts/loop, without the newline that ends its file.
func phrase(name string, data any) string {
	p, err := prompts.Get("loop/" + name)
	if err == nil {
		p.Text, err = p.Render(data)
	}
	if err != nil {
		panic("agent: " + err.Error()) // the texts are embedded, and tested
	}
	return strings.TrimSuffix(p.Text, "\n")
}

// clock measures a run over its lives.
type clock struct {
	now     func() time.Time
	started time.Time
	before  time.Duration // in earlier lives
}

func newClock(now func() time.Time) clock {
	if now == nil {
		now = time.Now
	}
	return clock{now: now, started: now()}
}

func (c *clock) elapsed() time.Duration { return c.before + c.now().Sub(c.started) }

// since returns the seconds from then until now.
func (c *clock) since(then time.Time) float64 { return c.now().Sub(then).Seconds() }

// add counts the seconds of a step that an earlier life took.
func (c *clock) add(seconds float64) { c.before += time.Duration(seconds * float64(time.Second)) }
