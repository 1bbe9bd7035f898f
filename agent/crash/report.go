package crash

import (
	"fmt"
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// A Report is the content of a crash report, in the report's order. It comes from the report
// alone, without a repository.
type Report struct {
	// Formats lists the detected formats, in the order of their first lines.
	Formats []string `json:"formats"`
	// Problems are the failures in the report, in its order: a signal, a sanitizer's finding, an
	// exception, a failed assertion.
	Problems []Problem `json:"problems,omitempty"`
	// Stacks are the stacks of the report, in its order.
	Stacks []Stack `json:"stacks"`
	// Severity is the class of the crash as CASR has it; nil if it has none.
	Severity *Severity `json:"severity,omitempty"`
	// Build identifies the version of the program that crashed.
	Build Build `json:"build,omitzero"`
	// Program is the path of the program that crashed, if the report of its core names it.
	Program string `json:"program,omitempty"`
	// Written is the last day in the times of the report's lines, as 2018-06-28; "" if they have
	// none.
	Written string `json:"written,omitempty"`
	// WrittenUTC says that all times of that day are in UTC.
	WrittenUTC bool `json:"-"`
	// Mentions are the versions in the text of the report, each once, in its order: of the program
	// that crashed, and of others.
	Mentions []Mention `json:"-"`
	// Accused are the ids of commits that the text of the report calls the cause.
	Accused []string `json:"accused,omitempty"`
	// Sections lists the sections of a SAP HANA dump, in its order.
	Sections []Section `json:"sections,omitempty"`
	// Notes are sentences about the omitted parts of the report, with reasons.
	Notes []string `json:"notes,omitempty"`
}

// A Problem is one failure in a report.
type Problem struct {
	// Kind is the failure in the words of the report: "SIGSEGV",
	// "heap-use-after-free", "java.lang.NullPointerException", "assertion".
	Kind string `json:"kind"`
	// Message is the report's text about the failure, "" if there is none.
	Message string `json:"message,omitempty"`
	// Detail describes the failed access further: "of size 4; 0 bytes after 16-byte region".
	Detail string `json:"detail,omitempty"`
	// Signal is the number of the signal that ended the process, 0 if unknown.
	Signal int `json:"signal,omitempty"`
	// Address is the address of the failed access, as written in the report.
	Address string `json:"address,omitempty"`
	// Null says that the address is 0, or so close to 0 that the program followed a null pointer.
	Null bool `json:"null,omitempty"`
	// Access is "read", "write", "call", "jump", "return", "execute" (of an address without code),
	// "push" (on a full stack), or "" if unknown.
	Access string `json:"access,omitempty"`
	// Line is the report's line about the problem, from 1.
	Line int `json:"line,omitempty"`
}

// A StackKind is the role of a stack in a report.
type StackKind string

// The kinds of stacks.
const (
	StackCrash      StackKind = "crash"             // where the program failed
	StackException  StackKind = "pending exception" // where a pending exception was thrown
	StackCause      StackKind = "cause"             // where the cause of another exception was thrown
	StackSuppressed StackKind = "suppressed"        // where an exception was thrown that another exception suppressed
	StackFree       StackKind = "freed by"          // where the memory was freed
	StackAlloc      StackKind = "allocated by"      // where the memory was allocated
	StackOrigin     StackKind = "stored by"         // where an uninitialized value was created or stored
	StackAccess     StackKind = "other access"      // the earlier access of a data race
	StackCreated    StackKind = "created by"        // where the thread was started
	StackThread     StackKind = "other thread"      // the stack of another thread
)

// A Stack is one sequence of frames, always with the innermost first.
type Stack struct {
	Kind   StackKind `json:"kind"`
	Format string    `json:"format"`
	// Title is the report's heading of the stack, if it says more than the kind.
	Title string `json:"title,omitempty"`
	// Thread is the report's name of the thread.
	Thread string `json:"thread,omitempty"`
	// Test is the name of the test that failed, if the report says it.
	Test string `json:"test,omitempty"`
	// Problem is the index in Report.Problems of the stack's failure; -1 if there is none.
	Problem int     `json:"problem"`
	Frames  []Frame `json:"frames"`
	// Omitted counts frames that were omitted by the report, or by the limit on a stack.
	Omitted int `json:"omitted,omitempty"`
}

// Role says what a stack is, with its thread: "crash, thread T0", or "failed test TestRead" if a test failed.
func (s Stack) Role() string {
	role := string(s.Kind)
	switch {
	case s.Test != "" && s.Kind == StackCrash:
		role = "failed test " + s.Test
	case s.Test != "":
		role += ", test " + s.Test
	}
	if s.Thread != "" {
		role += ", thread " + s.Thread
	}
	return role
}

// Name names a stack among the others of its report: by its test or its thread, else by its kind.
func (s Stack) Name() string {
	switch {
	case s.Test != "":
		return fmt.Sprintf("the stack of test %q", s.Test)
	case s.Thread != "" && s.Kind == StackCrash:
		return fmt.Sprintf("the stack of thread %q", s.Thread)
	}
	return fmt.Sprintf("the stack %q", s.Kind)
}

// ownNumber matches the number at the beginning of a frame in the reports that number frames: those of
// debuggers, sanitizers and Rust.
var ownNumber = source.Lazy(`^(?:#(\d{1,4})\s|(\d{1,4}): )`)

// Number returns the number of a frame: the report's own one if it has one, else its place in the stack. Both
// count from 0, as debuggers and sanitizers do.
func (s Stack) Number(frame int) int { return s.Frames[frame].Number(frame) }

// Number returns the number of a frame at a place in its stack, as Stack.Number does.
func (f Frame) Number(place int) int {
	if m := ownNumber().FindStringSubmatch(f.Raw); m != nil {
		if n, err := strconv.Atoi(m[1] + m[2]); err == nil {
			return n
		}
	}
	return place
}

// A Frame is one function call of a stack, or a place in a message.
type Frame struct {
	// Raw is the line of the report, without prefixes and cut to a maximum length.
	Raw string `json:"raw"`
	// ReportLine is the number of that line in the report, from 1.
	ReportLine int `json:"report_line"`
	// Function is the function's name as people write it: demangled, without arguments, template
	// arguments, and compiler suffixes.
	Function string `json:"function,omitempty"`
	// Symbol is the function as written in the report, if that differs from Function.
	Symbol string `json:"symbol,omitempty"`
	// File, Line and Column are the place in the source as written in the report. Line and Column
	// count from 1, and are 0 if unknown.
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Quote is the text that the report quotes as the line, without white space around it.
	Quote string `json:"quote,omitempty"`
	// Module is the binary, the jar, or the package of the function.
	Module string `json:"module,omitempty"`
	// Offset is the place in Module, in hexadecimal as the report writes it, and Build is the
	// build id of Module.
	Offset string `json:"offset,omitempty"`
	Build  string `json:"build_id,omitempty"`
	// Inline says that the compiler inlined the function into its caller.
	Inline bool `json:"inline,omitempty"`
	// Handler says that the frame handles the signal of the crash, or its panic in Go: the place of
	// the crash is further out.
	Handler bool `json:"handler,omitempty"`
	// Assertion says that the place comes from the message of an assertion or of a run-time
	// error, rather than from a stack.
	Assertion bool `json:"assertion,omitempty"`
	// NullArgument names an argument of the call that is a null pointer.
	NullArgument string `json:"null_argument,omitempty"`

	// Path is the tracked file for the frame, "" if there is none. Rule says which rule mapped
	// the frame.
	Path string `json:"path,omitempty"`
	Rule string `json:"rule,omitempty"`
	// DefinedAt is the line of Path that defines the function. It is set if the report has no
	// place and the function was looked up.
	DefinedAt int `json:"defined_at,omitempty"`
	// Moved says that Line is a line of another version of Path than the one at the commit. There
	// the frame is at line At; if At is 0, only its function is known, which begins at DefinedAt.
	Moved bool `json:"moved,omitempty"`
	At    int  `json:"at,omitempty"`
	// Uncommitted says that Path has changes that are not committed, and that Line is a line of the
	// work tree.
	Uncommitted bool `json:"uncommitted,omitempty"`
}

// Place returns the line and the column of the frame in Path, at the commit or in the work tree: of
// its call, or else of the definition of its function. They are 0 if they are unknown.
func (f Frame) Place() (line, column int) {
	switch {
	case f.Moved && f.At > 0 && !f.Uncommitted:
		return f.At, 0
	case (!f.Moved || f.Uncommitted) && f.Line > 0 && f.File != "":
		return f.Line, f.Column
	}
	return f.DefinedAt, 0
}

// LineAt returns the line of the frame in Path at the commit, or 0 if it is unknown.
func (f Frame) LineAt() int {
	if f.Moved {
		return f.At
	}
	return f.Line
}

// A Build identifies the version of a program that crashed. Unknown fields are empty.
type Build struct {
	Commit  string `json:"commit,omitempty"`  // a git object id, perhaps abbreviated
	Version string `json:"version,omitempty"` // a version or a tag
	Branch  string `json:"branch,omitempty"`
}

// A Mention is a version in the text of a report, with the name of the program or package: "Redis
// 4.0.11", "attrs-19.1.0.dist-info", "github.com/spf13/cobra@v1.2.3".
type Mention struct {
	Name    string // the word or package before the version, "" if there is none: then it may be no version
	Version string // as written, without a leading v; or the id of a commit
	Built   bool   // a tool says so of what it builds or tests from a work tree
}

// These are the names of mentions without a program: the report calls them the commit or the
// revision of the build, or only the version.
const (
	BuildLabel   = "commit"
	VersionLabel = "version"
)

// A Section is a named part of a dump: the bytes from Start up to End of the input.
type Section struct {
	Name  string `json:"name"`
	Start int64  `json:"start"`
	End   int64  `json:"end"`
	Line  int    `json:"line"`
}

// Main returns the index of the first stack of a crash with frames, else of the first stack with
// frames; -1 if there is none.
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

// NearNull reports whether an address is so close to 0 that it comes from a null pointer, such as
// the address of a field. Addresses are hexadecimal, with or without "0x".
func NearNull(address string) bool {
	n, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(address), "0x"), 16, 64)
	return err == nil && n < 4096
}
