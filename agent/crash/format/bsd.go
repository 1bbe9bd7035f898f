package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// bsdReader reads the traces of the kernels of FreeBSD, OpenBSD and NetBSD.
type bsdReader struct {
	cause     string // the last line that may explain why the kernel stopped
	causeLine int
	last      int // the last frame
	handler   int // number of frames of a trap handler directly before the line
}

var (
	bsdFrame = source.Lazy(
		`^([A-Za-z_.$][\w.$]*)\(.*\) at (?:\w+:)?([A-Za-z_.$][\w.$]*|0x[0-9a-f]+)(?:\+(?:0x)?[0-9a-f]+)?(?:/frame 0x[0-9a-f]+)?(?: (?:([A-Za-z_]\w*) )?([^\s:\[]+\.\w{1,3}):(\d+)( \[inline\])?)?$`,
	)
	bsdInner = source.Lazy(`^([A-Za-z_][\w]*) ([^\s:\[]+\.[chS]):(\d+) \[inline\]$`)
	bsdCause = source.Lazy(`^(?:login: )?(?:panic: |Fatal trap \d+: |fatal .* in supervisor mode|uvm_fault\(|kernel: |kernel diagnostic assertion )`)
	bsdTrap  = source.Lazy(`^--- (?:trap|interrupt|signal) (?:0x)?[1-9a-f]`)
)

// Read implements lineReader.
func (b *bsdReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if len(t) < 8 || len(t) > 1000 {
		return false
	}
	switch t[0] {
	case 'p', 'F', 'f', 'u', 'k', 'l':
		if bsdCause().MatchString(t) {
			if b.cause == "" || l.N-b.causeLine > 30 {
				b.cause, b.causeLine = t, l.N
			}
			return false // another format may recognise the line
		}
	case '-':
		return b.trap(s, t)
	}
	if strings.Contains(t, ") at ") && (strings.Contains(t, "+0x") || strings.Contains(t, " at netbsd:") || s.IsOpen("bsd")) {
		return b.frame(s, l)
	}
	if s.IsOpen("bsd") && l.N-b.last <= 3 && strings.HasSuffix(t, "[inline]") {
		return b.inner(s, l)
	}
	return false
}

// frame reads "vpanic() at vpanic+0x1e0/frame 0xfffffe001fa0e340".
func (b *bsdReader) frame(s *scanner, l reportLine) bool {
	m := bsdFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	b.begin(s, l)
	if b.handler > 0 && b.handler == len(s.Open.Frames) {
		s.Open.Omitted += b.handler
		s.Open.Frames = s.Open.Frames[:0]
	}
	b.handler = 0
	f := crash.Frame{File: m[4], Line: atoi(m[5]), Inline: m[6] != ""}
	name := m[1]
	if m[3] != "" {
		name = m[3] // the inlined function
	}
	f.Symbol, f.Function = symbolOf(name)
	s.Add(l, f)
	return true
}

// inner reads the place of an inlined function in a decoded trace.
func (b *bsdReader) inner(s *scanner, l reportLine) bool {
	m := bsdInner().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	b.last = l.N
	s.Add(l, crash.Frame{Function: m[1], File: m[2], Line: atoi(m[3]), Inline: true})
	return true
}

// begin opens the stack for a frame. Traces on arm64 have a line of registers and an empty one
// between frames.
func (b *bsdReader) begin(s *scanner, l reportLine) {
	goesOn := s.IsOpen("bsd") && l.N-b.last <= 4
	b.last = l.N
	if goesOn {
		return
	}
	b.fail(s, l)
	kind := crash.StackCrash
	for _, st := range s.Report.Stacks {
		if st.Format == "bsd" && st.Problem == s.Problem {
			kind = crash.StackThread // the debugger shows other threads
		}
	}
	s.Begin(crash.Stack{Kind: kind, Format: "bsd"})
}

// fail records why the kernel stopped. Another format may have read the panic message before.
func (b *bsdReader) fail(s *scanner, l reportLine) {
	if b.cause == "" || l.N-b.causeLine > 200 {
		return
	}
	found := crash.Problem{Kind: "kernel panic", Message: cut(b.cause, maxText), Line: b.causeLine}
	if p := s.Failing(); p != nil && p.Line >= b.causeLine && p.Line-b.causeLine <= 30 {
		*p = found
	} else {
		s.Fail(found)
	}
	b.cause = ""
}

// trap reads the line below the frames of a trap handler. If frames of the kernel follow, they
// belong to the code that failed, and the handler's frames are dropped.
func (b *bsdReader) trap(s *scanner, t string) bool {
	if !s.IsOpen("bsd") || !bsdTrap().MatchString(t) {
		return false
	}
	for _, f := range s.Open.Frames {
		if strings.Contains(f.Function, "trap") || strings.Contains(f.Function, "panic") {
			b.handler = len(s.Open.Frames)
			break
		}
	}
	b.last += 2
	return true
}
