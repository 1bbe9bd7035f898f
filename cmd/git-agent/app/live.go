package app

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
)

// Followers are the observers of a command's work: the readers of --events, of the progress line
// and of the live view.
type Followers struct {
	Events *EventLog
	Meter  *Progress
	Live   *liveView
}

// See passes on one event of an engine. about is the question of the event, and name its short
// name.
func (f Followers) See(about EventSubject, name string, e agent.Event) {
	f.Events.event(about, e)
	if p, ok := e.(agent.Progress); ok {
		f.Meter.setText(p.Text)
		if p.Lasting {
			f.Meter.Clear()
			f.Live.a.Say("%s", ui.Printable(p.Text))
			f.Meter.Resume()
		}
		return
	}
	f.Meter.Clear()
	f.Live.show(name, e)
	f.Meter.Resume()
}

// liveView shows the actions of a model during an investigation.
type liveView struct {
	a      *App
	on     bool
	single bool // there is one question, so lines need not name it
	long   bool // -v is given: show thoughts in full
}

// NewLiveView returns a view of the work on a number of questions, 0 if the number is not known
// yet. The view is on if a model is asked and stderr is a terminal, unless --[no-]progress or -q
// says otherwise.
func (a *App) NewLiveView(questions int, model bool) *liveView {
	on := model && !a.Flags.Quiet && ui.IsTerminal(a.Stderr)
	if a.Flags.Progress != nil {
		on = model && !a.Flags.Quiet && *a.Flags.Progress
	}
	return &liveView{a: a, on: on, single: questions == 1, long: a.Flags.Verbose > 0}
}

// show prints the lines about one event, if any. name is the short name of the event's question.
func (l *liveView) show(name string, e agent.Event) {
	if !l.on {
		return
	}
	for _, line := range LiveLines(e, l.long) {
		if !l.single {
			line = name + " " + line
		}
		fmt.Fprintln(l.a.Stderr, ui.OneLine(line))
	}
}

// liveWidth is the most characters of a line about an event.
const liveWidth = 110

// testTool is the tool of fix whose results show the state of a repair.
const testTool = "test"

// LiveLines returns the lines about one event.
func LiveLines(e agent.Event, long bool) []string {
	if of, ok := e.(agent.OfRun); ok {
		lines := LiveLines(of.Event, long)
		for i, line := range lines {
			lines[i] = fmt.Sprintf("run %d, %s", of.Run, line)
		}
		return lines
	}
	switch e := e.(type) {
	case agent.Thought:
		text, _, more := strings.Cut(strings.TrimSpace(e.Text), "\n")
		if more && !long {
			text += " ..."
		}
		if long {
			return strings.Split(fmt.Sprintf("turn %d: %s", e.Turn, strings.TrimSpace(e.Text)), "\n")
		}
		return []string{clip(fmt.Sprintf("turn %d: %s", e.Turn, text))}
	case agent.ToolCall:
		return []string{clip(fmt.Sprintf("turn %d: %s %s", e.Turn, e.Name, e.Args))}
	case agent.ToolResult:
		first, _, _ := strings.Cut(strings.TrimSpace(e.Text), "\n")
		if e.Failed || long || e.Name == testTool {
			return []string{clip("        " + first)}
		}
	case agent.Progress: // from one run of an ensemble; Followers shows the others on the progress line
		return []string{clip(e.Text)}
	case agent.Usage:
		return []string{fmt.Sprintf("turn %d: %s", e.Turn, render.UsageText(modelUsage(e)))}
	}
	return nil
}

// clip cuts a line about an event to liveWidth characters.
func clip(s string) string { return ui.Clip(s, liveWidth) }
