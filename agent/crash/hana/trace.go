package hana

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

var traceHead = source.Lazy(`^\[\d+\]\{-?\d+\}\[-?\d+/-?\d+\] \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ ([iwefd]) (\S+) +([\w.+-]+\.\w+)\((\d+)\) : (.*)$`)

// A TraceLine is a line of a service's trace file. It contains the place in the source that wrote
// the line.
type TraceLine struct {
	Severity  byte // 'd' debug, 'i' info, 'w' warning, 'e' error, 'f' fatal
	Component string
	Place     crash.Frame
	Message   string
}

// ParseTraceLine reads a line of a trace file:
//
//	[7893]{200068}[20/40637286] 2021-11-04 13:13:25.025767 w FileIO           FileSystem.cpp(00085) : message
//
// Its brackets hold the thread, the connection, and the transaction.
func ParseTraceLine(text string) (TraceLine, bool) {
	if !strings.HasPrefix(text, "[") || !strings.Contains(text, "]{") {
		return TraceLine{}, false
	}
	m := traceHead().FindStringSubmatch(text)
	if m == nil {
		return TraceLine{}, false
	}
	file, line := splitPlace(m[3] + ":" + m[4])
	return TraceLine{
		Severity: m[1][0], Component: m[2], Message: limit(m[5], 2000),
		Place: crash.Frame{File: file, Line: line, Raw: limit(text, maxRaw)},
	}, true
}
