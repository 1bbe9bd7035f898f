package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-agent/agent/model"
)

// errUnpriced says that a limit in USD cannot be enforced because the model's
// price is unknown.
var errUnpriced = errors.New(
	"the price of the model is not known, so a limit on its cost cannot be kept; give the price, allow it, or drop the limit",
)

// checkLimits makes the n-th request the last one if a further one might not be
// affordable, and ends the conversation if this one is not. Decisions of an earlier
// process are kept, because the later steps of the journal depend on them.
func (c *conversation) checkLimits(ctx context.Context, n int) error {
	var step LimitStep
	var asked AskResult
	if found, err := c.steps.recall(ctx, limitKey(n), &step); err != nil {
		return err
	} else if found {
		c.lastWord, c.lastWordAt = step.Reason, c.clock.elapsed()
		c.say(step.Text)
	}
	if found, err := c.steps.recall(ctx, modelStep(n), &asked); err != nil || found && asked.kept() {
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

// announce tells the model that its next answer is the last, if that answer is
// affordable.
func (c *conversation) announce(ctx context.Context, n int, reason string) error {
	c.lastWord, c.lastWordAt = reason, c.clock.elapsed()
	if hard, err := c.overLimit(ctx); err != nil || hard != "" {
		c.end(StatusLimit, "%s; no last word: %s", reason, hard)
		return err
	}
	step := LimitStep{Reason: reason, Text: c.mask(c.LastWord)}
	if err := c.steps.record(ctx, limitKey(n), step, &step); err != nil {
		return err
	}
	c.say(step.Text)
	return nil
}

// overLimit returns the limit that forbids the next request. If none does, it returns ""
// and reserves the cost in the ledger. Before the last request, it also leaves room for
// that last one.
func (c *conversation) overLimit(ctx context.Context) (string, error) {
	need, spare := c.project()
	used := c.used
	after := used.plus(need).plus(spare)
	turns, elapsed := c.out.Turns+1, c.clock.elapsed()
	if c.Stop != nil && c.lastWord == "" {
		if reason := c.Stop(); reason != "" {
			return reason, nil
		}
	}
	if spare != (Spending{}) {
		turns++
	}
	switch l := c.Limits; {
	case l.Turns > 0 && turns > l.Turns:
		return fmt.Sprintf("turn limit: %d", l.Turns), nil
	case l.Calls > 0 && c.lastWord == "" && c.out.Calls >= l.Calls:
		return fmt.Sprintf("call limit: %d", l.Calls), nil
	case l.Tokens > 0 && after.Tokens > l.Tokens:
		return fmt.Sprintf("token limit: %d used of %d", used.Tokens, l.Tokens) + mayTake("take", "%d", need.Tokens, spare.Tokens), nil
	case l.USD > 0 && after.USD > l.USD:
		return fmt.Sprintf("cost limit: $%.4g used of $%.4g", used.USD, l.USD) + mayTake("cost", "$%.4g", need.USD, spare.USD), nil
	case l.Wall > 0 && c.lastWord == "" && elapsed+c.slowest >= l.Wall:
		return c.timeIsUp(elapsed), nil
	case l.Wall > 0 && c.unanswering() && elapsed+c.slowest >= l.Wall:
		return "the model has not answered", nil
	case c.lastWord == "" && c.answers.repeated() != "":
		return "repeated calls: " + c.answers.repeated(), nil
	}
	return c.reserve(ctx, need, spare)
}

// mayTake says how much the next answer may take, and how much the last one after it may
// take. It omits amounts of zero.
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

// timeIsUp says how much of the time is used and, if known, how long the next answer may
// take.
func (c *conversation) timeIsUp(elapsed time.Duration) string {
	used := fmt.Sprintf("time limit: %s used of %s", elapsed.Round(time.Second), c.Limits.Wall)
	if next := c.slowest.Round(time.Second); next > 0 && !c.unanswering() {
		used += fmt.Sprintf("; the next answer may take %s", next)
	}
	return used
}

// unanswering reports whether the model has given no sign that it would answer: it never
// answered, or this process gave up a request and received no answer.
func (c *conversation) unanswering() bool { return c.out.Turns == 0 || c.gaveUp }

// reserve reserves the cost of the next request in the ledger.
func (c *conversation) reserve(ctx context.Context, need, spare Spending) (string, error) {
	if c.Ledger == nil {
		return "", nil
	}
	hold, err := c.Ledger.reserve(ctx, need, spare)
	var spent *spentError
	if errors.As(err, &spent) {
		return spent.Error(), nil
	}
	c.hold = hold
	return "", err
}

// project returns the highest cost of the next request, and of a last request after it,
// whose prompt is longer by one answer and the tools' answers to it.
func (c *conversation) project() (need, spare Spending) {
	prompt, output := c.estimate(), int64(defaultOutput)
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

// guessMargin is the fraction of an estimate that is added to it: code and
// hashes have more tokens than prose of the same length.
const guessMargin = 5

// answerRoom is the number of tokens that one turn usually adds to a prompt: an answer,
// or the condensed answers of a few tools.
const answerRoom = 2000

// estimate returns the tokens of the next prompt. After the first answer, only the
// messages added since then are estimated.
func (c *conversation) estimate() int64 {
	if c.lastCount.tokens > 0 {
		return c.lastCount.tokens + model.Estimate(model.Request{Messages: c.messages[c.lastCount.messages:]})
	}
	return model.Estimate(c.request())
}

// price converts tokens to money if the model's price is known.
type price struct {
	model.Price
	known   bool
	dearest float64 // the dearest call so far, in USD
}

func newPrice(asker model.Asker) price {
	var p price
	if pricer, ok := asker.(Pricer); ok {
		p.Price, p.known = pricer.Price()
	}
	return p
}

// check returns an error for a limit in USD that cannot be enforced.
func (p *price) check(l *Loop) error {
	limited := l.Limits.USD > 0 || l.Ledger != nil && l.Ledger.budget.USD > 0
	if limited && !p.known && !l.Unpriced {
		return errUnpriced
	}
	return nil
}

// project returns what a request may cost. Prompts that a provider writes to
// its cache cost more than others. If the price is unknown it uses the dearest
// call so far: some servers report the cost of a call, but not their prices.
func (p *price) project(prompt, output int64) Spending {
	plain, write := model.Usage{Uncached: prompt, Output: output}, model.Usage{CacheWrite: prompt, Output: output}
	usd := max(p.Cost(plain), p.Cost(write))
	if usd == 0 {
		usd = p.dearest
	}
	return Spending{Tokens: prompt + output, USD: usd}
}

// least returns the cost if the whole prompt was cached.
func (p *price) least(prompt, output int64) Spending {
	usd := min(p.Cost(model.Usage{Uncached: prompt}), p.Cost(model.Usage{CacheRead: prompt})) + p.Cost(model.Usage{Output: output})
	return Spending{Tokens: prompt + output, USD: usd}
}

// settle sets the cost in a usage if it is known, and returns the spending of the answer.
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
