package format

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
)

// ErrUnknown says that an input contains no report of a known format.
var ErrUnknown = errors.New("no crash report was found")

// maxPeek limits the first bytes of an input that determine its kind.
const maxPeek = 64 << 10

// Read reads a crash report. It returns ErrUnknown if it finds neither a frame nor the place of a
// failure, a CoreError or a BinaryError for a file that needs another program, or an error of r.
func Read(r io.Reader) (*crash.Report, error) { return ReadNamed(r, "") }

// ReadNamed is like Read, with the name of the report's file, which distinguishes dumps of SAP
// HANA.
func ReadNamed(r io.Reader, name string) (*crash.Report, error) {
	in := bufio.NewReaderSize(r, maxPeek)
	first, err := in.Peek(maxPeek)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	if err := checkBinary(first); err != nil {
		return nil, err
	}
	report, err := readKind(in, first, name)
	if err != nil {
		return nil, err
	}
	if len(report.Stacks) == 0 {
		return nil, ErrUnknown
	}
	crash.Classify(report)
	return report, nil
}

// readKind reads an input with the reader for its kind.
func readKind(in io.Reader, first []byte, name string) (*crash.Report, error) {
	switch {
	case hana.Looks(first):
		return readDump(in, name)
	case isJournal(first):
		return scanAll(journal(in), formats())
	}
	if start, ok := jsonStart(first); ok {
		return readJSON(in, start)
	}
	fenced := fencedJSON(first) // copied, as the next read overwrites first
	report, err := scanAll(in, formats())
	if err == nil && len(fenced) > 0 && !slices.ContainsFunc(report.Stacks, func(s crash.Stack) bool { return s.Format != "link" }) {
		report = withFenced(report, fenced)
	}
	return report, err
}

// readDump reads a dump of SAP HANA.
func readDump(in io.Reader, name string) (*crash.Report, error) {
	report, err := hana.Read(in, name)
	if err != nil {
		return nil, err
	}
	for i := range report.Stacks {
		NameFrames(report.Stacks[i].Frames)
	}
	return report, nil
}

// NameFrames sets the functions of frames from their symbols.
func NameFrames(frames []crash.Frame) {
	for i := range frames {
		f := &frames[i]
		if f.Function == "" && f.Symbol != "" {
			f.Symbol, f.Function = symbolOf(f.Symbol)
			f.Symbol = cut(f.Symbol, maxRaw)
			f.Function = cut(f.Function, maxRaw)
		}
	}
}

// jsonStart returns the offset at which a JSON document that may be a report begins: the start of
// the input, or a line that looks like the head of one of Apple's reports.
func jsonStart(first []byte) (int, bool) {
	lead := len(first) - len(bytes.TrimLeft(first, " \t\r\n\ufeff"))
	if lead < len(first) && (first[lead] == '{' || first[lead] == '[' && bytes.HasPrefix(bytes.TrimLeft(first[lead+1:], " \t\r\n"), []byte("{"))) {
		return lead, true
	}
	for _, key := range []string{`{"app_name"`, `{"bug_type"`, `{"crashReporterKey"`, `{"incident`} {
		if i := bytes.Index(first, []byte(key)); i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// Known lists the reports that Read knows, for a user whose report it does not.
const Known = "reports of these kinds are read: SAP HANA dumps, sanitizers, gdb and lldb backtraces, WinDbg, Visual Studio, Unreal Engine and Wine stacks, coredumpctl, Valgrind, " +
	"Go panics and failed tests, Python tracebacks, Java, Kotlin and Scala exceptions, hs_err_pid files, Rust panics, JavaScript, .NET, Ruby, PHP, Elixir, Erlang, Lua, Perl, OCaml, Haskell, Julia, R, Dart, Swift, Zig, Nim, Vim, Emacs Lisp, Tcl, MATLAB, Octave, shells, Crystal, D, Raku, PowerShell and Godot errors, " +
	"oopses of Linux, BSD and Xen, minidump_stackwalk, CASR, Android tombstones, Apple crash reports, ClusterFuzz states, glog, failed assertions, links to lines of code at a commit, and stacks in JSON"
