package agent

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"git-agent/agent/model"
)

// How often a model may go wrong in the same way, one time after the other,
// before the run ends.
const (
	maxIdle    = 3 // turns that bring nothing to run (mini-swe-agent's limit on format errors)
	maxCuts    = 3 // answers cut by their length: the second try has twice the room, the third is told
	maxRetreat = 2 // requests that fail although something was taken out
)

// tired counts a turn that brought nothing to run, and ends the run when
// there were too many.
func (c *conversation) tired(problem string) bool {
	c.idle++
	if c.idle >= maxIdle {
		c.end(StatusFailed, "%d answers in a row brought nothing to run: %s", c.idle, problem)
	}
	return c.ended()
}

// nudge says something to the model after an answer that was no use.
func (c *conversation) nudge(ctx context.Context, n int, text, problem string) error {
	if c.lastWord != "" {
		c.end(StatusLimit, "%s; %s", c.lastWord, problem)
		return nil
	}
	if c.tired(problem) {
		return nil
	}
	said := Said{Text: text}
	found, err := c.book.recall(ctx, UserStep(n), &said)
	if err == nil && !found {
		err = c.book.record(ctx, UserStep(n), said, &said)
	}
	c.say(said.Text)
	return err
}

// cut deals with an answer that its length limit ended. Nothing of it is
// used: its calls may look whole and not be.
func (c *conversation) cut(ctx context.Context, n int, reply *model.Reply) error {
	problem := fmt.Sprintf("the answer was cut at %d tokens", reply.Usage.Output)
	c.cuts++
	switch {
	case c.cuts >= maxCuts:
		c.end(StatusFailed, "%d answers in a row were cut by their length, the last at %d tokens", c.cuts, reply.Usage.Output)
		return nil
	case c.cuts == 1:
		const least = 1024
		c.maxOutput = 2 * max(c.maxOutput, int(reply.Usage.Output), least)
		return nil
	}
	return c.nudge(ctx, n, phrase("cut", nil), problem)
}

// retreatFrom deals with a request that failed: where the conversation is to
// blame, something is taken out of it.
func (c *conversation) retreatFrom(ctx context.Context, n int, res AskResult) error {
	if c.denied != "" {
		c.end(StatusLimit, "%s; no last word: %s", c.denied, brief(res.Error))
		return nil
	}
	var answers []Replacement
	switch res.Class {
	case model.ClassOverflow:
		answers = c.oldest()
	case model.ClassRefused:
		answers = c.newest()
	case ClassWall:
		if c.lastWord != "" {
			c.end(StatusLimit, "%s; %s", c.lastWord, res.Error)
		}
		c.slowest = max(c.slowest, c.Limits.Wall) // nothing but the last word has time now
		return nil
	}
	c.retreat++
	if len(answers) == 0 || c.retreat >= maxRetreat {
		c.end(StatusFailed, "%s: %s", res.Class, brief(res.Error))
		c.out.Class = res.Class
		return nil
	}
	removed := Removed{Why: res.Class, Answers: answers}
	found, err := c.book.recall(ctx, RemovedKey(n), &removed)
	if err == nil && !found {
		err = c.book.record(ctx, RemovedKey(n), removed, &removed)
	}
	c.replace(removed.Answers)
	return err
}

// oldest picks tool answers, the oldest first, until half of what tools said
// is gone, at least one. It happens in one step, because each change of the
// prefix makes a provider's prompt cache useless.
func (c *conversation) oldest() []Replacement {
	total, gone := 0, 0
	for _, p := range c.placed {
		total += len(c.talk[p.message].Text)
	}
	var out []Replacement
	for _, p := range c.placed {
		m := c.talk[p.message]
		stub := phrase("removed", map[string]any{"Chars": utf8.RuneCountInString(m.Text), "Name": m.Name, "Turn": p.turn})
		if 2*gone < total && len(stub) < len(m.Text) {
			gone += len(m.Text)
			out = append(out, Replacement{Step: p.step, Text: stub})
		}
	}
	return out
}

// newest picks the last tool answer that says anything.
func (c *conversation) newest() []Replacement {
	for _, p := range slices.Backward(c.placed) {
		m := c.talk[p.message]
		stub := phrase("withheld", map[string]any{"Name": m.Name})
		if m.Text != stub {
			return []Replacement{{Step: p.step, Text: stub}}
		}
	}
	return nil
}

// replace puts stubs in the places of answers. The messages of requests that
// were sent stay as they were: whoever keeps one does not see it change.
func (c *conversation) replace(answers []Replacement) {
	c.talk = slices.Clone(c.talk)
	for _, a := range answers {
		for _, p := range c.placed {
			if p.step == a.Step {
				c.talk[p.message].Text = a.Text
			}
		}
		c.answers.forget(a.Step)
	}
	c.counted = counted{}
}
