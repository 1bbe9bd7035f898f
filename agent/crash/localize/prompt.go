package localize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
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
	maxFrame   = 300 // about as much as a frame takes
	maxCode    = 8000
	maxChanges = 3600
)

// system returns the system message of the conversation.
func (d *investigation) system() (string, error) {
	task, err := prompts.Get("crash/task")
	if err != nil {
		return "", err
	}
	method, err := prompts.Get("crash/method")
	if err != nil {
		return "", err
	}
	text, err := method.Render(map[string]any{"Tools": !d.sees.NoCalls, "Definitions": !d.sees.NoDefinitions, "History": !d.sees.NoHistory, "Calls": d.opt.Limits.Calls})
	return task.Text + "\n" + strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message.
func (d *investigation) prompt(ctx context.Context) (string, error) {
	p := firstPrompt{Problems: d.problemText(d.q.Report), Stacks: d.stacksText(), NoTools: d.sees.NoCalls}
	if !d.sees.NoRanking {
		p.Ranking = d.rankingText()
	}
	var err error
	if !d.sees.NoCode {
		if p.Code, err = d.codeText(ctx); err != nil {
			return "", err
		}
	}
	if !d.sees.NoChanges {
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
func (d *investigation) problemText(r *crash.Report) string {
	short := *r
	short.Problems = r.Problems[:min(len(r.Problems), shownProblems)]
	text := d.tools.Problems(&short)
	if n := len(r.Problems) - shownProblems; n > 0 {
		text += fmt.Sprintf("(%s in the report)\n", agent.Plural(n, "more problem"))
	}
	return text
}

// Bounds of the stacks in the first prompt.
const (
	mainFrames   = 30 // of the stack at which the search started
	sharedFrames = 20 // of that stack, if there are others
	otherFrames  = 12 // of each other stack
	moreFrames   = 5  // further frames in files of the main stack
	edgeFrames   = 3  // frames of other code that are shown at the top of a stack
)

// stacksText renders the stacks of the report, the main one first.
func (d *investigation) stacksText() string {
	var b strings.Builder
	r := d.q.Report
	left := 0
	seen := map[string]bool{}
	show := func(i, most int) {
		if same := placesOf(r.Stacks[i]); seen[same] {
			fmt.Fprintf(&b, "## %s\n   (the same frames as above)\n", d.tools.StackTitle(r.Stacks[i]))
			return
		} else if same != "" {
			seen[same] = true
		}
		text := d.stackText(r.Stacks[i], most)
		if b.Len() > 0 && b.Len()+len(text) > maxStacks {
			left++
			return
		}
		b.WriteString(text)
	}
	order := d.stackOrder()
	most := mainFrames
	if len(order) > 1 {
		most = sharedFrames
	}
	for n, i := range order {
		if n > 0 {
			most = otherFrames
		}
		show(i, most)
	}
	if left > 0 {
		tool := ": get_crash_stack"
		if d.sees.NoCalls {
			tool = ""
		}
		fmt.Fprintf(&b, "(%s in the report%s)\n", agent.Plural(left, "more stack"), tool)
	}
	return b.String()
}

// stackOrder returns the stacks with frames: the main one first, then those that most
// often hold the fault, such as that of an exception behind another one.
func (d *investigation) stackOrder() []int {
	var order []int
	for i, s := range d.q.Report.Stacks {
		if len(s.Frames) > 0 {
			order = append(order, i)
		}
	}
	rank := func(i int) int {
		switch kind := d.q.Report.Stacks[i].Kind; {
		case i == d.offline.Main:
			return 0
		case kind == crash.StackCause || kind == crash.StackException:
			return 1
		case kind == crash.StackFree || kind == crash.StackOrigin || kind == crash.StackAccess:
			return 2
		case kind == crash.StackThread || kind == crash.StackCreated:
			return 4
		}
		return 3
	}
	slices.SortStableFunc(order, func(a, b int) int { return rank(a) - rank(b) })
	return order
}

// placesOf returns the places of a stack in the repository.
func placesOf(s crash.Stack) string {
	var b strings.Builder
	for _, f := range s.Frames {
		if f.Path != "" && !rank.Helper(f.Function) {
			fmt.Fprintln(&b, crashtool.Place(f))
		}
	}
	return b.String()
}

// frameLister renders the frames of one stack. Runs of frames that are left out are
// only counted.
type frameLister struct {
	*crashtool.Case
	b      strings.Builder
	folded int
	of     string // what is folded: "of other code" or "of the project"
}

func (l *frameLister) fold(of string) {
	if l.of != of {
		l.unfold()
	}
	l.of, l.folded = of, l.folded+1
}

func (l *frameLister) unfold() {
	if l.folded > 0 {
		fmt.Fprintf(&l.b, "   (%s %s)\n", agent.Plural(l.folded, "frame"), l.of)
	}
	l.folded = 0
}

func (l *frameLister) show(i int, f crash.Frame) {
	l.unfold()
	place := crashtool.Place(f)
	if place == "" {
		place = l.Shorten(f.Raw, 160)
	}
	if f.Inline {
		place += " (inlined)"
	}
	if f.Assertion {
		place += " (the check that failed)"
	}
	switch args := l.argumentsOf(f); {
	case l.NoRaw: // neither is a place
	case args != "":
		place += " (" + args + ")"
	case f.NullArgument != "":
		place += " (" + agent.Shorten(agent.CleanLine(f.NullArgument), 60) + " is null)"
	}
	fmt.Fprintf(&l.b, "#%d %s\n", i, place)
}

// gdbArguments matches a frame of gdb with its arguments.
var gdbArguments = source.Lazy(`^#\d+\s+(?:0x[0-9a-f]+ in )?\S.*? \((.*=.*)\)(?: at | from |$)`)

// maxArguments is the most characters of the arguments of a frame.
const maxArguments = 120

// argumentsOf returns the arguments of a frame in the repository, "" if the report does
// not have them.
func (l *frameLister) argumentsOf(f crash.Frame) string {
	m := gdbArguments().FindStringSubmatch(f.Raw)
	if m == nil || f.Path == "" {
		return ""
	}
	return l.Shorten(m[1], maxArguments)
}

// stackText renders one stack: its first frames in the repository, and later ones in
// files of the main stack.
func (d *investigation) stackText(s crash.Stack, most int) string {
	l := frameLister{Case: d.tools}
	fmt.Fprintf(&l.b, "## %s\n", d.tools.StackTitle(s))
	inMain := map[string]bool{}
	if main := d.offline.Main; main >= 0 {
		for _, f := range d.q.Report.Stacks[main].Frames {
			inMain[f.Path] = f.Path != ""
		}
	}
	shown := 0
	first := slices.IndexFunc(s.Frames, func(f crash.Frame) bool { return f.Path != "" })
	for i, f := range s.Frames {
		switch {
		case f.Path == "" && (d.sees.NoRaw || i >= edgeFrames && !(i == first-1 && f.Function != "")):
			l.fold("of other code")
		case l.b.Len() > maxStacks-maxFrame:
			l.fold("of the project")
		case shown < most || shown < most+moreFrames && inMain[f.Path]:
			l.show(i, f)
			shown++
		default:
			l.fold("of the project")
		}
	}
	l.unfold()
	return l.b.String()
}

// Bounds of the ranking in the first prompt.
const (
	shownFiles   = 10
	shownRelated = 6 // files that no stack names
	shownReasons = 2
	maxFileLine  = 200 // characters
)

// rankingText renders the files of the offline ranking.
func (d *investigation) rankingText() string {
	var b strings.Builder
	var related []string
	for i, f := range d.offline.Files {
		switch {
		case f.Related && d.sees.NoHistory: // history relates them
		case f.Related && len(related) < shownRelated:
			related = append(related, agent.CleanLine(f.Path))
		case !f.Related && i < shownFiles:
			fmt.Fprintln(&b, agent.Shorten(fileLine(f), maxFileLine))
		}
	}
	if len(related) > 0 {
		fmt.Fprintf(&b, "not in the stacks, but often changed with these: %s\n", strings.Join(related, ", "))
	}
	return b.String()
}

func fileLine(f crash.File) string {
	line := agent.CleanLine(f.Path)
	if strings.HasPrefix(line, "#") {
		line = "./" + line // it is no heading
	}
	if f.Probability > 0 {
		line = fmt.Sprintf("%.2f %s", f.Probability, line)
	}
	if len(f.Reasons) > 0 {
		line += ": " + agent.CleanLine(strings.Join(f.Reasons[:min(len(f.Reasons), shownReasons)], "; "))
	}
	return line
}
