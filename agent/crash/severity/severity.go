// Package severity judges what an attacker could make of a crash, by the classes of CASR. It reads
// only what a report says, and no code.
package severity

import (
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// classes are the classes of CASR by their names, with what they say.
var classes = map[string]crash.Severity{
	"SegFaultOnPc":         {Class: crash.Exploitable, Description: "the program jumped to an address without code"},
	"ReturnAv":             {Class: crash.Exploitable, Description: "a return failed, so the stack may be overwritten"},
	"BranchAv":             {Class: crash.Exploitable, Description: "a jump failed at an address that an attacker may have chosen"},
	"CallAv":               {Class: crash.Exploitable, Description: "a call failed at an address that an attacker may have chosen"},
	"DestAv":               {Class: crash.Exploitable, Description: "a write failed, whose address or value an attacker may have chosen"},
	"BadInstruction":       {Class: crash.ProbablyExploitable, Description: "the program ran into something that is no instruction"},
	"SegFaultOnPcNearNull": {Class: crash.ProbablyExploitable, Description: "the program jumped to an address near 0, perhaps by a null pointer"},
	"BranchAvNearNull":     {Class: crash.ProbablyExploitable, Description: "a jump failed near address 0, perhaps by a null pointer"},
	"CallAvNearNull":       {Class: crash.ProbablyExploitable, Description: "a call failed near address 0, perhaps by a null pointer"},
	"DestAvNearNull":       {Class: crash.ProbablyExploitable, Description: "a write failed near address 0, perhaps by a null pointer"},
	"HeapError":            {Class: crash.ProbablyExploitable, Description: "the allocator found its heap damaged"},
	"StackGuard":           {Class: crash.ProbablyExploitable, Description: "the guard of a stack frame was overwritten"},
	"SourceAv":             {Class: crash.NotExploitable, Description: "a read failed"},
	"SourceAvNearNull":     {Class: crash.NotExploitable, Description: "a read failed near address 0, perhaps by a null pointer"},
	"AbortSignal":          {Class: crash.NotExploitable, Description: "the program ended itself"},
	"AccessViolation":      {Class: crash.NotExploitable, Description: "an access to memory failed, and the report does not say which"},
	"SafeFunctionCheck":    {Class: crash.NotExploitable, Description: "a checked function of the C library found a buffer too small"},
	"FPE":                  {Class: crash.NotExploitable, Description: "an arithmetic operation failed"},
	"StackOverflow":        {Class: crash.NotExploitable, Description: "the stack was full, as by a recursion without end"},
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
	{source.Lazy(`param-overlap\b`), "param-overlap", crash.Exploitable},
	{source.Lazy(`^use-after-poison`), "use-after-poison", crash.ProbablyExploitable},
	{source.Lazy(`^negative-size-param`), "negative-size-param", crash.ProbablyExploitable},
	{source.Lazy(`^calloc-overflow|^calloc parameters overflow`), "calloc-overflow", crash.ProbablyExploitable},
	{source.Lazy(`^reallocarray(-| parameters )overflow`), "readllocarray-overflow", crash.ProbablyExploitable}, // CASR spells it so
	{source.Lazy(`^pvalloc(-| parameters )overflow`), "pvalloc-overflow", crash.ProbablyExploitable},
	{source.Lazy(`overwrites (its )?const input`), "overwrites-const-input", crash.ProbablyExploitable},
	{source.Lazy(`^(attempting )?double-free`), "double-free", crash.NotExploitable},
	{source.Lazy(`^(attempting free|bad-free)`), "bad-free", crash.NotExploitable},
	{source.Lazy(`^alloc-dealloc-mismatch`), "alloc-dealloc-mismatch", crash.NotExploitable},
	{source.Lazy(`^initialization-order-fiasco`), "initialization-order-fiasco", crash.NotExploitable},
	{source.Lazy(`^new-delete-type-mismatch`), "new-delete-type-mismatch", crash.NotExploitable},
	{source.Lazy(`malloc_usable_size`), "bad-malloc_usable_size", crash.NotExploitable},
	{source.Lazy(`^odr-violation`), "odr-violation", crash.NotExploitable},
	{source.Lazy(`^memory leak`), "memory-leaks", crash.NotExploitable},
	{source.Lazy(`^invalid(-| )allocation(-| )alignment`), "invalid-allocation-alignment", crash.NotExploitable},
	{source.Lazy(`^invalid-aligned-alloc-alignment`), "invalid-aligned-alloc-alignment", crash.NotExploitable},
	{source.Lazy(`^invalid-posix-memalign-alignment`), "invalid-posix-memalign-alignment", crash.NotExploitable},
	{source.Lazy(`^allocation-size-too-big`), "allocation-size-too-big", crash.NotExploitable},
	{source.Lazy(`^out-of-memory|: out-of-memory`), "out-of-memory", crash.NotExploitable},
	{source.Lazy(`fuzz target exited`), "fuzz target exited", crash.NotExploitable},
	{source.Lazy(`^timeout\b|: timeout after`), "timeout", crash.NotExploitable},
	{source.Lazy(`^stack-overflow`), "StackOverflow", crash.NotExploitable},
}

// classified are the formats of programs in machine code, for whose crashes CASR has classes. A
// signal in Go or Java is caught by checks of the language.
var classified = []string{"sanitizer", "gdb", "coredump", "tombstone", "libc", "glog", "minidump", "apple"}

// severityOf returns the class of the first failure in a report for which CASR has one, or nil.
func severityOf(r *crash.Report) *crash.Severity {
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
func classOf(r *crash.Report, i int, p crash.Problem) *crash.Severity {
	for _, kind := range accessed {
		if p.Kind != kind && p.Kind != "dynamic-"+kind {
			continue
		}
		switch p.Access {
		case "write":
			return &crash.Severity{Class: crash.Exploitable, Kind: kind + "(write)", Description: "memory that is not the program's to write was written"}
		case "read":
			return &crash.Severity{Class: crash.NotExploitable, Kind: kind + "(read)", Description: "memory that is not the program's to read was read"}
		}
		return &crash.Severity{Class: crash.ProbablyExploitable, Kind: kind, Description: "memory that is not the program's was read or written"}
	}
	for _, f := range findings {
		if f.pattern().MatchString(p.Kind) {
			return &crash.Severity{Class: f.class, Kind: f.kind, Description: classes[f.kind].Description}
		}
	}
	if kind := signalClass(r, i, p); kind != "" {
		s := classes[kind]
		s.Kind = kind
		return &s
	}
	return nil
}

// signalClass returns CASR's name for a signal.
func signalClass(r *crash.Report, i int, p crash.Problem) string {
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
func abortClass(r *crash.Report, i int) string {
	for _, st := range r.Stacks {
		if st.Kind != crash.StackCrash || st.Problem >= 0 && st.Problem != i {
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

// Classify sets the severity of a report, unless the report states it.
func Classify(r *crash.Report) {
	if r.Severity == nil || !r.Severity.Stated {
		r.Severity = severityOf(r)
	}
}
