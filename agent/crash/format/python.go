package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// python reads tracebacks of Python, whose innermost frame comes last, and the
// dumps of faulthandler, whose innermost frame comes first.
type python struct {
	margin  margin
	inside  bool     // a heading or a frame was read, and the exception was not
	indent  int      // of the last frame
	frames  backward // of the traceback
	part    line     // the begin of a frame that was wrapped
	code    bool     // the next line may be the code of the last frame
	strange int      // lines since the last frame that no traceback has
	group   bool     // within the exceptions of an exception group
	member  int      // the line after which an exception of the group is, 0 for none
	thread  string
}

// maxStrange is how many lines may be between the frames of a traceback that are
// neither frames nor code: wrapped code, and messages of other threads.
const maxStrange = 3

var (
	pythonFrame  = source.Lazy(`File "([^"]+)", line (\d+)(?:,? in (\S.*))?,?$`)
	pythonFile   = source.Lazy(`^File "([^"]+)"`)
	pythonBinary = source.Lazy(`^Binary file "([^"]+)"(?:, at (\S+?))?(?:\+0x[0-9a-f]+)? \[0x[0-9a-f]+\]$`)
	// An exception's class ends most often with one of these words. Where the
	// indentation is lost, code is told from the exception by that.
	pythonError  = source.Lazy(`^((?:[A-Za-z_]\w*\.)*\w*(?:Error|Exception|Warning|Exit|Interrupt|Iteration|Group|Fault|Failure|Failed|Timeout|Abort|Empty|Full|NotFound|Invalid))(?:: ?(.*))?$`)
	pythonClass  = source.Lazy(`^((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*|_*[A-Z]\w*)(?:: ?(.*))?$`)
	pythonMarks  = source.Lazy(`^[~^ ]+$`)
	pythonRepeat = source.Lazy(`^\[Previous line repeated (\d+) more times?\]$`)
	pythonDump   = source.Lazy(`^(Current thread|Thread) (0x[0-9a-f]+)(?: \[(.*?)\])?.* \(most recent call first\):$`)
	pythonFatal  = source.Lazy(`(?:Fatal Python error|Windows fatal exception): (.*?)$`)
	pythonThread = source.Lazy(`^Exception in thread (.*?):?$`)
	groupMargin  = source.Lazy(`^\+-+[+-]* ?(?:\d+ -+|\.\.\. -+|-*)$`)

	// The words of faulthandler for signals.
	fatalSignals = map[string]string{
		"segmentation fault": "SIGSEGV", "aborted": "SIGABRT", "bus error": "SIGBUS",
		"floating-point exception": "SIGFPE", "floating point exception": "SIGFPE",
		"illegal instruction": "SIGILL", "access violation": "SIGSEGV",
	}
)

func (p *python) read(s *scanner, l line) bool {
	l = p.margin.off(l)
	t := l.text
	switch {
	case strings.Contains(t, "(most recent call "):
		return p.heading(s, l)
	case p.part.text != "":
		return p.wrapped(s, l)
	case strings.Contains(t, `File "`):
		return p.frame(s, l)
	case t == "File" && p.inside:
		p.part = l
		return true
	case strings.HasPrefix(t, "During handling of the above exception"), strings.HasPrefix(t, "The above exception was the direct cause"):
		p.flush(s)
		s.demote("python")
		return true
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
	case p.member > 0 && p.member == l.n-1:
		// An exception that was never raised has no traceback.
		if m := pythonClass().FindStringSubmatch(t); m != nil {
			s.fail(crash.Problem{Kind: m[1], Message: m[2], Line: l.n})
			return true
		}
	}
	return p.inside && p.follows(s, l)
}

// heading reads the line before a stack.
func (p *python) heading(s *scanner, l line) bool {
	const last, stack = "Traceback (most recent call last)", "Stack (most recent call last)"
	for _, h := range []string{last, stack} {
		if strings.Contains(l.text, h) {
			p.flush(s)
			if m, _ := afterMargin(l.text, h); m != "" && !strings.HasPrefix(string(m), "+ ") {
				p.margin = m
			}
			p.inside, p.strange, p.indent = true, 0, l.indent
			return true
		}
	}
	m := pythonDump().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	p.flush(s)
	kind := crash.StackThread
	if m[1] == "Current thread" {
		kind = crash.StackCrash
	}
	thread := m[2]
	if m[3] != "" {
		thread = m[3]
	}
	s.begin(crash.Stack{Kind: kind, Format: "python", Thread: thread})
	return true
}

// frame reads a line with a place.
func (p *python) frame(s *scanner, l line) bool {
	m := pythonFrame().FindStringSubmatch(l.text)
	if m == nil {
		if i := strings.Index(l.text, `File "`); i == 0 || p.inside && len(l.text) < 400 {
			p.part = l // it may be wrapped
			return true
		}
		return false
	}
	f := crash.Frame{File: m[1], Line: atoi(m[2])}
	f.Symbol, f.Function = symbolOf(strings.Trim(m[3], ":?"))
	first := s.isOpen("python") && !p.inside
	if i := strings.Index(l.text, `File "`); i > 0 {
		l.text = l.text[i:]
	}
	if first && strings.Contains(l.text, " in ") && !strings.Contains(l.text, ", in ") {
		s.add(l, f)
		return true
	}
	p.inside, p.code, p.strange, p.indent = true, true, 0, l.indent
	p.frames.add(l, f)
	return true
}

// wrapped joins a frame that was wrapped with the line that goes on.
func (p *python) wrapped(s *scanner, l line) bool {
	part := p.part
	p.part = line{}
	switch {
	case l.text == "" && l.n-part.n < 3:
		p.part = part // copying can give a blank line
		return false
	case l.text == "":
		return false
	case strings.HasPrefix(l.text, `File "`):
		p.cutOff(part)
		return p.frame(s, l)
	}
	space := " "
	if strings.Count(part.text, `"`) == 1 && strings.Count(l.text, `"`) == 1 {
		space = "" // a terminal wraps within a path
	}
	joined := part
	joined.text += space + l.text
	if pythonFrame().MatchString(joined.text) {
		return p.frame(s, joined)
	}
	if len(joined.text) < 400 && !strings.Contains(joined.text, ", in ") && strings.Contains(joined.text, `File "`) {
		p.part = joined
		return true
	}
	p.cutOff(part)
	return p.inside && p.follows(s, l)
}

// cutOff adds a frame whose line and function are missing.
func (p *python) cutOff(part line) {
	if m := pythonFile().FindStringSubmatch(part.text); m != nil && p.inside {
		p.frames.add(part, crash.Frame{File: m[1]})
	}
}

// follows reports whether a line is one of those after a frame.
func (p *python) follows(s *scanner, l line) bool {
	t := l.text
	if t == "" || pythonMarks().MatchString(t) {
		return t != ""
	}
	if m := pythonRepeat().FindStringSubmatch(t); m != nil {
		p.frames.omitted += atoi(m[1])
		return true
	}
	if len(p.frames.frames) > 0 {
		if kind, message, ok := p.exception(l); ok {
			p.end(s, l, kind, message)
			return true
		}
	}
	if len(p.frames.frames) > 0 && (l.indent > p.indent || p.code) {
		p.code = false
		return true
	}
	if p.strange++; p.strange > maxStrange {
		p.flush(s)
	}
	return false
}

// exception reads the line of the exception that ends a traceback.
func (p *python) exception(l line) (kind, message string, ok bool) {
	re := pythonClass
	switch {
	case l.indent > p.indent, len(l.text) > maxText:
		return "", "", false
	case l.indent == p.indent || p.indent-l.indent == 1:
		re = pythonError
	}
	m := re().FindStringSubmatch(l.text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// end records a traceback with the exception that ended it.
func (p *python) end(s *scanner, l line, kind, message string) {
	s.fail(crash.Problem{Kind: kind, Message: message, Line: l.n})
	p.record(s, titleOf(kind, message))
}

// record keeps the traceback that was read.
func (p *python) record(s *scanner, title string) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "python", Problem: s.problem, Title: cut(title, maxText), Thread: p.thread}
	if p.group {
		st.Kind = crash.StackCause
	}
	if title == "" {
		st.Problem = -1
	}
	p.frames.keep(s, st)
	p.inside, p.code, p.strange, p.thread = false, false, 0, ""
}

// flush records a traceback whose exception is missing.
func (p *python) flush(s *scanner) {
	p.part = line{}
	p.record(s, "")
}

// margins reads the line that separates the exceptions of an exception group.
func (p *python) margins(s *scanner, l line) bool {
	if !groupMargin().MatchString(l.text) {
		return false
	}
	p.flush(s)
	p.group, p.member = strings.ContainsAny(l.text, "0123456789"), 0
	if p.group {
		p.member = l.n
	}
	return true
}

// fatal reads the heading of faulthandler.
func (p *python) fatal(s *scanner, l line) bool {
	m := pythonFatal().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	p.flush(s)
	problem := crash.Problem{Kind: "Fatal Python error", Message: m[1], Line: l.n}
	for words, signal := range fatalSignals {
		if strings.HasPrefix(strings.ToLower(m[1]), words) {
			problem.Kind, problem.Signal = signal, signalNumbers[signal]
		}
	}
	s.fail(problem)
	return true
}

// binary reads a frame of the C stack that faulthandler shows.
func (p *python) binary(s *scanner, l line) bool {
	m := pythonBinary().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if !s.isOpen("python") {
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "python", Title: "C stack"})
	}
	f := crash.Frame{Module: m[1]}
	f.Symbol, f.Function = symbolOf(m[2])
	s.add(l, f)
	return true
}
