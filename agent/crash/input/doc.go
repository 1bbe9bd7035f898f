// Package input opens crash reports by the names that a user gives: files, folders of
// files, standard input, and core files.
//
// A core file is the memory of a crashed process. gdb turns it into a report. gdb runs in
// agent/sandbox, without a shell, without its configuration files, and without the scripts named
// in a core or its programs. Time and output of gdb are bounded.
//
// Each name that is not a report gives one error with the reason. If the user can fix the
// problem, the error is an [Advised] one.
//
// Crash reports of the same fault are grouped.
//
// Each report gets a [Signature]: the functions of the stack that failed, innermost first,
// without functions of run-time libraries and frameworks, and without functions that only report
// an error or allocate memory. A signature contains no lines and no addresses, so it is the same
// for several versions of a program.
//
// Two signatures are compared by the position dependent model of ReBucket (Dang et al., ICSE
// 2012): the first functions weigh most, and the weight falls exponentially with the position.
// All reports of a group are similar to each other. Pairs are joined in the order of their
// similarity, and pairs of equal similarity in the order of their signatures; therefore the
// groups do not depend on the order of the reports.
//
// Only signatures with one of their first functions in common are compared, each with a bounded
// number of neighbours, so time is nearly proportional to the number of reports.
package input
