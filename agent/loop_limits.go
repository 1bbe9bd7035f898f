package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-agent/agent/model"
)

// ErrUnpriced is a limit in USD that cannot be kept, since nobody knows what
// the model costs.
var ErrUnpriced = errors.New("the price of the model is not known, so a limit on its cost cannot be kept; give the price, allow it, or drop the limit")

// checkLimits makes the n-th request the last word if the one after it might
// not be affordable, and ends the conversation if this one is not. What was
// decided in an earlier life stands, since the journal holds what followed.
func (c *conversation) checkLimits(ctx context.Context, n int) error {
	var step LimitStep
	var asked AskResult
	if found, err := c.book.recall(ctx, LimitKey(n), &step); err != nil {
		return err
	} else if found {
		c.lastWord, c.closing = step.Reason, c.clock.elapsed()
		c.say(step.Text)
	}
	if found, err := c.book.recall(ctx, ModelStep(n), &asked); err != nil || found && asked.stands() {
		return err
	}
	reason, err := c.overLimit(ctx)
	if err != nil || reason == "" {
		return err
	}
	switch {
	case c.lastWord != "":
		c.end(StatusLimit, "%s; no last word: %s", c.lastWord, reason)
	case c.LastWord == "":
		c.end(StatusLimit, "%s", reason)
	default:
		return c.announce(ctx, n, reason)
	}
	return nil
}

// announce tells the model that its next answer is the last. The answer is
// only asked for if it is affordable itself.
func (c *conversation) announce(ctx context.Context, n int, reason string) error {
	c.lastWord, c.closing = reason, c.clock.elapsed()
	if hard, err := c.overLimit(ctx); err != nil || hard != "" {
		c.end(StatusLimit, "%s; no last word: %s", reason, hard)
		return err
	}
	step := LimitStep{Reason: reason, Text: c.mask(c.LastWord)}
	if err := c.book.record(ctx, LimitKey(n), step, &step); err != nil {
		return err
	}
	c.say(step.Text)
	return nil
}

// overLimit says which limit forbids the next request; "" when it may be
// sent, and then what it may cost is held in the ledger. Before the last word
// it leaves room for that.
func (c *conversation) overLimit(ctx context.Context) (string, error) {
	need, spare := c.project()
	used := c.used
	after := used.plus(need).plus(spare)
	turns, elapsed := c.out.Turns+1, c.clock.elapsed()
	if spare != (Spending{}) {
		turns++
	}
	switch l := c.Limits; {
	case l.Turns > 0 && turns > l.Turns:
		return fmt.Sprintf("turn limit: %d", l.Turns), nil
	case l.Tokens > 0 && after.Tokens > l.Tokens:
		return fmt.Sprintf("token limit: %d used of %d", used.Tokens, l.Tokens) + mayTake("take", "%d", need.Tokens, spare.Tokens), nil
	case l.USD > 0 && after.USD > l.USD:
		return fmt.Sprintf("cost limit: $%.4g used of $%.4g", used.USD, l.USD) + mayTake("cost", "$%.4g", need.USD, spare.USD), nil
	case l.Wall > 0 && c.lastWord == "" && elapsed+c.slowest >= l.Wall:
		return c.timeIsUp(elapsed), nil
	case l.Wall > 0 && c.silent() && elapsed+c.slowest >= l.Wall:
		return "the model has not answered", nil
	case c.lastWord == "" && c.answers.stuck() != "":
		return "repeated calls: " + c.answers.stuck(), nil
	}
	return c.reserve(ctx, need, spare)
}

// mayTake says what the next answer may take, and a last word after it, as
// far as they may take anything.
func mayTake[N int64 | float64](verb, form string, next, last N) string {
	if next <= 0 {
		return ""
	}
	said := fmt.Sprintf("; the next answer may %s "+form, verb, next)
	if last > 0 {
		said += fmt.Sprintf(" and the last word "+form, last)
	}
	return said
}

// timeIsUp says what is left of the time, and what the next answer would take
// of it as far as answers tell.
func (c *conversation) timeIsUp(elapsed time.Duration) string {
	used := fmt.Sprintf("time limit: %s used of %s", elapsed.Round(time.Second), c.Limits.Wall)
	if next := c.slowest.Round(time.Second); next > 0 && !c.silent() {
		used += fmt.Sprintf("; the next answer may take %s", next)
	}
	return used
}

// silent is true where nothing shows that the model would answer: it never
// did, or a request of this life was given up and none was answered.
func (c *conversation) silent() bool { return c.out.Turns == 0 || c.unheard }

// reserve holds what the next request may cost in the ledger.
func (c *conversation) reserve(ctx context.Context, need, spare Spending) (string, error) {
	if c.Ledger == nil {
		return "", nil
	}
	hold, err := c.Ledger.Reserve(ctx, need, spare)
	var spent *SpentError
	if errors.As(err, &spent) {
		return spent.Error(), nil
	}
	c.hold = hold
	return "", err
}

// project returns what the next request may cost, and what a last word after
// it may: a prompt that has grown by one answer and what tools said to it.
func (c *conversation) project() (need, spare Spending) {
	prompt, output := c.estimate(), int64(DefaultOutput)
	if c.maxOutput > 0 {
		output = int64(c.maxOutput)
	}
	prompt += prompt / guessMargin
	need = c.price.project(prompt, output)
	if c.LastWord != "" && c.lastWord == "" {
		spare = c.price.project(prompt+min(output, answerRoom)+answerRoom, output)
	}
	return need, spare
}

// guessMargin is the part that is added to an estimate: code and hashes have
// more tokens than prose of the same length.
const guessMargin = 5

// answerRoom is what one turn usually adds to a prompt, in tokens: an answer,
// or the condensed answers of a few tools.
const answerRoom = 2000

// estimate counts the prompt of the next request. After the first answer only
// what was added since is a guess.
func (c *conversation) estimate() int64 {
	if c.counted.tokens > 0 {
		return c.counted.tokens + model.Estimate(model.Request{Messages: c.talk[c.counted.messages:]})
	}
	return model.Estimate(c.request())
}

// price turns tokens into money as far as the model's price is known.
type price struct {
	model.Price
	known   bool
	dearest float64 // call so far, in USD
}

func newPrice(asker model.Asker) price {
	var p price
	if pricer, ok := asker.(Pricer); ok {
		p.Price, p.known = pricer.Price()
	}
	return p
}

// check refuses a limit in USD that could not be kept.
func (p *price) check(l *Loop) error {
	limited := l.Limits.USD > 0 || l.Ledger != nil && l.Ledger.budget.USD > 0
	if limited && !p.known && !l.Unpriced {
		return ErrUnpriced
	}
	return nil
}

// project returns what so many tokens may cost. Prompts that a provider
// writes to its cache cost more than others. Where no price tells, the dearest
// call so far does: some servers say what a call did cost, and nothing before.
func (p *price) project(prompt, output int64) Spending {
	plain, write := model.Usage{Uncached: prompt, Output: output}, model.Usage{CacheWrite: prompt, Output: output}
	usd := max(p.Cost(plain), p.Cost(write))
	if usd == 0 {
		usd = p.dearest
	}
	return Spending{Tokens: prompt + output, USD: usd}
}

// least is what tokens cost where all that was sent was in a cache.
func (p *price) least(prompt, output int64) Spending {
	usd := min(p.Cost(model.Usage{Uncached: prompt}), p.Cost(model.Usage{CacheRead: prompt})) + p.Cost(model.Usage{Output: output})
	return Spending{Tokens: prompt + output, USD: usd}
}

// settle adds the cost of an answer to its usage if it can be told, and
// returns what it took.
func (p *price) settle(u *model.Usage) Spending {
	if u.CostUSD == nil && p.known {
		usd := p.Cost(*u)
		u.CostUSD = &usd
	}
	s := Spending{Tokens: u.Prompt() + u.Output}
	if u.CostUSD != nil {
		s.USD = *u.CostUSD
		p.dearest = max(p.dearest, s.USD)
	}
	return s
}
