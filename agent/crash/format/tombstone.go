package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// tombstoneReader reads Android's reports of native crashes, from their file, from logcat, or
// from a collector with the same format.
type tombstoneReader struct {
	other bool // the next lines are about a thread that did not crash
	fresh bool // a thread was named: its stack is new
	last  int
	index int
	name  string // of the thread
}

var (
	tombstoneSignal = source.Lazy(
		`\bsignal (\d+) \((SIG\w+)\), code (-?\d+)(?: \((\w+)(?: from [^)]*)?\))?(?:, fault addr (0x[0-9a-f]+|[0-9a-f]{8,16}|-+))?`,
	)
	tombstoneFrame = source.Lazy(
		`^(?:native: )?#(\d{2,3})\s+pc (?:0x)?([0-9a-f]{4,16})\s+(\S+(?: \[[^\]]*\])?(?:!\S+)?)(?: \(offset 0x[0-9a-f]+\))?(?: \((.*)\))?$`,
	)
	tombstoneID     = source.Lazy(`\(BuildId: [0-9a-f]*\)?$`)
	tombstoneThread = source.Lazy(`^pid: (\d+), tid: (\d+)(?:, name: (.*?))?(?:  +>>> .*)?$`)
	tombstonePlus   = source.Lazy(`\+\d+$`)
)

// Read implements lineReader.
func (a *tombstoneReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "" || len(t) > 2000:
		return false
	case strings.Contains(t, " pc "):
		return a.frame(s, l)
	case strings.HasPrefix(t, "--- --- ---"):
		a.other = true
		return true
	case strings.HasPrefix(t, "*** *** ***"):
		a.other = false
		return true
	case strings.HasPrefix(t, "pid: "):
		return a.thread(s, l)
	case strings.Contains(t, "signal ") && strings.Contains(t, ", code "):
		return a.signal(s, l)
	case strings.HasPrefix(t, "Cause: ") || strings.HasPrefix(t, "Abort message: "):
		return a.cause(s, l)
	}
	return false
}

// thread reads "pid: 13915, tid: 14110, name: worker  >>> app <<<".
func (a *tombstoneReader) thread(_ *scanner, l reportLine) bool {
	m := tombstoneThread().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	a.name, a.fresh = strings.TrimSpace(m[2]+" "+m[3]), true
	return true
}

// signal reads "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0". The log repeats it as
// "Fatal signal 11 ...".
func (a *tombstoneReader) signal(s *scanner, l reportLine) bool {
	m := tombstoneSignal().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	p := crash.Problem{Kind: m[2], Signal: atoi(m[1]), Message: strings.TrimSpace("code " + m[3] + " " + m[4]), Line: l.N}
	if address := strings.Trim(m[5], "-"); address != "" {
		setAddress(&p, address)
	}
	if old := s.Failing(); old != nil && old.Signal == p.Signal && l.N-old.Line < 60 && !strings.Contains(l.Text, "Fatal signal") {
		*old = p
		return true
	}
	s.Fail(p)
	return true
}

// cause reads "Cause: null pointer dereference" and the message of an abort.
func (a *tombstoneReader) cause(s *scanner, l reportLine) bool {
	p := s.Failing()
	if p == nil || l.N-p.Line > 4 {
		return false
	}
	if strings.Contains(l.Text, "null pointer dereference") {
		p.Null = true
	}
	p.Message = strings.TrimPrefix(l.Text, "Abort message: ")
	return true
}

// frame reads "#01 pc 0000000000174890  /data/app/lib/arm64/libtor.so (f(int)+12) (BuildId: 12ab)".
func (a *tombstoneReader) frame(s *scanner, l reportLine) bool {
	m := tombstoneFrame().FindStringSubmatch(strings.TrimSpace(tombstoneID().ReplaceAllString(l.Text, "")))
	if m == nil {
		return false
	}
	index := atoi(m[1])
	if !s.IsOpen("tombstone") || a.fresh || l.N-a.last > 40 || index <= a.index && index == 0 && len(s.Open.Frames) > 1 && a.index > 0 {
		kind := crash.StackCrash
		if a.other || strings.HasPrefix(l.Text, "native: ") {
			kind = crash.StackThread
		}
		s.Begin(crash.Stack{Kind: kind, Format: "tombstone", Thread: a.name})
	}
	a.last, a.index, a.fresh = l.N, index, false
	f := crash.Frame{Module: m[3]}
	f.Symbol, f.Function = symbolOf(tombstonePlus().ReplaceAllString(m[4], ""))
	s.Add(l, f)
	return true
}
