package investigate

import (
	"fmt"
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

// The patch of a commit that adds or removes a whole file is the code, and its licence: it is only
// named. The reports are of eclipse.platform, 513f1277bc46, and cri-o, 2080744963da.
func TestPatchOfAWholeFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file gitext.FileChange
		want string
	}{
		{gitext.FileChange{Status: 'A', NewPath: "server/sandbox_run.go"}, "    it adds the file server/sandbox_run.go\n"},
		{gitext.FileChange{Status: 'D', OldPath: "plugins/PluginRegistry.java"}, "    it removes the file plugins/PluginRegistry.java\n"},
		{gitext.FileChange{Status: 'M', OldPath: "a.c", NewPath: "a.c"}, ""},
	} {
		if got := wholeText(&test.file); got != test.want {
			t.Errorf("%c: %q, want %q", test.file.Status, got, test.want)
		}
	}
}

// The code of a function that allocates by its name is shown if its file is likely, and the code of
// others is not. The stacks are those of opendaylight/controller, a35800d42937, and cri-o, 2080744963da.
func TestFramesWorthShowing(t *testing.T) {
	t.Parallel()
	ref := func(n int) crash.FrameRef { return crash.FrameRef{Frame: n} }
	d := &investigation{}
	d.q.Report = &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
		{Function: "Allocated.getSnapshot"}, {Function: "PingPong.slowAllocateTransaction"}, {Function: "PingPong.allocateTransaction"},
		{Function: "grpc.(*Server).processUnaryRPC"},
	}}}}
	d.offline = &crash.Answer{Files: []crash.File{
		{Path: "PingPong.java", Probability: 0.4, Frames: []crash.FrameRef{ref(1), ref(2)}},
		{Path: "Chain.java", Probability: 0.37, Frames: []crash.FrameRef{ref(0)}},
		{Path: "vendor/google.golang.org/grpc/server.go", Probability: 0.02, Frames: []crash.FrameRef{ref(3)}},
	}}
	if got, want := fmt.Sprint(d.framesByWeight()), fmt.Sprint([]crash.FrameRef{ref(1), ref(0), ref(2)}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	d.offline.Files = d.offline.Files[2:]
	if got := d.framesByWeight(); len(got) != 1 {
		t.Errorf("%v: the only code is left out", got)
	}
}
