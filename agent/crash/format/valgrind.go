package format

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// valgrindReader reads the reports of Valgrind's memcheck, helgrind and drd, with or
// without the "==123==" before each line.
type valgrindReader struct {
	head    reportLine        // the last line that may head a stack
	element map[string]string // the frame of a report in XML that is read, nil for none
	outer   bool              // the stack of XML has a frame
}

var (
	valgrindFrame = source.Lazy(`^(at|by) 0x([0-9A-Fa-f]+): (.*)$`)
	valgrindPlace = source.Lazy(`^(.*?)\s*\(([^()]*):(\d+)\)$`)
	valgrindIn    = source.Lazy(`^(.*?)\s*\((?:with)?in ([^()]*)\)$`)
	valgrindRest  = source.Lazy(`^\(?((?:with)?in )?([^()\s]+?)(?::(\d+))?\)$`)
	valgrindFact  = source.Lazy(
		`^(Invalid (?:read|write|free)|Conditional jump|Use of uninit|Syscall param|Source and destination overlap|Mismatched free|Argument |Process terminating|Possible data race|Jump to the invalid|realloc|Thread #\d+|Uninitialised byte)|(?:definitely|indirectly|possibly) lost| blocks? (?:is|are) (?:still|definitely|possibly|indirectly)`,
	)
	valgrindWords = []string{
		"Invalid ", "Conditional ", "Use of ", "Syscall ", "Source and ", "Mismatched ", "Argument ", "Process ", "Possible ",
		"Jump to ", "realloc", "Thread #", "Uninitialised ", "Block was ", "This conflicts ", "Access not ",
	}
	terminatedBy = source.Lazy(`^Process terminating with default action of signal (\d+) \((SIG\w+)\)`)
	accessAt     = source.Lazy(`Address (0x[0-9a-fA-F]+) is`)
	valgrindNull = source.Lazy(`Address 0x[0-9a-fA-F]{1,3} is not stack'd`)
)

// Read implements lineReader.
func (v *valgrindReader) Read(s *scanner, l reportLine) bool {
	if strings.HasPrefix(l.Text, "at 0x") || strings.HasPrefix(l.Text, "by 0x") {
		return v.frame(s, l)
	}
	if l.Text == "" {
		return false
	}
	if l.Text[0] == '<' {
		return v.xml(s, l)
	}
	if end := l.Text[len(l.Text)-1]; end == ')' && s.IsOpen("valgrind") && s.Since(l) == 1 && v.rest(s, l) {
		return true
	}
	if !mayBeValgrind(l.Text) {
		return false
	}
	if m := terminatedBy().FindStringSubmatch(l.Text); m != nil {
		s.Fail(crash.Problem{Kind: m[2], Signal: atoi(m[1]), Line: l.N})
		v.head = l
		return true
	}
	if valgrindFact().MatchString(l.Text) {
		v.head = l
		return l.Tag != ""
	}
	if m := accessAt().FindStringSubmatch(l.Text); m != nil && strings.Contains(l.Text, "is") {
		v.fact(s, l, m[1])
		v.head = l
		return true
	}
	low := strings.ToLower(l.Text)
	if strings.HasPrefix(low, "block was alloc'd at") || strings.HasPrefix(low, "uninitialised value was created by") ||
		strings.HasPrefix(low, "this conflicts with a previous") || strings.HasPrefix(low, "access not within mapped region") {
		v.head = l
		return true
	}
	return false
}

// mayBeValgrind is a quick test that rejects most other lines.
func mayBeValgrind(t string) bool {
	for _, word := range valgrindWords {
		if strings.HasPrefix(t, word) {
			return true
		}
	}
	return strings.Contains(t, "Address 0x") || strings.Contains(t, " lost") || strings.Contains(t, " block")
}

// frame reads "at 0x40: fn (file.c:12)". A line with "at" begins a stack.
func (v *valgrindReader) frame(s *scanner, l reportLine) bool {
	m := valgrindFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] == "at" || !s.IsOpen("valgrind") || s.Since(l) > 6 {
		v.begin(s, l)
	}
	var f crash.Frame
	name := m[3]
	if p := valgrindPlace().FindStringSubmatch(name); p != nil {
		name, f.File, f.Line = p[1], p[2], atoi(p[3])
	} else if p := valgrindIn().FindStringSubmatch(name); p != nil {
		name, f.Module = p[1], p[2]
	} else if c, ok := completesPlace(name); ok {
		name = c // a cut-off place
	}
	f.Symbol, f.Function = symbolOf(strings.TrimSuffix(name, "???"))
	s.Add(l, f)
	return true
}

// completesPlace removes a place that was cut off because the line was wrapped.
func completesPlace(name string) (string, bool) {
	i := strings.LastIndex(name, " (")
	if i < 0 || strings.HasSuffix(name, ")") {
		return name, false
	}
	return name[:i], true
}

// rest reads the place of a frame that is on the next line after wrapping.
func (v *valgrindReader) rest(s *scanner, l reportLine) bool {
	m := valgrindRest().FindStringSubmatch(l.Text)
	if m == nil || len(s.Open.Frames) == 0 {
		return false
	}
	f := &s.Open.Frames[len(s.Open.Frames)-1]
	if f.File != "" || f.Module != "" {
		return false
	}
	if m[3] == "" {
		f.Module = m[2]
	} else {
		f.File, f.Line = m[2], atoi(m[3])
	}
	return true
}

// begin opens the stack that the last heading announced.
func (v *valgrindReader) begin(s *scanner, l reportLine) {
	head := v.head
	if l.N-head.N > 4 {
		head = reportLine{}
	}
	low := strings.ToLower(head.Text)
	kind := crash.StackCrash
	switch {
	case strings.Contains(low, "free'd"):
		kind = crash.StackFree
	case strings.Contains(low, "alloc'd"):
		kind = crash.StackAlloc
	case strings.HasPrefix(low, "uninitialised value was created"):
		kind = crash.StackOrigin
	case strings.HasPrefix(low, "this conflicts with"):
		kind = crash.StackAccess
	case strings.Contains(low, "was created"):
		kind = crash.StackCreated
	case head.Text != "" && !terminatedBy().MatchString(head.Text) && !strings.HasPrefix(low, "access not"):
		s.Fail(crash.Problem{Kind: problemOf(head.Text), Message: head.Text, Line: head.N, Access: accessIn(low)})
	}
	s.Begin(crash.Stack{Kind: kind, Format: "valgrind", Title: head.Text})
}

// fact records the address of the current problem's access.
func (v *valgrindReader) fact(s *scanner, l reportLine, address string) {
	p := s.Failing()
	if p == nil || p.Address != "" {
		return
	}
	p.Address = address
	p.Null = valgrindNull().MatchString(l.Text)
}

// problemOf returns the kind of failure in a heading of Valgrind.
func problemOf(head string) string {
	switch {
	case strings.Contains(head, "lost") || strings.Contains(head, "still reachable"):
		return "memory leak"
	case strings.Contains(head, "ninitialised"):
		return "use of uninitialised value"
	case strings.HasPrefix(head, "Possible data race"):
		return "data race"
	case strings.HasPrefix(head, "Source and destination overlap"):
		return "overlap"
	case strings.HasPrefix(head, "Invalid free"):
		return "invalid free"
	}
	if words := strings.Fields(head); len(words) > 1 {
		return strings.ToLower(words[0] + " " + words[1])
	}
	return strings.ToLower(head)
}

func accessIn(low string) string {
	for _, access := range []string{"read", "write"} {
		if strings.HasPrefix(low, "invalid "+access) {
			return access
		}
	}
	return ""
}

// valgrindXML matches an element of a report in XML.
var valgrindXML = source.Lazy(`^<(/?(?:frame|stack)|what|auxwhat|text|ip|obj|fn|dir|file|line)>(?:(.*)</\w+>)?$`)

// xml reads a line of a report that --xml=yes makes, in which each element has a line, as the line that it is in the other form.
func (v *valgrindReader) xml(s *scanner, l reportLine) bool {
	m := valgrindXML().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if v.head.N = l.N; s.IsOpen("valgrind") {
		s.Last = l.N // a frame has many lines
	}
	switch name, text := m[1], html.UnescapeString(m[2]); name {
	case "stack":
		v.outer = false
	case "frame":
		v.element = map[string]string{}
	case "what", "auxwhat", "text":
		if l.Text = text; text != "" && text[0] != '<' {
			v.Read(s, l)
		}
	case "/frame":
		v.element["place"] = v.element["file"] + ":" + v.element["line"]
		if e := v.element; e["dir"] != "" {
			e["place"] = e["dir"] + "/" + e["place"]
		} else if e["file"] == "" {
			e["place"] = "in " + e["obj"]
		}
		l.Text = fmt.Sprintf("at %s: %s (%s)", cmp.Or(v.element["ip"], "0x0"), cmp.Or(v.element["fn"], "???"), v.element["place"])
		if v.outer {
			l.Text = "by" + l.Text[len("at"):]
		}
		v.element, v.outer = nil, true
		v.frame(s, l)
	default:
		if v.element != nil {
			v.element[name] = text
		}
	}
	return true
}
