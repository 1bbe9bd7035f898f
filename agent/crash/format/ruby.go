package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// ruby reads backtraces of Ruby, and what its interpreter prints when it crashes
// itself: the stack of the program, innermost last, and its own.
type ruby struct {
	head     line     // the last line that may name the exception
	backward backward // of a stack whose innermost frame is last
	reversed bool     // the stack of a crash of the interpreter is read
}

var (
	rubyFrame  = source.Lazy("^(?:\\d+: )?(?:from )?(\\S(?:[^:]|:[/\\\\])*?|\\([\\w ]+\\)|<internal:[\\w/.-]+>):(\\d+):in ?[`'‘\"](.+?)['’](?:: (.*))?$")
	rubyPlain  = source.Lazy(`^(?:\d+: )?from (\S(?:[^:]|:[/\\])*?\.\w+):(\d+)$`)
	rubyTop    = source.Lazy(`^(\S+\.rb):(\d+): (.* \([A-Z]\w*(?:::\w+)*\))$`)
	rubyRaised = source.Lazy(`^(.*?)(?: \(([A-Z]\w*(?:::\w+)*)\))?$`)
	rubyHead   = source.Lazy(`^(?:.*?[\s:])??((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|Interrupt|NotFound|Invalid|Denied|Timeout)\w*)(?:: (.*)| \((.*)\):?|:)?$`)
	rubyBug    = source.Lazy(`^(.+?):(\d+): \[BUG\] (.*)$`)
	rubyNative = source.Lazy(`^(\S[^()]*)\(([^()]*)\)(?: \[(?:0x)?[0-9a-f]+\])?(?: (\S+):(\d+))?$`)
	rubyMadeOf = source.Lazy(`^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+`)
)

func (r *ruby) read(s *scanner, l line) bool {
	t := l.text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case strings.Contains(t, ":in "), strings.Contains(t, ":in`"), strings.Contains(t, ":in'"), strings.HasPrefix(t, "from ") && s.isOpen("ruby"):
		return r.frame(s, l)
	case t[len(t)-1] == ')' && strings.Contains(t, ".rb:") && rubyTop().MatchString(t):
		m := rubyTop().FindStringSubmatch(t)
		r.raised(s, l, crash.Frame{File: m[1], Line: atoi(m[2])}, m[3])
		return true
	case strings.Contains(t, ": [BUG] "):
		return r.bug(s, l)
	case strings.HasPrefix(t, "-- "):
		return r.section(s, t)
	case s.isOpen("ruby") && s.open.Title == "C level backtrace":
		return r.native(s, l)
	case mayBeRaised(t):
		if rubyHead().MatchString(t) {
			r.head = l
		}
	}
	return false
}

// mayBeRaised is a quick test that lets few other lines pass.
func mayBeRaised(t string) bool {
	for _, word := range []string{"Error", "Exception", "Interrupt", "NotFound", "Invalid", "Denied", "Timeout"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// frame reads "from file.rb:12:in 'm'", or the first line of a backtrace, which
// has the message and the class of the exception.
func (r *ruby) frame(s *scanner, l line) bool {
	m := rubyFrame().FindStringSubmatch(l.text)
	if m == nil {
		p := rubyPlain().FindStringSubmatch(l.text)
		if p == nil || !s.isOpen("ruby") {
			return false
		}
		s.add(l, crash.Frame{File: p[1], Line: atoi(p[2])})
		return true
	}
	f := crash.Frame{File: strings.TrimSpace(m[1]), Line: atoi(m[2])}
	f.Function = strings.TrimPrefix(rubyMadeOf().ReplaceAllString(m[3], ""), "Object#")
	if f.Function != m[3] {
		f.Symbol = m[3]
	}
	numbered := isDigit(l.text[0]) && strings.Contains(l.text, ": from ")
	switch {
	case r.reversed || numbered:
		r.backward.add(l, f)
	case m[4] != "":
		r.raised(s, l, f, m[4])
	default:
		r.add(s, l, f)
	}
	return true
}

// raised begins the backtrace of an exception.
func (r *ruby) raised(s *scanner, l line, f crash.Frame, text string) {
	m := rubyRaised().FindStringSubmatch(text)
	kind := m[2]
	if kind == "" {
		kind = "exception"
	}
	s.fail(crash.Problem{Kind: kind, Message: m[1], Line: l.n})
	title := titleOf(kind, m[1])
	if len(r.backward.frames) > 0 { // it is the last line of the stack
		st := crash.Stack{Kind: crash.StackCrash, Format: "ruby", Problem: s.problem, Title: cut(title, maxText)}
		r.backward.add(l, f)
		r.backward.keep(s, st)
		return
	}
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: "ruby", Title: title})
	s.add(l, f)
}

// add adds a frame. Frameworks print the exception in a line before.
func (r *ruby) add(s *scanner, l line, f crash.Frame) {
	if !s.isOpen("ruby") || s.since(l) > 5 || r.head.n > s.last {
		st := crash.Stack{Kind: crash.StackCrash, Format: "ruby"}
		if m := rubyHead().FindStringSubmatch(r.head.text); m != nil && l.n-r.head.n <= 10 {
			s.fail(crash.Problem{Kind: m[1], Message: m[2] + m[3], Line: r.head.n})
			st.Title = titleOf(m[1], m[2]+m[3])
		}
		s.begin(st)
	}
	s.add(l, f)
}

// bug reads the line with which the interpreter tells that it crashed.
func (r *ruby) bug(s *scanner, l line) bool {
	m := rubyBug().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	p := crash.Problem{Kind: "[BUG]", Message: m[3], Line: l.n}
	if strings.HasPrefix(m[3], "Segmentation fault") {
		p.Kind, p.Signal = "SIGSEGV", signalNumbers["SIGSEGV"]
		if i := strings.Index(m[3], "0x"); i > 0 {
			p.Address = m[3][i:]
			p.Null = crash.NearNull(p.Address)
		}
	}
	s.fail(p)
	s.addPlace(l, "ruby", crash.Frame{File: m[1], Line: atoi(m[2])})
	return true
}

// section reads the headings of the parts of the interpreter's report.
func (r *ruby) section(s *scanner, t string) bool {
	r.flush(s)
	r.reversed = strings.HasPrefix(t, "-- Ruby level backtrace")
	if strings.HasPrefix(t, "-- C level backtrace") {
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "ruby", Title: "C level backtrace"})
		return true
	}
	if s.isOpen("ruby") {
		s.close()
	}
	return r.reversed
}

// native reads "lib.so(fn+0x7c) [0x...] file.c:12".
func (r *ruby) native(s *scanner, l line) bool {
	m := rubyNative().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	f := crash.Frame{Module: strings.TrimPrefix(m[1], "Rack: "), File: m[3], Line: atoi(m[4])}
	if name, _, _ := strings.Cut(m[2], "+0x"); !strings.HasPrefix(name, "0x") {
		f.Symbol, f.Function = symbolOf(name)
	}
	if f.File == "(null)" {
		f.File, f.Line = "", 0
	}
	s.add(l, f)
	return true
}

// flush records a stack that was held back.
func (r *ruby) flush(s *scanner) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "ruby", Problem: s.problem, Title: "Ruby level backtrace"}
	r.backward.keep(s, st)
	r.reversed = false
}
