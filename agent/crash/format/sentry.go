package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// sentryReader reads the frames of Sentry's pages as text, in any language, the innermost first. What failed may be before the first one:
//
//	Undefined offset: 3 in src/PhpSpreadsheet/Reader/Xls.php in readLabelSst at line 3810
//	pkg/pdfcpu/read.go in Read at line 72
type sentryReader struct{}

var sentryFrame = source.Lazy(
	`^(?:(\S.*?) in )?([\w./\\@:~+-]+\.(?:go|py|php|phtml|rb|java|kt|scala|cs|exs?|rs|dart|swift|[mc]?[jt]sx?|vue)) in ([\w.$<>:*()\[\]-]+) at line (\d+)(?::(\d+))?$`,
)

// sentryNear is the number of lines from a frame to the next one.
const sentryNear = 2

// Read implements lineReader.
func (sentryReader) Read(s *scanner, l reportLine) bool {
	if len(l.Text) > maxText || !strings.Contains(l.Text, " at line ") {
		return false
	}
	m := sentryFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	format := formatOf(m[2])
	if m[1] != "" {
		s.Fail(crash.Problem{Kind: "error", Message: m[1], Line: l.N})
	}
	if m[1] != "" || !s.IsOpen(format) || s.Since(l) > sentryNear {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: format, Title: m[1]})
	}
	s.Add(l, crash.Frame{Function: m[3], File: m[2], Line: atoi(m[4]), Column: atoi(m[5])})
	return true
}
