// Package hana reads the dumps that SAP HANA writes when a service crashes
// (*.crashdump.*.trc) or when it is asked for the state of a service
// (*.rtedump.*.trc).
//
// A dump is a sequence of named sections:
//
//	[CRASH_STACK]  Stacktrace of crash: (2021-11-04 13:13:25 025 Local)
//	...
//	[OK]
//
// Dumps have hundreds of megabytes, of which a few sections tell about the
// crash. [Read] passes over the input once: it notes where each section lies,
// skips the lines of those that are not needed, and reads BUILD, CRASH_EXTINFO,
// CRASH_SHORTINFO, CRASH_STACK and STACK_SHORT. [ReadSection] returns the text of
// any section later. Memory does not depend on the size of a dump.
//
// No complete dump is public, so lines are told by what parsers of real dumps
// expect of them: facts are found by their labels, sections may come in any
// order, be missing, or be cut off.
package hana
