package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// bsd reads the traces of the kernels of FreeBSD, OpenBSD and NetBSD.
type bsd struct {
	cause     string // the last line that may tell why the kernel stopped
	causeLine int
	last      int // the last frame
	handler   int // the frames of the handler of a trap, if the last line was such
}

var (
	bsdFrame = source.Lazy(`^([A-Za-z_.$][\w.$]*)\(.*\) at (?:\w+:)?([A-Za-z_.$][\w.$]*|0x[0-9a-f]+)(?:\+(?:0x)?[0-9a-f]+)?(?:/frame 0x[0-9a-f]+)?(?: (?:([A-Za-z_]\w*) )?([^\s:\[]+\.\w{1,3}):(\d+)( \[inline\])?)?$`)
	bsdInner = source.Lazy(`^([A-Za-z_][\w]*) ([^\s:\[]+\.[chS]):(\d+) \[inline\]$`)
	bsdCause = source.Lazy(`^(?:login: )?(?:panic: |Fatal trap \d+: |fatal .* in supervisor mode|uvm_fault\(|kernel: |kernel diagnostic assertion )`)
	bsdTrap  = source.Lazy(`^--- (?:trap|interrupt|signal) (?:0x)?[1-9a-f]`)
)

func (b *bsd) read(s *scanner, l line) bool {
	t := l.text
	if len(t) < 8 || len(t) > 1000 {
		return false
	}
	switch t[0] {
	case 'p', 'F', 'f', 'u', 'k', 'l':
		if bsdCause().MatchString(t) {
			if b.cause == "" || l.n-b.causeLine > 30 {
				b.cause, b.causeLine = t, l.n
			}
			return false // another format may know the line better
		}
	case '-':
		return b.trap(s, t)
	}
	if strings.Contains(t, ") at ") && (strings.Contains(t, "+0x") || strings.Contains(t, " at netbsd:") || s.isOpen("bsd")) {
		return b.frame(s, l)
	}
	if s.isOpen("bsd") && l.n-b.last <= 3 && strings.HasSuffix(t, "[inline]") {
		return b.inner(s, l)
	}
	return false
}

// frame reads "vpanic() at vpanic+0x1e0/frame 0xfffffe001fa0e340".
func (b *bsd) frame(s *scanner, l line) bool {
	m := bsdFrame().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	b.begin(s, l)
	if b.handler > 0 && b.handler == len(s.open.Frames) {
		s.open.Omitted += b.handler
		s.open.Frames = s.open.Frames[:0]
	}
	b.handler = 0
	f := crash.Frame{File: m[4], Line: atoi(m[5]), Inline: m[6] != ""}
	name := m[1]
	if m[3] != "" {
		name = m[3] // the function that was put inline
	}
	f.Symbol, f.Function = symbolOf(name)
	s.add(l, f)
	return true
}

// inner reads the place of a function that was put inline, as decoded traces
// have it.
func (b *bsd) inner(s *scanner, l line) bool {
	m := bsdInner().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	b.last = l.n
	s.add(l, crash.Frame{Function: m[1], File: m[2], Line: atoi(m[3]), Inline: true})
	return true
}

// begin makes the stack ready that a frame belongs to. Traces on arm64 have a line
// of registers and an empty one between frames.
func (b *bsd) begin(s *scanner, l line) {
	goesOn := s.isOpen("bsd") && l.n-b.last <= 4
	b.last = l.n
	if goesOn {
		return
	}
	b.fail(s, l)
	kind := crash.StackCrash
	for _, st := range s.report.Stacks {
		if st.Format == "bsd" && st.Problem == s.problem {
			kind = crash.StackThread // the debugger shows other threads
		}
	}
	s.begin(crash.Stack{Kind: kind, Format: "bsd"})
}

// fail records why the kernel stopped. Another format may have read the message
// of the panic as one of its own.
func (b *bsd) fail(s *scanner, l line) {
	if b.cause == "" || l.n-b.causeLine > 200 {
		return
	}
	found := crash.Problem{Kind: "kernel panic", Message: cut(b.cause, maxText), Line: b.causeLine}
	if p := s.failing(); p != nil && p.Line >= b.causeLine && p.Line-b.causeLine <= 30 {
		*p = found
	} else {
		s.fail(found)
	}
	b.cause = ""
}

// trap reads the line below the frames of the handler of a trap. If frames of the
// kernel follow, they are those of the code that failed, and the others are left
// out.
func (b *bsd) trap(s *scanner, t string) bool {
	if !s.isOpen("bsd") || !bsdTrap().MatchString(t) {
		return false
	}
	for _, f := range s.open.Frames {
		if strings.Contains(f.Function, "trap") || strings.Contains(f.Function, "panic") {
			b.handler = len(s.open.Frames)
			break
		}
	}
	b.last += 2
	return true
}
