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

// conversation is a Loop while it runs. Its methods are the steps of Run: each one takes
// its result from the journal if it is there, and else does the work and records it.
type conversation struct {
	*Loop
	steps stepLog
	out   Outcome
	specs []model.Tool // the tools as described to the model
	tools map[string]Tool

	messages    []model.Message
	heard       int          // the model's answers in messages
	toolAnswers []toolAnswer // the tools' answers in messages
	answers     callHistory  // which calls were answered
	maxOutput   int
	lastWord    string // the limit that makes the next answer the last; else ""
	hold        *hold  // for the next request
	price       price
	used        Spending // tokens and money that this run has spent, as limits count them
	denied      string   // the limit that did not allow another attempt of a request; else ""
	clock       clock
	slowest     time.Duration // the longest request so far
	live        int           // answers received in this process
	lastWordAt  time.Duration // when the last word was announced, on the clock
	gaveUp      bool          // a request was given up at the time limit, and none was answered in this process
	lastCount   promptCount

	idle     int // consecutive turns without a call that could run
	cuts     int // consecutive answers that were cut by the length limit
	failures int // consecutive failed requests after which something was removed
}

// toolAnswer locates a tool's answer in the conversation.
type toolAnswer struct {
	message int // index in messages
	step    string
	turn    int // the model's turn, as the model can count them
}

// promptCount is the server's count of a request: its tokens, and how many
// messages it had.
type promptCount struct {
	tokens   int64
	messages int
}

// open begins the conversation, or continues that of an earlier process.
func (l *Loop) open(ctx context.Context) (*conversation, error) {
	c := &conversation{Loop: l, tools: map[string]Tool{}, maxOutput: l.MaxOutput}
	c.steps = stepLog{journal: l.Journal}
	c.clock = newClock(l.Now)
	c.price = newPrice(l.Model)
	deeds := map[string]Deed{}
	for _, t := range l.Tools {
		s := t.Spec()
		c.tools[s.Name] = t
		c.specs = append(c.specs, model.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
		if _, ok := t.(Decider); ok {
			s.Deed = DeedAnswer
		}
		if s.Deed != "" {
			deeds[s.Name] = s.Deed
		}
	}
	if err := c.price.check(l); err != nil {
		return c, err
	}
	opening := Opening{
		Model:  l.Name,
		System: c.mask(l.System),
		Prompt: c.mask(l.Prompt),
		Tools:  c.specs,
		Limits: l.Limits,
		Deeds:  deeds,
		Needs:  l.Needs,
	}
	if err := c.steps.begin(ctx, opening); err != nil {
		return c, err
	}
	var err error
	if c.out.Repeated, err = c.steps.open(ctx); err != nil {
		return c, err
	}
	if opening.System != "" {
		c.messages = append(c.messages, model.Message{Role: model.System, Text: opening.System})
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

// say adds a message of the user. The text is already masked.
func (c *conversation) say(text string) {
	c.messages = append(c.messages, model.Message{Role: model.User, Text: text})
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

// decide ends the conversation with its final result.
func (c *conversation) decide(text string, detail json.RawMessage) {
	c.end(StatusFound, "%s", c.lastWord)
	c.out.Final = Result{Text: text, Value: detail, Final: true}
}

// request returns the next request. Even the last request lists the tools:
// without them the prefix would change, and some servers refuse a conversation
// with calls of unlisted tools.
func (c *conversation) request() model.Request {
	req := model.Request{Messages: c.messages, Tools: c.specs, MaxOutput: c.maxOutput}
	if c.lastWord != "" {
		req.Choice = model.ChoiceNone
	}
	return req
}

// closingTime bounds the time for recording the end of a run.
const closingTime = 10 * time.Second

// close records how the conversation ended, even if ctx has ended: a run that was stopped
// right after its answer keeps the answer.
func (c *conversation) close(ctx context.Context, err error) (Outcome, error) {
	if c.hold != nil {
		c.hold.release()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		c.end(StatusInterrupted, "%v", context.Cause(ctx))
	case err != nil:
		c.end(StatusFailed, "%s", Clean(err.Error()))
	}
	c.out.Resumed = c.steps.recalled
	closing := Closing{Status: c.out.Status, Reason: c.out.Reason, Turns: c.out.Turns, Calls: c.out.Calls, Usage: c.out.Usage}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closingTime)
	defer cancel()
	return c.out, errors.Join(err, c.steps.note(ctx, StepClosing, closing))
}

// phrase returns a text of prompts/loop, without the newline at the end of its file.
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

// clock measures the time of a run over all its processes.
type clock struct {
	now     func() time.Time
	started time.Time
	before  time.Duration // in earlier processes
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

// add adds the seconds that a step took in an earlier process.
func (c *clock) add(seconds float64) { c.before += time.Duration(seconds * float64(time.Second)) }
