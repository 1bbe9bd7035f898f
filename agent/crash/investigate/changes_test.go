package investigate

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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
		if at, of, _ := d.nearest(c, "a.py", &gitext.Hunk{Lines: test.lines}); at != test.at || of != test.of {
			t.Errorf("line %d, nearness %d; want %d, %d", at, of, test.at, test.of)
		}
	}
}

// The lines of a docstring that wrote nothing of the crash, such as its closing quotes, stand in nearly
// all of the hunks: the one in the function of the frame is shown. The report is of patroni,
// 1b96ae9c0ad4, the suspect its commit eb100fd5869d.
func TestNearestHunkFirst(t *testing.T) {
	t.Parallel()
	const file = "patroni/dcs/__init__.py"
	report := &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
		{Path: file, Line: 1638, Function: "_get_citus_cluster"}, {Path: file, Line: 1654, Function: "get_cluster"},
	}}}}
	d := &investigation{tools: &crashtool.Case{Report: report}}
	hunk := func(start int, section string, added ...string) gitext.Hunk {
		h := gitext.Hunk{NewStart: start, NewLines: len(added), Section: section}
		for _, text := range added {
			h.Lines = append(h.Lines, gitext.PatchLine{Op: '+', Text: []byte(text)})
		}
		return h
	}
	patch := &gitext.Patch{Files: []gitext.FileChange{{Status: 'M', OldPath: file, NewPath: file, Hunks: []gitext.Hunk{
		hunk(57, "def slot_name_from_member_name(member_name: str) -> str:", "    :returns: all dicts", `    """`),
		hunk(1464, "class AbstractDCS(abc.ABC):", "        :returns: A Citus cluster", "        dict.", `        """`),
		hunk(1499, "class AbstractDCS(abc.ABC):", `        """Retrieve a fresh view of DCS.`, `        """`),
	}}}}
	quotes := suspect.Evidence{Path: file, Line: 1634, Text: `"""`}
	words := suspect.Evidence{Path: file, Line: 1633, Text: "dict."}
	other := suspect.Evidence{Path: "patroni/ha.py", Line: 3, Text: ":returns: all dicts"}
	for _, test := range []struct {
		evidence []suspect.Evidence
		start    int
		at       int
		of       nearness
	}{
		{[]suspect.Evidence{other, quotes, words}, 1464, 1, ofSuspicion},
		{[]suspect.Evidence{quotes}, 1499, 1, ofSuspicion},
		{nil, 1499, -1, ofFile},
	} {
		first := d.nearestFirst(change{suspect: suspect.Suspect{Evidence: test.evidence}}, patch)[0]
		if first.hunk.NewStart != test.start || first.at != test.at || first.of != test.of {
			t.Errorf("%v: hunk of line %d, its line %d, nearness %d", test.evidence, first.hunk.NewStart, first.at, first.of)
		}
	}
	all := d.nearestFirst(change{suspect: suspect.Suspect{Evidence: []suspect.Evidence{quotes, words}}}, patch)
	if all[0].wrote != 1 || all[1].wrote != 0 || all[2].wrote != 0 {
		t.Errorf("hunks with closing quotes wrote %d and %d lines of the crash", all[1].wrote, all[2].wrote)
	}
	patch.Files[0].Hunks[0].Section = "    def _get_citus_cluster(self) -> Cluster:"
	if first := d.nearestFirst(change{}, patch)[0]; first.hunk.NewStart != 57 {
		t.Errorf("the hunk of line %d is before that of the function", first.hunk.NewStart)
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

// The newest commits of a file are not those after the day of the report, as zotonic 2522 had them.
func TestNoCommitsAfterTheReport(t *testing.T) {
	t.Parallel()
	d := newBench(t).investigation()
	d.changes = nil
	all, err := d.newestText(context.Background())
	if err != nil || strings.Count(all, "\n") < 2 {
		t.Fatalf("%v: %s", err, all)
	}
	d.offline.Until = time.Unix(1, 0)
	if text, err := d.newestText(context.Background()); err != nil || text != "" {
		t.Errorf("%v: %s", err, text)
	}
}
