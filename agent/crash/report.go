package crash

import (
	"strconv"
	"strings"
)

// A Report is what a crash report says, in the order in which it says it. It is
// read from the report alone: no repository is needed.
type Report struct {
	// Formats names the formats that were found, in order of their first lines.
	Formats []string `json:"formats"`
	// Problems are the failures that the report names, in its order: a signal, a
	// sanitizer's finding, an exception, a failed assertion.
	Problems []Problem `json:"problems,omitempty"`
	// Stacks are the stacks of the report, in its order.
	Stacks []Stack `json:"stacks"`
	// Build says which version of the program crashed.
	Build Build `json:"build,omitzero"`
	// Sections lists the sections of a SAP HANA dump, in its order.
	Sections []Section `json:"sections,omitempty"`
	// Notes says what was left out of the report and why, a sentence each.
	Notes []string `json:"notes,omitempty"`
}

// A Problem is one failure that a report names.
type Problem struct {
	// Kind is the failure in the words of the report: "SIGSEGV",
	// "heap-use-after-free", "java.lang.NullPointerException", "assertion".
	Kind string `json:"kind"`
	// Message is the text beside it. "" if there is none.
	Message string `json:"message,omitempty"`
	// Detail says more of the failed access: "of size 4; 0 bytes after 16-byte region".
	Detail string `json:"detail,omitempty"`
	// Signal is the number of the signal that ended the process, 0 if unknown.
	Signal int `json:"signal,omitempty"`
	// Address is the address whose access failed, as the report writes it.
	Address string `json:"address,omitempty"`
	// Null says that the address is 0 or so close to it that a null pointer was
	// followed.
	Null bool `json:"null,omitempty"`
	// Access is "read", "write", or "" if the report does not say.
	Access string `json:"access,omitempty"`
	// Line is the line of the report that names the problem, from 1.
	Line int `json:"line,omitempty"`
}

// A StackKind says why a stack is in a report.
type StackKind string

// The kinds of stacks.
const (
	StackCrash      StackKind = "crash"             // where the program failed
	StackException  StackKind = "pending exception" // where an exception that was pending was thrown
	StackCause      StackKind = "cause"             // where the exception behind another one was thrown
	StackSuppressed StackKind = "suppressed"        // where an exception was thrown that another one suppressed
	StackFree       StackKind = "freed by"          // who freed the memory
	StackAlloc      StackKind = "allocated by"      // who allocated the memory
	StackOrigin     StackKind = "stored by"         // who created or stored an uninitialized value
	StackAccess     StackKind = "other access"      // the earlier access of a data race
	StackCreated    StackKind = "created by"        // who started the thread
	StackThread     StackKind = "other thread"      // what another thread was doing
)

// A Stack is one sequence of frames, innermost first whatever the report's order.
type Stack struct {
	Kind   StackKind `json:"kind"`
	Format string    `json:"format"`
	// Title is the report's heading of the stack, as far as it says more than the kind.
	Title string `json:"title,omitempty"`
	// Thread names the thread as the report does.
	Thread string `json:"thread,omitempty"`
	// Problem is the index in Report.Problems of the failure that the stack
	// belongs to; -1 if it belongs to none.
	Problem int     `json:"problem"`
	Frames  []Frame `json:"frames"`
	// Omitted counts frames that the report, or the bound on a stack, left out.
	Omitted int `json:"omitted,omitempty"`
}

// A Frame is one function call of a stack, or a place that a message names.
type Frame struct {
	// Raw is the line of the report, without prefixes and cut to a bounded length.
	Raw string `json:"raw"`
	// ReportLine is the number of that line in the report, from 1.
	ReportLine int `json:"report_line"`
	// Function is the function's name as a reader writes it: demangled, without
	// arguments, template arguments, and suffixes of compilers.
	Function string `json:"function,omitempty"`
	// Symbol is the function as the report has it, where that is not Function.
	Symbol string `json:"symbol,omitempty"`
	// File, Line and Column are the place in the source as the report has it.
	// Line and Column count from 1, and are 0 if unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Module is the binary, the jar, or the package that holds the function.
	Module string `json:"module,omitempty"`
	// Inline says that the compiler put the function into its caller.
	Inline bool `json:"inline,omitempty"`
	// Assertion says that the place is that of an assertion or of a run-time
	// error, which a message names, and not a frame of the stack.
	Assertion bool `json:"assertion,omitempty"`
	// NullArgument names an argument of the call that is a null pointer.
	NullArgument string `json:"null_argument,omitempty"`

	// Path is the tracked file that the frame was mapped to, "" if there is none.
	// Rule says by which rule.
	Path string `json:"path,omitempty"`
	Rule string `json:"rule,omitempty"`
	// DefinedAt is the line of Path that defines the function, if the report has no
	// place and the function was looked up.
	DefinedAt int `json:"defined_at,omitempty"`
}

// A Build says which version of a program crashed. Fields that the report does
// not tell are empty.
type Build struct {
	Commit  string `json:"commit,omitempty"`  // a git object id, maybe abbreviated
	Version string `json:"version,omitempty"` // a version or a tag
	Branch  string `json:"branch,omitempty"`
}

// A Section is a named part of a dump: the bytes from Start up to End of the input.
type Section struct {
	Name  string `json:"name"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Line  int    `json:"line"`
}

// Main returns the index of the stack at which a reader starts: the first stack
// of a crash with frames, else the first stack with frames; -1 if there is none.
func (r *Report) Main() int {
	first := -1
	for i, s := range r.Stacks {
		if len(s.Frames) == 0 {
			continue
		}
		if s.Kind == StackCrash {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// NearNull reports whether an address is so close to 0 that a null pointer was
// followed, as the address of a field of one is. Addresses are hexadecimal, with
// or without "0x".
func NearNull(address string) bool {
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(address), "0x"), 16, 64)
	return err == nil && n < 4096
}
