package generate

import (
	"bytes"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// codeHunks returns the hunks that lead to a text and change more than unit tests within a source file: a patch that
// undoes the failing test repairs nothing.
func (g *generator) codeHunks(path string, text []byte, hunks []gitext.Hunk) []gitext.Hunk {
	if g.in.Problem.EditTests || !source.HasUnitTests(path) {
		return hunks
	}
	isTest := source.UnitTests(path, bytes.Split(text, []byte("\n")))
	return slices.DeleteFunc(slices.Clone(hunks), func(h gitext.Hunk) bool {
		at := h.NewStart // of a removed line, the line that is now before it
		return !slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool {
			if l.Op != '-' {
				at = l.New
			}
			return l.Op != ' ' && !isTest(at)
		})
	})
}
