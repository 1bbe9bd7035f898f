package format

import (
	"cmp"
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// pytestReader reads the failures that pytest prints: places before or after listings of code,
// innermost last, and lines with "E" for the exception. With --tb=line, a failure is one line with
// its innermost place; with --tb=no, only the summary names the tests.
type pytestReader struct {
	frames   backward
	kind     string
	message  string
	title    string // the test's name
	quote    string // the last line of a listing with a mark
	function string // the function of a listing
	inside   bool   // within the failures
	lines    []pytestLine
	failed   []pytestLine // of the summary
	errors   bool         // the summary has tests that did not run
}

// A pytestLine is a failure in one line, and the test that failed if it is known.
type pytestLine struct {
	line          reportLine
	frame         crash.Frame
	kind, message string
	test          string
}

// maxPytestLines limits the failures without a stack that are kept.
const maxPytestLines = 20

var (
	pytestPlace = source.Lazy(`^([^\s:][^:\s]*\.pyx?):(\d+):(?: in (\S+)| ([A-Za-z_][\w.]*))?$`)
	pytestError = source.Lazy(`^E +((?:[A-Za-z_]\w*\.)*_*[A-Z]\w*)(?:: (.*))?$`)
	pytestTitle = source.Lazy(`^_{2,} (.{1,200}?) _{2,}$`)
	pytestShort = source.Lazy(`^([^\s:][^:\s]*\.pyx?):(\d+): (\S.*)$`)
	pytestTest  = source.Lazy(`^(FAILED|ERROR) ([^\s:]+\.py)(?:::(.+?))?(?: - (.*))?$`)
	pytestClass = source.Lazy(`^((?:[A-Za-z_]\w*\.)*_*[A-Z]\w*)(?:: (.*))?$`)
	pytestDef   = source.Lazy(`^(?:async )?def (\w+)\(`)
)

// asserted is the beginning of what pytest says of an assert statement, without the exception's
// name.
const asserted = "assert "

// Read implements lineReader.
func (p *pytestReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "" || len(t) > 1000:
		return false
	case t[0] == '_' && len(t) > 6:
		if m := pytestTitle().FindStringSubmatch(t); m != nil && m[1] != "_" && !strings.Contains(m[1], "_ _") {
			p.end(s)
			p.title = m[1]
			return true
		}
	case strings.HasPrefix(t, "> "):
		p.quote = strings.TrimSpace(t[1:])
	case strings.HasPrefix(t, "===="):
		p.end(s)
		p.inside = strings.Contains(t, " FAILURES ") || strings.Contains(t, " ERRORS ")
	case strings.HasPrefix(t, "E ") && p.kind == "" && p.exception(t):
		return true
	case strings.HasPrefix(t, "FAILED ") || strings.HasPrefix(t, "ERROR "):
		p.summary(l)
	case strings.Contains(t, ".py"):
		return p.place(s, l)
	case p.title != "" && p.function == "" && strings.Contains(t, "def "):
		if m := pytestDef().FindStringSubmatch(t); m != nil {
			p.function = m[1]
		}
	}
	return false
}

// exception reads a line that begins with "E ", and reports whether it names the exception.
func (p *pytestReader) exception(t string) bool {
	if m := pytestError().FindStringSubmatch(t); m != nil {
		p.kind, p.message = m[1], m[2]
		return true
	}
	rest := strings.TrimSpace(t[1:])
	if !strings.HasPrefix(rest, asserted) || p.title == "" && !p.inside {
		return false
	}
	p.kind, p.message = "AssertionError", rest
	return true
}

// place reads the place of a frame. An exception's name after the place ends the stack.
func (p *pytestReader) place(s *scanner, l reportLine) bool {
	m := pytestPlace().FindStringSubmatch(l.Text)
	if p.inside && p.title == "" && len(p.frames.Frames) == 0 && (m == nil || m[3] == "") {
		return p.short(l)
	}
	if m == nil || m[3] == "" && m[4] == "" && p.title == "" {
		return false
	}
	p.frames.Add(l, crash.Frame{File: m[1], Line: atoi(m[2]), Function: cmp.Or(m[3], p.function)})
	p.frames.Quote(p.quote)
	p.quote, p.function = "", ""
	if m[4] != "" {
		if p.kind == "" {
			p.kind = m[4]
		}
		p.end(s)
	}
	return true
}

// short reads a failure in one line.
func (p *pytestReader) short(l reportLine) bool {
	m := pytestShort().FindStringSubmatch(l.Text)
	if m == nil || len(p.lines) == maxPytestLines {
		return false
	}
	f := pytestLine{line: l, frame: crash.Frame{File: m[1], Line: atoi(m[2])}}
	f.kind, f.message = exceptionOf(m[3])
	p.lines = append(p.lines, f)
	p.kind, p.message = "", ""
	return f.kind != ""
}

// exceptionOf splits what pytest says of an exception in one line.
func exceptionOf(text string) (kind, message string) {
	if strings.HasPrefix(text, asserted) {
		return "AssertionError", text
	}
	if m := pytestClass().FindStringSubmatch(text); m != nil {
		return m[1], m[2]
	}
	return "failed test", text
}

// summary reads a line of the summary of failed tests.
func (p *pytestReader) summary(l reportLine) {
	m := pytestTest().FindStringSubmatch(l.Text)
	if m == nil || len(p.failed) == maxPytestLines {
		return
	}
	p.errors = p.errors || m[1] == "ERROR"
	f := pytestLine{line: l, test: strings.ReplaceAll(m[3], "::", "."), frame: crash.Frame{File: m[2], Function: testFunction(m[3])}}
	f.kind, f.message = exceptionOf(m[4])
	p.failed = append(p.failed, f)
}

// testFunction returns the function of a test without its class and its parameters.
func testFunction(test string) string {
	test, _, _ = strings.Cut(test, "[")
	return test[strings.LastIndexByte(test, ':')+1:]
}

// testIn returns the test in the title of a failure: "ERROR at setup of test_x" is before the test, and
// "ERROR collecting tests/test_x.py" is of no test.
func testIn(title string) string {
	if _, test, found := strings.Cut(title, " of "); found && strings.HasPrefix(title, "ERROR at ") {
		return test
	}
	if strings.HasPrefix(title, "ERROR ") {
		return ""
	}
	return title
}

// end records the failure.
func (p *pytestReader) end(s *scanner) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "pytest", Problem: -1, Test: cut(testIn(p.title), maxText)}
	if p.kind != "" && len(p.frames.Frames) > 0 {
		at := p.frames.Frames[len(p.frames.Frames)-1].ReportLine
		s.Fail(crash.Problem{Kind: p.kind, Message: p.message, Line: at})
		st.Problem = s.Problem
		st.Title = cut(titleOf(p.kind, p.message), maxText)
	}
	p.frames.Keep(s, st)
	*p = pytestReader{inside: p.inside, lines: p.lines, failed: p.failed, errors: p.errors}
}

// Flush records the last failure, and those that have no stack.
func (p *pytestReader) Flush(s *scanner) {
	p.end(s)
	tests := len(p.failed) == len(p.lines) && !p.errors // in the same order
	for i, f := range p.lines {
		frames := []crash.Frame{bounded(f.line, f.frame)}
		if tests {
			f.test = p.failed[i].test
			if path.Base(f.frame.File) != path.Base(p.failed[i].frame.File) {
				frames = append(frames, bounded(p.failed[i].line, p.failed[i].frame))
			}
		}
		p.keep(s, f, frames)
	}
	if len(s.Report.Stacks) == 0 && len(s.Report.Problems) == 0 && s.Open == nil {
		for _, f := range p.failed {
			p.keep(s, f, []crash.Frame{bounded(f.line, f.frame)})
		}
	}
	*p = pytestReader{}
}

// keep records a failure in one line.
func (p *pytestReader) keep(s *scanner, f pytestLine, frames []crash.Frame) {
	s.Close()
	s.Fail(crash.Problem{Kind: f.kind, Message: f.message, Line: f.line.N})
	title := cut(titleOf(f.kind, f.message), maxText)
	s.keep(crash.Stack{Kind: crash.StackCrash, Format: "pytest", Problem: s.Problem, Title: title, Test: cut(f.test, maxText), Frames: frames})
}
