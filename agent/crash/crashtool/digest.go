package crashtool

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
)

// shownProblems is the number of problems in a first message.
const shownProblems = 6

// ProblemsInShort says what failed, for a first message. A long report, such as a log, names many
// problems; only the first ones are shown.
func (c *Case) ProblemsInShort() string {
	r := c.Report
	short := *r
	short.Problems = r.Problems[:min(len(r.Problems), shownProblems)]
	text := c.problems(&short)
	if n := len(r.Problems) - shownProblems; n > 0 {
		text += fmt.Sprintf("(%s in the report)\n", agent.Plural(n, "more problem"))
	}
	return text
}

// Limits on the stacks in a first message. Every turn sends the message again, so details that an
// easy case does not need are left to get_crash_stack.
const (
	mainFrames   = 30 // of the stack in which the search started
	sharedFrames = 20 // of that stack, if there are others
	otherFrames  = 12 // of each other stack
	moreFrames   = 5  // further frames in files of the main stack
	edgeFrames   = 3  // frames of other code that are shown at the top of a stack
	aloneFrames  = 12 // the same if no frame is in the repository: they are all that is known

	maxStacks = 3200 // characters of all stacks
	maxFrame  = 300  // characters, about the size of a frame
)

// StacksInShort renders the stacks of the report for a first message, with the main stack first.
func (c *Case) StacksInShort() string {
	var b strings.Builder
	r := c.Report
	left := 0
	seen := map[string]bool{}
	show := func(i, most int) {
		if same := placesOf(r.Stacks[i]); seen[same] {
			fmt.Fprintf(&b, "## %s\n   (the same frames as above)\n", c.StackTitle(r.Stacks[i]))
			return
		} else if same != "" {
			seen[same] = true
		}
		text := c.stackText(r.Stacks[i], most)
		if b.Len() > 0 && b.Len()+len(text) > maxStacks {
			left++
			return
		}
		b.WriteString(text)
	}
	order := c.stackOrder()
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
		if c.NoTools {
			tool = ""
		}
		fmt.Fprintf(&b, "(%s in the report%s)\n", agent.Plural(left, "more stack"), tool)
	}
	return b.String()
}

// stackOrder returns the stacks with frames: the main one first, then the kinds that most often
// contain the fault, such as a stack of an exception behind another one.
func (c *Case) stackOrder() []int {
	var order []int
	for i, s := range c.Report.Stacks {
		if len(s.Frames) > 0 {
			order = append(order, i)
		}
	}
	main := rank.MainStack(c.Report)
	place := func(i int) int {
		switch kind := c.Report.Stacks[i].Kind; {
		case i == main:
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
	slices.SortStableFunc(order, func(a, b int) int { return place(a) - place(b) })
	return order
}

// Placed reports whether a frame of the report is in the repository.
func (c *Case) Placed() bool {
	return slices.ContainsFunc(c.Report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path != "" })
	})
}

// endOf returns the last three names of a path: the package and the file of other code.
func endOf(file string) string {
	names := strings.Split(strings.ReplaceAll(file, `\`, "/"), "/")
	return strings.Join(names[max(0, len(names)-3):], "/")
}

// placesOf returns the places in the repository of a stack's frames.
func placesOf(s crash.Stack) string {
	var b strings.Builder
	for _, f := range s.Frames {
		if f.Path != "" && !rank.Helper(f.Function) {
			fmt.Fprintln(&b, Place(f))
		}
	}
	return b.String()
}

// frameLister renders the frames of one stack. It only counts runs of omitted frames.
type frameLister struct {
	*Case
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
	place := Place(f)
	switch {
	case place == "":
		place = l.Shorten(rawNumber().ReplaceAllString(f.Raw, ""), 160)
	case f.Path == "" && f.File != "" && !l.NoRaw:
		place += " " + l.Shorten(endOf(f.File), 80)
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
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
	fmt.Fprintf(&l.b, "#%d %s\n", f.Number(i), place)
}

// rawNumber matches the number at the beginning of a frame as in the report.
var rawNumber = source.Lazy(`^#\d+\s+`)

// gdbArguments matches a frame of gdb with arguments.
var gdbArguments = source.Lazy(`^#\d+\s+(?:0x[0-9a-f]+ in )?\S.*? \((.*=.*)\)(?: at | from |$)`)

// maxArguments is the most characters of the arguments of a frame.
const maxArguments = 120

// argumentsOf returns the arguments of a frame in the repository, or "" if the report lacks them.
func (l *frameLister) argumentsOf(f crash.Frame) string {
	m := gdbArguments().FindStringSubmatch(f.Raw)
	if m == nil || f.Path == "" {
		return ""
	}
	return l.Shorten(m[1], maxArguments)
}

// stackText renders one stack: its first frames in the repository, and later frames in files of
// the main stack.
func (c *Case) stackText(s crash.Stack, most int) string {
	l := frameLister{Case: c}
	fmt.Fprintf(&l.b, "## %s\n", c.StackTitle(s))
	inMain := map[string]bool{}
	if main := rank.MainStack(c.Report); main >= 0 {
		for _, f := range c.Report.Stacks[main].Frames {
			inMain[f.Path] = f.Path != ""
		}
	}
	shown, edge := 0, edgeFrames
	if !c.Placed() {
		edge = aloneFrames
	}
	crashed := max(0, slices.IndexFunc(s.Frames, func(f crash.Frame) bool { return !f.Handler }))
	first := crashed + slices.IndexFunc(s.Frames[crashed:], func(f crash.Frame) bool { return f.Path != "" })
	edge += crashed
	for i, f := range s.Frames {
		switch {
		case f.Path == "" && (c.NoRaw || i >= edge && !(i == first-1 && f.Function != "")):
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
