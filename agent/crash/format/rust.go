package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// rustReader reads panics of Rust, and backtraces with two lines for each frame, the function and
// its place.
type rustReader struct {
	part   reportLine // the beginning of a panic's message with several lines
	thread string
	awaits int        // line before the message of a panic, 0 for none
	head   string     // the first line of the last panic without a message in it
	held   reportLine // a function; its place may come next
	name   string
	eyre   eyreReport
	miette int  // the last line of a panic as miette prints it, 0 for none
	titled bool // the last panic has no place, as in a title: the next one may be the same
}

// An eyreReport is what eyre, color-eyre and anyhow print of an error, or of a panic, before its place and its stack.
type eyreReport struct {
	head    reportLine // "Error: ..." or "The application panicked (crashed)."
	message string
	place   int // the line before the place, 0 for none
}

// maxEyre is the number of lines from the head of an error to its place or its stack: the chain of its causes.
const maxEyre = 20

var (
	rustPanic   = source.Lazy(`thread (?:'([^']*)' )?(?:\(\d+\) )?panicked at (.*)$`)
	rustAt      = source.Lazy(`^([^'"]*?[^'"\s]\.rs):(\d+):(\d+)(?::(?: +(\S.*))?)?$`)
	rustMessage = source.Lazy(`^(?:'(.*)'|(.*)), (\S[^',]*\.rs):(\d+)(?::(\d+))?$`)
	rustWrapped = source.Lazy(`', [^\s']*[/\\][^\s']*$`) // the beginning of a path, whose rest a terminal wrapped
	// What a program says that caught a panic, without the thread: "panicked at src/a.rs:1:2:", and ruff.
	rustCaught = source.Lazy(`^(?:panic: )?[Pp]anicked at (.+)$`)
	rustDuring = source.Lazy(`^([^'"]*?[^'"\s]\.rs):(\d+):(\d+) when [^:]+: \x60?(.*?)\x60?$`)
	rustFrame  = source.Lazy(`^(\d{1,4}): +(?:0x[0-9a-f]+ - )?(\S.*)$`)
	rustPlace  = source.Lazy(`^at (\S.*?):(\d+)(?::(\d+))?$`)
	eyreHead   = source.Lazy(`^(?:Error: *(.*)|The application panicked \(crashed\)\.)$`)
	eyreCause  = source.Lazy(`^(?:0: |Message: +)(\S.*)$`)
	eyrePlace  = source.Lazy(`^(?:Location: +)?(\S.*\.rs):(\d+)(?::(\d+))?$`)
	// The lines of miette: "Error:   × Main thread panicked.", its place, and the message.
	miettePanic = source.Lazy(`(?:^|[ :])× (?:[Tt]hread '([^']*)'|.*) panicked\.$`)
	mietteTree  = source.Lazy(`^(?:│|([├╰])─▶ (\S.*)$)`)
	miettePlace = source.Lazy(`^[Aa]t (\S.*\.rs):(\d+):(\d+)$`)
	eyreHidden  = source.Lazy(`^⋮ (\d+) frames? hidden ⋮$`)
	rustStack   = source.Lazy(`thread '([^']*)'(?: \(\d+\))? has overflowed its stack`)
)

// Read implements lineReader.
func (r *rustReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "":
		return false
	case r.part.Text != "":
		return r.message(s, l)
	case strings.Contains(t, "' panicked at ") || strings.Contains(t, ") panicked at ") || strings.Contains(t, "thread panicked at "):
		return r.panics(s, l)
	case strings.HasPrefix(t, "panicked at ") || strings.HasPrefix(t, "panic: Panicked at "):
		return r.caught(s, l)
	case strings.HasPrefix(t, "Backtrace: ") && r.begins(s, l):
		return true
	case strings.Contains(t, "has overflowed its stack"):
		if m := rustStack().FindStringSubmatch(t); m != nil {
			s.Fail(crash.Problem{Kind: "stack overflow", Message: t, Line: l.N})
			return true
		}
	case strings.HasSuffix(t, " panicked.") && miettePanic().MatchString(t):
		r.miette, r.thread = l.N, miettePanic().FindStringSubmatch(t)[1]
		return true
	case r.miette > 0 && l.N-r.miette <= 1 && r.tree(s, l):
		return true
	case strings.HasPrefix(t, "⋮ ") && s.IsOpen("rust"):
		if m := eyreHidden().FindStringSubmatch(t); m != nil {
			s.Open.Omitted += atoi(m[1])
			s.Last = l.N
		}
		return true
	case strings.Trim(t, "━ ") == "BACKTRACE", len(t) < 20 && (strings.EqualFold(t, "stack backtrace:") || strings.EqualFold(t, "backtrace:")):
		r.awaits = 0
		r.failed(s, l)
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
		return true
	case r.error(s, l):
		return true
	case source.IsDigit(t[0]) && strings.Contains(t[:min(len(t), 6)], ": "):
		return r.frame(s, l)
	case strings.HasPrefix(t, "at ") && (r.held.Text != "" || s.IsOpen("rust")):
		return r.frame(s, l)
	case r.awaits == l.N-1 && r.awaits > 0 && !strings.HasPrefix(t, "note: "):
		r.awaits = 0
		if p := s.Failing(); p != nil && p.Message == "" {
			p.Message = cut(t, maxText)
		}
		return true
	}
	return false
}

// panics reads the line of a panic. Since Rust 1.73 the message is on the next line; earlier
// versions put it in quotes. Somebody may have pasted both lines as one, and left out the thread's name.
func (r *rustReader) panics(s *scanner, l reportLine) bool {
	m := rustPanic().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	return r.panicsAt(s, l, m)
}

// panicsAt reads the thread, and the place and the message of a panic.
func (r *rustReader) panicsAt(s *scanner, l reportLine, m []string) bool {
	r.thread, r.eyre = m[1], eyreReport{}
	if at := rustAt().FindStringSubmatch(m[2]); at != nil {
		if p := s.Failing(); p != nil && p.Message == "" && r.head == m[0] && at[4] == "" {
			r.awaits = l.N // a title has the line, too, without the message
			return true
		}
		r.head = m[0]
		r.panicked(s, l, at[4], at[1:])
		if r.awaits = 0; at[4] == "" {
			r.awaits = l.N
		}
		return true
	}
	l.Text = m[2]
	if at := rustMessage().FindStringSubmatch(m[2]); at != nil {
		r.panicked(s, l, at[1]+at[2], at[3:])
		return true
	}
	message, closed := strings.CutSuffix(strings.TrimPrefix(m[2], "'"), "'")
	s.Fail(crash.Problem{Kind: "panic", Message: message, Line: l.N})
	if r.titled = true; !closed || message == "" {
		r.part = l
	}
	return true
}

// caught reads a panic that names no thread: its place must be there.
func (r *rustReader) caught(s *scanner, l reportLine) bool {
	m := rustCaught().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if at := rustDuring().FindStringSubmatch(m[1]); at != nil {
		r.thread = ""
		r.panicked(s, l, at[4], at[1:])
		return true
	}
	if !rustAt().MatchString(m[1]) && !rustMessage().MatchString(m[1]) {
		return false
	}
	return r.panicsAt(s, l, []string{m[0], "", m[1]})
}

// begins reads a heading with the first frame behind it: "Backtrace:    0: ruff::panic::catch_unwind".
func (r *rustReader) begins(s *scanner, l reportLine) bool {
	l.Text = strings.TrimSpace(strings.TrimPrefix(l.Text, "Backtrace:"))
	m := rustFrame().FindStringSubmatch(l.Text)
	if m == nil || m[1] != "0" || !strings.Contains(m[2], "::") && m[2] != "<unknown>" {
		return false
	}
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
	return r.frame(s, l)
}

// tree reads the branches below a panic as miette prints it: its place, and last its message. Between them,
// zellij tells which threads asked for what.
func (r *rustReader) tree(s *scanner, l reportLine) bool {
	m := mietteTree().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	r.miette = l.N
	if at := miettePlace().FindStringSubmatch(m[2]); at != nil {
		r.panicked(s, l, "", at[1:])
	} else if p := s.Failing(); p != nil && p.Message == "" && m[1] == "╰" {
		p.Message = cut(m[2], maxText)
	}
	return true
}

// message reads the lines of a message in quotes up to the place.
func (r *rustReader) message(s *scanner, l reportLine) bool {
	between := " "
	if rustWrapped().MatchString(r.part.Text) {
		between = ""
	}
	at := rustMessage().FindStringSubmatch(r.part.Text + between + l.Text)
	switch {
	case strings.Contains(l.Text, " panicked at ") && rustPanic().MatchString(l.Text):
		if p := s.Failing(); p != nil {
			p.Message = "" // a title, which was cut
		}
		r.part = reportLine{}
		return r.Read(s, l)
	case at != nil:
		if p := s.Failing(); p != nil {
			p.Message = cut(at[1]+at[2], maxText)
		}
		r.place(s, l, at[3:])
		r.part, r.titled = reportLine{}, false
		return true
	case l.N-r.part.N > 10 || len(r.part.Text) > maxText || strings.EqualFold(l.Text, "stack backtrace:"):
		r.part = reportLine{}
		return r.Read(s, l)
	}
	r.part.Text += between + l.Text
	return true
}

// panicked records a panic with its place. A title may have told it without.
func (r *rustReader) panicked(s *scanner, l reportLine, message string, at []string) {
	if p := s.Failing(); r.titled && p != nil && (p.Message == "" || p.Message == message) {
		p.Message = cut(message, maxText)
	} else {
		s.Fail(crash.Problem{Kind: "panic", Message: message, Line: l.N})
	}
	r.titled = false
	r.place(s, l, at)
}

// place records the place in a panic.
func (r *rustReader) place(s *scanner, l reportLine, at []string) {
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
	s.Add(l, crash.Frame{File: at[0], Line: atoi(at[1]), Column: atoi(at[2]), Assertion: true})
	s.Close()
}

// frame reads the lines of a frame.
func (r *rustReader) frame(s *scanner, l reportLine) bool {
	if m := rustFrame().FindStringSubmatch(l.Text); m != nil {
		open := s.IsOpen("rust")
		if !open && !strings.Contains(m[2], "::") {
			return false
		}
		r.Flush(s)
		r.held, r.name = l, m[2]
		if open {
			s.Hold(r)
		}
		return open
	}
	m := rustPlace().FindStringSubmatch(l.Text)
	if m == nil || r.held.Text == "" && !s.IsOpen("rust") {
		return false
	}
	rs := strings.HasSuffix(m[1], ".rs")
	if !s.IsOpen("rust") {
		if !rs || l.N-r.held.N > 2 {
			return false
		}
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "rust", Thread: r.thread})
	}
	f := crash.Frame{File: m[1], Line: atoi(m[2]), Column: atoi(m[3])}
	if r.held.Text != "" {
		f.Symbol, f.Function = symbolOf(r.name)
		l = r.held
		r.held = reportLine{}
		f.Raw = l.Text + " " + m[0]
	}
	s.Add(l, f)
	return true
}

// error reads the lines of an error, or of a panic, up to its place, with which an error alone is a report.
func (r *rustReader) error(s *scanner, l reportLine) bool {
	e := &r.eyre
	if m := eyreHead().FindStringSubmatch(l.Text); m != nil {
		*e = eyreReport{head: l, message: m[1]}
		return false
	}
	if e.head.Text == "" || l.N-e.head.N > maxEyre {
		*e = eyreReport{}
		return false
	}
	if m := eyreCause().FindStringSubmatch(l.Text); m != nil && e.message == "" {
		e.message = m[1]
		return true
	}
	if l.Text == "Location:" {
		e.place = l.N
		return true
	}
	m := eyrePlace().FindStringSubmatch(l.Text)
	if m == nil || e.place != l.N-1 && !strings.HasPrefix(l.Text, "Location:") {
		return false
	}
	r.failed(s, l)
	r.place(s, l, m[1:])
	return true
}

// failed records the error whose place or stack comes next.
func (r *rustReader) failed(s *scanner, l reportLine) {
	e := r.eyre
	r.eyre = eyreReport{}
	if e.head.Text == "" || l.N-e.head.N > maxEyre {
		return
	}
	kind := "Error"
	if !strings.HasPrefix(e.head.Text, kind) {
		kind = "panic"
	}
	s.Fail(crash.Problem{Kind: kind, Message: e.message, Line: e.head.N})
}

// Flush adds the frame without a place.
func (r *rustReader) Flush(s *scanner) {
	if r.held.Text != "" && s.IsOpen("rust") && r.name != "<unknown>" {
		var f crash.Frame
		f.Symbol, f.Function = symbolOf(r.name)
		s.Add(r.held, f)
	}
	r.held = reportLine{}
}
