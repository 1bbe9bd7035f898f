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
//
// Crash reports that tell of the same fault are put into groups.
//
// Each report gets a [Signature]: the functions of the stack that failed, innermost
// first, without those of run-time libraries and of frameworks, and without
// functions that only report an error or allocate memory. A signature holds no
// lines and no addresses, so it is the same for several versions of a program.
//
// Two signatures are compared by the position dependent model of ReBucket (Dang et
// al., ICSE 2012): what their first functions have in common weighs most, and the
// weight falls exponentially with the position. All reports of a group are similar to
// each other. Pairs are joined in the order of their similarity, and equally similar
// ones in the order of their signatures; therefore the groups do not depend on the
// order of the reports.
//
// Only signatures that have one of their first functions in common are compared, each
// with a bounded number of neighbours, so time is nearly proportional to the number
// of reports.
package input
