// Package hana reads the dumps that SAP HANA writes when a service crashes (*.crashdump.*.trc) or
// when the state of a service is requested (*.rtedump.*.trc).
//
// A dump is a sequence of named sections:
//
//	[CRASH_STACK]  Stacktrace of crash: (2021-11-04 13:13:25 025 Local)
//	...
//	[OK]
//
// Dumps have hundreds of megabytes, but only a few sections describe the crash. [Read] passes
// over the input once: it notes the position of each section, skips the lines of unneeded
// sections, and reads BUILD, CRASH_EXTINFO, CRASH_SHORTINFO, CRASH_STACK and STACK_SHORT.
// [ReadSection] returns the text of any section later. Memory does not depend on the size of a
// dump.
//
// No complete dump is public, so this package relies only on the line forms that parsers of real
// dumps expect: facts are found by their labels, and sections may come in any order, be missing,
// or be cut off.
package hana
