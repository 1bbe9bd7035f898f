package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// rust reads panics of Rust, and backtraces whose frames are two lines, the
// function and its place.
type rust struct {
	part   line // the begin of a panic's message that has several lines
	thread string
	awaits int  // line after which the message of a panic stands, 0 for none
	held   line // a function, whose place may come next
	name   string
}

var (
	rustPanic   = source.Lazy(`thread '([^']*)'(?: \(\d+\))? panicked at (.*)$`)
	rustAt      = source.Lazy(`^([^'"]*[^'"\s]\.rs):(\d+):(\d+):?$`)
	rustMessage = source.Lazy(`^(?:'(.*)'|(.*)), (\S[^',]*\.rs):(\d+)(?::(\d+))?$`)
	rustFrame   = source.Lazy(`^(\d{1,4}): +(?:0x[0-9a-f]+ - )?(\S.*)$`)
	rustPlace   = source.Lazy(`^at (\S.*?):(\d+)(?::(\d+))?$`)
	rustStack   = source.Lazy(`thread '([^']*)'(?: \(\d+\))? has overflowed its stack`)
)

func (r *rust) read(s *scanner, l line) bool {
	t := l.text
	switch {
	case t == "":
		return false
	case r.part.text != "":
		return r.message(s, l)
	case strings.Contains(t, "' panicked at ") || strings.Contains(t, ") panicked at "):
		return r.panics(s, l)
	case strings.Contains(t, "has overflowed its stack"):
		if m := rustStack().FindStringSubmatch(t); m != nil {
			s.fail(crash.Problem{Kind: "stack overflow", Message: t, Line: l.n})
			return true
		}
	case len(t) < 20 && (strings.EqualFold(t, "stack backtrace:") || strings.EqualFold(t, "backtrace:")):
		r.awaits = 0
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
		return true
	case isDigit(t[0]) && strings.Contains(t[:min(len(t), 6)], ": "):
		return r.frame(s, l)
	case strings.HasPrefix(t, "at ") && (r.held.text != "" || s.isOpen("rust")):
		return r.frame(s, l)
	case r.awaits == l.n-1 && r.awaits > 0 && !strings.HasPrefix(t, "note: "):
		r.awaits = 0
		if p := s.failing(); p != nil && p.Message == "" {
			p.Message = cut(t, maxText)
		}
		return true
	}
	return false
}

// panics reads the line of a panic. Since Rust 1.73 the message is on the next
// line; before, it was in quotes.
func (r *rust) panics(s *scanner, l line) bool {
	m := rustPanic().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	r.thread = m[1]
	if at := rustAt().FindStringSubmatch(m[2]); at != nil {
		r.panicked(s, l, "", at[1:])
		r.awaits = l.n
		return true
	}
	l.text = m[2]
	if at := rustMessage().FindStringSubmatch(m[2]); at != nil {
		r.panicked(s, l, at[1]+at[2], at[3:])
		return true
	}
	s.fail(crash.Problem{Kind: "panic", Message: strings.TrimPrefix(m[2], "'"), Line: l.n})
	r.part = l
	return true
}

// message reads the lines of a message in quotes up to the place.
func (r *rust) message(s *scanner, l line) bool {
	at := rustMessage().FindStringSubmatch(r.part.text + " " + l.text)
	switch {
	case at != nil:
		if p := s.failing(); p != nil {
			p.Message = cut(at[1]+at[2], maxText)
		}
		r.place(s, l, at[3:])
		r.part = line{}
		return true
	case l.n-r.part.n > 10 || len(r.part.text) > maxText || strings.EqualFold(l.text, "stack backtrace:"):
		r.part = line{}
		return r.read(s, l)
	}
	r.part.text += " " + l.text
	return true
}

func (r *rust) panicked(s *scanner, l line, message string, at []string) {
	s.fail(crash.Problem{Kind: "panic", Message: message, Line: l.n})
	r.place(s, l, at)
}

// place records the place that a panic names.
func (r *rust) place(s *scanner, l line, at []string) {
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
	s.add(l, crash.Frame{File: at[0], Line: atoi(at[1]), Column: atoi(at[2]), Assertion: true})
	s.close()
}

// frame reads the lines of a frame.
func (r *rust) frame(s *scanner, l line) bool {
	if m := rustFrame().FindStringSubmatch(l.text); m != nil {
		open := s.isOpen("rust")
		if !open && !strings.Contains(m[2], "::") {
			return false
		}
		r.flush(s)
		r.held, r.name = l, m[2]
		if open {
			s.hold(r)
		}
		return open
	}
	m := rustPlace().FindStringSubmatch(l.text)
	if m == nil || r.held.text == "" && !s.isOpen("rust") {
		return false
	}
	rs := strings.HasSuffix(m[1], ".rs")
	if !s.isOpen("rust") {
		if !rs || l.n-r.held.n > 2 {
			return false
		}
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
	}
	f := crash.Frame{File: m[1], Line: atoi(m[2]), Column: atoi(m[3])}
	if r.held.text != "" {
		f.Symbol, f.Function = symbolOf(r.name)
		l = r.held
		r.held = line{}
		f.Raw = l.text + " " + m[0]
	}
	s.add(l, f)
	return true
}

// flush adds the frame that has no place.
func (r *rust) flush(s *scanner) {
	if r.held.text != "" && s.isOpen("rust") && r.name != "<unknown>" {
		var f crash.Frame
		f.Symbol, f.Function = symbolOf(r.name)
		s.add(r.held, f)
	}
	r.held = line{}
}
