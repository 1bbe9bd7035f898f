// Package format reads crash reports into a [crash.Report].
//
// A report may be a whole log with a stack somewhere in it, and may contain stacks of several
// formats. So formats are detected line by line: the scanner removes the prefixes of logs, quotes
// and terminals from a line, and offers the line to each [lineReader] until one accepts it. A
// line reader remembers what it needs from earlier lines, and reports problems, stacks and frames
// to the scanner.
//
// There are three families of line readers: for native programs (sanitizers, debuggers, Windows,
// Valgrind, minidumps, Android, Apple, ClusterFuzz, glog, libc, assertions, links), for languages that print their
// own stacks (Python, Java, Go, Rust, .NET, JavaScript, Ruby, PHP, Elixir, Erlang, Lua, Perl, OCaml,
// Haskell, Julia, R, Dart, Swift, Zig, Nim, Vim, Emacs Lisp, Tcl, MATLAB, Octave,
// shells, Crystal, D, Raku, PowerShell, Godot), and for operating systems (Linux, the BSDs, Xen).
//
// SAP HANA dumps, reports in JSON and core files are not line-based logs: they are
// recognised by their first bytes and have their own readers.
//
// In a log of more than a megabyte, readers see only the lines that may matter and the lines
// around them: see the marks in sieve.go. A new format adds its marks there.
//
// For any input, time is proportional to its size and memory is bounded: see the limits in
// scanner.go.
package format
