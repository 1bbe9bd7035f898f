package engine

import (
	"bytes"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testrun"
)

// stacksOf returns the stack traces in the output of a test, none if there is none.
func stacksOf(output []byte) []crash.Stack {
	report, err := format.Read(bytes.NewReader(output))
	if err != nil {
		return nil // most outputs have no stack
	}
	return report.Stacks
}

// placesOf returns the places that an output names: those of failed assertions, and of
// errors of the build.
func placesOf(output []byte) []localize.Place {
	read := testrun.Read(output)
	var list []localize.Place
	for _, p := range append(read.Places, read.BuildErrors...) {
		list = append(list, localize.Place{File: p.File, Line: p.Line})
	}
	return list
}
