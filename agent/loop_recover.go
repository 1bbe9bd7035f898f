package agent

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"git-agent/agent/model"
)

// These bound how often in succession a model may make the same kind of mistake
// before the run ends.
const (
	maxIdle     = 3 // turns without a call that could run (mini-swe-agent's limit on format errors)
	maxCuts     = 3 // answers cut by the length limit: the second may be twice as long, and a message precedes the third
	maxFailures = 2 // requests that fail although something was removed
)

// idleTooLong counts a turn without a call that could run, and ends the run
// after too many.
func (c *conversation) idleTooLong(problem string) bool {
	c.idle++
	if c.idle >= maxIdle {
		c.end(StatusFailed, "%d answers in a row brought nothing to run: %s", c.idle, problem)
	}
	return c.ended()
}

// nudge sends a message to the model after a useless answer.
func (c *conversation) nudge(ctx context.Context, n int, text, problem string) error {
	if c.lastWord != "" {
		c.end(StatusLimit, "%s; %s", c.lastWord, problem)
		return nil
	}
	if c.idleTooLong(problem) {
		return nil
	}
	said := Said{Text: text}
	found, err := c.steps.recall(ctx, userStep(n), &said)
	if err == nil && !found {
		err = c.steps.record(ctx, userStep(n), said, &said)
	}
	c.say(said.Text)
	return err
}

// retryCut handles an answer that was cut by the length limit. No part of the answer is
// used: its calls may look complete but be cut.
func (c *conversation) retryCut(ctx context.Context, n int, reply *model.Reply) error {
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

// recoverFrom handles a failed request. If the conversation caused the failure,
// it removes something from it.
func (c *conversation) recoverFrom(ctx context.Context, n int, res AskResult) error {
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
	case classWall:
		if c.lastWord != "" {
			c.end(StatusLimit, "%s; %s", c.lastWord, res.Error)
		}
		c.slowest = max(c.slowest, c.Limits.Wall) // there is only time for the last request
		return nil
	}
	c.failures++
	if len(answers) == 0 || c.failures >= maxFailures {
		c.end(StatusFailed, "%s: %s", res.Class, brief(res.Error))
		c.out.Class = res.Class
		return nil
	}
	removed := Removed{Why: res.Class, Answers: answers}
	found, err := c.steps.recall(ctx, removedKey(n), &removed)
	if err == nil && !found {
		err = c.steps.record(ctx, removedKey(n), removed, &removed)
	}
	c.replace(removed.Answers)
	return err
}

// oldest picks tool answers from the oldest on, at least one, until half of their text is
// gone. All are removed at once, because each change of the prefix makes a provider's
// prompt cache useless.
func (c *conversation) oldest() []Replacement {
	total, gone := 0, 0
	for _, p := range c.toolAnswers {
		total += len(c.messages[p.message].Text)
	}
	var out []Replacement
	for _, p := range c.toolAnswers {
		m := c.messages[p.message]
		stub := phrase("removed", map[string]any{"Chars": utf8.RuneCountInString(m.Text), "Name": m.Name, "Turn": p.turn})
		if 2*gone < total && len(stub) < len(m.Text) {
			gone += len(m.Text)
			out = append(out, Replacement{Step: p.step, Text: stub})
		}
	}
	return out
}

// newest picks the last tool answer that has content.
func (c *conversation) newest() []Replacement {
	for _, p := range slices.Backward(c.toolAnswers) {
		m := c.messages[p.message]
		stub := phrase("withheld", map[string]any{"Name": m.Name})
		if m.Text != stub {
			return []Replacement{{Step: p.step, Text: stub}}
		}
	}
	return nil
}

// replace replaces answers by stubs. It copies the messages, so that requests
// already sent do not change.
func (c *conversation) replace(answers []Replacement) {
	c.messages = slices.Clone(c.messages)
	for _, a := range answers {
		for _, p := range c.toolAnswers {
			if p.step == a.Step {
				c.messages[p.message].Text = a.Text
			}
		}
		c.answers.forget(a.Step)
	}
	c.lastCount = promptCount{}
}
