package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// valgrind reads the reports of Valgrind's memcheck, helgrind and drd, with or
// without the "==123==" before each line.
type valgrind struct {
	head line // the last line that may head a stack
}

var (
	valgrindFrame = source.Lazy(`^(at|by) 0x([0-9A-Fa-f]+): (.*)$`)
	valgrindPlace = source.Lazy(`^(.*?)\s*\(([^()]*):(\d+)\)$`)
	valgrindIn    = source.Lazy(`^(.*?)\s*\((?:with)?in ([^()]*)\)$`)
	valgrindRest  = source.Lazy(`^\(?((?:with)?in )?([^()\s]+?)(?::(\d+))?\)$`)
	valgrindFact  = source.Lazy(`^(Invalid (?:read|write|free)|Conditional jump|Use of uninit|Syscall param|Source and destination overlap|Mismatched free|Argument |Process terminating|Possible data race|Jump to the invalid|realloc|Thread #\d+|Uninitialised byte)|(?:definitely|indirectly|possibly) lost| blocks? (?:is|are) (?:still|definitely|possibly|indirectly)`)
	valgrindWords = []string{
		"Invalid ", "Conditional ", "Use of ", "Syscall ", "Source and ", "Mismatched ", "Argument ", "Process ", "Possible ",
		"Jump to ", "realloc", "Thread #", "Uninitialised ", "Block was ", "This conflicts ", "Access not ",
	}
	terminatedBy = source.Lazy(`^Process terminating with default action of signal (\d+) \((SIG\w+)\)`)
	accessAt     = source.Lazy(`Address (0x[0-9a-fA-F]+) is`)
	valgrindNull = source.Lazy(`Address 0x[0-9a-fA-F]{1,3} is not stack'd`)
)

func (v *valgrind) read(s *scanner, l line) bool {
	if strings.HasPrefix(l.text, "at 0x") || strings.HasPrefix(l.text, "by 0x") {
		return v.frame(s, l)
	}
	if l.text == "" {
		return false
	}
	if end := l.text[len(l.text)-1]; end == ')' && s.isOpen("valgrind") && s.since(l) == 1 && v.rest(s, l) {
		return true
	}
	if !mayBeValgrind(l.text) {
		return false
	}
	if m := terminatedBy().FindStringSubmatch(l.text); m != nil {
		s.fail(crash.Problem{Kind: m[2], Signal: atoi(m[1]), Line: l.n})
		v.head = l
		return true
	}
	if valgrindFact().MatchString(l.text) {
		v.head = l
		return l.tag != ""
	}
	if m := accessAt().FindStringSubmatch(l.text); m != nil && strings.Contains(l.text, "is") {
		v.fact(s, l, m[1])
		v.head = l
		return true
	}
	low := strings.ToLower(l.text)
	if strings.HasPrefix(low, "block was alloc'd at") || strings.HasPrefix(low, "uninitialised value was created by") ||
		strings.HasPrefix(low, "this conflicts with a previous") || strings.HasPrefix(low, "access not within mapped region") {
		v.head = l
		return true
	}
	return false
}

// mayBeValgrind is a quick test that lets few other lines pass.
func mayBeValgrind(t string) bool {
	for _, word := range valgrindWords {
		if strings.HasPrefix(t, word) {
			return true
		}
	}
	return strings.Contains(t, "Address 0x") || strings.Contains(t, " lost") || strings.Contains(t, " block")
}

// frame reads "at 0x40: fn (file.c:12)", of which "at" begins a stack.
func (v *valgrind) frame(s *scanner, l line) bool {
	m := valgrindFrame().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	if m[1] == "at" || !s.isOpen("valgrind") || s.since(l) > 6 {
		v.begin(s, l)
	}
	var f crash.Frame
	name := m[3]
	if p := valgrindPlace().FindStringSubmatch(name); p != nil {
		name, f.File, f.Line = p[1], p[2], atoi(p[3])
	} else if p := valgrindIn().FindStringSubmatch(name); p != nil {
		name, f.Module = p[1], p[2]
	} else if c, ok := completesPlace(name); ok {
		name = c // a place that was cut off
	}
	f.Symbol, f.Function = symbolOf(strings.TrimSuffix(name, "???"))
	s.add(l, f)
	return true
}

// completesPlace takes a place off that has no end because the line was wrapped.
func completesPlace(name string) (string, bool) {
	i := strings.LastIndex(name, " (")
	if i < 0 || strings.HasSuffix(name, ")") {
		return name, false
	}
	return name[:i], true
}

// rest reads the place of a frame whose line was wrapped before it.
func (v *valgrind) rest(s *scanner, l line) bool {
	m := valgrindRest().FindStringSubmatch(l.text)
	if m == nil || len(s.open.Frames) == 0 {
		return false
	}
	f := &s.open.Frames[len(s.open.Frames)-1]
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
func (v *valgrind) begin(s *scanner, l line) {
	head := v.head
	if l.n-head.n > 4 {
		head = line{}
	}
	low := strings.ToLower(head.text)
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
	case head.text != "" && !terminatedBy().MatchString(head.text) && !strings.HasPrefix(low, "access not"):
		s.fail(crash.Problem{Kind: problemOf(head.text), Message: head.text, Line: head.n, Access: accessIn(low)})
	}
	s.begin(crash.Stack{Kind: kind, Format: "valgrind", Title: head.text})
}

// fact notes the address that an access of the current problem had.
func (v *valgrind) fact(s *scanner, l line, address string) {
	p := s.failing()
	if p == nil || p.Address != "" {
		return
	}
	p.Address = address
	p.Null = valgrindNull().MatchString(l.text)
}

// problemOf returns the kind of failure that a heading of Valgrind names.
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
