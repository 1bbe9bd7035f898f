package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// php reads what PHP prints around its stacks. The frames are read by hashFrames.
type php struct {
	part line // the begin of a message that has several lines
}

var (
	phpHead     = source.Lazy(`(?:PHP )?(?:Fatal|Parse|Recoverable fatal|Catchable fatal|Core|Compile) error: +(.*)$`)
	phpUncaught = source.Lazy(`^(?:Uncaught|Next) (?:exception ')?([\w\\]+)'?(?: with message '(.*)'|: (.*?)|) in (\S.*?)(?::| on line )(\d+)$`)
	phpError    = source.Lazy(`^(.*) in (\S.*?) on line (\d+)$`)
	phpThrown   = source.Lazy(`^thrown in (\S.*) on line (\d+)$`)
	phpFrame    = source.Lazy(`^(\S[^(]*\.(?:php|phtml|inc|phpt|module|tpl)|\S[^(]*)\((\d+)\)(?: : (?:eval\(\)'d|runtime-created) .*?)?: (.*)$`)
	phpEval     = source.Lazy(`^(.*)\((\d+)\) : (?:eval\(\)'d|runtime-created)`)
	phpLaravel  = source.Lazy(`\(([\w\\]+)\(code: [^)]*\): (.*) at (\S+\.\w+):(\d+)\)$`)
)

func (p *php) read(s *scanner, l line) bool {
	t := l.text
	switch {
	case t == "" || len(t) > 2*maxText:
		return false
	case p.part.text != "":
		return p.goesOn(s, l)
	case strings.Contains(t, " Stack trace: #0 "):
		head, frames, _ := strings.Cut(t, " Stack trace: ")
		s.offer(line{n: l.n, text: head, indent: l.indent})
		s.offer(line{n: l.n, text: frames, indent: l.indent})
		return true
	case strings.Contains(t, " error: "):
		if m := phpHead().FindStringSubmatch(t); m != nil {
			return p.failed(s, l, m[1])
		}
	case strings.HasPrefix(t, "Next ") && s.isOpen("php"):
		return p.failed(s, l, t)
	case strings.HasPrefix(t, "thrown in "):
		return p.thrown(s, l)
	case strings.HasSuffix(t, ")") && strings.Contains(t, "(code: "):
		if m := phpLaravel().FindStringSubmatch(t); m != nil {
			p.begin(s, l, m[1], m[2], m[3], m[4])
			return true
		}
	case t == "[stacktrace]" || t == "Stack trace:":
		return s.isOpen("php")
	}
	return false
}

// failed reads the message of an error.
func (p *php) failed(s *scanner, l line, text string) bool {
	if m := phpUncaught().FindStringSubmatch(text); m != nil {
		if strings.HasPrefix(text, "Next ") {
			s.close()
			s.demote("php")
		}
		p.begin(s, l, m[1], m[2]+m[3], m[4], m[5])
		return true
	}
	if m := phpError().FindStringSubmatch(text); m != nil {
		s.fail(crash.Problem{Kind: "Fatal error", Message: m[1], Line: l.n})
		s.addPlace(l, "php", phpPlace(m[2], m[3]))
		return true
	}
	if strings.HasPrefix(text, "Uncaught ") || strings.HasPrefix(text, "Next ") {
		l.text = text
		p.part = l
		return true
	}
	return false
}

// goesOn reads the further lines of a message, up to the place.
func (p *php) goesOn(s *scanner, l line) bool {
	part := p.part
	part.text += " " + l.text
	p.part = line{}
	switch {
	case phpUncaught().MatchString(part.text):
		return p.failed(s, part, part.text)
	case l.n-part.n > 20 || len(part.text) > maxText || strings.HasPrefix(l.text, "#0 "):
		return false
	}
	p.part = part
	return true
}

// begin opens the stack of an exception. Its innermost frame is the place where
// the exception was made.
func (p *php) begin(s *scanner, l line, kind, message, file, number string) {
	kind = strings.ReplaceAll(kind, `\\`, `\`)
	s.fail(crash.Problem{Kind: kind, Message: message, Line: l.n})
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: "php", Title: titleOf(kind, message)})
	s.add(l, phpPlace(file, number))
}

// thrown reads the line that ends a report.
func (p *php) thrown(s *scanner, l line) bool {
	m := phpThrown().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if s.isOpen("php") {
		s.close()
		return true
	}
	s.addPlace(l, "php", phpPlace(m[1], m[2]))
	return true
}

// addPHP adds a frame of PHP to the open stack. PHP writes the function beside the
// place that it was called from, so it belongs to the frame before.
func addPHP(s *scanner, l line, text string) bool {
	var place crash.Frame
	name, internal := strings.CutPrefix(text, "[internal function]: ")
	m := phpFrame().FindStringSubmatch(text)
	switch {
	case strings.HasPrefix(text, "{main}") || internal:
	case m != nil && (s.isOpen("php") || strings.Contains(m[1], ".")):
		place.File, place.Line, name = m[1], atoi(m[2]), m[3]
	default:
		return false
	}
	if len(s.open.Frames) == 0 {
		s.open.Format = "php"
		if !strings.HasPrefix(text, "{main}") {
			s.add(l, crash.Frame{})
		}
	}
	if !s.isOpen("php") {
		return false
	}
	if n := len(s.open.Frames); n > 0 && s.open.Frames[n-1].Function == "" {
		s.open.Frames[n-1].Function = cut(phpName(name), maxRaw)
	}
	if !strings.HasPrefix(text, "{main}") {
		s.add(l, place)
	}
	return true
}

// phpPlace returns the frame of a place. Code that was evaluated is placed where
// that was done.
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
