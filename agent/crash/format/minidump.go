package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// minidumpReader reads the output of minidump_stackwalk for Breakpad's and Crashpad's dumps: the
// text for people, and the lines with "|" of its option -m.
type minidumpReader struct {
	reading bool // the frames of a thread are read
	last    int
	crashed string // the number of the crashed thread, from the lines with "|"
	thread  string // the thread of the last line with "|"
	pipes   bool
}

var (
	minidumpThread  = source.Lazy(`^Thread (\d+)(?: (.*?))? ?(\(crashed\))?(?: - .*)?$`)
	minidumpFrame   = source.Lazy(`^(\d{1,4})  (\S.*)$`)
	minidumpPlace   = source.Lazy(`^(.*) \[(.+?) : (\d+)(?: \+ 0x[0-9a-f]+)?\]$`)
	minidumpOffset  = source.Lazy(`^(.*?) \+ 0x[0-9a-f]+$`)
	minidumpNoise   = source.Lazy(`^(?:Found by: |[a-z][a-z0-9]{1,5} = 0x[0-9a-f])`)
	minidumpFact    = source.Lazy(`^(Crash reason|Crash address|Assertion): +(.*)$`)
	minidumpPipe    = source.Lazy(`^(\d{1,4})\|(\d{1,4})\|([^|]*)\|([^|]*)\|([^|]*)\|(\d*)\|(0x[0-9a-f]+)?$`)
	sourceRevision  = source.Lazy(`^(.*?):([0-9a-f]{7,64})$`)
	sourceServer    = source.Lazy(`^(?:hg|git|s3|svn|cvs):[^:]+:(.*)$`)
	unknownAddress  = source.Lazy(`^0x[0-9a-f]+$`)
	minidumpSignals = source.Lazy(`^(SIG[A-Z]+|EXC_\w+|EXCEPTION_\w+)\b`)
)

// Read implements lineReader.
func (d *minidumpReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if t == "" || len(t) > 4000 {
		return false
	}
	if strings.Count(t, "|") >= 3 {
		return d.pipe(s, l)
	}
	switch {
	case strings.HasPrefix(t, "Crash ") || strings.HasPrefix(t, "Assertion: "):
		return d.fact(s, l)
	case strings.HasPrefix(t, "Thread "):
		return d.head(s, l)
	case !d.reading || l.N-d.last > 12:
		return false
	case minidumpNoise().MatchString(t):
		d.last = l.N
		return true
	}
	return d.frame(s, l)
}

// fact reads "Crash reason:  SIGSEGV" and the lines below it.
func (d *minidumpReader) fact(s *scanner, l reportLine) bool {
	m := minidumpFact().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] == "Crash reason" {
		d.fail(s, l, strings.TrimSpace(m[2]), "")
		return true
	}
	p := s.Failing()
	if p == nil || l.N-p.Line > 4 {
		return false
	}
	if m[1] == "Crash address" {
		setAddress(p, m[2])
	} else {
		p.Message = strings.TrimSpace(p.Message + " " + m[2])
	}
	return true
}

// fail records the failure in a minidump.
func (d *minidumpReader) fail(s *scanner, l reportLine, reason, address string) {
	p := crash.Problem{Kind: reason, Message: reason, Line: l.N, Access: accessWord(strings.ReplaceAll(reason, "_", " "))}
	if m := minidumpSignals().FindStringSubmatch(reason); m != nil {
		p.Kind = m[1]
		p.Signal = signalNumbers[m[1]]
	}
	if p.Kind == "" {
		p.Kind = "crash" // a requested dump has no reason
	} else {
		setAddress(&p, address)
	}
	s.Fail(p)
}

// setAddress sets the address of the failed access.
func setAddress(p *crash.Problem, address string) {
	p.Address = strings.TrimSpace(address)
	abort := p.Signal == signalNumbers["SIGABRT"]
	p.Null = p.Null || p.Address != "" && !abort && p.Kind != "" && crash.NearNull(p.Address)
}

// head reads "Thread 0 (crashed)".
func (d *minidumpReader) head(s *scanner, l reportLine) bool {
	m := minidumpThread().FindStringSubmatch(l.Text)
	d.reading = m != nil && (m[3] != "" || m[2] == "" || d.last > 0)
	if !d.reading {
		return false
	}
	d.last = l.N
	kind := crash.StackThread
	if m[3] != "" {
		kind = crash.StackCrash
	}
	s.Begin(crash.Stack{Kind: kind, Format: "minidump", Thread: strings.TrimSpace(m[1] + " " + m[2])})
	return true
}

// frame reads " 2  XUL!ns::f(int) [file.cpp:9519a92 : 494 + 0x11]".
func (d *minidumpReader) frame(s *scanner, l reportLine) bool {
	m := minidumpFrame().FindStringSubmatch(l.Text)
	if m == nil || !s.IsOpen("minidump") {
		return false
	}
	d.last = l.N
	var f crash.Frame
	name := m[2]
	if p := minidumpPlace().FindStringSubmatch(name); p != nil {
		name, f.Line = p[1], atoi(p[3])
		f.File = d.sourceFile(s, p[2])
	}
	if o := minidumpOffset().FindStringSubmatch(name); o != nil {
		name = o[1]
	}
	module, function, ok := strings.Cut(name, "!")
	f.Module = module
	if !ok {
		function = ""
	}
	if unknownAddress().MatchString(f.Module) {
		f.Module = ""
	}
	if fn, inline := strings.CutSuffix(function, " (inline)"); inline || strings.Contains(l.Text, "Found by: inlining") {
		function, f.Inline = fn, true
	}
	f.Symbol, f.Function = symbolOf(function)
	s.Add(l, f)
	return true
}

// sourceFile returns the path of a file from the notation of a source server:
// "hg:hg.mozilla.org/mozilla-central:xpcom/a.cpp:486d7a9aaa0f" or "a.cpp:486d7a9".
func (d *minidumpReader) sourceFile(s *scanner, name string) string {
	if m := sourceRevision().FindStringSubmatch(name); m != nil {
		name = m[1]
		if strings.HasPrefix(name, "git:") && s.Report.Build.Commit == "" {
			s.Report.Build.Commit = m[2]
		}
	}
	if m := sourceServer().FindStringSubmatch(name); m != nil {
		name = m[1]
	}
	return name
}

// pipe reads a line of the option -m: "Crash|SIGSEGV|0x45|0", whose last field is the crashed
// thread, and "0|1|libxul.so|f(int)|hg:host/repo:file.cpp:rev|12|0x4".
func (d *minidumpReader) pipe(s *scanner, l reportLine) bool {
	if rest, ok := strings.CutPrefix(l.Text, "Crash|"); ok {
		fields := strings.Split(rest, "|")
		d.pipes, d.thread = true, ""
		d.crashed = fields[len(fields)-1]
		d.fail(s, l, fields[0], fields[1])
		return true
	}
	if !d.pipes {
		return false
	}
	m := minidumpPipe().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] != d.thread || !s.IsOpen("minidump") {
		kind := crash.StackThread
		if m[1] == d.crashed {
			kind = crash.StackCrash
		}
		d.thread = m[1]
		s.Begin(crash.Stack{Kind: kind, Format: "minidump", Thread: m[1]})
	}
	f := crash.Frame{Module: m[3], File: d.sourceFile(s, m[5]), Line: atoi(m[6])}
	f.Symbol, f.Function = symbolOf(m[4])
	s.Add(l, f)
	return true
}
