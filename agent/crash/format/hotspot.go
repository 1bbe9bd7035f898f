package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// hotspotReader reads the error files of the Java virtual machine, hs_err_pid*.log, and the text
// that the machine prints when it ends.
type hotspotReader struct {
	seen   bool       // a heading of such a report was read
	frame  reportLine // the problematic frame, until stacks are found
	awaits bool       // the problematic frame is on the next line
	thread string
}

var (
	hotspotSignal = source.Lazy(`^(?:# *)?(SIG[A-Z]+|EXCEPTION_\w+) \(0x[0-9a-f]+\) at pc=(0x[0-9a-f]+), pid=\d+`)
	hotspotError  = source.Lazy(`^(?:# *)?Internal Error \((\S+?):(\d+)\), pid=\d+`)
	hotspotFrame  = source.Lazy(`^(?:# *)?([CVjJvAMS]) +(.*)$`)
	hotspotNative = source.Lazy(`^\[([^\]+]*)(?:\+0x[0-9a-f]+)?\](?: +(.*))?$`)
	hotspotJava   = source.Lazy(`^(?:\d+ +(?:[%!bnsc]+ +)*(?:(?i:c[12]|jvmci) +)?)?((?:[\w$]+[./])+[\w$<>/]+)\(`)
	hotspotThread = source.Lazy(`^Current thread \(0x[0-9a-f]+\): +(?:JavaThread )?"?([^"\[]+?)"? *(?:daemon *)?\[`)
	hotspotInfo   = source.Lazy(`^siginfo: ?.*?(?:si_addr[:=] ?|(reading|writing) address )(0x[0-9a-f]+)`)
)

// Read implements lineReader.
func (h *hotspotReader) Read(s *scanner, l reportLine) bool {
	t := strings.TrimLeft(l.Text, "# ")
	switch {
	case t == "":
		return false
	case strings.Contains(t, ", pid=") && h.heading(s, l, t):
		return true
	case !h.seen:
		return false
	case h.awaits:
		h.awaits = false
		if hotspotFrame().MatchString(t) {
			h.frame, h.frame.Text = l, t
			return true
		}
	case strings.HasPrefix(t, "Problematic frame:"), strings.HasPrefix(t, "**Problematic frame:"):
		h.awaits = true
		return true
	case strings.HasPrefix(t, "Current thread ("):
		if m := hotspotThread().FindStringSubmatch(t); m != nil {
			h.thread = m[1]
		}
		return true
	case strings.HasPrefix(t, "siginfo:"):
		return h.siginfo(s, t)
	case strings.HasPrefix(t, "Native frames:"), strings.HasPrefix(t, "Java frames:"):
		h.frame = reportLine{}
		title, _, _ := strings.Cut(t, ":")
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "hs_err", Thread: h.thread, Title: title})
		return true
	case s.IsOpen("hs_err"):
		return h.add(s, l, t)
	}
	return false
}

// heading reads the line that names the failure.
func (h *hotspotReader) heading(s *scanner, l reportLine, t string) bool {
	if m := hotspotSignal().FindStringSubmatch(t); m != nil {
		if p := s.Failing(); h.seen && p != nil && p.Kind == m[1] && l.N-p.Line < 200 {
			return true // it is printed once more
		}
		h.seen = true
		s.Found("hs_err")
		s.Fail(crash.Problem{Kind: m[1], Signal: signalNumbers[m[1]], Message: t, Line: l.N})
		return true
	}
	m := hotspotError().FindStringSubmatch(t)
	if m == nil {
		return false
	}
	h.seen = true
	s.Fail(crash.Problem{Kind: "Internal Error", Message: t, Line: l.N})
	s.AddPlace(l, "hs_err", crash.Frame{File: m[1], Line: atoi(m[2])})
	return true
}

// siginfo reads the address of the failed access.
func (h *hotspotReader) siginfo(s *scanner, t string) bool {
	m := hotspotInfo().FindStringSubmatch(t)
	if p := s.Failing(); m != nil && p != nil {
		p.Address, p.Null = m[2], crash.NearNull(m[2])
		switch m[1] {
		case "reading":
			p.Access = "read"
		case "writing":
			p.Access = "write"
		}
	}
	return true
}

// add reads a frame of a stack: C for native code, V for the machine's, j and J for interpreted
// and compiled methods, v for the machine's generated code.
func (h *hotspotReader) add(s *scanner, l reportLine, t string) bool {
	m := hotspotFrame().FindStringSubmatch(t)
	if m == nil {
		if strings.HasPrefix(t, "...") {
			s.Open.Omitted++
			return true
		}
		return false
	}
	var f crash.Frame
	switch m[1] {
	case "j", "J":
		if j := hotspotJava().FindStringSubmatch(m[2]); j != nil {
			f = javaFrameOf("", strings.ReplaceAll(j[1], "/", "."), make([]string, 4), "")
		}
	case "v", "A", "S", "M":
		f.Function = strings.TrimPrefix(strings.Fields(m[2] + " ?")[0], "~")
	default:
		if n := hotspotNative().FindStringSubmatch(m[2]); n != nil {
			f.Module = n[1]
			f.Symbol, f.Function = symbolOf(n[2])
		}
	}
	if f.Function == "" && f.Module == "" {
		return false
	}
	s.Add(l, f)
	return true
}

// Flush adds the problematic frame of a report without a stack.
func (h *hotspotReader) Flush(s *scanner) {
	if h.frame.Text == "" {
		return
	}
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "hs_err", Thread: h.thread, Title: "Problematic frame"})
	h.add(s, h.frame, h.frame.Text)
	s.Close()
	h.frame = reportLine{}
}
