package format

import (
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// debuggerReader reads the text that gdb, lldb, coredumpctl and FreeBSD print around their
// stacks. numberedReader reads the frames.
type debuggerReader struct {
	current string        // the thread that got the signal, if the debugger says so
	segment crash.Problem // the last fault of a program that the kernel logged
}

var (
	gdbSignal  = source.Lazy(`[Pp]rogram (?:received|terminated with) signal (\w+)(?:, (.*?))?\.?$`)
	gdbCurrent = source.Lazy(`^(?:Thread (\d+) .*received signal|\[Current thread is (\d+) )`)
	gdbThread  = source.Lazy(`^(?:\* ?)?(?:Thread (\d+) \(|thread #(\d+))(.*)$`)
	coreThread = source.Lazy(`^Stack trace of thread (\S+):$`)
	coreSignal = source.Lazy(`^Signal: (\d+) \((\w+)\)`)
	gotSignal  = source.Lazy(
		`\b(?:(?:received|got|caught|fatal|killed by|terminated by|with|on) signal|Received signal|signal) (\d+|SIG[A-Z]+)\b|\b(SIGSEGV|SIGABRT|SIGBUS|SIGFPE|SIGILL|SIGTRAP)\b`,
	)
	// Linux: sway[123]: segfault at 18 ip 00005581c0a1b2c3 sp 00007ffc12345678 error 4 in sway[2b2c3,5581c0a00000+40000]
	segfault = source.Lazy(`\bsegfault at ([0-9a-f]+) ip [0-9a-f]+ sp [0-9a-f]+ error ([0-9a-f]+)(?: in ([^\s\[]+)\[(?:([0-9a-f]+),)?)?`)
	lldbStop = source.Lazy(`stop reason = (.*)$`)
)

// Read implements lineReader.
func (d *debuggerReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if t == "" || len(t) > 500 {
		return false
	}
	if strings.Contains(t, "segfault at ") {
		return d.fault(s, l)
	}
	if !strings.Contains(t, "hread") && !strings.Contains(t, "ignal") && !strings.Contains(t, "SIG") {
		return false
	}
	if m := gdbCurrent().FindStringSubmatch(t); m != nil {
		d.current = m[1] + m[2]
	}
	if m := gdbThread().FindStringSubmatch(t); m != nil &&
		(strings.Contains(m[3], "LWP") || strings.Contains(m[3], "Thread 0x") || m[2] != "" || strings.HasSuffix(m[3], "):")) {
		d.thread(s, m[1]+m[2])
		if t[0] == '*' {
			d.current = m[1] + m[2]
		}
		if stop := lldbStop().FindStringSubmatch(t); stop != nil {
			d.stop(s, l, stop[1])
		}
		return true
	}
	if m := coreThread().FindStringSubmatch(t); m != nil {
		kind := crash.StackCrash
		if d.seen(s, "coredump") {
			kind = crash.StackThread
		}
		if d.segment.Line > 0 && kind == crash.StackCrash && s.Problem < 0 {
			s.Fail(d.segment)
		}
		s.Begin(crash.Stack{Kind: kind, Format: "coredump", Thread: m[1]})
		return true
	}
	if !strings.Contains(t, "ignal") && !strings.Contains(t, "SIG") {
		return false
	}
	return d.signal(s, l)
}

// fault reads the line in which Linux logs the fault of a program. It is a report of its own if no stack follows.
func (d *debuggerReader) fault(s *scanner, l reportLine) bool {
	m := segfault().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	d.segment = crash.Problem{Kind: "SIGSEGV", Signal: signalNumbers["SIGSEGV"], Line: l.N, Access: "read"}
	switch code, err := strconv.ParseUint(m[2], 16, 32); {
	case err != nil:
		d.segment.Access = ""
	case code&16 != 0:
		d.segment.Access = "execute"
	case code&2 != 0:
		d.segment.Access = "write"
	}
	setAddress(&d.segment, "0x"+m[1])
	if m[4] != "" {
		s.Spare(d.segment, crash.Stack{Format: "coredump", Frames: []crash.Frame{bounded(l, crash.Frame{Module: m[3], Offset: "0x" + m[4]})}})
	}
	return true
}

// Flush finds the stack of the crash among the stacks of all threads, which gdb shows from the
// last thread to the first. It is the stack of the thread that got the signal, else of a thread
// that ended the program, else of the first thread.
func (d *debuggerReader) Flush(s *scanner) {
	s.Close()
	var threads []*crash.Stack
	for i := range s.Report.Stacks {
		if st := &s.Report.Stacks[i]; st.Format == "gdb" && st.Thread != "" {
			threads = append(threads, st)
		}
	}
	for _, is := range []func(*crash.Stack) bool{
		func(st *crash.Stack) bool { return st.Thread == d.current },
		endsProgram,
		func(st *crash.Stack) bool { return st.Thread == "1" },
	} {
		if i := slices.IndexFunc(threads, is); i >= 0 {
			for _, st := range threads {
				st.Kind = crash.StackThread
			}
			threads[i].Kind = crash.StackCrash
			return
		}
	}
}

// endsProgram reports whether the innermost frames of a stack belong to a signal or an abort.
func endsProgram(st *crash.Stack) bool {
	for _, f := range st.Frames[:min(len(st.Frames), 6)] {
		switch strings.TrimPrefix(f.Function, "__GI_") {
		case "<signal handler called>", "abort", "raise", "__assert_fail", "__pthread_kill_implementation":
			return true
		}
	}
	return false
}

// thread begins the stack of a thread. The first one counts as the crash's until all are known.
func (d *debuggerReader) thread(s *scanner, name string) {
	kind := crash.StackCrash
	if d.seen(s, "gdb") {
		kind = crash.StackThread
	}
	s.Begin(crash.Stack{Kind: kind, Format: "gdb", Thread: name})
}

// seen reports whether a stack of the format was already read.
func (d *debuggerReader) seen(s *scanner, format string) bool {
	for _, st := range s.Report.Stacks {
		if st.Format == format && st.Kind == crash.StackCrash {
			return true
		}
	}
	return s.Open != nil && s.Open.Format == format && len(s.Open.Frames) > 0
}

// stop reads lldb's reason for a stopped thread.
func (d *debuggerReader) stop(s *scanner, l reportLine, reason string) {
	p := crash.Problem{Kind: reason, Message: reason, Line: l.N}
	if m := gotSignal().FindStringSubmatch(reason); m != nil {
		p.Kind = m[1] + m[2]
		p.Signal = signalNumbers[p.Kind]
	}
	if i := strings.Index(reason, "address="); i >= 0 {
		p.Address = strings.TrimSuffix(reason[i+len("address="):], ")")
		p.Null = crash.NearNull(p.Address)
	}
	s.Fail(p)
	if s.Open != nil {
		s.Open.Problem = s.Problem
	}
}

// signal reads a line that names the signal of a crash.
func (d *debuggerReader) signal(s *scanner, l reportLine) bool {
	name, message := "", ""
	if m := gdbSignal().FindStringSubmatch(l.Text); m != nil {
		name, message = m[1], m[2]
	} else if m := coreSignal().FindStringSubmatch(l.Text); m != nil {
		name = m[1]
	} else if m := gotSignal().FindStringSubmatch(l.Text); m != nil {
		name = m[1] + m[2]
		message = l.Text
	} else {
		return false
	}
	if known := signalNames[name]; known != "" {
		name = known
	}
	if signalNumbers[name] == 0 {
		return false
	}
	if p := s.Failing(); p != nil && p.Signal == signalNumbers[name] && l.N-p.Line < 30 {
		return true // the same signal again
	}
	s.Fail(crash.Problem{Kind: name, Signal: signalNumbers[name], Message: message, Line: l.N})
	return true
}
