package investigate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// Of a commit's hunks, the one that wrote the line of a frame is shown, and not the first one that
// wrote a line of the function.
func TestHunkOfTheFrame(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{{Path: "a.py", Line: 434}}}}}
	d := &investigation{tools: &crashtool.Case{Report: report}}
	c := change{suspect: suspect.Suspect{Evidence: []suspect.Evidence{{Path: "a.py", Line: 429, Text: "pop()"}, {Path: "a.py", Line: 434, Text: "assert x"}}}}
	line := func(op byte, text string) gitext.PatchLine { return gitext.PatchLine{Op: op, Text: []byte(text)} }
	for _, test := range []struct {
		lines []gitext.PatchLine
		at    int
		of    nearness
	}{
		{[]gitext.PatchLine{line(' ', "x"), line('+', "  pop()"), line('+', "y"), line('+', "  assert x")}, 3, ofFrame},
		{[]gitext.PatchLine{line('-', "  assert x"), line('+', "  pop()"), line('+', "pop()")}, 1, ofSuspicion},
		{[]gitext.PatchLine{line('+', "other")}, -1, ofFile},
	} {
		if at, of := d.nearest(c, &gitext.Hunk{Lines: test.lines}); at != test.at || of != test.of {
			t.Errorf("line %d, nearness %d; want %d, %d", at, of, test.at, test.of)
		}
	}
}
