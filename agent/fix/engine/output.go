package engine

import (
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testrun/testlog"
)

// placesOf returns the places of failed assertions and build errors in an output.
func placesOf(output []byte) []localize.Place {
	read := testlog.Read(output)
	var list []localize.Place
	for _, p := range append(read.Places, read.BuildErrors...) {
		list = append(list, localize.Place{File: p.File, Line: p.Line})
	}
	return list
}
