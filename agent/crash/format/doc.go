// Package format reads crash reports into a [crash.Report].
//
// A report may be a whole log with a stack somewhere in it, and may hold stacks
// of several formats. So formats are found line by line: the scanner takes the
// prefixes of logs, quotes and terminals off a line, and offers it to each
// [lineReader] until one of them takes it. A line reader keeps what it needs to know of
// the lines before, and tells the scanner of problems, stacks and frames.
//
// The line readers are of three families: those of native programs (sanitizers,
// debuggers, Valgrind, minidumps, Android, Apple, ClusterFuzz, glog, libc, assertions),
// those of languages that print their own stacks (Python, Java, Go, Rust, .NET,
// JavaScript, Ruby, PHP, Elixir), and those of operating systems (Linux, the BSDs, Xen).
//
// SAP HANA dumps, Apple's JSON reports and core files are not lines of a log:
// they are told by their first bytes and have readers of their own.
//
// Of a log of more than a megabyte, only the lines are offered that may matter,
// with those around them: see the marks in sieve.go. A new format adds its marks
// there.
//
// Whatever the input is, time is proportional to its size and memory is bounded:
// see the limits in scanner.go.
package format
