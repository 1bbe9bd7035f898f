package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// rubyReader reads backtraces of Ruby, and the report of a crash of its interpreter: the stack of
// the program, innermost last, and the interpreter's own stack.
type rubyReader struct {
	head     reportLine // the last line that may name the exception
	backward backward   // of a stack whose innermost frame is last
	said     reportLine // the last line in which a program says what failed, without the exception: "Error: no implicit conversion"
	named    int        // the last line in which a service names the exception; its message comes next
	far      bool       // head is of a service that has a form between the exception and its stack
	reversed bool       // the stack of a crash of the interpreter is read
}

var (
	rubyFrame = source.Lazy(
		"^(?:\\d+: )?(?:from )?(\\S(?:[^:]|:[/\\\\])*?|\\([\\w ]+\\)|<internal:[\\w/.-]+>):(\\d+):in ?[`'‘\"](.+?)['’](?:: (.*))?$",
	)
	rubyPlain  = source.Lazy(`^(?:\d+: )?from (\S(?:[^:]|:[/\\])*?\.\w+):(\d+)$`)
	rubyTop    = source.Lazy(`^(\S+\.rb):(\d+): (.* \([A-Z]\w*(?:::\w+)*\))$`)
	rubyRaised = source.Lazy(`^(.*?)(?: \(([A-Z]\w*(?:::\w+)*)\))?$`)
	rubyHead   = source.Lazy(
		`^(?:.*?[\s:])??((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception|Interrupt|NotFound|Invalid|Denied|Timeout)\w*|(?:[A-Z]\w*::)+(?:Error|Exception|Timeout|Invalid|NotFound))(?:: (.*)| \((.*)\):?|:)?$`,
	)
	rubyBefore = source.Lazy(`^(?:.*[\s\]])?((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception)) - (\S.*?):?$`)
	rubyBehind = source.Lazy(`^(?:\[\w+\] |[A-Za-z]+: )?([a-z][^()]*(?:[\x60'‘"][^'’"]*['’"][^()]*)?) \(((?:[A-Z]\w*::)*[A-Z]\w*(?:Error|Exception))\):?$`)
	rubyBug    = source.Lazy(`^(.+?):(\d+): \[BUG\] (.*)$`)
	rubyNative = source.Lazy(`^(\S[^()]*)\(([^()]*)\)(?: \[(?:0x)?[0-9a-f]+\])?(?: (\S+):(\d+))?$`)
	// The frames of services that collect errors, Errbit, Bugsnag, Honeybadger, Rollbar and Airbrake.
	rubyArrow   = source.Lazy(`^(\S+\.\w+):(\d+)→ (\S.*)$`)
	rubyDash    = source.Lazy(`^(\S+\.(?:rb|rake|ru|haml|erb|slim|builder)):(\d+) - ((?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )?\S+)$`)
	rubyLint    = source.Lazy(`(?i) - (?:convention|error|fatal|failure|failed|hint|info|notice|ok|refactor|style|warn|warning)$`)
	rubyBugsnag = source.Lazy(`^\*\*([A-Z]\w*(?:::\w+)*)\*\* in \*\*.*\*\*$`)
	rubyLineOf  = source.Lazy(`^line (\d+) of (\S+\.\w+): (\S.*)$`)
	rubyQuoted  = source.Lazy(`^(?:\d+ )?File "([^"]+\.(?:rb|rake|ru|haml|erb|slim|builder))",? line (\d+),? in (\S.*)$`)
	rubyUnquote = source.Lazy(`^(\S+\.(?:rb|rake|ru|haml|erb|slim|builder)):(\d+):in ((?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )*(?:<[^<>]+>|[^\s'"\x60‘’]+))$`)
	// The form of Airbrake: **Error type:** and **Error message:**, with a value in code behind each.
	rubyField  = source.Lazy("^\\*\\*Error (type|message):\\*\\* `+ ?(.*?) ?`+$")
	rubyMadeOf = source.Lazy(`^(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+`)
)

// rubySaid begins the line of a program that prints the message of an exception and not its class.
const rubySaid = "Error: "

// Limits on the lines from the exception to its stack, and where a form is between them.
const (
	maxHead = 10
	maxForm = 40
)

// Read implements lineReader.
func (r *rubyReader) Read(s *scanner, l reportLine) bool {
	l.Text = rubyOwnForm(l.Text, s.IsOpen("ruby"))
	t := l.Text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case r.named > 0 && r.named == l.N-1 && r.head.N == r.named:
		r.head.Text += " " + t
	case strings.HasPrefix(t, "**Error ") && rubyField().MatchString(t):
		r.field(l)
	case strings.HasPrefix(t, "**") && rubyBugsnag().MatchString(t):
		r.head, r.far = reportLine{N: l.N, Text: rubyBugsnag().ReplaceAllString(t, "$1:")}, false
		r.named = l.N
	case strings.Contains(t, ":in "), strings.Contains(t, ":in`"), strings.Contains(t, ":in'"), strings.HasPrefix(t, "from ") && s.IsOpen("ruby"):
		return r.frame(s, l)
	case t[len(t)-1] == ')' && strings.Contains(t, ".rb:") && rubyTop().MatchString(t):
		m := rubyTop().FindStringSubmatch(t)
		r.raised(s, l, crash.Frame{File: m[1], Line: atoi(m[2])}, m[3])
		return true
	case strings.Contains(t, ": [BUG] "):
		return r.bug(s, l)
	case strings.HasPrefix(t, "-- "):
		return r.section(s, t)
	case s.IsOpen("ruby") && s.Open.Title == "C level backtrace":
		return r.native(s, l)
	case strings.HasPrefix(t, rubySaid):
		r.said = l
	case mayBeRaised(t):
		if l.Text = rubyNamed(t); rubyHead().MatchString(l.Text) {
			r.head, r.far = l, false
		}
	}
	return false
}

// rubyOwnForm returns a frame that a service for errors shows as Ruby prints it; other lines are as they were. A linter
// prints how bad its finding is where a service has the function; a function with such a name does not begin a stack.
func rubyOwnForm(t string, open bool) string {
	switch {
	case strings.Contains(t, "→ "):
		return rubyArrow().ReplaceAllString(t, "$1:$2:in '$3'")
	case strings.Contains(t, " - ") && (open || !rubyLint().MatchString(t)):
		return rubyDash().ReplaceAllString(t, "$1:$2:in '$3'")
	case strings.Contains(t, `File "`):
		return rubyQuoted().ReplaceAllString(t, "$1:$2:in '$3'")
	case strings.Contains(t, ":in "):
		return rubyUnquote().ReplaceAllString(t, "$1:$2:in '$3'")
	case strings.HasPrefix(t, "line "):
		return rubyLineOf().ReplaceAllString(t, "$2:$1:in '$3'")
	}
	return t
}

// rubyNamed returns a line that names an exception with the exception first: frameworks print "NoMethodError - undefined method", and others
// "undefined method (NoMethodError)". Other lines are as they were.
func rubyNamed(t string) string {
	if m := rubyBehind().FindStringSubmatch(t); m != nil {
		return m[2] + ": " + m[1]
	}
	return rubyBefore().ReplaceAllString(t, "$1: $2")
}

// field reads the type or the message of an exception in a form.
func (r *rubyReader) field(l reportLine) {
	m := rubyField().FindStringSubmatch(l.Text)
	switch {
	case m[1] == "type":
		r.head, r.far = reportLine{N: l.N, Text: m[2] + ":"}, true
	case r.far && r.head.N == l.N-1:
		r.head.Text += " " + m[2]
	}
}

// mayBeRaised is a quick test that rejects most other lines.
func mayBeRaised(t string) bool {
	for _, word := range []string{"Error", "Exception", "Interrupt", "NotFound", "Invalid", "Denied", "Timeout"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// frame reads "from file.rb:12:in 'm'", or the first line of a backtrace, which contains the
// message and the class of the exception.
func (r *rubyReader) frame(s *scanner, l reportLine) bool {
	m := rubyFrame().FindStringSubmatch(l.Text)
	if m == nil {
		p := rubyPlain().FindStringSubmatch(l.Text)
		if p == nil || !s.IsOpen("ruby") {
			return false
		}
		s.Add(l, crash.Frame{File: p[1], Line: atoi(p[2])})
		return true
	}
	f := crash.Frame{File: strings.TrimSpace(m[1]), Line: atoi(m[2])}
	f.Function = strings.TrimPrefix(rubyMadeOf().ReplaceAllString(m[3], ""), "Object#")
	if elixirFile().MatchString(f.File) { // a service for errors shows stacks of Elixir like those of Ruby
		f.Function = erlangInner().ReplaceAllString(elixirArity().ReplaceAllString(m[3], ""), "$1")
	}
	if f.Function != m[3] {
		f.Symbol = m[3]
	}
	numbered := source.IsDigit(l.Text[0]) && strings.Contains(l.Text, ": from ")
	switch {
	case r.reversed || numbered:
		r.backward.Add(l, f)
	case m[4] != "":
		r.raised(s, l, f, m[4])
	default:
		r.add(s, l, f)
	}
	return true
}

// raised begins the backtrace of an exception.
func (r *rubyReader) raised(s *scanner, l reportLine, f crash.Frame, text string) {
	m := rubyRaised().FindStringSubmatch(text)
	kind := m[2]
	if kind == "" {
		kind = "exception"
	}
	s.Fail(crash.Problem{Kind: kind, Message: m[1], Line: l.N})
	title := titleOf(kind, m[1])
	if len(r.backward.Frames) > 0 { // it is the last line of the stack
		st := crash.Stack{Kind: crash.StackCrash, Format: "ruby", Problem: s.Problem, Title: cut(title, maxText)}
		r.backward.Add(l, f)
		r.backward.Keep(s, st)
		return
	}
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "ruby", Title: title})
	s.Add(l, f)
}

// add adds a frame. Frameworks print the exception on an earlier line.
func (r *rubyReader) add(s *scanner, l reportLine, f crash.Frame) {
	format := "ruby"
	if elixirFile().MatchString(f.File) {
		format = "elixir"
	}
	if !s.IsOpen(format) || s.Since(l) > 5 || r.head.N > s.Last {
		st := crash.Stack{Kind: crash.StackCrash, Format: format}
		reach := maxHead
		if r.far {
			reach = maxForm
		}
		if m := rubyHead().FindStringSubmatch(r.head.Text); m != nil && l.N-r.head.N <= reach {
			s.Fail(crash.Problem{Kind: m[1], Message: m[2] + m[3], Line: r.head.N})
			st.Title = titleOf(m[1], m[2]+m[3])
		} else if r.said.N > s.Last && l.N-r.said.N <= maxHead {
			message := strings.TrimPrefix(r.said.Text, rubySaid)
			s.Fail(crash.Problem{Kind: "Error", Message: message, Line: r.said.N})
			st.Title = message
		}
		s.Begin(st)
	}
	s.Add(l, f)
}

// bug reads the interpreter's line about its own crash.
func (r *rubyReader) bug(s *scanner, l reportLine) bool {
	m := rubyBug().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	p := crash.Problem{Kind: "[BUG]", Message: m[3], Line: l.N}
	if strings.HasPrefix(m[3], "Segmentation fault") {
		p.Kind, p.Signal = "SIGSEGV", signalNumbers["SIGSEGV"]
		if i := strings.Index(m[3], "0x"); i > 0 {
			p.Address = m[3][i:]
			p.Null = crash.NearNull(p.Address)
		}
	}
	s.Fail(p)
	s.AddPlace(l, "ruby", crash.Frame{File: m[1], Line: atoi(m[2])})
	return true
}

// section reads the headings of the parts of the interpreter's report.
func (r *rubyReader) section(s *scanner, t string) bool {
	r.Flush(s)
	r.reversed = strings.HasPrefix(t, "-- Ruby level backtrace")
	if strings.HasPrefix(t, "-- C level backtrace") {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "ruby", Title: "C level backtrace"})
		return true
	}
	if s.IsOpen("ruby") {
		s.Close()
	}
	return r.reversed
}

// native reads "lib.so(fn+0x7c) [0x...] file.c:12".
func (r *rubyReader) native(s *scanner, l reportLine) bool {
	m := rubyNative().FindStringSubmatch(l.Text)
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
	s.Add(l, f)
	return true
}

// Flush records a held stack.
func (r *rubyReader) Flush(s *scanner) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "ruby", Problem: s.Problem, Title: "Ruby level backtrace"}
	r.backward.Keep(s, st)
	r.reversed = false
}
