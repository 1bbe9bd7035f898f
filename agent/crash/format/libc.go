package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// libcReader reads the stacks that programs print about themselves with backtrace_symbols of the
// C library, as MySQL, PostgreSQL, Redis, Ceph and X do:
//
//	/usr/sbin/mysqld(handle_fatal_signal+0x479)[0x55f48c268309]
type libcReader struct {
	last    int
	index   int            // of the last frame, -1 if frames have no numbers
	aborted *crash.Problem // the message of the library, before the stack of its abort
}

var (
	libcFrame   = source.Lazy(`^(?:\(EE\) |Backtrace: )?(?:#? ?(\d{1,3}):? +)?(\S(?:[^()]*\S)?)? ?\(([^+]*|.*?)(?:\+(?:0x)?[0-9a-f]+)?\) ?\[(?:0x)?[0-9a-f]{4,16}\]$`)
	libcBare    = source.Lazy(`^([^\s()\[\]]+) ?\[0x[0-9a-f]{4,16}\]$`)
	libcDecoded = source.Lazy(`^(/\S+\.\w+):(\d+)(?: \(discriminator \d+\))?$`)
	libcUnwound = source.Lazy(`^([^\s()]*)\(\) ip = [0-9a-f]+, sp = [0-9a-f]+$`)
	// *** glibc detected *** ./prog: double free or corruption (!prev): 0x08a72780 ***
	libcAbort = source.Lazy(`^\*\*\* (?:(?:glibc detected \*\*\* |Error in [\x60'])(.+?)'?: (.+?)(?:: 0x([0-9a-f]+))?|((?:stack smashing|buffer overflow) detected) \*\*\*:? ?(.*?)(?: terminated)?)(?: \*\*\*)?$`)
)

// Read implements lineReader.
func (c *libcReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if strings.Contains(t, " detected *") || strings.Contains(t, "*** Error in ") {
		if len(t) < maxText && c.abort(l) {
			return true
		}
	}
	if strings.Contains(t, "() ip = ") && len(t) < maxRaw {
		return c.unwound(s, l)
	}
	if c.last == l.N-1 && s.IsOpen("libc") && c.decoded(s, l) {
		return true
	}
	if len(t) > 4000 || !endsInAddress(t) {
		return false
	}
	var f crash.Frame
	index := -1
	if m := libcFrame().FindStringSubmatch(t); m != nil && (strings.Contains(t, "+0x") || m[1] != "" || m[3] == "" && s.IsOpen("libc")) {
		if m[1] != "" {
			index = atoi(m[1])
		}
		f.Module = m[2]
		if f.Symbol, f.Function = symbolOf(m[3]); f.Function == "" {
			f.Offset = moduleOffset(t[:strings.LastIndexByte(t, ')')])
		}
	} else if m := libcBare().FindStringSubmatch(t); m != nil && s.IsOpen("libc") {
		f.Module = m[1]
	} else {
		return false
	}
	if !s.IsOpen("libc") || l.N-c.last > 4 || index >= 0 && index <= c.index {
		c.begin(s, l)
	}
	c.last, c.index = l.N, index
	s.Add(l, f)
	return true
}

// decoded reads the place of the frame before, as addr2line tells it, which somebody put below it.
func (c *libcReader) decoded(s *scanner, l reportLine) bool {
	m := libcDecoded().FindStringSubmatch(l.Text)
	if m == nil || len(s.Open.Frames) == 0 {
		return false
	}
	f := &s.Open.Frames[len(s.Open.Frames)-1]
	if f.File != "" {
		return false
	}
	f.File, f.Line = m[1], atoi(m[2])
	c.last, s.Last = l.N, l.N
	return true
}

// unwound reads a frame as programs print it that walk their own stack with libunwind, after the example in its manual.
func (c *libcReader) unwound(s *scanner, l reportLine) bool {
	m := libcUnwound().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if !s.IsOpen("libc") || l.N-c.last > 4 {
		c.begin(s, l)
	}
	c.last, c.index = l.N, -1
	var f crash.Frame
	f.Symbol, f.Function = symbolOf(m[1])
	s.Add(l, f)
	return true
}

// abort keeps the message with which the library ends a program, until a stack follows.
func (c *libcReader) abort(l reportLine) bool {
	text := strings.ReplaceAll(l.Text, `**\*`, "***")                               // as programs quote stars for Markdown
	m := libcAbort().FindStringSubmatch(text[max(0, strings.Index(text, "*** ")):]) // the program may not have ended its last line
	if m == nil {
		return false
	}
	p := crash.Problem{Kind: m[2] + m[4], Signal: signalNumbers["SIGABRT"], Line: l.N}
	if m[3] != "" {
		p.Address = "0x" + m[3]
	}
	c.aborted = &p
	return true
}

// begin opens a stack, behind the message of the library if there was one.
func (c *libcReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "libc"}
	if p := c.aborted; p != nil && l.N-p.Line <= maxMessage {
		s.Fail(*p)
		st.Title = p.Kind
	}
	c.aborted = nil
	s.Begin(st)
}

// endsInAddress is a quick test for "[0x55f48c268309]" at a line's end.
func endsInAddress(t string) bool {
	i := strings.LastIndexByte(t, '[')
	if i < 0 || !strings.HasSuffix(t, "]") {
		return false
	}
	address := strings.TrimPrefix(t[i+1:len(t)-1], "0x")
	return len(address) >= 4 && hexDigits(address) == len(address)
}
