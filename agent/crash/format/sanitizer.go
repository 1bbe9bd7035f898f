package format

import (
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// sanitizerReader reads the text that the sanitizers of LLVM and GCC print around their stacks:
// AddressSanitizer, MemorySanitizer, ThreadSanitizer, LeakSanitizer and
// UndefinedBehaviorSanitizer. numberedReader reads the frames.
type sanitizerReader struct{}

var (
	sanitizerError = source.Lazy(`(?:ERROR|WARNING|FATAL): (\w+Sanitizer): (.*)$`)
	onAddress      = source.Lazy(`^([\w -]+?)(?: on (?:unknown )?(?:address )?(0x[0-9a-f]+))?(?: \(pc .*| at pc .*| in pc.*)?$`)
	ofRegion       = source.Lazy(`^0x[0-9a-f]+ is located (\d+ bytes (?:inside of|after|before|to the (?:left|right) of) \d+-byte region)`)
	ofSize         = source.Lazy(`of size \d+`)
	accessOf       = source.Lazy(`^(?i)(previous )?(?:atomic )?(read|write) of size \d+ at (0x[0-9a-f]+)(?: by)?(?: (?:thread (T\d+)|main thread))?`)
	causedBy       = source.Lazy(`The signal is caused by a (READ|WRITE) memory access`)
	nullHint       = source.Lazy(`Hint: address points to the zero page`)
	leakHead       = source.Lazy(`^(?i)((?:in)?direct) leak of (\d+) byte`)
	runtimeError   = source.Lazy(`^(\S.*?):(\d+)(?::(\d+))?: runtime error:(?: (.*))?$`)
	globalVariable = source.Lazy(`global variable '([^']+)' (?:defined in|from) '([^':]+)(?::(\d+)(?::(\d+))?)?'`)
	onNothing      = source.Lazy(` on(?: unknown)?(?: address)?$`)
	sanitizerPid   = source.Lazy(` \(pid=\d+\)$`)
	threadCreated  = source.Lazy(`^Thread (T\d+).* created by .*:?$`)
	sanitizerSum   = source.Lazy(`^SUMMARY: \w+Sanitizer: `)
	summary        = source.Lazy(`^SUMMARY: (\w+Sanitizer): ([A-Za-z][\w-]+)(?: (\S+?):(\d+)(?::(\d+))?)?(?: in (\S.*))?$`)

	// The headings of the stacks after the first one.
	laterStacks = []struct {
		head string
		kind crash.StackKind
	}{
		{"freed by thread", crash.StackFree},
		{"freed by ", crash.StackFree},
		{"previously allocated by", crash.StackAlloc},
		{"allocated by thread", crash.StackAlloc},
		{"allocated by main thread", crash.StackAlloc},
		{"uninitialized value was created by", crash.StackOrigin},
		{"uninitialized value was stored to memory at", crash.StackOrigin},
		{"memory was marked as uninitialized", crash.StackOrigin},
		{"memory was marked as", crash.StackOrigin},
		{"location is heap block of size", crash.StackAlloc},
		{"location is file descriptor", crash.StackAlloc},
		{"mutex m", crash.StackCreated},
		{"as if synchronized via sleep", crash.StackThread},
	}
)

// Read implements lineReader.
func (*sanitizerReader) Read(s *scanner, l reportLine) bool {
	switch t := l.Text; {
	case strings.Contains(t, "Sanitizer: "):
		return readSanitizerError(s, l)
	case strings.Contains(t, ": runtime error:"):
		return readRuntimeError(s, l)
	case strings.Contains(t, "eak of "):
		if m := leakHead().FindStringSubmatch(t); m != nil {
			if p := s.Failing(); p == nil || !strings.Contains(p.Kind, "leak") {
				s.Fail(crash.Problem{Kind: "memory leak", Line: l.N})
			}
			s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "sanitizer", Title: t})
			return true
		}
	case strings.Contains(t, " of size "):
		return readAccess(s, l)
	case strings.Contains(t, "The signal is caused by"):
		if m := causedBy().FindStringSubmatch(t); m != nil && s.Failing() != nil {
			s.Failing().Access = strings.ToLower(m[1])
			return true
		}
	case strings.Contains(t, "Hint: address points"):
		if p := s.Failing(); p != nil && nullHint().MatchString(t) {
			p.Null = true
			return true
		}
	case strings.Contains(t, "-byte region"):
		if m := ofRegion().FindStringSubmatch(t); m != nil && s.Failing() != nil {
			addDetail(s.Failing(), m[1])
		}
	}
	return readLaterStack(s, l)
}

// addDetail adds a fact about the failed access. It keeps two facts at most, because a report of
// several processes repeats its lines.
func addDetail(p *crash.Problem, fact string) {
	if !strings.Contains(p.Detail, "; ") && p.Detail != fact {
		p.Detail = strings.TrimPrefix(p.Detail+"; "+fact, "; ")
	}
}

// readSanitizerError reads the line with the sanitizer's finding.
func readSanitizerError(s *scanner, l reportLine) bool {
	if sanitizerSum().MatchString(l.Text) {
		s.Close()
		readSummary(s, l)
		return true
	}
	m := sanitizerError().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	what := sanitizerPid().ReplaceAllString(m[2], "")
	p := crash.Problem{Kind: onNothing().ReplaceAllString(what, ""), Line: l.N, Message: m[1] + ": " + what}
	if a := onAddress().FindStringSubmatch(what); a != nil {
		p.Kind, p.Address = onNothing().ReplaceAllString(strings.TrimSpace(a[1]), ""), a[2]
		p.Null = p.Kind == "SEGV" && crash.NearNull(a[2])
	} else if i := strings.LastIndex(p.Kind, ": 0x"); i > 0 {
		p.Kind, p.Address, _ = strings.Cut(p.Kind, ": 0x")
		p.Address, _, _ = strings.Cut("0x"+p.Address, " ")
	}
	nameSignal(&p)
	switch {
	case strings.HasPrefix(p.Kind, "detected memory leaks"):
		p.Kind = "memory leak"
	case strings.HasPrefix(p.Kind, "requested allocation size"):
		p.Kind = "allocation-size-too-big"
	case m[1] == "ThreadSanitizer" && strings.HasPrefix(p.Kind, "data race"):
		p.Kind = "data race"
	}
	s.Fail(p)
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "sanitizer"})
	return true
}

// nameSignal names a signal as other formats do.
func nameSignal(p *crash.Problem) {
	switch p.Kind {
	case "SEGV":
		p.Kind, p.Signal = "SIGSEGV", 11
	case "ABRT":
		p.Kind, p.Signal = "SIGABRT", 6
	}
}

// readSummary reads the line at the end of a report. Where the text was cut before it, it alone has the
// finding for the stack before it, or the place.
func readSummary(s *scanner, l reportLine) {
	m := summary().FindStringSubmatch(l.Text)
	last := len(s.Report.Stacks) - 1
	if m == nil || last >= 0 && (s.Report.Stacks[last].Problem >= 0 || len(s.Report.Problems) > 0) {
		return
	}
	p := crash.Problem{Kind: m[2], Message: m[1] + ": " + m[2], Line: l.N}
	nameSignal(&p)
	s.Fail(p)
	switch {
	case last >= 0:
		st := &s.Report.Stacks[last]
		st.Problem, st.Format = s.Problem, "sanitizer"
		if !slices.ContainsFunc(s.Report.Stacks, func(o crash.Stack) bool { return o.Format == "gdb" }) { // as it looked without its heading
			s.Report.Formats = slices.DeleteFunc(s.Report.Formats, func(f string) bool { return f == "gdb" })
		}
		s.Found("sanitizer")
	case m[3] != "":
		f := crash.Frame{File: m[3], Line: atoi(m[4]), Column: atoi(m[5])}
		f.Symbol, f.Function = symbolOf(m[6])
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "sanitizer"})
		s.Add(l, f)
		s.Close()
	}
}

// readRuntimeError reads a finding of UndefinedBehaviorSanitizer, whose message contains its
// place.
func readRuntimeError(s *scanner, l reportLine) bool {
	m := runtimeError().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	s.Fail(crash.Problem{Kind: "undefined behavior", Message: m[4], Line: l.N, Null: strings.Contains(m[4], "null pointer")})
	s.AddPlace(l, "sanitizer", crash.Frame{File: m[1], Line: atoi(m[2]), Column: atoi(m[3])})
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "sanitizer"})
	return true
}

// readAccess reads "READ of size 4 at 0x... thread T0", which heads a stack.
func readAccess(s *scanner, l reportLine) bool {
	m := accessOf().FindStringSubmatch(l.Text)
	if m == nil {
		return readLaterStack(s, l)
	}
	if m[1] != "" {
		s.Begin(crash.Stack{Kind: crash.StackAccess, Format: "sanitizer", Thread: m[4], Title: l.Text})
		return true
	}
	if p := s.Failing(); p != nil {
		p.Access = strings.ToLower(m[2])
		addDetail(p, ofSize().FindString(l.Text))
		if p.Address == "" {
			p.Address = m[3]
		}
	} else {
		s.Fail(crash.Problem{Kind: "invalid " + strings.ToLower(m[2]), Address: m[3], Access: strings.ToLower(m[2]), Line: l.N})
	}
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "sanitizer", Thread: m[4]})
	return true
}

// readLaterStack reads the heading of a stack after the first one.
func readLaterStack(s *scanner, l reportLine) bool {
	if len(l.Text) > 200 || l.Text == "" {
		return false
	}
	if !mayHeadStack(l.Text) {
		return false
	}
	low := strings.ToLower(l.Text)
	if m := threadCreated().FindStringSubmatch(l.Text); m != nil {
		s.Begin(crash.Stack{Kind: crash.StackCreated, Format: "sanitizer", Thread: m[1], Title: l.Text})
		return true
	}
	switch {
	case strings.HasPrefix(low, "mutex ") && strings.Contains(low, " acquired here"):
		s.Begin(crash.Stack{Kind: crash.StackAccess, Format: "sanitizer", Title: l.Text})
		return true
	case strings.HasSuffix(low, " here:") && strings.Contains(low, ") allocated by "), strings.Contains(low, " is located in stack of "):
		s.Begin(crash.Stack{Kind: crash.StackAlloc, Format: "sanitizer", Title: l.Text})
		return true
	case strings.HasSuffix(low, " here:") && strings.Contains(low, ") freed by "):
		s.Begin(crash.Stack{Kind: crash.StackFree, Format: "sanitizer", Title: l.Text})
		return true
	case strings.Contains(low, "global variable '"):
		return readGlobal(s, l)
	}
	for _, later := range laterStacks {
		if !strings.HasPrefix(low, later.head) ||
			!(strings.HasSuffix(low, ":") || strings.Contains(low, " here") || strings.HasSuffix(low, " at") || later.kind == crash.StackOrigin) {
			continue
		}
		s.Begin(crash.Stack{Kind: later.kind, Format: "sanitizer", Title: l.Text})
		return true
	}
	return false
}

// mayHeadStack is a quick test that rejects most other lines.
func mayHeadStack(t string) bool {
	for _, end := range []string{":", " here", " at", "in"} {
		if strings.HasSuffix(t, end) {
			return true
		}
	}
	return strings.Contains(t, "ninitialized") || strings.Contains(t, " is located in stack of ") || strings.Contains(t, "global variable '") ||
		strings.Contains(t, " here")
}

// readGlobal reads the place of the variable whose memory was accessed.
func readGlobal(s *scanner, l reportLine) bool {
	m := globalVariable().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	s.Begin(crash.Stack{Kind: crash.StackAlloc, Format: "sanitizer", Title: l.Text})
	s.Add(l, crash.Frame{File: m[2], Line: atoi(m[3]), Column: atoi(m[4]), Symbol: m[1]})
	s.Close()
	return true
}
