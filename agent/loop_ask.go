package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"git-agent/agent/model"
)

// kept reports whether a resumed run keeps this result. All other failures ended the run,
// and the request is sent again.
func (r *AskResult) kept() bool {
	switch r.Class {
	case model.ClassOverflow, model.ClassRefused, classWall:
		return true
	}
	return r.Reply != nil
}

// ask sends the n-th request and adds the answer to the conversation. If it
// returns no answer, the conversation has ended or the next turn tries again.
func (c *conversation) ask(ctx context.Context, n int) (*model.Message, error) {
	var res AskResult
	found, err := c.steps.recall(ctx, modelStep(n), &res)
	switch {
	case err != nil:
		return nil, err
	case found && res.kept():
		c.steps.recalled++
		c.clock.add(res.Seconds)
		c.chargeRecorded(res)
	default:
		c.steps.past = false
		if res, err = c.send(ctx, n); err != nil {
			return nil, err
		}
	}
	c.slowest = max(c.slowest, time.Duration(res.Seconds*float64(time.Second)))
	if res.Reply == nil {
		return nil, c.recoverFrom(ctx, n, res)
	}
	return c.acceptReply(ctx, n, res.Reply)
}

// send sends a request to the model and records the result.
func (c *conversation) send(ctx context.Context, n int) (AskResult, error) {
	req := c.request()
	if err := c.intend(ctx, n, req); err != nil {
		return AskResult{}, err
	}
	begun := c.clock.now()
	limited, cancel := c.withinTime(ctx)
	wasted := 0
	reply, err := c.askReportingWaits(model.OnRepeat(limited, func() bool {
		wasted++
		return c.repeat(ctx)
	}), req)
	timeout := limited.Err() != nil && ctx.Err() == nil
	cancel()
	res := AskResult{Reply: reply, Seconds: c.clock.since(begun), Wasted: wasted}
	var failed *model.Error
	switch {
	case err == nil:
		c.live++
		c.settle(c.costOf(reply))
	case timeout:
		c.gaveUp = c.live == 0
		res = AskResult{Class: classWall, Error: "given up at the time limit", Seconds: res.Seconds, Wasted: wasted + 1}
		c.waste()
	case ctx.Err() != nil || !errors.As(err, &failed):
		c.forfeit()
		return res, err // the intent stays open: the request may have been paid for
	default:
		res.Reply, res.Class, res.Error = nil, failed.Class, Clean(failed.Error())
		if !failed.Charged() {
			c.release()
		} else if c.denied == "" {
			res.Wasted++
			c.waste()
		}
	}
	kept := AskResult{}
	if err := c.steps.record(ctx, modelStep(n), res, &kept); err != nil {
		return res, err
	}
	if failed != nil && failed.EndsAll() {
		return kept, err
	}
	c.count(kept.Reply)
	return kept, nil
}

// askReportingWaits sends a request, and tells the user when it waits for its
// server.
func (c *conversation) askReportingWaits(ctx context.Context, req model.Request) (*model.Reply, error) {
	waited := false
	reply, err := c.Model.Ask(model.OnWait(ctx, func(text string) {
		waited = true
		c.emit(Progress{Text: text})
	}), req)
	if waited && err == nil {
		c.emit(Progress{Text: "the model server has answered"})
	}
	return reply, err
}

func (c *conversation) intend(ctx context.Context, n int, req model.Request) error {
	hash, err := requestHash(req)
	if err != nil {
		return err
	}
	intent := AskIntent{Request: hash, Estimate: c.estimate()}
	if c.hold != nil {
		intent.HoldUSD = c.hold.held.USD
	}
	return c.steps.intend(ctx, modelStep(n), intent)
}

// withinTime bounds a request by the rest of the run's time. The last request
// has extra time, unless the model has given no sign that it would answer.
func (c *conversation) withinTime(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case c.Limits.Wall <= 0:
		return context.WithCancel(ctx)
	case c.lastWord != "" && !c.unanswering():
		return context.WithTimeout(ctx, c.lastWordAt+lastWordTime-c.clock.elapsed())
	}
	return context.WithTimeout(ctx, c.Limits.Wall-c.clock.elapsed())
}

// repeat counts a failed attempt, and reports whether the limits allow another
// one.
func (c *conversation) repeat(ctx context.Context) bool {
	c.waste()
	c.hold = nil
	reason, err := c.overLimit(ctx)
	if err != nil {
		reason = err.Error()
	}
	c.denied = reason
	return reason == ""
}

// waste counts a request that may have been paid in full, and ends its hold.
func (c *conversation) waste() {
	need, _ := c.project()
	c.used = c.used.plus(need)
	c.forfeit()
}

// settle, forfeit and release end the hold of a request: with its real cost,
// with the whole reservation, or with nothing. Servers do not charge for refused
// requests.
func (c *conversation) settle(cost Spending) {
	if c.hold != nil {
		c.hold.settle(cost)
	}
}

func (c *conversation) forfeit() {
	if c.hold != nil {
		c.hold.forfeit()
	}
}

func (c *conversation) release() {
	if c.hold != nil {
		c.hold.release()
	}
}

// chargeRecorded charges the ledger for a request that an earlier process of
// the run sent, and counts the answer.
func (c *conversation) chargeRecorded(res AskResult) {
	need, _ := c.project()
	wasted := need.times(min(res.Wasted, maxWasted))
	c.used = c.used.plus(wasted)
	if c.Ledger != nil {
		c.Ledger.charge(wasted)
		if res.Reply != nil {
			c.Ledger.charge(c.costOf(res.Reply))
		}
	}
	c.count(res.Reply)
}

// maxWasted bounds the number of wasted requests in a recorded step.
const maxWasted = 1000

// costOf returns the cost of an answer, as limits count it: the server's figure, but at
// least the lowest possible cost of the sent and received texts.
func (c *conversation) costOf(reply *model.Reply) Spending {
	least := c.price.least(model.Least(c.request()), model.Least(model.Request{Messages: []model.Message{reply.Message}}))
	return c.price.settle(&reply.Usage).atLeast(least)
}

// count adds an answer to the run's totals.
func (c *conversation) count(reply *model.Reply) {
	if reply == nil {
		return
	}
	u := reply.Usage
	c.out.Usage = c.out.Usage.Add(u)
	c.out.Turns++
	c.used = c.used.plus(c.costOf(reply))
	if !u.Estimated {
		c.lastCount = promptCount{tokens: max(u.Prompt(), model.Least(c.request())), messages: len(c.messages)}
	}
}

// acceptReply adds a complete answer to the conversation. Answers that were cut
// or refused are handled and not added.
func (c *conversation) acceptReply(ctx context.Context, n int, reply *model.Reply) (*model.Message, error) {
	c.emitReply(n, reply)
	m := reply.Message
	switch {
	case reply.Finish == model.FinishLength:
		return nil, c.retryCut(ctx, n, reply)
	case reply.Finish == model.FinishRefused:
		return nil, c.recoverFrom(
			ctx,
			n,
			AskResult{Class: model.ClassRefused, Error: cmp.Or(strings.TrimSpace(m.Text), "a content filter of the server stopped the answer")},
		)
	}
	c.cuts, c.failures = 0, 0
	if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
		return nil, c.nudge(ctx, n, phrase("empty", nil), "the answer is empty")
	}
	c.messages = append(c.messages, m)
	c.heard++
	return &m, nil
}

// emitReply emits the events of an answer.
func (c *conversation) emitReply(n int, reply *model.Reply) {
	for _, text := range []string{reply.Message.Thought, reply.Message.Text} {
		if text = strings.TrimSpace(Clean(text)); text != "" {
			c.emit(Thought{Turn: n, Text: text})
		}
	}
	u := reply.Usage
	c.emit(Usage{Turn: n, Uncached: u.Uncached, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Output: u.Output, Reasoning: u.Reasoning, CostUSD: u.CostUSD, Estimated: u.Estimated})
}

// acceptText handles an answer without a tool call.
func (c *conversation) acceptText(ctx context.Context, n int, text string) error {
	said, err := c.checkText(ctx, n, text)
	switch {
	case err != nil:
		return err
	case said.Final:
		c.decide(said.Text, said.Detail)
	case c.lastWord != "":
		c.end(StatusLimit, "%s", c.lastWord)
	case c.idleTooLong("no tool is called and the text is no answer"):
	default:
		c.say(said.Text)
	}
	return nil
}

// checkText calls Loop.Text. On resuming it calls Text again, so that Text can
// keep count, but returns the recorded result.
func (c *conversation) checkText(ctx context.Context, n int, text string) (Said, error) {
	res, err := Result{Text: text, Value: text, Final: true}, error(nil)
	if c.Text != nil {
		limited, cancel := c.withinTime(ctx)
		res, err = c.Text(limited, text)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = &CallError{Text: "the time of the run ended before this could be judged"}
		}
		cancel()
	}
	var said Said
	if found, err := c.steps.recall(ctx, userStep(n), &said); found || err != nil {
		return said, err
	}
	var no *CallError
	switch {
	case errors.As(err, &no):
		res = Result{Text: no.Answer()}
	case err != nil:
		return said, err
	}
	said = Said{Text: c.mask(res.Text), Final: res.Final}
	if res.Final {
		said.Nothing = res.Nothing
		if said.Detail, err = encodeJSON(res.Value); err != nil {
			return said, err
		}
	}
	return said, c.steps.record(ctx, userStep(n), said, &said)
}
