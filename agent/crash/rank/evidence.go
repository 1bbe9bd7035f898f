package rank

import (
	"math"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

// evidence holds the facts of a report about one file.
type evidence struct {
	path   string
	frames []crash.FrameRef
	isMain bool // a frame of the main stack is in the file

	// Of the first frame in the main stack:
	order      int  // number of files before the file
	position   int  // number of frames of the project before it
	suspicious int  // number of those frames that are neither helpers nor foreign
	helper     bool // its function reports errors or allocates memory

	inMain     int  // frames in the main stack
	onlyHelper bool // all frames in the main stack are in helpers
	mentions   int  // smallest number of files that mention one of the functions
	users      int  // number of other files that mention the file by its name; or unknown
	added      bool // the file is new in the work tree
	dated      bool // age is known
	age        int  // days since the file's last change; at most stale
	byCause    int  // number of files before it, if the stack of the last cause is the first

	assertion bool    // a failed assertion or a run-time error is in the file
	elsewhere [6]best // by kind of the other stacks, see the constants
	foremost  [6]bool // whether the file has the first frame, except helpers, of such a stack
	named     bool    // the message of a problem names the file
	handler   bool    // one of its functions handles the signal or the panic of the crash
	entry     bool    // its first function starts a program or a thread
	gaveNull  bool    // one of its functions called one with a null pointer

	// Of the lines of its frames where the failure began:
	read   bool // the line of its first frame was read
	throws bool // that line throws an error on purpose
	use    use  // what the line of the innermost frame uses, if it is in the file
	passes bool // the innermost frames are in the file, and all of them use their parameters
	origin bool // the innermost line that is not known to use a parameter is in the file
	own    bool // that line is known to use none

	forwards bool    // the line of its first frame passes on all arguments that it was given
	quotes   bool    // that line has a name that the message quotes
	quoted   float64 // share of the names that the message quotes which are in the file
	near     float64 // share of the innermost file's folders that the file is in, from the root
}

// handlers is the place of the functions that handle the crash's signal, as if they were far out
// in the stack of another thread.
const handlers best = 0.1

// best is 1 / (1 + the position) of the file's first frame in stacks of a kind.
type best float64

// The kinds of stacks beside the main one.
const (
	again  = iota // another crash
	freed         // where the memory was freed
	stored        // origin of an uninitialized value
	access        // the other access of a data race
	cause         // the cause of the exception
	other         // all others
)

var elsewhereOf = map[crash.StackKind]int{
	crash.StackCrash: again, crash.StackException: again, crash.StackFree: freed, crash.StackOrigin: stored,
	crash.StackAccess: access, crash.StackCause: cause,
}

// A collector gathers the evidence of a report.
type collector struct {
	report *crash.Report
	main   int
	files  map[string]*evidence
	order  []string
}

// collect gathers the evidence of a located report for each file, in the report's order.
func collect(report *crash.Report) []*evidence {
	c := &collector{report: report, main: MainStack(report), files: map[string]*evidence{}}
	if c.main >= 0 {
		c.readMain()
	}
	for i := range report.Stacks {
		if i != c.main {
			c.readOther(i)
		}
	}
	c.markNamed()
	c.orderByCause()
	out := make([]*evidence, len(c.order))
	for i, p := range c.order {
		out[i] = c.files[p]
		slices.SortFunc(out[i].frames, func(a, b crash.FrameRef) int {
			return (a.Stack-b.Stack)*(1<<20) + a.Frame - b.Frame
		})
		out[i].readCalls(report)
		out[i].added = report.At(out[i].frames[0]).Rule == string(locate.RuleNew)
	}
	return out
}

// MainStack returns the index of the stack at which the search starts: the stack of a pending
// exception if the process aborted, else the first stack of the crash with a frame of the
// project; -1 if there is none.
func MainStack(report *crash.Report) int {
	first := -1
	for i, s := range report.Stacks {
		if !ofProject(s) {
			continue
		}
		if s.Kind == crash.StackException && aborted(report) {
			return i
		}
		if first < 0 && s.Kind == crash.StackCrash && !onlyPlace(s) {
			first = i
		}
	}
	return first
}

// causes returns the indices of the stacks of causes that have a frame of the project, the last
// cause first.
func causes(report *crash.Report) []int {
	var out []int
	for i, s := range slices.Backward(report.Stacks) {
		if s.Kind == crash.StackCause && ofProject(s) {
			out = append(out, i)
		}
	}
	return out
}

func ofProject(s crash.Stack) bool {
	return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path != "" })
}

// onlyPlace reports whether a stack is only the place in a message.
func onlyPlace(s crash.Stack) bool { return len(s.Frames) == 1 && s.Frames[0].Assertion }

func aborted(report *crash.Report) bool {
	for _, p := range report.Problems {
		if p.Signal != 0 && p.Signal != 6 {
			return false
		}
	}
	return true
}

// at returns the evidence of a file. It creates the evidence for a new file.
func (c *collector) at(p string) *evidence {
	e := c.files[p]
	if e == nil {
		e = &evidence{path: p, onlyHelper: true, mentions: math.MaxInt, users: unknown, age: stale, byCause: notByCause}
		c.files[p] = e
		c.order = append(c.order, p)
	}
	return e
}

// readMain reads the frames of the main stack.
func (c *collector) readMain() {
	position, suspicious := 0, 0
	for j, f := range c.report.Stacks[c.main].Frames {
		if f.Path == "" {
			continue
		}
		e := c.at(f.Path)
		e.frames = append(e.frames, crash.FrameRef{Stack: c.main, Frame: j})
		if f.Handler {
			e.handler, e.elsewhere[other] = true, max(e.elsewhere[other], handlers)
			continue
		}
		if f.Assertion {
			e.assertion = true
			continue
		}
		helper := isHelper(f.Function)
		if !e.isMain {
			e.isMain, e.helper, e.position, e.suspicious = true, helper, position, suspicious
			e.order = len(c.order) - 1
			e.entry = isEntry(f.Function)
		}
		e.inMain++
		position++
		if !helper {
			e.onlyHelper = false
			if !locate.Foreign(f) {
				suspicious++
			}
		}
	}
}

// readOther reads the frames of a stack other than the main one.
func (c *collector) readOther(i int) {
	s := c.report.Stacks[i]
	kind, ok := elsewhereOf[s.Kind]
	if !ok {
		kind = other
	}
	position, found := 0, false
	for j, f := range s.Frames {
		if f.Path == "" || f.Handler {
			continue
		}
		e := c.at(f.Path)
		e.frames = append(e.frames, crash.FrameRef{Stack: i, Frame: j})
		if f.Assertion {
			e.assertion = true
			continue
		}
		if !found && !isHelper(f.Function) {
			e.foremost[kind], found = true, true
		}
		e.elsewhere[kind] = max(e.elsewhere[kind], best(1/float64(1+position)))
		position++
	}
}

// notByCause is the place of a file that only handlers of the signal are in.
const notByCause = 12

// orderByCause counts the files before each one, in an order in which the stack of the last cause
// is the first: there the failure began.
func (c *collector) orderByCause() {
	first := causes(c.report)
	order := slices.Clone(first)
	for i := range c.report.Stacks {
		if !slices.Contains(first, i) {
			order = append(order, i)
		}
	}
	placed := map[string]bool{}
	for _, i := range order {
		for _, f := range c.report.Stacks[i].Frames {
			if f.Path == "" || f.Handler {
				continue
			}
			if !placed[f.Path] {
				c.files[f.Path].byCause = len(placed)
				placed[f.Path] = true
			}
		}
	}
}

// markNamed marks the files whose name is a word in a problem's message.
func (c *collector) markNamed() {
	words := map[string]bool{}
	for _, p := range c.report.Problems {
		for _, w := range strings.FieldsFunc(p.Kind+" "+p.Message, func(r rune) bool {
			return r != '_' && r != '-' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
		}) {
			words[w] = true
		}
	}
	for p, e := range c.files {
		stem := source.Stem(p)
		e.named = len(stem) > 4 && words[stem]
	}
}

// readCalls records whether a frame of the file called a function with a null pointer.
func (e *evidence) readCalls(report *crash.Report) {
	e.gaveNull = slices.ContainsFunc(e.frames, func(ref crash.FrameRef) bool {
		return ref.Frame > 0 && report.Stacks[ref.Stack].Frames[ref.Frame-1].NullArgument != ""
	})
}

// functionsOf returns the last names of the project's functions in the main stack.
func (e *evidence) functionsOf(report *crash.Report) []string {
	var names []string
	for _, ref := range e.frames {
		f := report.At(ref)
		if name := symbol.Last(f.Function); len(name) > 2 && !f.Assertion && !locate.Foreign(f) {
			names = append(names, name)
		}
	}
	return names
}
