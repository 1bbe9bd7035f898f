package crash

import (
	"slices"
	"strings"

	"git-agent/agent/source"
)

// casrClasses are the classes of CASR by their names, with what they say.
var casrClasses = map[string]Severity{
	"SegFaultOnPc":         {Class: Exploitable, Description: "the program jumped to an address without code"},
	"ReturnAv":             {Class: Exploitable, Description: "a return failed, so the stack may be overwritten"},
	"BranchAv":             {Class: Exploitable, Description: "a jump failed at an address that an attacker may have chosen"},
	"CallAv":               {Class: Exploitable, Description: "a call failed at an address that an attacker may have chosen"},
	"DestAv":               {Class: Exploitable, Description: "a write failed, whose address or value an attacker may have chosen"},
	"BadInstruction":       {Class: ProbablyExploitable, Description: "the program ran into something that is no instruction"},
	"SegFaultOnPcNearNull": {Class: ProbablyExploitable, Description: "the program jumped to an address near 0, perhaps by a null pointer"},
	"BranchAvNearNull":     {Class: ProbablyExploitable, Description: "a jump failed near address 0, perhaps by a null pointer"},
	"CallAvNearNull":       {Class: ProbablyExploitable, Description: "a call failed near address 0, perhaps by a null pointer"},
	"DestAvNearNull":       {Class: ProbablyExploitable, Description: "a write failed near address 0, perhaps by a null pointer"},
	"HeapError":            {Class: ProbablyExploitable, Description: "the allocator found its heap damaged"},
	"StackGuard":           {Class: ProbablyExploitable, Description: "the guard of a stack frame was overwritten"},
	"SourceAv":             {Class: NotExploitable, Description: "a read failed"},
	"SourceAvNearNull":     {Class: NotExploitable, Description: "a read failed near address 0, perhaps by a null pointer"},
	"AbortSignal":          {Class: NotExploitable, Description: "the program ended itself"},
	"AccessViolation":      {Class: NotExploitable, Description: "an access to memory failed, and the report does not say which"},
	"SafeFunctionCheck":    {Class: NotExploitable, Description: "a checked function of the C library found a buffer too small"},
	"FPE":                  {Class: NotExploitable, Description: "an arithmetic operation failed"},
	"StackOverflow":        {Class: NotExploitable, Description: "the stack was full, as by a recursion without end"},
}

// accessed are the findings of AddressSanitizer whose class depends on the access: a write is
// exploitable, a read is not, and what is unknown is probably exploitable.
var accessed = []string{
	"heap-buffer-overflow", "global-buffer-overflow", "stack-use-after-scope", "stack-use-after-return", "stack-buffer-overflow", "stack-buffer-underflow",
	"heap-use-after-free", "container-overflow",
}

// findings are the other findings of sanitizers and fuzzers: how the problem begins or ends, CASR's
// name, and the class.
var findings = []struct {
	pattern source.Pattern
	kind    string
	class   string
}{
	{source.Lazy(`param-overlap\b`), "param-overlap", Exploitable},
	{source.Lazy(`^use-after-poison`), "use-after-poison", ProbablyExploitable},
	{source.Lazy(`^negative-size-param`), "negative-size-param", ProbablyExploitable},
	{source.Lazy(`^calloc-overflow|^calloc parameters overflow`), "calloc-overflow", ProbablyExploitable},
	{source.Lazy(`^reallocarray(-| parameters )overflow`), "readllocarray-overflow", ProbablyExploitable}, // CASR spells it so
	{source.Lazy(`^pvalloc(-| parameters )overflow`), "pvalloc-overflow", ProbablyExploitable},
	{source.Lazy(`overwrites (its )?const input`), "overwrites-const-input", ProbablyExploitable},
	{source.Lazy(`^(attempting )?double-free`), "double-free", NotExploitable},
	{source.Lazy(`^(attempting free|bad-free)`), "bad-free", NotExploitable},
	{source.Lazy(`^alloc-dealloc-mismatch`), "alloc-dealloc-mismatch", NotExploitable},
	{source.Lazy(`^initialization-order-fiasco`), "initialization-order-fiasco", NotExploitable},
	{source.Lazy(`^new-delete-type-mismatch`), "new-delete-type-mismatch", NotExploitable},
	{source.Lazy(`malloc_usable_size`), "bad-malloc_usable_size", NotExploitable},
	{source.Lazy(`^odr-violation`), "odr-violation", NotExploitable},
	{source.Lazy(`^memory leak`), "memory-leaks", NotExploitable},
	{source.Lazy(`^invalid(-| )allocation(-| )alignment`), "invalid-allocation-alignment", NotExploitable},
	{source.Lazy(`^invalid-aligned-alloc-alignment`), "invalid-aligned-alloc-alignment", NotExploitable},
	{source.Lazy(`^invalid-posix-memalign-alignment`), "invalid-posix-memalign-alignment", NotExploitable},
	{source.Lazy(`^allocation-size-too-big`), "allocation-size-too-big", NotExploitable},
	{source.Lazy(`^out-of-memory|: out-of-memory`), "out-of-memory", NotExploitable},
	{source.Lazy(`fuzz target exited`), "fuzz target exited", NotExploitable},
	{source.Lazy(`^timeout\b|: timeout after`), "timeout", NotExploitable},
	{source.Lazy(`^stack-overflow`), "StackOverflow", NotExploitable},
}

// classified are the formats of programs in machine code, for whose crashes CASR has classes. A
// signal in Go or Java is caught by checks of the language.
var classified = []string{"sanitizer", "gdb", "coredump", "tombstone", "libc", "glog", "minidump", "apple"}

// severityOf returns the class of the first failure in a report for which CASR has one, or nil.
func severityOf(r *Report) *Severity {
	if !slices.ContainsFunc(r.Formats, func(f string) bool { return slices.Contains(classified, f) }) ||
		slices.Contains(r.Formats, "go") || slices.Contains(r.Formats, "kernel") {
		return nil
	}
	for i, p := range r.Problems {
		if s := classOf(r, i, p); s != nil {
			return s
		}
	}
	return nil
}

// classOf returns the class of one failure, or nil.
func classOf(r *Report, i int, p Problem) *Severity {
	for _, kind := range accessed {
		if p.Kind != kind && p.Kind != "dynamic-"+kind {
			continue
		}
		switch p.Access {
		case "write":
			return &Severity{Class: Exploitable, Kind: kind + "(write)", Description: "memory that is not the program's to write was written"}
		case "read":
			return &Severity{Class: NotExploitable, Kind: kind + "(read)", Description: "memory that is not the program's to read was read"}
		}
		return &Severity{Class: ProbablyExploitable, Kind: kind, Description: "memory that is not the program's was read or written"}
	}
	for _, f := range findings {
		if f.pattern().MatchString(p.Kind) {
			return &Severity{Class: f.class, Kind: f.kind, Description: casrClasses[f.kind].Description}
		}
	}
	if kind := signalClass(r, i, p); kind != "" {
		s := casrClasses[kind]
		s.Kind = kind
		return &s
	}
	return nil
}

// signalClass returns CASR's name for a signal.
func signalClass(r *Report, i int, p Problem) string {
	near := ""
	if p.Null {
		near = "NearNull"
	}
	switch p.Signal {
	case 4:
		return "BadInstruction"
	case 6:
		return abortClass(r, i)
	case 8:
		return "FPE"
	case 7, 11:
		switch p.Access {
		case "execute":
			return "SegFaultOnPc" + near
		case "call":
			return "CallAv" + near
		case "jump":
			return "BranchAv" + near
		case "return":
			return "ReturnAv"
		case "write":
			return "DestAv" + near
		case "read":
			return "SourceAv" + near
		case "push":
			return "StackOverflow"
		}
		return "AccessViolation"
	}
	return ""
}

// abortFunctions are functions of the C library that end a program, with the class that they show.
var abortFunctions = []struct {
	pattern source.Pattern
	kind    string
}{
	{source.Lazy(`^(?:__GI_)?(?:malloc_printerr|_int_free|_int_malloc|sysmalloc|malloc_consolidate|unlink_chunk|_int_realloc)$`), "HeapError"},
	{source.Lazy(`^(?:__GI_)?__stack_chk_fail(?:_local)?$`), "StackGuard"},
	{source.Lazy(`^(?:__GI_)?__(?:chk_fail|\w+_chk)$`), "SafeFunctionCheck"},
}

// abortTexts are messages of the C library before an abort, with the class that they show.
var abortTexts = []struct{ text, kind string }{
	{"stack smashing detected", "StackGuard"}, {"buffer overflow detected", "SafeFunctionCheck"},
	{"double free or corruption", "HeapError"}, {"free(): ", "HeapError"}, {"malloc(): ", "HeapError"}, {"corrupted size vs. prev_size", "HeapError"},
	{"munmap_chunk(): ", "HeapError"}, {"realloc(): ", "HeapError"},
}

// abortClass returns CASR's name for an abort by what called it.
func abortClass(r *Report, i int) string {
	for _, st := range r.Stacks {
		if st.Kind != StackCrash || st.Problem >= 0 && st.Problem != i {
			continue
		}
		for _, f := range st.Frames[:min(len(st.Frames), 12)] {
			for _, a := range abortFunctions {
				if a.pattern().MatchString(f.Function) {
					return a.kind
				}
			}
		}
	}
	for _, p := range r.Problems {
		for _, a := range abortTexts {
			if strings.Contains(p.Kind+" "+p.Message, a.text) {
				return a.kind
			}
		}
	}
	return "AbortSignal"
}

// Classify sets what an attacker could make of the crash in a report, by the classes of CASR, unless the
// report states it. It reads only what the report says, and no code.
func Classify(r *Report) {
	if r.Severity == nil || !r.Severity.Stated {
		r.Severity = severityOf(r)
	}
}
