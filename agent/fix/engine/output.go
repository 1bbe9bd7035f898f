package engine

import (
	"slices"

	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testrun/testlog"
)

// placesOf returns the places of failed assertions and build errors in an output, without those
// of the tests to leave out.
func placesOf(output []byte, leave []string) []localize.Place {
	read := testlog.Read(output)
	var list []localize.Place
	for _, p := range append(read.Places, read.BuildErrors...) {
		if p.Test == "" || !slices.Contains(leave, p.Test) {
			list = append(list, localize.Place{File: p.File, Line: p.Line})
		}
	}
	return list
}
