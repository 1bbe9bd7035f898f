package locate

import (
	"path"
	"slices"

	"git-agent/agent/crash"
)

// Transpiled reports whether frames of a report are in scripts that were made of files of the commit.
func Transpiled(report *crash.Report) bool {
	return slices.ContainsFunc(report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Rule == string(RuleTranspiled) && f.Line > 0 })
	})
}

// isScript reports whether a file has the name of a script in JavaScript.
func isScript(file string) bool {
	switch path.Ext(file) {
	case ".js", ".mjs", ".cjs", ".jsx":
		return true
	}
	return false
}
