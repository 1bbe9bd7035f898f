package format

import (
	"encoding/json"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// monologReader reads an exception of PHP in the JSON of its usual logger, in one line or in several: its
// frames are places without functions, the innermost first.
type monologReader struct {
	held  string // the lines from the class on
	since int    // the line of the class, 0 for none
	trace bool   // the frames come next
}

var (
	monologHead = source.Lazy(
		`"class": ?"((?:[^"\\]|\\.)+)", ?"message": ?"((?:[^"\\]|\\.)*)", ?"code": ?"?\w*"?, ?"file": ?"((?:[^"\\]|\\.)+):(\d+)"(?:, ?"trace": ?\[([^\]]*)\])?`,
	)
	monologPlace = source.Lazy(`"((?:[^"\\]|\\.)+\.\w+|(?:[^"\\]|\\.)*\\?/\w+):(\d+)"`)
)

// maxHeld is the number of lines from the class of an exception to its place.
const maxHeld = 4

// Read implements lineReader.
func (m *monologReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case len(t) > maxLine/2:
		return false
	case strings.Contains(t, `"class":`):
		m.held, m.since, m.trace = t, l.N, false
	case m.since > 0 && l.N-m.since <= maxHeld:
		m.held += " " + t
	default:
		m.since = 0
	}
	if m.since > 0 {
		return m.head(s, l)
	}
	if !m.trace || !s.IsOpen("php") {
		return false
	}
	if t == "]" || t == "]," {
		m.trace = false
		s.Close()
	}
	return m.places(s, l, t) || strings.HasPrefix(t, `"trace":`)
}

// head opens the stack of an exception whose place has been read.
func (m *monologReader) head(s *scanner, l reportLine) bool {
	h := monologHead().FindStringSubmatch(m.held)
	if h == nil {
		return false
	}
	kind := unescaped(h[1])
	s.Fail(crash.Problem{Kind: kind, Message: unescaped(h[2]), Line: m.since})
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "php", Title: titleOf(kind, unescaped(h[2]))})
	s.Add(l, crash.Frame{File: unescaped(h[3]), Line: atoi(h[4])})
	m.places(s, l, h[5])
	m.held, m.since, m.trace = "", 0, h[5] == ""
	return true
}

// places adds the frames in a text, and reports whether there are any.
func (m *monologReader) places(s *scanner, l reportLine, text string) bool {
	found := monologPlace().FindAllStringSubmatch(text, maxFrames)
	for _, p := range found {
		s.Add(l, crash.Frame{File: unescaped(p[1]), Line: atoi(p[2]), Raw: p[0]})
	}
	return len(found) > 0
}

// unescaped returns the text of a string of JSON without its quotation marks.
func unescaped(text string) string {
	var out string
	if json.Unmarshal([]byte(`"`+text+`"`), &out) != nil {
		return text
	}
	return out
}
