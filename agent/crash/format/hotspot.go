package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// hotspot reads the error files of the Java virtual machine, hs_err_pid*.log, and
// what it prints when it ends.
type hotspot struct {
	seen   bool // a heading of such a report was read
	frame  line // the problematic frame, until stacks are found
	awaits bool // the problematic frame is on the next line
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

func (h *hotspot) read(s *scanner, l line) bool {
	t := strings.TrimLeft(l.text, "# ")
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
			h.frame, h.frame.text = l, t
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
		h.frame = line{}
		title, _, _ := strings.Cut(t, ":")
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "hs_err", Thread: h.thread, Title: title})
		return true
	case s.isOpen("hs_err"):
		return h.add(s, l, t)
	}
	return false
}

// heading reads the line that names the failure.
func (h *hotspot) heading(s *scanner, l line, t string) bool {
	if m := hotspotSignal().FindStringSubmatch(t); m != nil {
		if p := s.failing(); h.seen && p != nil && p.Kind == m[1] && l.n-p.Line < 200 {
			return true // it is printed once more
		}
		h.seen = true
		s.found("hs_err")
		s.fail(crash.Problem{Kind: m[1], Signal: signalNumbers[m[1]], Message: t, Line: l.n})
		return true
	}
	m := hotspotError().FindStringSubmatch(t)
	if m == nil {
		return false
	}
	h.seen = true
	s.fail(crash.Problem{Kind: "Internal Error", Message: t, Line: l.n})
	s.addPlace(l, "hs_err", crash.Frame{File: m[1], Line: atoi(m[2])})
	return true
}

// siginfo reads the address whose access failed.
func (h *hotspot) siginfo(s *scanner, t string) bool {
	m := hotspotInfo().FindStringSubmatch(t)
	if p := s.failing(); m != nil && p != nil {
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

// add reads a frame of a stack: C for native code, V for the machine's, j and J
// for interpreted and compiled methods, v for the machine's generated code.
func (h *hotspot) add(s *scanner, l line, t string) bool {
	m := hotspotFrame().FindStringSubmatch(t)
	if m == nil {
		if strings.HasPrefix(t, "...") {
			s.open.Omitted++
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
	s.add(l, f)
	return true
}

// flush adds the problematic frame of a report that has no stack.
func (h *hotspot) flush(s *scanner) {
	if h.frame.text == "" {
		return
	}
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: "hs_err", Thread: h.thread, Title: "Problematic frame"})
	h.add(s, h.frame, h.frame.text)
	s.close()
	h.frame = line{}
}
