package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// pytestReader reads the failures that pytest prints: places before or after listings of code,
// innermost last, and lines with "E" for the exception.
type pytestReader struct {
	frames  backward
	kind    string
	message string
	title   string // the test's name
	quote   string // the last line of a listing with a mark
}

var (
	pytestPlace = source.Lazy(`^([^\s:][^:\s]*\.pyx?):(\d+):(?: in (\S+)| ([A-Za-z_][\w.]*))?$`)
	pytestError = source.Lazy(`^E +((?:[A-Za-z_]\w*\.)*_*[A-Z]\w*)(?:: (.*))?$`)
	pytestTitle = source.Lazy(`^_{2,} (.{1,200}?) _{2,}$`)
)

// Read implements lineReader.
func (p *pytestReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "" || len(t) > 1000:
		return false
	case t[0] == '_' && len(t) > 6:
		if m := pytestTitle().FindStringSubmatch(t); m != nil && m[1] != "_" && !strings.Contains(m[1], "_ _") {
			p.Flush(s)
			p.title = m[1]
			return true
		}
	case strings.HasPrefix(t, "> "):
		p.quote = strings.TrimSpace(t[1:])
	case strings.HasPrefix(t, "===="):
		p.Flush(s)
	case t[0] == 'E' && p.kind == "":
		if m := pytestError().FindStringSubmatch(t); m != nil {
			p.kind, p.message = m[1], m[2]
			return true
		}
	case strings.Contains(t, ".py"):
		return p.place(s, l)
	}
	return false
}

// place reads the place of a frame. An exception's name after the place ends the stack.
func (p *pytestReader) place(s *scanner, l reportLine) bool {
	m := pytestPlace().FindStringSubmatch(l.Text)
	if m == nil || m[3] == "" && m[4] == "" && p.title == "" {
		return false
	}
	p.frames.Add(l, crash.Frame{File: m[1], Line: atoi(m[2]), Function: m[3]})
	p.frames.Quote(p.quote)
	p.quote = ""
	if m[4] != "" {
		if p.kind == "" {
			p.kind = m[4]
		}
		p.Flush(s)
	}
	return true
}

// Flush records the failure.
func (p *pytestReader) Flush(s *scanner) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "pytest", Problem: -1, Title: p.title}
	if p.kind != "" && len(p.frames.Frames) > 0 {
		at := p.frames.Frames[len(p.frames.Frames)-1].ReportLine
		s.Fail(crash.Problem{Kind: p.kind, Message: p.message, Line: at})
		st.Problem = s.Problem
		st.Title = cut(titleOf(p.kind, p.message), maxText)
	}
	p.frames.Keep(s, st)
	*p = pytestReader{}
}
