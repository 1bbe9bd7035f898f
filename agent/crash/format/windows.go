package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// windowsReader reads stacks of native code as debuggers of Windows print them: WinDbg, Visual Studio and the
// crash reporter of Unreal Engine. Each frame has a module and a function with "!" between them:
//
//	01 0000009a`5b49f780 00007ffd`1cab6733     Control!Terminal::PrintString+0x9 [C:\src\TerminalApi.cpp @ 17]
//	01 00007ffd`1cab6733     : 00000000`00000000 0000009a`5b49f780 00000000`00000001 00000000`00000000 : Control!Terminal::PrintString+0x9
//	combase.dll!GetEnvBlock(_PRIV_SCM_INFO * pScmInfo) Line 4920	C++
//	UE4Editor_RealSense!FRealSense::Enable() [d:\private\frealsense.cpp:133]
//
// Wine's debugger names the module last:
//
//	=>0 0x00404a3f main+0x2f(argc=1) [Z:\srv\foo.c:34] in foo (0x0033fd80)
type windowsReader struct {
	head   reportLine    // the last line that names an exception
	wine   crash.Problem // the last exception as Wine names it
	access crash.Problem // the last access that failed, as the record of an exception names it
}

const (
	windowsHead  = 100 // lines between an exception and its stack
	windowsBlank = 3   // lines between two frames
)

var (
	windowsFailed = source.Lazy(
		`(?:Unhandled exception|Exception thrown)(?: at 0x\w+)?(?: \([^)]*\))?(?: in [^:]+)?: (?:0x[0-9A-Fa-f]{8}: )?(?P<kind>[A-Za-z][\w ]*?)` +
			`(?P<message>(?: (?:reading|writing|executing)\b.*)?|\..*)$|` +
			`(?P<kind2>Access violation) - code c0000005|ExceptionCode: [0-9a-f]{8} \((?P<kind3>[^)]+)\)|` +
			`Unhandled Exception: (?P<kind4>EXCEPTION_\w+)(?P<message2>.*)$`,
	)
	windowsAccess  = source.Lazy(`\b(reading|writing|executing) (?:location|address) (0x[0-9A-Fa-f]+)`)
	windowsColumns = source.Lazy(
		"^(?:[0-9a-f]{2,3} )?(?:(?:\\(Inline Function\\)|[0-9a-f\\x60]{8,17})(?: [-\\x60]{8,17})?\\s+: (?:[0-9a-f\\x60-]{8,17} )+: |" +
			"(?:\\(Inline Function\\) [-\\x60]+|[0-9a-f\\x60]{8,17} [0-9a-f\\x60]{8,17})\\s+(?:(?:: )?(?:[0-9a-f\\x60-]{8,17} ){3,4}(?:: )?)?)",
	)
	// What kv says of a function's frame and calling convention.
	windowsRemark  = source.Lazy(` \((?:FPO|CONV): [^)]*\)`)
	windowsAttempt = source.Lazy(`^Attempt to (read|write|execute)\b.*? address ([0-9a-f\x60]{8,17})$`)
	windowsBefore  = source.Lazy(`^(?:>\s*)?(?:.*\[Callstack\] )?(?:0x[0-9A-Fa-f]{8,16} )?(?:\[Inline Frame\] )?`)
	windowsModule  = source.Lazy(`^[\w.+-]+$`)
	windowsPlace   = source.Lazy(`^(.*?)(?:\+0x[0-9a-f]+)? \[(.+?)(?: @ |:)(\d+)\]$`)
	windowsLine    = source.Lazy(`^(.*\)(?: const)?)\s+Line (\d+)(?: \+ 0x[0-9a-f]+ bytes)?(?:\s+at (.+)\(\d+\))?(?:\s+([A-Z]\S*))?$`)
	windowsAt      = source.Lazy(`^at (\S.*)\((\d+)\)$`)
	windowsOffset  = source.Lazy(`^(.+)\+0x[0-9a-f]+$`)
	wineFailed     = source.Lazy(`Unhandled (?:exception: )?([a-z][a-z ]+?)(?: on (read|write|execute) access to (?:0x)?([0-9a-f]+)\b| (?:\(.*\) )?in (?:32|64)-bit code| at address )`)
	wineFrame      = source.Lazy(
		`^(?:=>)?\d{1,3} 0x[0-9a-f]{8,16} (?:(\S+?)(?:\+0x[0-9a-f]+)?(?:\(.*\))? (?:\[(.+):(\d+)\] )?)?in ([\w.+-]+)(?: \(\+0x[0-9a-f]+\))?(?: \(0x[0-9a-f]+\))?$`,
	)
	windowsCall = source.Lazy(`^(.*\))(?:\s+(C\+\+|C|C#|Unknown))?$`)
	// windowsOwn are modules of Windows, whose files no project has.
	windowsOwn = source.Lazy(
		`(?i)^(?:ntdll|kernel32|kernelbase|combase|rpcrt4|user32|win32u|gdi32(?:full)?|ucrtbased?|vcruntime\d+\w*|msvc[pr]\w*|ole32|oleaut32|clr|coreclr|wow64\w*|dbghelp|imm32|msctf|d3d\d+\w*|dxgi)(?:\.dll)?$`,
	)
)

var windowsAccesses = map[string]string{"reading": "read", "writing": "write"}

// Read implements lineReader.
func (r *windowsReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case (strings.Contains(t, "xception") || strings.Contains(t, "ccess violation")) && windowsFailed().MatchString(t):
		r.head = l
		return false
	case strings.HasPrefix(t, "Attempt to "):
		if m := windowsAttempt().FindStringSubmatch(t); m != nil {
			r.access = crash.Problem{Access: m[1], Line: l.N}
			r.access.Address = "0x" + strings.ReplaceAll(m[2], "`", "")
		}
		return false
	case strings.Contains(t, "Unhandled "):
		if m := wineFailed().FindStringSubmatch(t); m != nil {
			r.wine = crash.Problem{Kind: m[1], Access: m[2], Line: l.N}
			setAddress(&r.wine, "0x"+m[3])
		}
		return false
	case strings.HasPrefix(t, "=>") || s.IsOpen("windows") && strings.Contains(t, " in "):
		if r.ofWine(s, l) {
			return true
		}
	case strings.HasPrefix(t, "at "):
		return r.place(s, l)
	}
	f, sure, ok := windowsFrame(t)
	open := s.IsOpen("windows") && s.Since(l) <= windowsBlank
	if !ok || !sure && !open {
		return false
	}
	if !open || strings.HasPrefix(t, "00 ") || r.head.N > s.Last {
		r.begin(s, l)
	}
	if windowsOwn().MatchString(f.Module) {
		f.File, f.Line = "", 0
	}
	s.Add(l, f)
	return true
}

// ofWine reads a frame of Wine's debugger. The frame with the arrow is the innermost one.
func (r *windowsReader) ofWine(s *scanner, l reportLine) bool {
	m := wineFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if strings.HasPrefix(l.Text, "=>") {
		if r.wine.Line > 0 && l.N-r.wine.Line <= windowsHead {
			s.Fail(r.wine)
		}
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "windows", Title: r.wine.Kind})
		r.wine = crash.Problem{}
	}
	f := crash.Frame{Symbol: m[1], Module: m[4]}
	if f.Function = functionName(m[1]); !windowsOwn().MatchString(f.Module) {
		f.File, f.Line = m[2], atoi(m[3])
	}
	s.Add(l, f)
	return true
}

// place reads "at onecore\com\resolver.cxx(4920)" below a frame.
func (r *windowsReader) place(s *scanner, l reportLine) bool {
	if !s.IsOpen("windows") || len(s.Open.Frames) == 0 || s.Since(l) != 1 {
		return false
	}
	m := windowsAt().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	s.Last = l.N
	if f := &s.Open.Frames[len(s.Open.Frames)-1]; !windowsOwn().MatchString(f.Module) {
		f.File, f.Line = cut(m[1], maxRaw), atoi(m[2])
	}
	return true
}

// begin opens a stack for the exception above it.
func (r *windowsReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "windows"}
	if r.head.N > 0 && l.N-r.head.N <= windowsHead {
		m := groups(windowsFailed, r.head.Text)
		p := crash.Problem{Kind: m["kind"], Message: strings.Trim(m["message"], " ."), Line: r.head.N}
		if at := windowsAccess().FindStringSubmatch(r.head.Text); at != nil {
			p.Access = windowsAccesses[at[1]]
			setAddress(&p, at[2])
		} else if a := r.access; a.Line > p.Line {
			p.Access = a.Access
			setAddress(&p, a.Address)
		}
		s.Fail(p)
		st.Title = titleOf(p.Kind, p.Message)
	}
	s.Begin(st)
	r.head = reportLine{}
}

// windowsFrame reads a frame. sure says that no other line looks like it.
func windowsFrame(t string) (f crash.Frame, sure, ok bool) {
	if !strings.Contains(t, "!") && !strings.Contains(t, "+0x") {
		return f, false, false
	}
	at := windowsColumns().FindStringIndex(t)
	if at != nil {
		t = t[at[1]:]
	} else {
		t = t[windowsBefore().FindStringIndex(t)[1]:]
	}
	module, rest, called := strings.Cut(t, "!")
	if !called {
		m := windowsOffset().FindStringSubmatch(t)
		if at == nil || m == nil || !windowsModule().MatchString(m[1]) {
			return f, false, false
		}
		return crash.Frame{Module: m[1]}, true, true
	}
	if !windowsModule().MatchString(module) {
		return f, false, false
	}
	f.Module = module
	if strings.Contains(rest, " (") {
		rest = windowsRemark().ReplaceAllString(rest, "")
	}
	program := strings.HasSuffix(module, ".dll") || strings.HasSuffix(module, ".exe")
	if m := windowsPlace().FindStringSubmatch(rest); m != nil {
		f.Symbol, f.File, f.Line, sure = m[1], m[2], atoi(m[3]), true
	} else if m := windowsLine().FindStringSubmatch(rest); m != nil {
		f.Symbol, f.Line, f.File, sure = m[1], atoi(m[2]), m[3], true
	} else if m := windowsOffset().FindStringSubmatch(rest); m != nil {
		f.Symbol, sure = m[1], at != nil
	} else if m := windowsCall().FindStringSubmatch(rest); m != nil {
		f.Symbol, sure = m[1], program || m[2] != ""
	} else {
		return f, false, false
	}
	f.Function = functionName(f.Symbol)
	return f, sure, true
}
