package agent

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"git-agent/agent/model"
)

// stands is true for what the conversation went on with. Other failures ended
// the run, and are tried again when it is resumed.
func (r *AskResult) stands() bool {
	switch r.Class {
	case model.ClassOverflow, model.ClassRefused, ClassWall:
		return true
	}
	return r.Reply != nil
}

// ask sends the n-th request and takes the answer into the conversation.
// Without an answer, the conversation has ended or is ready for another try.
func (c *conversation) ask(ctx context.Context, n int) (*model.Message, error) {
	var res AskResult
	found, err := c.book.recall(ctx, ModelStep(n), &res)
	switch {
	case err != nil:
		return nil, err
	case found && res.stands():
		c.book.recalled++
		c.clock.add(res.Seconds)
		c.pay(res)
	default:
		c.book.past = false
		if res, err = c.send(ctx, n); err != nil {
			return nil, err
		}
	}
	c.slowest = max(c.slowest, time.Duration(res.Seconds*float64(time.Second)))
	if res.Reply == nil {
		return nil, c.retreatFrom(ctx, n, res)
	}
	return c.take(ctx, n, res.Reply)
}

// send asks the model, and records what came of it.
func (c *conversation) send(ctx context.Context, n int) (AskResult, error) {
	req := c.request()
	if err := c.intend(ctx, n, req); err != nil {
		return AskResult{}, err
	}
	begun := c.clock.now()
	limited, cancel := c.withinTime(ctx)
	wasted := 0
	reply, err := c.tellingWaits(model.OnRepeat(limited, func() bool {
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
		c.settle(c.worth(reply))
	case timeout:
		c.unheard = c.live == 0
		res = AskResult{Class: ClassWall, Error: "given up at the time limit", Seconds: res.Seconds, Wasted: wasted + 1}
		c.waste()
	case ctx.Err() != nil || !errors.As(err, &failed):
		c.forfeit()
		return res, err // the intent stays open: it may have been paid for
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
	if err := c.book.record(ctx, ModelStep(n), res, &kept); err != nil {
		return res, err
	}
	if failed != nil && failed.EndsAll() {
		return kept, err
	}
	c.count(kept.Reply)
	return kept, nil
}

// tellingWaits asks the model, and lets the user know when that waits for its
// server.
func (c *conversation) tellingWaits(ctx context.Context, req model.Request) (*model.Reply, error) {
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
	hash, err := RequestHash(req)
	if err != nil {
		return err
	}
	intent := AskIntent{Request: hash, Estimate: c.estimate()}
	if c.hold != nil {
		intent.HoldUSD = c.hold.held.USD
	}
	return c.book.intend(ctx, ModelStep(n), intent)
}

// withinTime bounds a request by what is left of the run's time. A last word
// has time of its own, unless nothing shows that anybody would say it.
func (c *conversation) withinTime(ctx context.Context) (context.Context, context.CancelFunc) {
	switch {
	case c.Limits.Wall <= 0:
		return context.WithCancel(ctx)
	case c.lastWord != "" && !c.silent():
		return context.WithTimeout(ctx, c.closing+LastWordTime-c.clock.elapsed())
	}
	return context.WithTimeout(ctx, c.Limits.Wall-c.clock.elapsed())
}

// repeat counts a request that brought nothing, and says whether the limits
// have room for it to be sent again.
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

// waste counts a request that may have been paid for in full, and ends its
// hold.
func (c *conversation) waste() {
	need, _ := c.project()
	c.used = c.used.plus(need)
	c.forfeit()
}

// settle, forfeit and release end the hold of the request: with what it cost,
// with all that was held, or with nothing. Servers do not charge for what they
// refuse.
func (c *conversation) settle(cost Spending) {
	if c.hold != nil {
		c.hold.Settle(cost)
	}
}

func (c *conversation) forfeit() {
	if c.hold != nil {
		c.hold.Forfeit()
	}
}

func (c *conversation) release() {
	if c.hold != nil {
		c.hold.Release()
	}
}

// pay charges the ledger for a request that an earlier life of the run sent,
// and counts what came of it.
func (c *conversation) pay(res AskResult) {
	need, _ := c.project()
	wasted := need.times(min(res.Wasted, maxWasted))
	c.used = c.used.plus(wasted)
	if c.Ledger != nil {
		c.Ledger.Charge(wasted)
		if res.Reply != nil {
			c.Ledger.Charge(c.worth(res.Reply))
		}
	}
	c.count(res.Reply)
}

// maxWasted bounds what a record can say.
const maxWasted = 1000

// worth is what an answer counts for limits: what the server says, and not
// less than what was sent and received must be.
func (c *conversation) worth(reply *model.Reply) Spending {
	least := c.price.least(model.Least(c.request()), model.Least(model.Request{Messages: []model.Message{reply.Message}}))
	return c.price.settle(&reply.Usage).atLeast(least)
}

// count adds an answer to the run's sums.
func (c *conversation) count(reply *model.Reply) {
	if reply == nil {
		return
	}
	u := reply.Usage
	c.out.Usage = c.out.Usage.Add(u)
	c.out.Turns++
	c.used = c.used.plus(c.worth(reply))
	if !u.Estimated {
		c.counted = counted{tokens: max(u.Prompt(), model.Least(c.request())), messages: len(c.talk)}
	}
}

// take judges a whole answer: one that was cut or refused is no use, any
// other one becomes part of the conversation.
func (c *conversation) take(ctx context.Context, n int, reply *model.Reply) (*model.Message, error) {
	c.tell(n, reply)
	m := reply.Message
	switch {
	case reply.Finish == model.FinishLength:
		return nil, c.cut(ctx, n, reply)
	case reply.Finish == model.FinishRefused:
		return nil, c.retreatFrom(ctx, n, AskResult{Class: model.ClassRefused, Error: cmp.Or(strings.TrimSpace(m.Text), "a content filter of the server stopped the answer")})
	}
	c.cuts, c.retreat = 0, 0
	if len(m.Calls) == 0 && strings.TrimSpace(m.Text) == "" {
		return nil, c.nudge(ctx, n, phrase("empty", nil), "the answer is empty")
	}
	c.talk = append(c.talk, m)
	c.heard++
	return &m, nil
}

// tell emits the events of an answer.
func (c *conversation) tell(n int, reply *model.Reply) {
	for _, text := range []string{reply.Message.Thought, reply.Message.Text} {
		if text = strings.TrimSpace(Clean(text)); text != "" {
			c.emit(Thought{Turn: n, Text: text})
		}
	}
	u := reply.Usage
	c.emit(Usage{Turn: n, Uncached: u.Uncached, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		Output: u.Output, Reasoning: u.Reasoning, CostUSD: u.CostUSD, Estimated: u.Estimated})
}

// listen judges an answer that calls no tool.
func (c *conversation) listen(ctx context.Context, n int, text string) error {
	said, err := c.judge(ctx, n, text)
	switch {
	case err != nil:
		return err
	case said.Final:
		c.decide(said.Text, said.Detail)
	case c.lastWord != "":
		c.end(StatusLimit, "%s", c.lastWord)
	case c.tired("no tool is called and the text is no verdict"):
	default:
		c.say(said.Text)
	}
	return nil
}

// judge asks Loop.Text. When the run is resumed it is asked again, so that it
// can keep count, but what it said then stands.
func (c *conversation) judge(ctx context.Context, n int, text string) (Said, error) {
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
	if found, err := c.book.recall(ctx, UserStep(n), &said); found || err != nil {
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
		if said.Detail, err = encodeStep(res.Value); err != nil {
			return said, err
		}
	}
	return said, c.book.record(ctx, UserStep(n), said, &said)
}
