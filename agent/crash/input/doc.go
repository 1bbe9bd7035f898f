// Package input opens crash reports by the names that a user gives: files, folders of
// files, standard input, and core files.
//
// A core file is the memory of a process that crashed. It becomes a report through
// gdb, which runs below agent/sandbox, without a shell, without its configuration
// files, and without the scripts that a core or its programs may name. Time and output
// of gdb are bounded.
//
// A name that is no report gives one error that says why. Where the user can do
// something about it, the error is an [Advised] one.
package input
