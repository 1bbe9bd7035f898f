package testlog

import (
	"cmp"
	"strings"

	"git-agent/agent/source"
)

var (
	mixUnbuilt = source.Lazy(`^== Compilation error in file (\S+) ==$`)
	mixError   = source.Lazy(`^\*\* \([\w.]+\) (\S+\.exs?):(\d+):(?:\d+:)? (.*)$`)
)

// mix reads why the mix of Elixir ended before it ran a test. The machine numbered reads the tests of ExUnit.
type mix struct {
	*reader
	file bool // the error of a file that does not compile follows
}

func (x *mix) take(l line) bool {
	switch {
	case l.has(`Paths given to "mix test" did not match any directory/file: `):
		x.report.Unselected = cmp.Or(x.report.Unselected, clip(l.text))
		x.ranNone = true
	case l.has(`The --only option was given to "mix test" but no test was executed`), l.text == "There are no tests to run":
		x.ranNone = true
	case strings.HasPrefix(l.text, "== Compilation error in file "):
		if m := mixUnbuilt().FindStringSubmatch(l.text); m != nil {
			x.noBuild(m[1])
			x.file = true
		}
	case strings.HasPrefix(l.text, "** (Mix) "):
		return x.refused(strings.TrimPrefix(l.text, "** (Mix) "))
	case strings.HasPrefix(l.text, "** ("):
		return x.placed(l.text)
	}
	return false
}

// refused notes an error of mix itself. A failing test prints one with indentation.
func (x *mix) refused(text string) bool {
	if len(x.order) > 0 || x.hasCount {
		return false
	}
	x.report.Refusal = cmp.Or(x.report.Refusal, clip(text))
	x.noBuild("")
	return true
}

// placed reads the error of the compiler below the name of a file.
func (x *mix) placed(text string) bool {
	m := mixError().FindStringSubmatch(text)
	if !x.file || m == nil {
		return false
	}
	x.file = false
	x.buildError(Place{File: m[1], Line: number(m[2]), Text: m[3]})
	return true
}

func (x *mix) end() {}
