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
	maxCalls    = 8 // calls of one answer that are run
	concurrency = 4 // calls that run at the same time
)

// job is a tool call of an answer and its result.
type job struct {
	call   model.Call // as the model wrote it
	name   string     // the intended tool
	args   string     // the intended arguments
	key    string     // the key of its step
	tool   Tool       // nil if there is no such tool
	result *CallResult
	past   bool         // result comes from an earlier process
	ran    chan ranCall // receives the result of a call that was started; else nil
}

type ranCall struct {
	result CallResult
	err    error // an error that ends the run
}

func (j *job) decides() bool {
	_, ok := j.tool.(Decider)
	return ok
}

// inOrder reports whether the call runs after all calls before it are answered, and again
// if an equal one was answered before.
func (j *job) inOrder() bool {
	_, stateful := j.tool.(Stateful)
	return stateful || j.decides()
}

// deed returns what the call does, "" if there is no such tool.
func (j *job) deed() Deed {
	if j.tool == nil {
		return ""
	}
	return j.tool.Spec().Deed
}

// runCalls runs the calls of an answer and answers each of them, in order. If an edit
// fails, a later test of the same answer does not run: it would test code that the model
// did not intend. Ordinary tools run concurrently; a Stateful tool and a Decider run
// after all calls before them are answered.
func (c *conversation) runCalls(ctx context.Context, n int, m *model.Message) error {
	jobs, err := c.plan(ctx, n, m.Calls)
	if err != nil {
		return err
	}
	limited, cancel := c.withinTime(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // before the wait: at the end of the run, nobody needs the running calls
	if err := c.start(ctx, limited, &running, jobs); err != nil {
		return err
	}
	unmade := false // an edit of this answer failed
	for _, j := range jobs {
		if unmade && j.result == nil && j.deed() == DeedTest {
			j.result = &CallResult{ID: j.call.ID, Name: j.name, NotRun: true, Text: phrase("edit_failed", nil)}
		}
		if err := c.finish(ctx, limited, j); err != nil {
			return err
		}
		unmade = unmade || j.result.Failed && j.deed() == DeedEdit
	}
	return c.review(ctx, n, m.Text, jobs)
}

// plan collects the results that an earlier process recorded, and answers the
// calls that must not run.
func (c *conversation) plan(ctx context.Context, n int, calls []model.Call) ([]*job, error) {
	var jobs []*job
	for i, call := range calls {
		j := &job{call: call, key: ToolStep(n, i+1)}
		j.name, j.args = call.Means()
		j.tool = c.tools[j.name]
		jobs = append(jobs, j)
		c.emit(ToolCall{Turn: n, ID: call.ID, Name: CleanLine(call.Name), Args: jsonOf(call.Args)})
		var was CallResult
		found, err := c.steps.recall(ctx, j.key, &was)
		switch {
		case err != nil:
			return nil, err
		case found:
			j.result, j.past = &was, true
		default:
			c.steps.past = false
			j.result = c.refuseCall(j, i)
		}
	}
	return jobs, nil
}

// refuseCall answers the i-th call if it must not run. A tool never sees
// arguments that are not a JSON object.
func (c *conversation) refuseCall(j *job, i int) *CallResult {
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
		for _, t := range c.specs {
			names = append(names, t.Name)
		}
		r.Failed, r.Malformed, r.Fault = true, true, FaultTool
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

// start starts the calls that may run concurrently. It leaves out calls that run in
// order, calls that are already answered, and repeats of a call of the same answer.
func (c *conversation) start(ctx, limited context.Context, running *sync.WaitGroup, jobs []*job) error {
	free := make(chan struct{}, concurrency)
	var started []string
	for _, j := range jobs {
		_, known := c.answered(j.call)
		again := !c.Repeats && slices.Contains(started, callKey(j.call))
		if j.result != nil || j.inOrder() || known || again {
			continue
		}
		if err := c.steps.intend(ctx, j.key, j.call); err != nil {
			return err
		}
		started = append(started, callKey(j.call))
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

// finish waits for a call or runs it, records the result and adds it to the
// conversation.
func (c *conversation) finish(ctx, limited context.Context, j *job) error {
	switch {
	case j.past && j.inOrder() && !j.result.NotRun && !j.result.Malformed:
		if err := c.resumeCall(ctx, limited, j); err != nil {
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
		c.steps.recalled++
		c.clock.add(j.result.Seconds)
	} else {
		var kept CallResult
		if err := c.steps.record(ctx, j.key, j.result, &kept); err != nil {
			return err
		}
		j.result = &kept
	}
	c.answer(j)
	return nil
}

// resumeCall brings the tool of a recorded call to its state after that call.
func (c *conversation) resumeCall(ctx, limited context.Context, j *job) error {
	tool, ok := j.tool.(Stateful)
	if !ok {
		_, err := c.call(ctx, limited, j)
		return err
	}
	if err := tool.Resume(ctx, json.RawMessage(j.args), *j.result); err != nil {
		return fmt.Errorf("resume after %s: %w", CleanLine(j.name), err)
	}
	return nil
}

// answered returns the place of the answer to a call, unless the call must run again.
func (c *conversation) answered(call model.Call) (answered, bool) {
	if c.Repeats {
		return answered{}, false
	}
	return c.answers.find(call)
}

// await returns the result of a call. It waits for a started call, takes a known answer,
// or runs a call that must run alone.
func (c *conversation) await(ctx, limited context.Context, j *job) (CallResult, error) {
	r := CallResult{ID: j.call.ID, Name: j.name}
	at, known := c.answered(j.call)
	switch {
	case j.ran != nil:
		ran := <-j.ran
		return ran.result, ran.err
	case c.out.Final.Final:
		r.NotRun, r.Text = true, phrase("decided", nil)
		return r, nil
	case known && !j.inOrder():
		r.SameAs, r.Text = at.step, phrase("same", map[string]any{"Turn": at.turn})
		return r, nil
	}
	if err := c.steps.intend(ctx, j.key, j.call); err != nil {
		return r, err
	}
	return c.call(ctx, limited, j)
}

// call calls a tool. All failures are reported to the model, except the end of ctx, which
// ends the run. limited ends with the run's time.
func (c *conversation) call(ctx, limited context.Context, j *job) (CallResult, error) {
	r := CallResult{ID: j.call.ID, Name: j.name}
	begun := c.clock.now()
	res, err := safely(limited, j.tool, j.args)
	r.Seconds = c.clock.since(begun)
	if err == nil && res.Final {
		r.Detail, err = encodeJSON(res.Value)
	}
	var no *CallError
	switch {
	case err == nil:
		r.Text, r.Full = c.mask(res.Text), c.mask(res.Full)
		r.Cached, r.Truncated, r.Final, r.Nothing = res.Cached, res.Truncated, res.Final, res.Nothing
	case ctx.Err() != nil:
		return r, ctx.Err()
	case errors.As(err, &no):
		r.Text, r.Failed, r.Malformed, r.TimedOut, r.Fault = c.mask(no.Answer()), true, no.Malformed, no.TimedOut, no.Fault
	default:
		r.Fault = FaultBroken
		r.Text, r.Failed = c.mask(phrase("broken", map[string]any{"Name": r.Name, "Problem": brief(err.Error())})), true
	}
	if strings.TrimSpace(r.Text) == "" {
		r.Text = phrase("silent", nil) // several servers refuse an empty message
	}
	return r, nil
}

// safely calls a tool and turns a panic into an error.
func safely(ctx context.Context, tool Tool, args string) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return tool.Call(ctx, json.RawMessage(args))
}

// answer adds a result to the conversation.
func (c *conversation) answer(j *job) {
	r := j.result
	c.messages = append(c.messages, model.Message{Role: model.ToolReply, Text: r.Text, CallID: j.call.ID, Name: r.Name})
	c.toolAnswers = append(c.toolAnswers, toolAnswer{message: len(c.messages) - 1, step: j.key, turn: c.heard})
	c.emit(ToolResult{ID: j.call.ID, Name: CleanLine(r.Name), Text: r.Text,
		Failed: r.Failed, Cached: r.Cached, Truncated: r.Truncated, Fault: r.fault()})
	c.answers.note(j.call)
	if r.ran() {
		c.out.Calls++
		if !r.Failed && !j.inOrder() {
			c.answers.remember(j.call, answered{step: j.key, turn: c.heard})
		}
	}
	if r.Final && !c.out.Final.Final {
		c.out.Final = Result{Text: r.Text, Value: r.Detail, Final: true}
	}
}

// ran reports whether a tool produced the result.
func (r *CallResult) ran() bool { return !r.NotRun && !r.Malformed && r.SameAs == "" }

// review ends the conversation if an answer was accepted, and counts turns
// without a call that could run.
func (c *conversation) review(ctx context.Context, n int, text string, jobs []*job) error {
	switch {
	case c.out.Final.Final:
		c.end(StatusFound, "%s", c.lastWord)
	case c.lastWord != "" && strings.TrimSpace(text) != "":
		return c.acceptText(ctx, n, text)
	case c.lastWord != "":
		c.end(StatusLimit, "%s", c.lastWord)
	case !slices.ContainsFunc(jobs, func(j *job) bool { return !j.result.Malformed && !j.result.NotRun }):
		c.idleTooLong(brief(jobs[0].result.Text))
	default:
		c.idle = 0
	}
	return nil
}

// jsonOf returns arguments unchanged if they are JSON, and else as a JSON string.
func jsonOf(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	text, _ := json.Marshal(args) // a string always has a JSON form
	return text
}
