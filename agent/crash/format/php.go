package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// phpReader reads the text that PHP prints around its stacks. numberedReader reads the frames.
type phpReader struct {
	part   reportLine    // the beginning of a message with several lines
	named  crash.Problem // an exception that Symfony's frames may follow
	called reportLine    // the last line of Symfony with a function, whose call is on the next line
	broken reportLine    // the line in which PHPStan says that it failed
}

var (
	phpHead     = source.Lazy(`(?:PHP )?(?:Fatal|Parse|Recoverable fatal|Catchable fatal|Core|Compile) error(:? +Uncaught .*|: +.*)$`)
	phpUncaught = source.Lazy(`^(?:Uncaught|Next) (?:exception ')?([\w\\]+)'?(?: with message '(.*)'|: (.*?)|) in (\S.*?)(?::| on line )(\d+)$`)
	phpOld      = source.Lazy(`(?:^|[:.\]] )exception '([\w\\]+)' with message '(.*)' in (\S.*?):(\d+)$`)
	phpError    = source.Lazy(`^(.*) in (\S.*?) on line (\d+)$`)
	phpThrown   = source.Lazy(`^thrown in (\S.*) on line (\d+)$`)
	phpFrame    = source.Lazy(`^(\S[^(]*\.(?:php|phtml|inc|phpt|module|tpl)|\S[^(]*)\((\d+)\)(?: : (?:eval\(\)'d|runtime-created) .*?)?: (.*)$`)
	phpEval     = source.Lazy(`^(.*)\((\d+)\) : (?:eval\(\)'d|runtime-created)`)
	// The mail of WordPress about an error in a plugin or a theme.
	phpMail = source.Lazy(`\bAn error of type (E_\w+) was caused in line (\d+) of the file (\S.*?)\. Error message: (.*)$`)
	// An exception of Symfony, a frame with the function that it calls and the place of the call on the line below, and the place of the exception.
	symfonyHead  = source.Lazy(`^(?:\[\d+\] )?([A-Z]\w*(?:[\\_]\w+)*(?:Exception|Error|_Error_\w+)): ?(.*)$`)
	symfonyCall  = source.Lazy(`^at (n/a|(?:[A-Za-z_][\w\\]*(?:->|::))?[A-Za-z_{][\w\\{}]*)(?:\(.*\))?$`)
	symfonyPlace = source.Lazy(`^(?:in +(\S.*?)? ?line ?(\d*)|\((\S.*\.\w+):(\d+)\)|at (\S+\.(?:php|phtml|twig)):(\d+))$`)
	// The place of an exception in PHPStan, and the end of the line with its message.
	phpStanPlace = source.Lazy(`^## (\S.*\.(?:php|phtml|inc))\((\d+)\)$`)
	phpStanEnd   = source.Lazy(`,? (?:called in(?: \S.* on line \d+.*)?|while analysing file.*)$`)
	phpLaravel   = source.Lazy(`\(([\w\\]+)\(code: [^)]*\): (.*) at (\S+\.\w+):(\d+)\)$`)
)

// Read implements lineReader.
func (p *phpReader) Read(s *scanner, l reportLine) bool {
	l.Text = phpText(l.Text)
	t := l.Text
	switch {
	case t == "" || len(t) > 2*maxText:
		return false
	case p.part.Text != "":
		return p.goesOn(s, l)
	case strings.Contains(t, " Stack trace: #0 "):
		head, frames, _ := strings.Cut(t, " Stack trace: ")
		s.Offer(reportLine{N: l.N, Text: head, Indent: l.Indent})
		s.Offer(reportLine{N: l.N, Text: frames, Indent: l.Indent})
		return true
	case strings.HasPrefix(t, "## ") || strings.HasPrefix(t, phpStanError):
		return p.stan(s, l)
	case strings.Contains(t, " error: "), strings.Contains(t, " error Uncaught "):
		if m := phpHead().FindStringSubmatch(t); m != nil {
			return p.failed(s, l, strings.TrimLeft(m[1], ": "))
		}
	case strings.Contains(t, ". Error message: ") && phpMail().MatchString(t):
		return p.mailed(s, l)
	case strings.Contains(t, "exception '") && strings.Contains(t, "' with message '") && phpOld().MatchString(t):
		m := phpOld().FindStringSubmatch(t)
		p.begin(s, l, m[1], m[2], m[3], m[4])
		return true
	case strings.HasPrefix(t, "Next ") && s.IsOpen("php"):
		return p.failed(s, l, t)
	case strings.HasPrefix(t, "thrown in "):
		return p.thrown(s, l)
	case strings.HasSuffix(t, ")") && strings.Contains(t, "(code: "):
		if m := phpLaravel().FindStringSubmatch(t); m != nil {
			p.begin(s, l, m[1], m[2], m[3], m[4])
			return true
		}
	case t == "[stacktrace]" || t == "Stack trace:":
		return s.IsOpen("php")
	}
	return p.symfony(s, l)
}

// phpStanError begins the line in which PHPStan says that it failed itself.
const phpStanError = "Internal error: "

// stan reads the failure of PHPStan or of one of its extensions, and the place of the exception above the frames.
func (p *phpReader) stan(s *scanner, l reportLine) bool {
	if message, found := strings.CutPrefix(l.Text, phpStanError); found {
		if p.broken.Text == "" || l.N-p.broken.N > maxHead {
			p.broken = l
			p.broken.Text = phpStanEnd().ReplaceAllString(message, "")
		}
		return false
	}
	m := phpStanPlace().FindStringSubmatch(l.Text)
	if m == nil || p.broken.Text == "" || l.N-p.broken.N > maxForm {
		return false
	}
	p.named = crash.Problem{Kind: strings.TrimSuffix(phpStanError, ": "), Message: strings.TrimSpace(p.broken.Text), Line: p.broken.N}
	p.begins(s)
	s.Add(l, phpPlace(m[1], m[2]))
	p.broken = reportLine{}
	return true
}

// symfony reads a trace of Symfony in text.
func (p *phpReader) symfony(s *scanner, l reportLine) bool {
	t := l.Text
	if m := symfonyHead().FindStringSubmatch(t); m != nil {
		p.named = crash.Problem{Kind: m[1], Message: m[2], Line: l.N}
		return false
	}
	if p.named.Kind != "" && p.named.Message == "" && l.N == p.named.Line+1 {
		p.named.Message = t
		return false
	}
	open := s.IsOpen("php") && s.Since(l) <= maxHeld
	if p.named.Kind == "" && !open {
		return false
	}
	m := symfonyPlace().FindStringSubmatch(t)
	call := symfonyCall().FindStringSubmatch(t)
	switch below := p.called.N > 0 && p.called.N == l.N-1; {
	case m != nil && (below || m[5] != "" && !open):
		if !open {
			p.begins(s)
		}
		p.calls(s, l, phpPlace(m[1]+m[3]+m[5], m[2]+m[4]+m[6]))
		return true
	case call != nil && (open || l.N-p.named.Line <= maxHeld):
		p.called = l
		p.called.Text = call[1]
		return true
	}
	return false
}

// begins opens the stack of the exception that was named last.
func (p *phpReader) begins(s *scanner) {
	s.Fail(p.named)
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "php", Title: titleOf(p.named.Kind, p.named.Message)})
	p.named = crash.Problem{}
}

// calls adds the frame of a call, and names the function of the one before: what is called.
func (p *phpReader) calls(s *scanner, l reportLine, place crash.Frame) {
	name := p.called.Text
	if n := len(s.Open.Frames); n > 0 && s.Open.Frames[n-1].Function == "" {
		s.Open.Frames[n-1].Function = cut(name, maxRaw)
	} else if name != "" && name != "n/a" {
		s.Add(p.called, crash.Frame{Function: name})
	}
	if p.called = (reportLine{}); place.File != "" {
		s.Add(l, place)
	}
}

// failed reads the message of an error.
func (p *phpReader) failed(s *scanner, l reportLine, text string) bool {
	if m := phpUncaught().FindStringSubmatch(text); m != nil {
		if strings.HasPrefix(text, "Next ") {
			s.Close()
			s.Demote("php")
		}
		p.begin(s, l, m[1], m[2]+m[3], m[4], m[5])
		return true
	}
	if m := phpError().FindStringSubmatch(text); m != nil {
		s.Fail(crash.Problem{Kind: "Fatal error", Message: m[1], Line: l.N})
		s.AddPlace(l, "php", phpPlace(m[2], m[3]))
		return true
	}
	if strings.HasPrefix(text, "Uncaught ") || strings.HasPrefix(text, "Next ") {
		l.Text = text
		p.part = l
		return true
	}
	return false
}

// mailed reads the sentence of a mail of WordPress. An error that is no exception has only a place.
func (p *phpReader) mailed(s *scanner, l reportLine) bool {
	m := phpMail().FindStringSubmatch(l.Text)
	if strings.HasPrefix(m[4], "Uncaught ") {
		return p.failed(s, l, m[4])
	}
	s.Fail(crash.Problem{Kind: m[1], Message: m[4], Line: l.N})
	s.AddPlace(l, "php", phpPlace(m[3], m[2]))
	return true
}

// goesOn reads the next lines of a message, up to the place.
func (p *phpReader) goesOn(s *scanner, l reportLine) bool {
	part := p.part
	part.Text += " " + l.Text
	p.part = reportLine{}
	switch {
	case phpHead().MatchString(l.Text): // the one before was a title, which was cut
		return p.Read(s, l)
	case phpUncaught().MatchString(part.Text):
		return p.failed(s, part, part.Text)
	case l.N-part.N > 20 || len(part.Text) > maxText || strings.HasPrefix(l.Text, "#0 "):
		return false
	}
	p.part = part
	return true
}

// begin opens the stack of an exception. Its innermost frame is the place where the exception was
// created.
func (p *phpReader) begin(s *scanner, l reportLine, kind, message, file, number string) {
	kind = strings.ReplaceAll(kind, `\\`, `\`)
	s.Fail(crash.Problem{Kind: kind, Message: message, Line: l.N})
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "php", Title: titleOf(kind, message)})
	s.Add(l, phpPlace(file, number))
}

// thrown reads the line that ends a report.
func (p *phpReader) thrown(s *scanner, l reportLine) bool {
	m := phpThrown().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if s.IsOpen("php") {
		s.Close()
		return true
	}
	s.AddPlace(l, "php", phpPlace(m[1], m[2]))
	return true
}

// addPHP adds a frame of PHP to the open stack. PHP prints the called function next to the place
// of the call, so the function belongs to the frame before.
func addPHP(s *scanner, l reportLine, text string) bool {
	var place crash.Frame
	name, internal := strings.CutPrefix(text, "[internal function]: ")
	m := phpFrame().FindStringSubmatch(text)
	switch {
	case strings.HasPrefix(text, "{main}") || internal:
	case m != nil && (s.IsOpen("php") || strings.Contains(m[1], ".")):
		place.File, place.Line, name = m[1], atoi(m[2]), m[3]
	default:
		return false
	}
	if len(s.Open.Frames) == 0 {
		s.Open.Format = "php"
		if !strings.HasPrefix(text, "{main}") {
			s.Add(l, crash.Frame{})
		}
	}
	if !s.IsOpen("php") {
		return false
	}
	if n := len(s.Open.Frames); n == 1 && place.Line > 0 && !strings.HasPrefix(name, "eval(") &&
		s.Open.Frames[0].File == place.File && s.Open.Frames[0].Line == place.Line {
		f := &s.Open.Frames[0] // a function of PHP threw, which has no place of its own
		if f.File, f.Line = "", 0; !strings.Contains(name, "\\") {
			f.Module = "libphp"
		}
	}
	if n := len(s.Open.Frames); n > 0 && s.Open.Frames[n-1].Function == "" {
		s.Open.Frames[n-1].Function = cut(phpName(name), maxRaw)
	}
	if !strings.HasPrefix(text, "{main}") {
		s.Add(l, place)
	}
	return true
}

// phpPlace returns the frame of a place. Evaluated code has the place of its evaluation.
func phpPlace(file, number string) crash.Frame {
	if m := phpEval().FindStringSubmatch(file); m != nil {
		file, number = m[1], m[2]
	}
	return crash.Frame{File: file, Line: atoi(number)}
}

// phpName returns the function of a call without its arguments.
func phpName(call string) string {
	call = strings.ReplaceAll(call, `\\`, `\`)
	from := strings.LastIndexByte(call, '}') + 1
	if !strings.Contains(call, "{closure") {
		from = 0
	}
	if i := strings.IndexByte(call[from:], '('); i >= 0 {
		return strings.TrimSpace(call[:from+i])
	}
	if strings.HasPrefix(call, "{main}") {
		return "{main}"
	}
	return call
}
