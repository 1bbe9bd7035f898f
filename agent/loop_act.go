package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"git-agent/agent/model"
)

const (
	maxCalls    = 8 // of one answer that are run
	concurrency = 4 // calls that run at the same time
)

// job is a call of an answer on its way to its result.
type job struct {
	call   model.Call // as the model said it
	name   string     // of the tool that is meant
	args   string     // for it
	key    string     // of its step
	tool   Tool       // nil if there is none
	result *CallResult
	past   bool         // result is an earlier life's
	ran    chan ranCall // gets what came of a call that was started; nil for others
}

type ranCall struct {
	result CallResult
	err    error // ends the run
}

func (j *job) decides() bool {
	_, ok := j.tool.(Decider)
	return ok
}

// act runs the calls of an answer and answers every one of them, in order.
// Reads run side by side; a Decider runs when all before it are answered.
func (c *conversation) act(ctx context.Context, n int, m *model.Message) error {
	jobs, err := c.plan(ctx, n, m.Calls)
	if err != nil {
		return err
	}
	limited, cancel := c.withinTime(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // before the wait: what still runs when the run ends is of no use
	if err := c.start(ctx, limited, &running, jobs); err != nil {
		return err
	}
	for _, j := range jobs {
		if err := c.finish(ctx, limited, j); err != nil {
			return err
		}
	}
	return c.review(ctx, n, m.Text, jobs)
}

// plan takes the results that an earlier life recorded, and answers the calls
// that are not to run.
func (c *conversation) plan(ctx context.Context, n int, calls []model.Call) ([]*job, error) {
	var jobs []*job
	for i, call := range calls {
		j := &job{call: call, key: ToolStep(n, i+1)}
		j.name, j.args = call.Means()
		j.tool = c.tools[j.name]
		jobs = append(jobs, j)
		c.emit(ToolCall{Turn: n, ID: call.ID, Name: CleanLine(call.Name), Args: jsonOf(call.Args)})
		var was CallResult
		found, err := c.book.recall(ctx, j.key, &was)
		switch {
		case err != nil:
			return nil, err
		case found:
			j.result, j.past = &was, true
		default:
			c.book.past = false
			j.result = c.unrun(j, i)
		}
	}
	return jobs, nil
}

// unrun answers the i-th call if it is not to run. Arguments that are no
// object reach no tool.
func (c *conversation) unrun(j *job, i int) *CallResult {
	name := brief(j.name)
	r := CallResult{ID: j.call.ID, Name: j.name}
	_, broken := splitObject([]byte(j.args))
	switch {
	case i >= maxCalls:
		r.NotRun, r.Text = true, phrase("too_many", map[string]any{"Max": maxCalls})
	case c.lastWord != "" && !j.decides():
		r.NotRun, r.Text = true, phrase("last_word", nil)
	case j.tool == nil:
		var names []string
		for _, t := range c.told {
			names = append(names, t.Name)
		}
		r.Failed, r.Malformed = true, true
		r.Text = phrase("unknown_tool", map[string]any{"Name": name, "Tools": strings.Join(names, ", ")})
	case broken != nil:
		r.Failed, r.Malformed = true, true
		r.Text = phrase("bad_args", map[string]any{"Name": name, "Problem": brief(broken.Error())})
	default:
		return nil
	}
	r.Text = c.mask(r.Text)
	return &r
}

// start sets off the calls that may run side by side: no Decider, and nothing
// that is answered already, also by a twin in the same answer.
func (c *conversation) start(ctx, limited context.Context, running *sync.WaitGroup, jobs []*job) error {
	free := make(chan struct{}, concurrency)
	var started []string
	for _, j := range jobs {
		_, known := c.answers.find(j.call)
		if j.result != nil || j.decides() || known || slices.Contains(started, sameness(j.call)) {
			continue
		}
		if err := c.book.intend(ctx, j.key, j.call); err != nil {
			return err
		}
		started = append(started, sameness(j.call))
		j.ran = make(chan ranCall, 1)
		running.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			result, err := c.call(ctx, limited, j)
			j.ran <- ranCall{result, err}
		})
	}
	return nil
}

// finish waits for a call or runs it, records the result and puts it into
// the conversation.
func (c *conversation) finish(ctx, limited context.Context, j *job) error {
	switch {
	case j.past && j.decides() && !j.result.NotRun && !j.result.Malformed:
		if _, err := c.call(ctx, limited, j); err != nil {
			return err
		}
	case j.result == nil:
		result, err := c.await(ctx, limited, j)
		if err != nil {
			return err
		}
		j.result = &result
	}
	if j.past {
		c.book.recalled++
		c.clock.add(j.result.Seconds)
	} else {
		var kept CallResult
		if err := c.book.record(ctx, j.key, j.result, &kept); err != nil {
			return err
		}
		j.result = &kept
	}
	c.answer(j)
	return nil
}

// await brings the result of a call that was started, of one that is answered
// already, or of one that runs alone.
func (c *conversation) await(ctx, limited context.Context, j *job) (CallResult, error) {
	r := CallResult{ID: j.call.ID, Name: j.name}
	at, known := c.answers.find(j.call)
	switch {
	case j.ran != nil:
		ran := <-j.ran
		return ran.result, ran.err
	case c.out.Final.Final:
		r.NotRun, r.Text = true, phrase("decided", nil)
		return r, nil
	case known && !j.decides():
		r.SameAs, r.Text = at.step, phrase("same", map[string]any{"Turn": at.turn})
		return r, nil
	}
	if err := c.book.intend(ctx, j.key, j.call); err != nil {
		return r, err
	}
	return c.call(ctx, limited, j)
}

// call asks a tool. Whatever goes wrong is said to the model, except that the
// end of ctx ends the run; limited ends with the run's time.
func (c *conversation) call(ctx, limited context.Context, j *job) (CallResult, error) {
	r := CallResult{ID: j.call.ID, Name: j.name}
	begun := c.clock.now()
	res, err := safely(limited, j.tool, j.args)
	r.Seconds = c.clock.since(begun)
	if err == nil && res.Final {
		r.Detail, err = encodeStep(res.Value)
	}
	var no *CallError
	switch {
	case err == nil:
		r.Text, r.Full = c.mask(res.Text), c.mask(res.Full)
		r.Cached, r.Truncated, r.Final, r.Nothing = res.Cached, res.Truncated, res.Final, res.Nothing
	case ctx.Err() != nil:
		return r, ctx.Err()
	case errors.As(err, &no):
		r.Text, r.Failed, r.Malformed, r.TimedOut = c.mask(no.Answer()), true, no.Malformed, no.TimedOut
	default:
		r.Text, r.Failed = c.mask(phrase("broken", map[string]any{"Name": r.Name, "Problem": brief(err.Error())})), true
	}
	if strings.TrimSpace(r.Text) == "" {
		r.Text = phrase("silent", nil) // several servers refuse an empty message
	}
	return r, nil
}

// safely turns a panic of a tool into an error.
func safely(ctx context.Context, tool Tool, args string) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return tool.Call(ctx, json.RawMessage(args))
}

// answer puts a result into the conversation.
func (c *conversation) answer(j *job) {
	r := j.result
	c.talk = append(c.talk, model.Message{Role: model.ToolReply, Text: r.Text, CallID: j.call.ID, Name: r.Name})
	c.placed = append(c.placed, placed{message: len(c.talk) - 1, step: j.key, turn: c.heard})
	c.emit(ToolResult{ID: j.call.ID, Name: CleanLine(r.Name), Text: r.Text, Value: r.Detail,
		Failed: r.Failed, Cached: r.Cached, Truncated: r.Truncated})
	c.answers.note(j.call)
	if r.ran() {
		c.out.Calls++
		if !r.Failed {
			c.answers.keep(j.call, answered{step: j.key, turn: c.heard})
		}
	}
	if r.Final && !c.out.Final.Final {
		c.out.Final = Result{Text: r.Text, Value: r.Detail, Final: true}
	}
}

// ran is true for what a tool answered.
func (r *CallResult) ran() bool { return !r.NotRun && !r.Malformed && r.SameAs == "" }

// review ends the conversation if a verdict was accepted, and counts turns
// that brought nothing.
func (c *conversation) review(ctx context.Context, n int, text string, jobs []*job) error {
	switch {
	case c.out.Final.Final:
		c.end(StatusFound, "%s", c.lastWord)
	case c.lastWord != "" && strings.TrimSpace(text) != "":
		return c.listen(ctx, n, text)
	case c.lastWord != "":
		c.end(StatusLimit, "%s", c.lastWord)
	case !slices.ContainsFunc(jobs, func(j *job) bool { return !j.result.Malformed && !j.result.NotRun }):
		c.tired(brief(jobs[0].result.Text))
	default:
		c.idle = 0
	}
	return nil
}

// jsonOf is arguments as they are if they are JSON, and as a string if not.
func jsonOf(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	text, _ := json.Marshal(args) // a string always has a JSON form
	return text
}
