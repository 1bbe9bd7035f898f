package testrun

import (
	"bytes"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
)

// Stacks returns the stack traces in an output, in order: panics of Go, tracebacks of Python,
// exceptions of Java and JavaScript, reports of sanitizers, and all other formats of
// agent/crash/format. The places of failed tests of Go are no stacks.
func Stacks(output []byte) []crash.Stack {
	report, err := format.Read(bytes.NewReader(output))
	if err != nil {
		return nil // there is none
	}
	return slices.DeleteFunc(report.Stacks, func(s crash.Stack) bool { return s.Format == format.GoTest })
}
