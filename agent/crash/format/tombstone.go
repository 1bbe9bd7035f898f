package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// tombstone reads Android's reports of native crashes, from their file, from
// logcat, or from a collector that writes the same form.
type tombstone struct {
	other bool // what follows is about a thread that did not crash
	fresh bool // a thread was named: its stack is a new one
	last  int
	index int
	name  string // of the thread
}

var (
	tombstoneSignal = source.Lazy(`\bsignal (\d+) \((SIG\w+)\), code (-?\d+)(?: \((\w+)(?: from [^)]*)?\))?(?:, fault addr (0x[0-9a-f]+|[0-9a-f]{8,16}|-+))?`)
	tombstoneFrame  = source.Lazy(`^(?:native: )?#(\d{2,3})\s+pc (?:0x)?([0-9a-f]{4,16})\s+(\S+(?: \[[^\]]*\])?(?:!\S+)?)(?: \(offset 0x[0-9a-f]+\))?(?: \((.*)\))?$`)
	tombstoneID     = source.Lazy(`\(BuildId: [0-9a-f]*\)?$`)
	tombstoneThread = source.Lazy(`^pid: (\d+), tid: (\d+)(?:, name: (.*?))?(?:  +>>> .*)?$`)
	tombstonePlus   = source.Lazy(`\+\d+$`)
)

func (a *tombstone) read(s *scanner, l line) bool {
	t := l.text
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
func (a *tombstone) thread(_ *scanner, l line) bool {
	m := tombstoneThread().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	a.name, a.fresh = strings.TrimSpace(m[2]+" "+m[3]), true
	return true
}

// signal reads "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0", which
// the log has once more as "Fatal signal 11 ...".
func (a *tombstone) signal(s *scanner, l line) bool {
	m := tombstoneSignal().FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	p := crash.Problem{Kind: m[2], Signal: atoi(m[1]), Message: strings.TrimSpace("code " + m[3] + " " + m[4]), Line: l.n}
	if address := strings.Trim(m[5], "-"); address != "" {
		setAddress(&p, address)
	}
	if old := s.failing(); old != nil && old.Signal == p.Signal && l.n-old.Line < 60 && !strings.Contains(l.text, "Fatal signal") {
		*old = p
		return true
	}
	s.fail(p)
	return true
}

// cause reads "Cause: null pointer dereference" and the message of an abort.
func (a *tombstone) cause(s *scanner, l line) bool {
	p := s.failing()
	if p == nil || l.n-p.Line > 4 {
		return false
	}
	if strings.Contains(l.text, "null pointer dereference") {
		p.Null = true
	}
	p.Message = strings.TrimPrefix(l.text, "Abort message: ")
	return true
}

// frame reads "#01 pc 0000000000174890  /data/app/lib/arm64/libtor.so (f(int)+12) (BuildId: 12ab)".
func (a *tombstone) frame(s *scanner, l line) bool {
	m := tombstoneFrame().FindStringSubmatch(strings.TrimSpace(tombstoneID().ReplaceAllString(l.text, "")))
	if m == nil {
		return false
	}
	index := atoi(m[1])
	if !s.isOpen("tombstone") || a.fresh || l.n-a.last > 40 || index <= a.index && index == 0 && len(s.open.Frames) > 1 && a.index > 0 {
		kind := crash.StackCrash
		if a.other || strings.HasPrefix(l.text, "native: ") {
			kind = crash.StackThread
		}
		s.begin(crash.Stack{Kind: kind, Format: "tombstone", Thread: a.name})
	}
	a.last, a.index, a.fresh = l.n, index, false
	f := crash.Frame{Module: m[3]}
	f.Symbol, f.Function = symbolOf(tombstonePlus().ReplaceAllString(m[4], ""))
	s.add(l, f)
	return true
}
