package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// kernelReader reads the messages of the Linux and Xen kernels: oopses, panics, warnings,
// lockups, and the reports of KASAN, KMSAN, KCSAN, KFENCE and UBSAN, as the kernel prints them or
// with the places that decoding scripts add.
type kernelReader struct {
	last     int  // the last line that was accepted
	trace    bool // frames of a call trace are expected
	fromRegs int  // number of frames of the open stack that come from registers
	done     bool // the trace ended: registers are printed once more
	kcsan    int  // number of accesses of a data race so far
	version  bool // the version of the kernel was read
	unsure   []heldFrame
}

// A heldFrame is a frame that is not in a stack yet.
type heldFrame struct {
	at    reportLine
	frame crash.Frame
}

// maxUnsure limits the frames that are held in case a trace has no sure ones.
const maxUnsure = 64

// kernelHeads are the lines that name a failure. If kind is "", the first group of the pattern is
// the failure's kind.
var kernelHeads = []struct {
	needle  string // a part of every such line, for speed
	kind    string
	pattern source.Pattern // groups: address, file, line, func, kind, where
}{
	{"SAN: ", "", source.Lazy(`^(?:BUG: )?K(?:[AMCT]|MC)SAN: (?P<kind>[^+]*?)(?: in (?P<where>[^/\s].*))?$`)},
	{"KFENCE: ", "", source.Lazy(`^BUG: KFENCE: (?P<kind>.*?)(?: in (?P<where>\S.*))?$`)},
	{"UBSAN: ", "", source.Lazy(`^UBSAN: (?P<kind>.*?) in (?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?$`)},
	{"UBSAN: ", "", source.Lazy(`^UBSAN: (?P<kind>[^:]*?) in (?P<func>\S+)$`)},
	{
		"NULL pointer dereference",
		"kernel NULL pointer dereference",
		source.Lazy(`NULL pointer dereference(?:,? (?:address:|at(?: virtual address)?))?(?: \(?(?P<address>null|(?:0x)?[0-9a-f]+)\)?)?`),
	},
	{
		"paging request",
		"unable to handle kernel paging request",
		source.Lazy(`[Uu]nable to handle kernel paging request(?: (?:for address:|at(?: virtual address)?) (?P<address>[0-9a-fx]+))?`),
	},
	{"page fault for address", "page fault", source.Lazy(`BUG: unable to handle (?:kernel )?page fault for address: (?P<address>[0-9a-fx]+)`)},
	{
		"kernel access to user memory",
		"kernel access to user memory",
		source.Lazy(`[Uu]nable to handle kernel access to user memory.* at virtual address (?P<address>[0-9a-fx]+)`),
	},
	{
		"general protection fault",
		"general protection fault",
		source.Lazy(`^(?:Oops: )?general protection fault(?:, (?:probably|maybe) for (?:non-canonical )?address (?P<address>0x[0-9a-f]+))?`),
	},
	{" BUG at ", "kernel BUG", source.Lazy(`(?:kernel|Xen) BUG at (?P<file>[^\s:]+):(?P<line>\d+)`)},
	{" WARN at ", "warning", source.Lazy(`Xen WARN at (?P<file>[^\s:]+):(?P<line>\d+)`)},
	{"WARNING: ", "warning", source.Lazy(`^WARNING: (?:CPU: \d+ PID: \d+ )?at (?P<file>[^\s:+]+):(?P<line>\d+)(?:,? (?P<func>[A-Za-z_][\w.]*))?`)},
	{"WARNING: ", "warning", source.Lazy(`^WARNING: (?P<file>[^\s:+]+\.\w):(?P<line>\d+) at (?P<func>[A-Za-z_][\w.]*)`)},
	{"WARNING: ", "warning", source.Lazy(`^WARNING: (?:CPU: \d+ PID: \d+ )?at (?P<func>[A-Za-z_][\w.]*)\+0x`)},
	{
		"WARNING: ",
		"",
		source.Lazy(
			`^WARNING: (?P<kind>(?:possible|suspicious|inconsistent|held lock|bad unlock|lock held|nested lock|trying|ODEBUG|kernel stack|stack going|can't dereference)\b.*)$`,
		),
	},
	{
		"BUG: ",
		"",
		source.Lazy(
			`^(?:watchdog: )?BUG: (?P<kind>soft lockup|scheduling while atomic|sleeping function called from invalid context|workqueue lockup|workqueue leaked|spinlock[ \w]*|rwlock[ \w]*|using \w+\(\) in preemptible|memory leak|Bad page|Bad rss|stack guard page was hit|corrupted list|looking up invalid|MAX_LOCK\w* too low|Dentry|Object|bad unlock|unable to handle|non-zero|No PMD|still has locks held|held lock freed|recent printk recursion|TASK stack guard)`,
		),
	},
	{
		"INFO: ",
		"",
		source.Lazy(
			`^INFO: (?P<kind>task .* blocked for more than|rcu\w* .*stall|rcu\w* (?:self-)?detected|possible|suspicious|inconsistent|trying to register|lockdep)`,
		),
	},
	{"unreferenced object", "memory leak", source.Lazy(`^unreferenced object (?P<address>0x[0-9a-f]+) \(size`)},
	{"lockup", "", source.Lazy(`(?P<kind>(?:soft|hard) (?:lockup|LOCKUP))`)},
	{"anic", "kernel panic", source.Lazy(`^(?:Kernel panic - not syncing: |Panic on CPU \d+:)`)},
	{
		"",
		"",
		source.Lazy(
			`^(?:Oops: )?(?P<kind>invalid opcode|divide error|stack segment|double fault|int3|alignment check|bounds|segment not present|Oops|Unhandled fault|Unexpected \w+ Trap|Data Abort Trap|unexpected kernel mode trap|kernel tried to execute \S+|FATAL TRAP)[:.] `,
		),
	},
	{"", "", source.Lazy(`^(?P<kind>Internal error): .* \[#\d+\]`)},
}

// Read implements lineReader.
func (k *kernelReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if len(t) < 3 || len(t) > 4000 {
		return false
	}
	taken := k.head(s, l) || k.heading(s, l) || k.registers(s, l) || k.frames(s, l) || k.detail(s, l)
	if taken {
		k.last = l.N
	}
	return taken
}

// near reports whether a line of the kernel was read shortly before.
func (k *kernelReader) near(l reportLine) bool { return k.last > 0 && l.N-k.last <= 4 }

// head reads a line that names a failure.
func (k *kernelReader) head(s *scanner, l reportLine) bool {
	if !mayHeadKernel(l.Text) {
		return false
	}
	if strings.HasPrefix(l.Text, "KASAN: ") && strings.Contains(l.Text, " in range ") {
		return k.amend(s, l)
	}
	for _, h := range kernelHeads {
		if h.needle != "" && !strings.Contains(l.Text, h.needle) {
			continue
		}
		re := h.pattern()
		m := re.FindStringSubmatch(l.Text)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := re.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		k.fail(s, l, h.kind, h.needle == "" || h.needle == "anic" || h.needle == "lockup", group)
		return true
	}
	return false
}

// mayHeadKernel is a quick test that rejects most other lines.
func mayHeadKernel(t string) bool {
	switch t[0] {
	case 'B', 'U', 'u', 'W', 'w', 'I', 'i', 'K', 'k', 'g', 'd', 's', 'O', 'X', 'P', 'F', 'D', 'N', 'b', 'a':
	default:
		return false
	}
	for _, word := range []string{": ", " BUG at ", "NULL pointer", "paging request", "WARN at", "unreferenced object", "Panic on CPU", "general protection", "Abort Trap."} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// fail records a failure. A line that only repeats that the kernel failed, as "Oops:" does below
// a message, adds nothing.
func (k *kernelReader) fail(s *scanner, l reportLine, kind string, again bool, group func(string) string) {
	if p := s.Failing(); again && p != nil && k.last > 0 && (k.near(l) || l.N-p.Line < 150 && kind == "kernel panic") {
		return
	}
	if kind == "" {
		kind = strings.TrimSpace(group("kind"))
	}
	if p := s.Failing(); p != nil && p.Kind == kind && l.N-k.last == 1 && group("where") != "" {
		k.place(s, l, group) // a decoded report repeats its head for each inlined function
		k.begin(s, crash.StackCrash, "")
		return
	}
	k.settle(s)
	k.done, k.trace, k.kcsan, k.fromRegs = false, false, 0, 0
	p := crash.Problem{Kind: kind, Message: l.Text, Line: l.N, Address: group("address")}
	if p.Address == "null" {
		p.Address = "0x0"
	}
	if kind == "kernel BUG" {
		p.Message = "" // the place says it all
	}
	p.Null = strings.Contains(kind, "NULL pointer") || strings.Contains(kind, "null-ptr") || p.Address != "" && crash.NearNull(p.Address)
	p.Access = accessWord(kind)
	s.Fail(p)
	s.Found("kernel")
	k.place(s, l, group)
	k.begin(s, crash.StackCrash, "")
}

// place records the place of the failure in the head of a report. The trace begins above this
// place, in the reporting functions.
func (k *kernelReader) place(s *scanner, l reportLine, group func(string) string) {
	if group("file") != "" {
		f := crash.Frame{File: group("file"), Line: atoi(group("line"))}
		f.Symbol, f.Function = symbolOf(group("func"))
		s.AddPlace(l, "kernel", f)
		return
	}
	where := group("where")
	if where == "" {
		where = group("func") + "+0x0"
	} else if !strings.Contains(where, ":") && !strings.Contains(where, "+0x") {
		where, _, _ = strings.Cut(where, " ")
		where += "+0x0"
	}
	if f, _, ok := kernelFrame(where, true); ok {
		s.AddPlace(l, "kernel", f)
	}
}

// amend reads KASAN's additions to a general protection fault.
func (k *kernelReader) amend(s *scanner, l reportLine) bool {
	p := s.Failing()
	if p == nil || !k.near(l) {
		return false
	}
	if strings.Contains(l.Text, "null-ptr-deref") {
		p.Null = true
	}
	p.Message += "; " + cut(l.Text, 200)
	return true
}

var (
	kernelAccess = source.Lazy(`^(Read|Write) of size \d+ at (?:addr |0x)([0-9a-f]+)\b`)
	kcsanAccess  = source.Lazy(`^(?:(?:read-)?(read|write)|assert no \w+)(?: \([\w, -]+\))* to (0x[0-9a-f]+) of \d+ bytes by (.*):$`)
	kernelAgo    = source.Lazy(`^-> #\d+ \(`)

	// The headings of the stacks of the kernel, in lower case.
	kernelStacks = []struct {
		head string
		kind crash.StackKind
	}{
		{"allocated by task", crash.StackAlloc},
		{"allocated:", crash.StackAlloc},
		{"freed by task", crash.StackFree},
		{"freed:", crash.StackFree},
		{"last potentially related work creation", crash.StackCreated},
		{"second to last potentially related work creation", crash.StackCreated},
		{"last call_rcu()", crash.StackCreated},
		{"second to last call_rcu()", crash.StackCreated},
		{"uninit was created at", crash.StackOrigin},
		{"uninit was stored to memory at", crash.StackOrigin},
		{"local variable ", crash.StackOrigin},
		{"nmi backtrace for cpu", crash.StackThread},
		{"sending nmi", crash.StackThread},
		{"task stack:", crash.StackThread},
	}
)

// heading reads a line that heads a stack.
func (k *kernelReader) heading(s *scanner, l reportLine) bool {
	t := l.Text
	if i := strings.Index(t, "all "); i >= 0 && i < 6 && (strings.HasPrefix(t[i:], "all Trace:") || strings.HasPrefix(t[i:], "all trace:")) {
		k.callTrace(s, l)
		return true
	}
	if m := kernelAccess().FindStringSubmatch(t); m != nil && k.near(l) && s.Failing() != nil {
		p := s.Failing()
		p.Access, p.Address = strings.ToLower(m[1]), "0x"+m[2]
		p.Null = p.Null || crash.NearNull(m[2])
		return true
	}
	if m := kcsanAccess().FindStringSubmatch(t); m != nil {
		k.race(s, m[1], m[2], m[3])
		return true
	}
	if kernelAgo().MatchString(t) && s.Failing() != nil {
		k.begin(s, crash.StackAccess, t)
		return true
	}
	if t == "Backtrace:" || strings.HasPrefix(t, "backtrace") && strings.HasSuffix(t, ":") {
		if p := s.Failing(); p == nil || k.last == 0 || l.N-k.last > 60 {
			return false
		}
		k.callTrace(s, l)
		return true
	}
	if k.last == 0 || len(t) > 200 {
		return false
	}
	low := strings.ToLower(t)
	for _, h := range kernelStacks {
		if strings.HasPrefix(low, h.head) {
			k.begin(s, h.kind, t)
			return true
		}
	}
	return false
}

// race begins the stack of one access of a data race.
func (k *kernelReader) race(s *scanner, access, address, by string) {
	kind := crash.StackCrash
	if k.kcsan++; k.kcsan > 1 {
		kind = crash.StackAccess
	} else if p := s.Failing(); p != nil {
		p.Access, p.Address = access, address
	}
	k.begin(s, kind, "")
	s.Open.Thread = cut(by, maxRaw)
}

// callTrace reads "Call Trace:". The frames from registers are the first of the trace.
func (k *kernelReader) callTrace(s *scanner, l reportLine) {
	if !(s.IsOpen("kernel") && len(s.Open.Frames) == k.fromRegs) {
		kind := crash.StackCrash
		if k.done && s.Failing() != nil {
			kind = crash.StackThread
		}
		k.begin(s, kind, "")
	}
	k.trace = true
	if _, rest, ok := strings.Cut(l.Text, "race:"); ok && strings.TrimSpace(rest) != "" {
		l.Text = strings.TrimSpace(rest)
		k.last = l.N
		k.frames(s, l)
	}
}

// begin opens a stack.
func (k *kernelReader) begin(s *scanner, kind crash.StackKind, title string) {
	k.settle(s)
	s.Begin(crash.Stack{Kind: kind, Format: "kernel", Title: title})
	k.fromRegs, k.trace = 0, kind != crash.StackCrash
}

// settle adds the frames that the kernel was not sure of to the open stack, if that stack has no
// others.
func (k *kernelReader) settle(s *scanner) {
	held := k.unsure
	k.unsure = nil
	if !s.IsOpen("kernel") || len(s.Open.Frames) > k.fromRegs {
		return
	}
	for _, h := range held {
		s.Add(h.at, h.frame)
	}
}

// Flush implements flusher.
func (k *kernelReader) Flush(s *scanner) { k.settle(s) }

// detail reads the other lines of a report.
func (k *kernelReader) detail(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case strings.HasPrefix(t, "---[ end "),
		strings.HasPrefix(t, "Memory state around the buggy address"),
		strings.HasPrefix(t, "The buggy address belongs to"):
		k.settle(s)
		if s.IsOpen("kernel") {
			s.Close()
		}
		k.done = k.done || t[0] == '-'
		k.trace = false
		return true
	case strings.HasPrefix(t, "CPU: ") && strings.Contains(t, "ainted"):
		k.build(s, t)
		return true
	}
	return false
}

var kernelHash = source.Lazy(`-g([0-9a-f]{7,64})\b`)

// build reads the version of the kernel: the word before "#12".
func (k *kernelReader) build(s *scanner, t string) {
	if k.version {
		return
	}
	words := strings.Fields(t)
	for i, w := range words {
		if i > 0 && len(w) > 1 && w[0] == '#' && source.IsDigit(w[1]) {
			k.version = true
			s.Report.Build.Version = cut(words[i-1], maxRaw)
			if m := kernelHash().FindStringSubmatch(words[i-1]); m != nil {
				s.Report.Build.Commit = m[1]
			}
			return
		}
	}
}
