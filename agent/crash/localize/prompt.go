package localize

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/prompts"
)

// firstPrompt fills the prompt text crash/case.
type firstPrompt struct {
	Problems, Stacks, Ranking, Code, Changes string
	NoTools                                  bool
}

// Bounds of the texts in the first prompt, in characters. Every turn sends the prompt
// again, so it leaves to the tools what an easy case does not need.
const (
	maxStacks  = 3200
	maxCode    = 8000
	maxChanges = 3600
)

// system returns the system message of the conversation.
func system(tools bool) (string, error) {
	task, err := prompts.Get("crash/task")
	if err != nil {
		return "", err
	}
	method, err := prompts.Get("crash/method")
	if err != nil {
		return "", err
	}
	text, err := method.Render(map[string]bool{"Tools": tools})
	return task.Text + "\n" + strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message.
func (d *investigation) prompt(ctx context.Context) (string, error) {
	p := firstPrompt{Problems: problemText(d.q.Report), Stacks: d.stackText(), NoTools: d.q.NoTools}
	if !d.q.NoRanking {
		p.Ranking = d.rankingText()
	}
	var err error
	if !d.q.NoCode {
		if p.Code, err = d.codeText(ctx); err != nil {
			return "", err
		}
	}
	if !d.q.NoChanges {
		if p.Changes, err = d.changeText(ctx); err != nil {
			return "", err
		}
	}
	text, err := prompts.Get("crash/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// shownProblems is how many problems the first prompt has.
const shownProblems = 6

// problemText says what failed. A long report, such as a log, names many problems; the
// first ones are shown.
func problemText(r *crash.Report) string {
	short := *r
	short.Problems = r.Problems[:min(len(r.Problems), shownProblems)]
	text := crashtool.Problems(&short)
	if n := len(r.Problems) - shownProblems; n > 0 {
		text += fmt.Sprintf("(%s in the report)\n", agent.Plural(n, "more problem"))
	}
	return text
}

// Bounds of the stacks in the first prompt.
const (
	mainFrames  = 30 // of the stack at which the search started
	otherFrames = 12 // of each other stack
	edgeFrames  = 3  // frames of other code that are shown at the top of a stack
)

// stackText renders the stacks of the report, the main one first.
func (d *investigation) stackText() string {
	var b strings.Builder
	r, main := d.q.Report, d.offline.Main
	left := 0
	show := func(i, most int) {
		text := stackText(r.Stacks[i], most)
		if b.Len() > 0 && b.Len()+len(text) > maxStacks {
			left++
			return
		}
		b.WriteString(text)
	}
	if main >= 0 {
		show(main, mainFrames)
	}
	for i := range r.Stacks {
		if i != main && len(r.Stacks[i].Frames) > 0 {
			show(i, otherFrames)
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%s in the report: get_crash_stack)\n", agent.Plural(left, "more stack"))
	}
	return b.String()
}

// stackText renders one stack. Runs of frames of other code are only counted, except
// at its top.
func stackText(s crash.Stack, most int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n", crashtool.StackTitle(s))
	shown, folded := 0, 0
	unfold := func() {
		if folded > 0 {
			fmt.Fprintf(&b, "   (%s of other code)\n", agent.Plural(folded, "frame"))
		}
		folded = 0
	}
	for i, f := range s.Frames {
		if f.Path == "" && i >= edgeFrames {
			folded++
			continue
		}
		if shown == most {
			unfold()
			fmt.Fprintf(&b, "   (%s)\n", agent.Plural(len(s.Frames)-i, "more frame"))
			break
		}
		unfold()
		shown++
		place := crashtool.Place(f)
		if place == "" {
			place = agent.Shorten(agent.CleanLine(f.Raw), 160)
		}
		if f.Inline {
			place += " (inlined)"
		}
		if f.Assertion {
			place += " (the check that failed)"
		}
		if f.NullArgument != "" {
			place += " (" + agent.Shorten(agent.CleanLine(f.NullArgument), 60) + " is null)"
		}
		fmt.Fprintf(&b, "#%d %s\n", i, place)
	}
	unfold()
	return b.String()
}

// Bounds of the ranking in the first prompt.
const (
	shownFiles   = 14
	shownRelated = 5 // of these, files that no stack names
	shownReasons = 3
	maxFileLine  = 260 // characters
)

// rankingText renders the files of the offline ranking.
func (d *investigation) rankingText() string {
	var b strings.Builder
	related := 0
	for i, f := range d.offline.Files {
		if f.Related {
			related++
		}
		if i == shownFiles || related > shownRelated {
			fmt.Fprintf(&b, "(and %s)\n", agent.Plural(len(d.offline.Files)-i, "more file"))
			break
		}
		line := agent.CleanLine(f.Path)
		if f.Probability > 0 {
			line = fmt.Sprintf("%.2f %s", f.Probability, line)
		}
		if len(f.Reasons) > 0 {
			line += ": " + agent.CleanLine(strings.Join(f.Reasons[:min(len(f.Reasons), shownReasons)], "; "))
		}
		fmt.Fprintln(&b, agent.Shorten(line, maxFileLine))
	}
	return b.String()
}
