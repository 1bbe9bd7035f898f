package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// pythonReader reads tracebacks of Python, with the innermost frame last, and the dumps of
// faulthandler, with the innermost frame first.
type pythonReader struct {
	margin  margin
	inside  bool       // a heading or a frame was read, but not yet the exception
	indent  int        // of the last frame
	frames  backward   // of the traceback
	part    reportLine // the beginning of a wrapped frame
	code    bool       // the next line may be the code of the last frame
	strange int        // lines since the last frame that are foreign to a traceback
	group   bool       // within the exceptions of an exception group
	member  int        // the line before an exception of the group, 0 for none
	thread  string
	future  crash.Problem // the exception of a task of asyncio, before its traceback, which may be cut off
	box     richBox
}

// A richBox is a traceback that Rich and Typer draw in a box, with the lines of code around each frame.
type richBox struct {
	open bool
	head reportLine // the place of a frame, which may take several rows
	full bool       // the last row of the place fills the box, so that a word may go on in the next one
}

// maxStrange limits the lines between the frames of a traceback that are neither frames nor code:
// wrapped code, and messages of other threads.
const maxStrange = 3

var (
	pythonFrame  = source.Lazy(`File "([^"]+)", line (\d+)(?:,? in (\S.*))?,?$`)
	pythonFile   = source.Lazy(`^File "([^"]+)"`)
	pythonBinary = source.Lazy(`^Binary file "([^"]+)"(?:, at (\S+?))?(?:\+0x[0-9a-f]+)? \[0x[0-9a-f]+\]$`)
	// An exception's class ends most often with one of these words. They distinguish the
	// exception from code if the indentation is lost.
	pythonError = source.Lazy(
		`^((?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Group|Fault|Failure|Failed|Timeout|Abort|Empty|Full|NotFound|Invalid))(?:: ?(.*))?$`,
	)
	pythonClass  = source.Lazy(`^((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|_*[A-Z]\w*)(?:: ?(.*))?$`)
	pythonMarks  = source.Lazy(`^[~^ ]+$`)
	pythonRepeat = source.Lazy(`^\[Previous line repeated (\d+) more times?\]$`)
	pythonDump   = source.Lazy(`^(Current thread|Thread) (0x[0-9a-f]+)(?: \[(.*?)\])?.* \(most recent call first\):$`)
	pythonFatal  = source.Lazy(`(?:Fatal Python error|Windows fatal exception): (.*?)$`)
	pythonFuture = source.Lazy(`^future: <.*\bexception=((?:\w+\.)*\w+)\((?:'(.*)'|"(.*)"|(.*?))(?:,)?\)>$`)
	pythonThread = source.Lazy(`^Exception in thread (.*?):?$`)
	richTop      = source.Lazy(`^(?:[╭┌]─+|\+-+) Traceback \(most recent call last\) (?:─+[╮┐]|-+\+)$`)
	richPlace    = source.Lazy(`^(\S.*):(\d+) in (\S+)$`)
	richCode     = source.Lazy(`^(?:[❱>] *)?(\d+)(?: (.*))?$`)
	richBeside   = source.Lazy(` {2,}[╭│╰].*$`) // the values of variables beside the code
	richHidden   = source.Lazy(`^\.\.\. (\d+) frames hidden \.\.\.$`)
	groupMargin  = source.Lazy(`^\+-+[+-]* ?(?:\d+ -+|\.\.\. -+|-*)$`)

	// faulthandler's words for signals.
	fatalSignals = map[string]string{
		"segmentation fault": "SIGSEGV", "aborted": "SIGABRT", "bus error": "SIGBUS",
		"floating-point exception": "SIGFPE", "floating point exception": "SIGFPE",
		"illegal instruction": "SIGILL", "access violation": "SIGSEGV",
	}
)

// Read implements lineReader.
func (p *pythonReader) Read(s *scanner, l reportLine) bool {
	l = p.margin.Off(l)
	t := l.Text
	switch {
	case strings.Contains(t, "(most recent call "):
		return p.heading(s, l)
	case p.box.open:
		return p.row(s, l)
	case p.part.Text != "":
		return p.wrapped(s, l)
	case strings.Contains(t, `File "`):
		return p.frame(s, l)
	case t == "File" && p.inside:
		p.part = l
		return true
	case strings.HasPrefix(t, "During handling of the above exception"), strings.HasPrefix(t, "The above exception was the direct cause"):
		p.Flush(s)
		s.Demote("python")
		if strings.HasPrefix(t, "During ") {
			endedOnPurpose(s)
		}
		return true
	case strings.HasPrefix(t, "future: <"):
		if m := pythonFuture().FindStringSubmatch(t); m != nil {
			p.future = crash.Problem{Kind: m[1], Message: m[2] + m[3] + m[4], Line: l.N}
		}
		return false
	case strings.HasPrefix(t, "Exception in thread ") && !strings.Contains(t, `"`):
		if m := pythonThread().FindStringSubmatch(t); m != nil {
			p.thread = m[1]
		}
		return false
	case strings.Contains(t, "fatal exception: "), strings.Contains(t, "Fatal Python error: "):
		return p.fatal(s, l)
	case strings.HasPrefix(t, "+-"):
		return p.margins(s, l)
	case strings.HasPrefix(t, "Binary file "):
		return p.binary(s, l)
	case p.member > 0 && p.member == l.N-1:
		// An exception that was not raised has no traceback.
		if m := pythonClass().FindStringSubmatch(t); m != nil {
			s.Fail(crash.Problem{Kind: m[1], Message: m[2], Line: l.N})
			return true
		}
	}
	return p.inside && p.follows(s, l)
}

// pythonEnds matches the exceptions that end a program, a task or a loop, and are no failures.
var pythonEnds = source.Lazy(`^(?:\w+\.)*(?:SystemExit|KeyboardInterrupt|GeneratorExit|StopIteration|StopAsyncIteration|CancelledError)(?:$|:)`)

// endedOnPurpose turns the last stack, of a cause, into a suppressed one if the exception was no failure: then the one that was
// raised while it was handled is the only failure.
func endedOnPurpose(s *scanner) {
	if n := len(s.Report.Stacks); n > 0 {
		if st := &s.Report.Stacks[n-1]; st.Kind == crash.StackCause && st.Format == "python" && pythonEnds().MatchString(st.Title) {
			st.Kind = crash.StackSuppressed
		}
	}
}

// heading reads the line before a stack.
func (p *pythonReader) heading(s *scanner, l reportLine) bool {
	const last, stack = "Traceback (most recent call last)", "Stack (most recent call last)"
	for _, h := range []string{last, stack} {
		if strings.Contains(l.Text, h) {
			p.Flush(s)
			if m := marginBefore(l.Text, h); m != "" && !strings.HasPrefix(string(m), "+ ") {
				p.margin = m
			}
			p.inside, p.strange, p.indent = true, 0, l.Indent
			if p.box = (richBox{}); richTop().MatchString(l.Text) {
				p.box.open, p.margin = true, ""
			}
			return true
		}
	}
	m := pythonDump().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	p.Flush(s)
	kind := crash.StackThread
	if m[1] == "Current thread" {
		kind = crash.StackCrash
	}
	thread := m[2]
	if m[3] != "" {
		thread = m[3]
	}
	s.Begin(crash.Stack{Kind: kind, Format: "python", Thread: thread})
	return true
}

// frame reads a line with a place.
func (p *pythonReader) frame(s *scanner, l reportLine) bool {
	if rubyQuoted().MatchString(l.Text) {
		return false // a service for errors shows stacks of Ruby like those of Python, but for their order
	}
	m := pythonFrame().FindStringSubmatch(l.Text)
	if m == nil {
		if i := strings.Index(l.Text, `File "`); i == 0 || p.inside && len(l.Text) < 400 {
			p.part = l // it may be wrapped
			return true
		}
		return false
	}
	f := crash.Frame{File: m[1], Line: atoi(m[2])}
	f.Symbol, f.Function = symbolOf(strings.Trim(m[3], ":?"))
	first := s.IsOpen("python") && !p.inside
	if i := strings.Index(l.Text, `File "`); i > 0 {
		l.Text = l.Text[i:]
	}
	if first && strings.Contains(l.Text, " in ") && !strings.Contains(l.Text, ", in ") {
		s.Add(l, f)
		return true
	}
	p.inside, p.code, p.strange, p.indent = true, true, 0, l.Indent
	p.frames.Add(l, f)
	return true
}

// row reads a line of a box of Rich: the place of a frame, a line of code, or the values of variables. The exception is below the box.
func (p *pythonReader) row(s *scanner, l reportLine) bool {
	text := strings.TrimPrefix(l.Text, "│")
	inside := strings.TrimRight(text, "│|")
	switch {
	case l.Text == "": // in a box of other signs, a row was a quote
		return true
	case text == l.Text && inside == text:
		p.box = richBox{}
		p.indent, p.code = l.Indent+2, false // what is not indented is the exception
		return strings.Trim(text, "╰└─┘╯+-") == "" || p.follows(s, l)
	}
	full := inside != text && !strings.HasSuffix(inside, "  ")
	text = strings.TrimSpace(inside)
	frames := p.frames.Frames
	switch code, hidden := richCode().FindStringSubmatch(text), richHidden().FindStringSubmatch(text); {
	case text == "", strings.IndexAny(text, "╭│╰┌└") == 0:
	case hidden != nil:
		p.frames.Omitted += atoi(hidden[1])
	case code != nil && p.box.head.Text == "":
		if n := len(frames); n > 0 && frames[n-1].Line == atoi(code[1]) {
			p.frames.Quote(richBeside().ReplaceAllString(strings.TrimLeft(code[2], "│| "), ""))
		}
	default:
		p.place(l, text, full)
	}
	return true
}

// place reads a row with a place, or a part of one.
func (p *pythonReader) place(l reportLine, text string, full bool) {
	head := p.box.head
	if head.Text == "" || len(head.Text) > maxRaw {
		head = l
		head.Text = text
	} else if joined := head.Text + text; p.box.full && (richPlace().MatchString(joined) || !strings.Contains(head.Text, ".py:")) {
		head.Text = joined
	} else {
		head.Text += " " + text
	}
	m := richPlace().FindStringSubmatch(head.Text)
	if m == nil {
		p.box.head, p.box.full = head, full
		return
	}
	p.box.head = reportLine{}
	p.inside, p.strange = true, 0
	p.frames.Add(head, crash.Frame{File: m[1], Line: atoi(m[2]), Function: m[3]})
}

// wrapped joins a wrapped frame with its next line.
func (p *pythonReader) wrapped(s *scanner, l reportLine) bool {
	part := p.part
	p.part = reportLine{}
	switch {
	case l.Text == "" && l.N-part.N < 3:
		p.part = part // copying can insert a blank line
		return false
	case l.Text == "":
		return false
	case strings.HasPrefix(l.Text, `File "`):
		p.cutOff(part)
		return p.frame(s, l)
	}
	space := " "
	if strings.Count(part.Text, `"`) == 1 && strings.Count(l.Text, `"`) == 1 {
		space = "" // a terminal wraps within a path
	}
	joined := part
	joined.Text += space + l.Text
	if pythonFrame().MatchString(joined.Text) {
		return p.frame(s, joined)
	}
	if len(joined.Text) < 400 && !strings.Contains(joined.Text, ", in ") && strings.Contains(joined.Text, `File "`) {
		p.part = joined
		return true
	}
	p.cutOff(part)
	return p.inside && p.follows(s, l)
}

// cutOff adds a frame whose line and function are missing.
func (p *pythonReader) cutOff(part reportLine) {
	if m := pythonFile().FindStringSubmatch(part.Text); m != nil && p.inside {
		p.frames.Add(part, crash.Frame{File: m[1]})
	}
}

// follows reports whether a line belongs to the lines after a frame.
func (p *pythonReader) follows(s *scanner, l reportLine) bool {
	t := l.Text
	if t == "" || pythonMarks().MatchString(t) {
		return t != ""
	}
	if m := pythonRepeat().FindStringSubmatch(t); m != nil {
		p.frames.Omitted += atoi(m[1])
		return true
	}
	if len(p.frames.Frames) > 0 {
		if kind, message, ok := p.exception(l); ok {
			p.end(s, l, kind, message)
			return true
		}
	}
	if len(p.frames.Frames) > 0 && (l.Indent > p.indent || p.code) {
		if p.code && (l.Indent > p.indent || l.Indent == p.indent && p.flat(l)) {
			p.frames.Quote(t)
		}
		p.code = false
		return true
	}
	if p.strange++; p.strange > maxStrange {
		p.Flush(s)
	}
	return false
}

// flat reports whether a line is the code of the last frame in a traceback that lost its indentation, as in a mail: it is right
// below the frame, and has a sign of code.
func (p *pythonReader) flat(l reportLine) bool {
	return l.N == p.frames.Frames[len(p.frames.Frames)-1].ReportLine+1 && !l.logged && strings.ContainsAny(l.Text, "(=[")
}

// exception reads the line of the exception at the end of a traceback.
func (p *pythonReader) exception(l reportLine) (kind, message string, ok bool) {
	re := pythonClass
	switch {
	case l.Indent > p.indent, len(l.Text) > maxText:
		return "", "", false
	case l.Indent == p.indent || p.indent-l.Indent == 1:
		re = pythonError
	}
	m := re().FindStringSubmatch(l.Text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// end records a traceback with the exception at its end.
func (p *pythonReader) end(s *scanner, l reportLine, kind, message string) {
	s.Fail(crash.Problem{Kind: kind, Message: message, Line: l.N})
	p.record(s, titleOf(kind, message))
}

// record records the current traceback.
func (p *pythonReader) record(s *scanner, title string) {
	if f := p.future; title == "" && f.Kind != "" && len(p.frames.Frames) > 0 && p.frames.Frames[0].ReportLine-f.Line <= 2 {
		s.Fail(f)
		title = titleOf(f.Kind, f.Message)
	}
	st := crash.Stack{Kind: crash.StackCrash, Format: "python", Problem: s.Problem, Title: cut(title, maxText), Thread: p.thread}
	if p.group {
		st.Kind = crash.StackCause
	}
	if title == "" {
		st.Problem = -1
	}
	p.frames.Keep(s, st)
	p.inside, p.code, p.strange, p.thread = false, false, 0, ""
}

// Flush records a traceback whose exception is missing.
func (p *pythonReader) Flush(s *scanner) {
	p.part = reportLine{}
	p.record(s, "")
}

// margins reads the line that separates the exceptions of an exception group.
func (p *pythonReader) margins(s *scanner, l reportLine) bool {
	if !groupMargin().MatchString(l.Text) {
		return false
	}
	p.Flush(s)
	p.group, p.member = strings.ContainsAny(l.Text, "0123456789"), 0
	if p.group {
		p.member = l.N
	}
	return true
}

// fatal reads the heading of faulthandler.
func (p *pythonReader) fatal(s *scanner, l reportLine) bool {
	m := pythonFatal().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	p.Flush(s)
	problem := crash.Problem{Kind: "Fatal Python error", Message: m[1], Line: l.N}
	for words, signal := range fatalSignals {
		if strings.HasPrefix(strings.ToLower(m[1]), words) {
			problem.Kind, problem.Signal = signal, signalNumbers[signal]
		}
	}
	s.Fail(problem)
	return true
}

// binary reads a frame of the C stack that faulthandler shows.
func (p *pythonReader) binary(s *scanner, l reportLine) bool {
	m := pythonBinary().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if !s.IsOpen("python") {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "python", Title: "C stack"})
	}
	f := crash.Frame{Module: m[1]}
	f.Symbol, f.Function = symbolOf(m[2])
	s.Add(l, f)
	return true
}
