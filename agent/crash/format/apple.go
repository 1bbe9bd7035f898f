package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// appleReader reads the text form of the crash reports of macOS and iOS.
type appleReader struct {
	crashed string // the number of the thread that crashed
	names   map[string]string
	seen    bool // a line that only such reports have was read
	reading bool // the frames of a thread are read
	last    int
	failure crash.Problem // of the run-time of Swift, before frames without numbers
	service serviceThread // the heading of a service for crashes, until its first frame
}

var (
	appleException = source.Lazy(`^Exception [Tt]ype: +(\S+)(?: \((\w+)\))?`)
	appleCodes     = source.Lazy(`^Exception (?:[Cc]odes|[Ss]ubtype): +(.*)$`)
	appleAddress   = source.Lazy(`\bat (0x[0-9a-f]+)`)
	appleCrashed   = source.Lazy(`^(?:Crashed [Tt]hread|Triggered by [Tt]hread): +(\d+)`)
	appleThread    = source.Lazy(`^Thread (\d+)( Crashed)?(?: name)?:{1,2}\s*(.*)$`)
	appleFrame     = source.Lazy(`^(\d{1,3})\s+(\S(?:.*?\S)?)\s+0x([0-9a-f]{4,16})\s+(\S.*)$`)
	appleInApp     = source.Lazy(`^0x[0-9a-f]+ \+ \d+(?:\s+// (.*))?$`)
	appleOffset    = source.Lazy(`^(.*) \+ \d+(?: \((?:in [^)]*|([^():]+):(\d+)(?::\d+)?)\))?(?: \(([^():]+):(\d+)\))?$`)
	// The frames of a service for crashes: -[View init] + 280 (View.m:37)
	appleBare    = source.Lazy(`^(?:specialized )?(\S.*?) \+ \d+(?: \(([\w+-]+\.(?:swift|mm?)):(\d+)\))?$`)
	swiftFailure = source.Lazy(`^Swift runtime failure: (.*?)(?: \+ \d+)?$`)
	applePlace   = source.Lazy(`^(.*?) \(([^():]+\.\w+):(\d+)\)$`)
	appleFile    = source.Lazy(`^(.*?) \(([\w+-]+\.(?:swift|mm?|cc?|cpp))\)$`)
)

// A serviceThread is the heading of a stack as Crashlytics copies it, and its line.
type serviceThread struct {
	line      int
	thread    string
	crashed   bool
	exception string
}

// appleService matches "Crashed: com.apple.main-thread", "Fatal Exception: NSRangeException", and what stands before them.
var appleService = source.Lazy(`^(?:#\d+\. |Thread : )?(?:(Crashed: )(\S.*)|Fatal Exception: ([A-Z]\w+))$|^(?:#\d+\. |Thread : )(\S+)$`)

// Read implements lineReader.
func (a *appleReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if t == "" || len(t) > 2000 {
		return false
	}
	switch t[0] {
	case 'E':
		return a.exception(s, l)
	case '#', 'F':
		return a.ofService(l)
	case 'C', 'T':
		if a.ofService(l) {
			return true
		}
		if t == "Call stack:" && a.crashed != "" {
			a.begin(s, l, crash.Stack{Kind: crash.StackCrash, Thread: a.crashed})
			return true
		}
		if m := appleCrashed().FindStringSubmatch(t); m != nil {
			a.crashed, a.seen = m[1], true
			return true
		}
		return a.thread(s, l)
	case 'L', 'A':
		return a.lastException(s, l)
	}
	if h := a.service; h.line > 0 && l.N-h.line <= 2 && strings.HasPrefix(t, "0 ") && appleFrame().MatchString(t) {
		a.fromService(s, l)
	}
	if source.IsDigit(t[0]) && a.reading && l.N-a.last <= 4 {
		return a.frame(s, l)
	}
	return strings.Contains(t, " + ") && a.bare(s, l)
}

// ofService keeps the heading of a stack of Crashlytics.
func (a *appleReader) ofService(l reportLine) bool {
	m := appleService().FindStringSubmatch(l.Text)
	if m != nil {
		a.service = serviceThread{line: l.N, thread: m[2] + m[4], crashed: m[1] != "", exception: m[3]}
	}
	return m != nil
}

// fromService opens the stack that a heading of Crashlytics announced. The stack of an exception is where it was thrown.
func (a *appleReader) fromService(s *scanner, l reportLine) {
	h := a.service
	a.service = serviceThread{}
	st := crash.Stack{Kind: crash.StackThread, Thread: h.thread}
	if h.crashed {
		st.Kind = crash.StackCrash
	}
	if h.exception != "" {
		s.Fail(crash.Problem{Kind: h.exception, Line: h.line})
		st.Kind, st.Title = crash.StackCrash, h.exception
	}
	a.begin(s, l, st)
}

// bare reads a frame without a number and an address. The first one of a stack has a place.
func (a *appleReader) bare(s *scanner, l reportLine) bool {
	if m := swiftFailure().FindStringSubmatch(l.Text); m != nil {
		a.failure = crash.Problem{Kind: "Swift runtime failure", Message: m[1], Line: l.N}
		return true
	}
	m := appleBare().FindStringSubmatch(l.Text)
	open := s.IsOpen("apple") && l.N-a.last <= 2
	if m == nil || m[2] == "" && !open {
		return false
	}
	if !open {
		if p := a.failure; p.Kind != "" && l.N-p.Line <= maxMessage {
			s.Fail(p)
		}
		a.failure = crash.Problem{}
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "apple"})
	}
	a.last = l.N
	f := crash.Frame{File: m[2], Line: atoi(m[3])}
	f.Symbol, f.Function = appleSymbol(m[1])
	s.Add(l, f)
	return true
}

// exception reads the type, the codes, and the subtype of an exception.
func (a *appleReader) exception(s *scanner, l reportLine) bool {
	if m := appleException().FindStringSubmatch(l.Text); m != nil {
		p := crash.Problem{Kind: m[1], Message: m[1], Line: l.N}
		if n := signalNumbers[m[2]]; n > 0 {
			p.Kind, p.Signal = m[2], n
		}
		s.Fail(p)
		a.seen = true
		return true
	}
	m := appleCodes().FindStringSubmatch(l.Text)
	p := s.Failing()
	if m == nil || p == nil || l.N-p.Line > 6 {
		return false
	}
	if address := appleAddress().FindStringSubmatch(m[1]); address != nil {
		setAddress(p, address[1])
	}
	p.Message = cut(p.Message+" "+m[1], maxText)
	return true
}

// thread reads "Thread 0 Crashed:: Dispatch queue: com.apple.main-thread".
func (a *appleReader) thread(s *scanner, l reportLine) bool {
	m := appleThread().FindStringSubmatch(l.Text)
	if m == nil || m[2] == "" && !a.seen {
		return false
	}
	a.seen = true
	if strings.Contains(l.Text, " name:") {
		if a.names == nil || len(a.names) > 1000 {
			a.names = map[string]string{}
		}
		a.names[m[1]] = strings.TrimSpace(m[3])
		return true
	}
	name := a.names[m[1]]
	if name == "" {
		name = strings.TrimSpace(m[3])
	}
	kind := crash.StackThread
	if m[2] != "" || m[1] == a.crashed {
		kind = crash.StackCrash
	}
	a.begin(s, l, crash.Stack{Kind: kind, Thread: strings.TrimSpace(m[1] + " " + name)})
	return true
}

func (a *appleReader) begin(s *scanner, l reportLine, st crash.Stack) {
	st.Format = "apple"
	s.Begin(st)
	a.reading, a.last = true, l.N
}

// lastException reads the heading of the stack of an uncaught exception. The exception is thrown
// before the thread aborts.
func (a *appleReader) lastException(s *scanner, l reportLine) bool {
	if !strings.HasPrefix(l.Text, "Last Exception Backtrace") && !strings.HasPrefix(l.Text, "Application Specific Backtrace") {
		return false
	}
	a.begin(s, l, crash.Stack{Kind: crash.StackException, Title: l.Text})
	return true
}

// frame reads "3   App   0x0000000109007e2a -[View init] + 280 (View.m:37)".
func (a *appleReader) frame(s *scanner, l reportLine) bool {
	m := appleFrame().FindStringSubmatch(l.Text)
	if m == nil || !s.IsOpen("apple") {
		return false
	}
	a.last = l.N
	f := crash.Frame{Module: m[2]}
	name := m[4]
	if in := appleInApp().FindStringSubmatch(name); in != nil {
		name = in[1] // the report has no symbols, unless as a comment
	} else if o := appleOffset().FindStringSubmatch(name); o != nil {
		name = o[1]
		f.File, f.Line = o[2]+o[4], atoi(o[3]+o[5])
	}
	if p := applePlace().FindStringSubmatch(name); p != nil {
		name, f.File, f.Line = p[1], p[2], atoi(p[3])
	} else if p := appleFile().FindStringSubmatch(name); p != nil {
		name, f.File = p[1], p[2]
	}
	if inner, ok := strings.CutPrefix(name, "[inlined] "); ok {
		name, f.Inline = inner, true
	}
	f.Symbol, f.Function = appleSymbol(name)
	s.Add(l, f)
	return true
}

// appleSymbol names a function as symbolOf does, or as Swift does. It leaves methods of Objective-C, "-[View
// init:]", unchanged.
func appleSymbol(name string) (symbol, function string) {
	if swift := swiftName(name); swift != "" {
		return name, swift
	}
	if strings.HasPrefix(name, "-[") || strings.HasPrefix(name, "+[") || strings.Contains(name, " in ") || strings.Contains(name, "_block_invoke") {
		return "", name
	}
	return symbolOf(name)
}
