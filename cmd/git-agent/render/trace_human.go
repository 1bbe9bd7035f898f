package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// These constants bound the lines of a prompt, of a tool's output and of a patch
// without --full.
const (
	shownPrompt = 12
	shownOutput = 10
	shownPatch  = 60
)

// traceHuman prints recorded runs for people. The output looks like this:
//
//	run 20261121-093000-abcd  found
//	fix 6bd1c5a3f0e2  parser: do not read past the end
//	    szz/agent, gpt-5-mini, 2026-11-21 09:30:00, 4.3 s
//
//	turn 1  2.0k sent (800 cached), 90 received, $0.0015  (so far 2.1k, $0.0015)
//	    Look at the line first.
//	  git_blame path=src/a.c start=10  (0.3 s)
//	    | L10: 1f0c7d2b9a44 | tok = next[1];
//
//	verdict  1f0c7d2b9a44  90%  omission
type traceHuman struct {
	w       io.Writer
	color   ui.Palette
	width   int
	Full    bool
	Output  string // compressed, full or none
	written bool

	b bytes.Buffer // the text of the current run
}

// NewTraceHuman returns a renderer of recorded runs for people.
func NewTraceHuman(w io.Writer, color ui.Palette, width int) *traceHuman {
	return &traceHuman{w: w, color: color, width: width}
}

// Show prints one run. subject is the fix's, if known.
func (r *traceHuman) Show(t *trace.Trajectory, subject string) error {
	r.b.Reset()
	if r.written {
		r.b.WriteString("\n")
	}
	r.written = true
	r.heading(t, subject)
	r.opening(t)
	r.notes(t, 0)
	var spent []model.Usage
	for _, turn := range t.Turns {
		if reply := turn.Reply(); reply != nil {
			spent = append(spent, reply.Usage)
		}
		r.turn(turn, trace.Sum(spent))
		r.notes(t, turn.N)
	}
	r.verdict(t)
	r.patch(t.Patch)
	r.smells(t)
	r.ending(t)
	_, err := r.w.Write(r.b.Bytes())
	return err
}

func (r *traceHuman) line(indent int, s string) {
	r.b.WriteString(strings.TrimRight(strings.Repeat(" ", indent)+s, " ") + "\n")
}

// taskAt returns the subject of a kind of run, to precede the name of a commit.
func taskAt(kind string) string {
	if strings.HasPrefix(kind, "fix/") {
		return "repair at"
	}
	return "crash at"
}

func (r *traceHuman) heading(t *trace.Trajectory, subject string) {
	r.line(0, r.color.Paint("heading", "run "+string(t.Run.ID))+"  "+r.color.Paint(statusSlot(t.Status()), t.Status()))
	switch {
	case t.About.Case != "":
		r.line(0, r.color.Paint("fix", "case "+ui.OneLine(t.About.Case)))
	case t.About.Fix != "":
		r.line(0, strings.TrimSpace(r.color.Paint("fix", "fix "+ui.OneLine(gitext.OID(t.About.Fix).Short()))+"  "+ui.OneLine(subject)))
	case t.About.Commit != "":
		r.line(
			0,
			strings.TrimSpace(
				r.color.Paint("fix", taskAt(t.Run.Kind)+" "+ui.OneLine(gitext.OID(t.About.Commit).Short()))+"  "+ui.OneLine(t.About.Title),
			),
		)
	case t.About.Name != "":
		r.line(0, "named "+ui.OneLine(t.About.Name))
	case t.About.Patch != "":
		r.line(0, "fix that is not committed")
	}
	facts := []string{t.Run.Kind, t.Model(), t.Run.Started.Local().Format(time.DateTime), trace.SpanText(t.Took())}
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	r.line(4, r.color.Paint("doubt", ui.OneLine(strings.Join(facts, ", "))))
	if t.About.Settings != "" {
		r.line(4, r.color.Paint("doubt", ui.OneLine(t.About.Settings)))
	}
	if t.Opening == nil {
		r.line(4, agent.Plural(t.Results, "result")+" and no conversation")
	}
}

// opening prints the first prompt. It prints the system prompt only with --full,
// because the system prompt is the same for all runs of one version.
func (r *traceHuman) opening(t *trace.Trajectory) {
	o := t.Opening
	if o == nil {
		return
	}
	if o.System != "" {
		r.line(0, "")
		r.line(
			0,
			r.color.Paint(
				"heading",
				"system",
			)+r.aside(
				fmt.Sprintf("%s, %d characters", agent.Plural(countLines(o.System), "line"), len([]rune(o.System))),
			),
		)
		if r.Full {
			r.text(4, o.System)
		}
	}
	r.line(0, "")
	r.line(0, r.color.Paint("heading", "prompt"))
	r.folded("", o.Prompt, shownPrompt)
}

// aside returns a remark in parentheses for the end of a line.
func (r *traceHuman) aside(s string) string {
	if s == "" {
		return ""
	}
	return "  " + r.color.Paint("doubt", "("+ui.OneLine(s)+")")
}

func countLines(s string) int { return strings.Count(strings.TrimRight(s, "\n"), "\n") + 1 }

func (r *traceHuman) turn(turn trace.Turn, so model.Usage) {
	r.line(0, "")
	if turn.Limit != nil {
		r.line(0, r.color.Paint("warning", "limit")+"  "+ui.OneLine(turn.Limit.Reason))
		r.folded("> ", turn.Limit.Text, shownOutput)
		r.line(0, "")
	}
	head := r.color.Paint("heading", fmt.Sprintf("turn %d", turn.N))
	reply := turn.Reply()
	switch {
	case reply != nil:
		total := strings.TrimSpace("so far " + trace.CountText(so.Prompt()+so.Output) + " " + trace.CostText(so.CostUSD))
		r.line(0, head+"  "+trace.UsageText(reply.Usage)+", "+trace.Seconds(turn.Result.Seconds)+r.aside(total))
	case turn.Result != nil:
		r.line(0, head+"  "+r.color.Paint("error", "no answer")+" ("+ui.OneLine(string(turn.Result.Class))+")")
		r.text(4, turn.Result.Error)
	default:
		r.line(0, head+"  "+r.color.Paint("warning", "asked, and not answered"))
	}
	if turn.Attempts > 1 {
		r.line(4, r.color.Paint("doubt", fmt.Sprintf("asked %d times: the run was resumed here", turn.Attempts)))
	}
	if reply != nil {
		r.said(reply)
	}
	for _, c := range turn.Calls {
		r.call(c)
	}
	if turn.Removed != nil {
		r.line(
			2,
			r.color.Paint(
				"warning",
				fmt.Sprintf(
					"%s of tools taken out of the conversation (%s)",
					agent.Plural(len(turn.Removed.Answers), "answer"),
					ui.OneLine(string(turn.Removed.Why)),
				),
			),
		)
	}
	if s := turn.Said; s != nil && !s.Final && s.Text != "" {
		r.folded("> ", s.Text, shownOutput)
	}
}

// said prints the model's reasoning and its text.
func (r *traceHuman) said(reply *model.Reply) {
	if s := strings.TrimSpace(reply.Message.Thought); s != "" {
		r.folded("~ ", s, shownOutput)
	}
	if s := strings.TrimSpace(reply.Message.Text); s != "" {
		r.text(4, s)
	}
	if reply.Finish != model.FinishStop {
		r.line(4, r.color.Paint("warning", "ended by "+ui.OneLine(string(reply.Finish))))
	}
}

func (r *traceHuman) call(c trace.Call) {
	words := r.color.Paint("command", ui.OneLine(c.Name))
	if args := trace.ArgsText(c.Args); args != "" {
		if args = ui.OneLine(args); !r.Full {
			args = trace.Cut(args, max(20, r.width-len(c.Name)-30))
		}
		words += " " + args
	}
	res := c.Result
	if res == nil {
		r.line(2, words+"  "+r.color.Paint("warning", "not answered"))
		return
	}
	var facts []string
	if res.Seconds >= 0.05 {
		facts = append(facts, trace.Seconds(res.Seconds))
	}
	if res.Cached {
		facts = append(facts, "from the cache")
	}
	if res.Full != "" {
		facts = append(facts, fmt.Sprintf("%s of %s characters", trace.CountText(runeCount(res.Text)), trace.CountText(runeCount(res.Full))))
	}
	r.line(2, words+r.aside(strings.Join(facts, ", ")))
	mark := "| "
	if res.Failed {
		mark = r.color.Paint("error", "!") + " "
	}
	text := res.Text
	switch {
	case r.Output == "none" && !res.Failed:
		return
	case r.Output == "full" && res.Full != "":
		text = res.Full
	}
	r.folded(mark, text, shownOutput)
}

func runeCount(s string) int64 { return int64(len([]rune(s))) }

// folded prints the first lines of a text, each after a mark, and the number of
// further lines.
func (r *traceHuman) folded(mark, text string, lines int) {
	const indent = 4
	if r.Full {
		lines = countLines(text)
	}
	head, more := trace.Excerpt(text, lines)
	for l := range strings.SplitSeq(head, "\n") {
		l = ui.Printable(l)
		if room := r.width - indent - 2; !r.Full && len([]rune(l)) > room {
			l = trace.Cut(l, room)
		}
		r.line(indent, mark+l)
	}
	if more > 0 {
		r.line(indent, r.color.Paint("doubt", fmt.Sprintf("%s... %s, with --full", mark, agent.Plural(more, "more line"))))
	}
}

// text prints a whole text and wraps its long lines.
func (r *traceHuman) text(indent int, text string) {
	room := min(r.width, 100) - indent
	for l := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		l = ui.Printable(l)
		if len([]rune(l)) <= room {
			r.line(indent, l)
			continue
		}
		for _, part := range ui.Wrap(l, room) {
			r.line(indent, part)
		}
	}
}

func (r *traceHuman) notes(t *trace.Trajectory, after int) {
	for _, n := range t.Notes {
		if n.After == after {
			r.line(0, "")
			r.line(0, "note "+ui.OneLine(n.Key))
			r.folded("", n.Text, shownOutput)
		}
	}
}

func (r *traceHuman) verdict(t *trace.Trajectory) {
	v := t.Answer()
	if v == nil {
		return
	}
	r.line(0, "")
	r.line(0, r.color.Paint("heading", "answer")+r.aside(fmt.Sprintf("turn %d", v.Turn)))
	if !v.Told() {
		r.text(4, v.Text)
	}
	r.told(v)
	for _, c := range v.Claims {
		line := r.color.Paint("suspect", ui.OneLine(gitext.OID(c.Commit).Short()))
		if c.Confidence > 0 || c.Type != "" {
			line += fmt.Sprintf("  %3.0f%%  %s", 100*c.Confidence, ui.OneLine(c.Type))
		}
		r.line(4, line)
		if text := cmp.Or(c.Reasoning, c.Reason); text != "" {
			r.text(8, text)
		}
		if c.Checked != "" {
			r.text(8, "checked: "+c.Checked)
		}
	}
}

// told prints the parts of a verdict besides commits and their probabilities.
func (r *traceHuman) told(v *trace.Answer) {
	if v.Cause != "" {
		r.text(4, v.Cause)
	}
	if v.Story != "" {
		r.text(4, v.Story)
	}
	if v.Origin != "" {
		r.line(4, "introduced by "+r.color.Paint("suspect", ui.OneLine(gitext.OID(v.Origin).Short())))
	}
	for _, f := range v.Files {
		r.line(4, r.color.Paint("path", ui.OneLine(f.Path)))
		if f.Reason != "" {
			r.text(8, f.Reason)
		}
	}
}

// patch prints the patch of a trajectory with its proof.
func (r *traceHuman) patch(p *trace.Patch) {
	if p == nil {
		return
	}
	r.line(0, "")
	r.line(0, r.color.Paint("heading", "patch")+r.aside(p.Verdict))
	if p.Reason != "" {
		r.text(4, p.Reason)
	}
	for _, c := range p.Cautions {
		r.text(4, "caution: "+c)
	}
	for _, name := range p.Failing {
		r.line(4, "fails: "+ui.OneLine(name))
	}
	for _, c := range p.Checks {
		r.line(4, r.color.Paint("command", "$ "+ui.OneLine(c.Command))+"  it "+ui.OneLine(c.How))
	}
	head, more := p.Diff, 0
	if !r.Full {
		head, more = trace.Excerpt(p.Diff, shownPatch)
	}
	for l := range strings.SplitSeq(strings.TrimRight(head, "\n"), "\n") {
		r.line(4, r.color.Paint(diffSlot(l), ui.Printable(l)))
	}
	if more > 0 {
		r.line(4, r.color.Paint("doubt", fmt.Sprintf("... %s, with --full", agent.Plural(more, "more line"))))
	}
	if p.Cut > 0 {
		r.line(4, r.color.Paint("doubt", fmt.Sprintf("... %d more bytes, which were not recorded", p.Cut)))
	}
}

func (r *traceHuman) smells(t *trace.Trajectory) {
	for i, f := range t.Smells() {
		if i == 0 {
			r.line(0, "")
		}
		r.line(0, r.color.Paint("warning", "smell")+"  "+SmellText(f))
	}
}

// SmellText returns a line about a smell, such as "same_commit: the same commit
// shown more than twice (turns 1, 2, 3; 1f0c7d2b9a44)".
func SmellText(f trace.Finding) string {
	var facts []string
	if n := len(f.Turns); n > 0 {
		word := "turns"
		if n == 1 {
			word = "turn"
		}
		facts = append(facts, word+" "+strings.Trim(strings.ReplaceAll(fmt.Sprint(f.Turns), " ", ", "), "[]"))
	}
	if f.Note != "" {
		facts = append(facts, ui.OneLine(f.Note))
	}
	s := f.Smell.Name + ": " + f.Smell.About
	if len(facts) > 0 {
		s += " (" + strings.Join(facts, "; ") + ")"
	}
	return s
}

func (r *traceHuman) ending(t *trace.Trajectory) {
	if t.Opening == nil {
		return
	}
	s := r.color.Paint("heading", "end") + "  " + t.Status()
	if t.Closing != nil && t.Closing.Reason != "" {
		s += ": " + ui.OneLine(t.Closing.Reason)
	}
	r.line(0, "")
	r.line(0, s)
	r.line(4, fmt.Sprintf("%s, %s, %s", agent.Plural(t.Answers(), "turn"), agent.Plural(t.Calls(), "call"), trace.UsageText(t.Usage())))
}
