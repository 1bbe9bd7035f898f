package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// GoTest is the format of failed tests of Go. Its stacks are only places in tests.
const GoTest = "go test"

// goTestReader reads the failures that go test prints: the name of a test, and below it the places in
// the test with what it found. There is no stack. They are the report only if there is no other
// failure: a log of tests may hold a panic, which says more.
type goTestReader struct {
	test     string
	indent   int // of the last place
	failures []goFailure
	last     int // line of the last place, or of a line that goes on with its message
}

type goFailure struct {
	line    reportLine
	frame   crash.Frame
	test    string
	message string
}

// maxGoFailures limits the failures that are kept, maxGoMessage the lines of the message of one.
const (
	maxGoFailures = 8
	maxGoMessage  = 8
)

var (
	goFailed = source.Lazy(`^--- FAIL: (\S+) \([\d.]+ ?s(?:econds)?\)$`)
	goWhere  = source.Lazy(`^(\S*_test\.go):(\d+): ?(.*)$`)
)

// Read implements lineReader. The lines that it holds back may be of another format.
func (g *goTestReader) Read(_ *scanner, l reportLine) bool {
	switch {
	case strings.HasPrefix(l.Text, "--- "):
		g.test = ""
		if m := goFailed().FindStringSubmatch(l.Text); m != nil {
			g.test = m[1]
		}
		g.last = 0
	case g.test == "" || l.Text == "":
	case strings.Contains(l.Text, "_test.go:"):
		m := goWhere().FindStringSubmatch(l.Text)
		if m == nil || len(g.failures) == maxGoFailures {
			g.last = 0
			return false
		}
		f := crash.Frame{File: m[1], Line: atoi(m[2]), Raw: l.Text}
		g.failures = append(g.failures, goFailure{line: l, frame: f, test: g.test, message: m[3]})
		g.indent, g.last = l.Indent, l.N
	case g.last > 0 && l.Indent > g.indent && l.N == g.last+1 && l.N-g.failures[len(g.failures)-1].line.N < maxGoMessage:
		f := &g.failures[len(g.failures)-1]
		f.message = strings.TrimSpace(f.message + " " + l.Text)
		g.last = l.N
	case strings.HasPrefix(l.Text, "FAIL"):
		g.test = ""
	}
	return false
}

// Flush implements flusher.
func (g *goTestReader) Flush(s *scanner) {
	s.Close()
	if len(s.Report.Problems) > 0 || len(s.Report.Stacks) > 0 {
		return
	}
	for _, f := range g.failures {
		s.Found(GoTest)
		s.Fail(crash.Problem{Kind: "failed test", Message: f.message, Line: f.line.N})
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: GoTest, Test: f.test})
		s.Add(f.line, f.frame)
		s.Close()
	}
	g.failures = nil
}
