package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
)

// sited is a file with the frames of the test.
const sited = `static int copy_name(const char *name)
{
	return consume(name);
}

int copy_names(const char **names)
{
	int n = 0;

	while (names[n])
		copy_name(
			names[n++]);
	log_names(names);
	return copy_name(names[0]);
}
`

// A frame is at the report's line if that line calls the frame before it, else at the nearest
// call, else at the report's line.
func TestSite(t *testing.T) {
	lines := splitText(sited)
	stack := func(inner, function string, line int) *crash.Report {
		return &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
			{Function: inner}, {Function: function, Path: "a.c", File: "a.c", Line: line},
		}}}}
	}
	for _, test := range []struct {
		inner, function string
		line, at        int
		note            string
	}{
		{"consume", "copy_name", 3, 3, ""},
		{"copy_name", "copy_names", 14, 14, ""},
		{"copy_name", "copy_names", 12, 12, ""}, // within a call of several lines
		{"log_names", "copy_names", 8, 13, "the report says line 8"},
		{"copy_name", "copy_names", 3, 11, "in another function"}, // copy_name() has a name that begins like its caller's
		{"consume", "copy_names", 3, 3, "in copy_name, which may have been inlined"},
		{"elsewhere", "copy_names", 9, 0, "has no code"}, // an empty line
		{"elsewhere", "copy_names", 10, 10, ""},
		{"log_names", "copy_names", 15, 13, "the report says line 15"}, // a brace beside the call
		{"operator()", "copy_names", 9, 0, "has no code"},
		{"elsewhere", "copy_names", 15, 15, "may be off"}, // a brace, where destructors are called
		{"copy_name", "copy_names", 0, 11, ""},
		{"copy_name", "copy_names", 99, 14, "does not have"},
		{"copy_name", "dropped", 99, 0, "does not have"}, // a function that the file no longer has
		{"consume", "dropped", 3, 0, "in another function"},
	} {
		s, ok := Sites(stack(test.inner, test.function, test.line), "a.c", lines)[crash.FrameRef{Frame: 1}]
		if !ok || s.At != test.at || !strings.Contains(s.Note, test.note) || test.note == "" && s.Note != "" {
			t.Errorf("%s at %d, which calls %s: %+v, %v", test.function, test.line, test.inner, s, ok)
		}
	}
}

// A method that its class no longer has is of another version, though its line is in no method: a
// bridge has the line of its class, as HttpObjectAggregator.decode of an old report has in netty.
// What Lombok makes is in no text.
func TestMethodThatIsGone(t *testing.T) {
	t.Parallel()
	text := "package a;\n\npublic class Sum\n    extends Base {\n    int aggregate() {\n        return 1;\n    }\n}\n"
	for _, test := range []struct {
		text, method string
		gone         bool
	}{
		{text, "a.Sum.decode", true},
		{text, "a.Sum.aggregate", true}, // it is elsewhere in the file
		{text, "a.Sum.valueOf", false},
		{text, "a.Sum.<init>", false},
		{text, "a.Sum.lambda$static$0", false},
		{"import lombok.Data;\n" + text[len("package a;\n"):], "a.Sum.getTotal", false},
	} {
		report := &crash.Report{Stacks: []crash.Stack{{Format: "java", Frames: []crash.Frame{{Function: test.method, Path: "a/Sum.java", File: "Sum.java", Line: 3}}}}}
		if s := Sites(report, "a/Sum.java", splitText(test.text))[crash.FrameRef{}]; s.Moved != test.gone {
			t.Errorf("%s: %+v", test.method, s)
		}
	}
}

// A frame is at the line that the report quotes, in the function that it names.
// A panic of Go's runtime is called by no line, also in a function that panics elsewhere, as in
// gin's issue 2817; panic() is.
func TestSiteOfPanic(t *testing.T) {
	lines := splitText("func (n *node) getValue(path string) {\n\ti := len(path)\n\tp := path[:i+1]\n\ti++\n\ti++\n\ti++\n\ti++\n\tif p == \"\" {\n\t\tpanic(\"invalid node type\")\n\t}\n}\n")
	for message, at := range map[string]int{"runtime error: slice bounds out of range [:4] with capacity 3": 3, "invalid node type": 9} {
		report := &crash.Report{Problems: []crash.Problem{{Kind: "panic", Message: message}}, Stacks: []crash.Stack{{Frames: []crash.Frame{
			{Function: "panic"}, {Function: "github.com/gin-gonic/gin.(*node).getValue", Path: "tree.go", File: "tree.go", Line: 3},
		}}}}
		if s := Sites(report, "tree.go", lines)[crash.FrameRef{Frame: 1}]; s.At != at || s.Moved != (at != 3) {
			t.Errorf("%s: %+v, want line %d", message, s, at)
		}
	}
}

func TestSiteOfQuote(t *testing.T) {
	lines := splitText(`def load(path):
    with open(path) as f:
        return parse(f.read())


def load_all(paths):
    for path in paths:
        with open(path) as f:
            yield parse(f.read())


def parse(text):
    return [line.split("=", 1)[1] for line in text.splitlines() if line]
`)
	for _, test := range []struct {
		function, quote string
		line, at        int
		note            string
	}{
		{"load", "with open(path) as f:", 2, 2, ""},
		{"load_all", "with open(path) as f:", 2, 8, "the report says line 2"},
		{"load", "with open(path) as f:", 99, 2, "the report says line 99"},
		{"<module>", "yield parse(f.read())", 4, 9, "the report says line 4"},
		{"parse", `return [line.split("=", 1)[1] for`, 40, 13, "the report says line 40"}, // the report cut the line
		{"parse", "return text.splitlines()", 13, 0, "not in the file"},
		{"gone", "gone()", 3, 0, "not in the file"},
	} {
		report := &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
			{Function: test.function, Path: "a.py", File: "a.py", Line: test.line, Quote: test.quote},
		}}}}
		s := Sites(report, "a.py", lines)[crash.FrameRef{}]
		if s.At != test.at || !strings.Contains(s.Note, test.note) || test.note == "" && s.Note != "" || s.Moved != (test.note != "") {
			t.Errorf("%s, %q as line %d: %+v", test.function, test.quote, test.line, s)
		}
	}
}

// Frames that nothing places move as far as the frames around them, if two of these agree.
func TestSitesMoveTogether(t *testing.T) {
	lines := splitText(strings.Repeat("\n", 10) + sited)
	report := &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
		{Function: "consume"}, // in another file
		{Function: "copy_name", Path: "a.c", File: "a.c", Line: 3},
		{Function: "copy_names", Path: "a.c", File: "a.c", Line: 11},
		{Function: "main"},
	}}, {Frames: []crash.Frame{
		{Function: "log_names"},
		{Function: "copy_names", Path: "a.c", File: "a.c", Line: 13},
	}}, {Frames: []crash.Frame{
		{Function: "", Path: "a.c", File: "a.c", Line: 8},
	}}, {Frames: []crash.Frame{
		{Function: "copy_names", Path: "a.c", File: "a.c", Line: 10}, // only its function is known
	}}}}
	sites := Sites(report, "a.c", lines)
	for ref, want := range map[crash.FrameRef]int{{Frame: 1}: 13, {Frame: 2}: 21, {Stack: 1, Frame: 1}: 23, {Stack: 2}: 18, {Stack: 3}: 20} {
		if sites[ref].At != want || !sites[ref].Moved {
			t.Errorf("%+v: %+v, want %d", ref, sites[ref], want)
		}
	}
}

// splitText returns the lines of a text.
func splitText(text string) (lines [][]byte) {
	for line := range strings.Lines(text) {
		lines = append(lines, []byte(strings.TrimSuffix(line, "\n")))
	}
	return lines
}

// Old compilers of Go say that a call of several lines is at its end, as in crlfmt's issue 8.
func TestEndOfCall(t *testing.T) {
	lines := splitText(`package main

func main() {
	err := filepath.Walk(root, func(path string, fi os.FileInfo, err error) error {
		return checkPath(path)
	})
	if err != nil {
		fmt.Printf("Error during walk: %s", err)
	}
}
`)
	for line, want := range map[int]struct {
		at    int
		moved bool
	}{4: {4, false}, 6: {6, false}, 9: {4, true}} {
		report := &crash.Report{Stacks: []crash.Stack{{Format: "go", Frames: []crash.Frame{
			{Function: "path/filepath.Walk"}, {Function: "main.main", Path: "main.go", File: "main.go", Line: line},
		}}}}
		s := Sites(report, "main.go", lines)[crash.FrameRef{Frame: 1}]
		if s.At != want.at || s.Moved != want.moved || !s.sure {
			t.Errorf("line %d: %+v", line, s)
		}
	}
}

// The methods of Minecraft, and those that override them, have other names in a program for players than in the source, as in
// TFCraft's issue 297. A line in another method than a frame of a known name is of another version.
func TestObfuscatedMethod(t *testing.T) {
	lines := splitText(`public class TECrucible extends NetworkTileEntity {
	public void updateEntity() {
		addMetal(metal, 1);
	}

	public boolean addMetal(Metal m, int amt) {
		return metals.containsKey(m.Name);
	}
}
`)
	for function, moved := range map[string]bool{"TECrucible.func_70316_g": false, "TECrucible.m_70316_": false, "TECrucible.addMetal": true, "TECrucible.onUpdate": true} {
		report := &crash.Report{Stacks: []crash.Stack{{Format: "java", Frames: []crash.Frame{
			{Function: "TECrucible.addMetal", Path: "TECrucible.java", File: "TECrucible.java", Line: 7},
			{Function: "TFC.TileEntities." + function, Path: "TECrucible.java", File: "TECrucible.java", Line: 3},
		}}}}
		if s := Sites(report, "TECrucible.java", lines)[crash.FrameRef{Frame: 1}]; s.Moved != moved {
			t.Errorf("%s: %+v", function, s)
		}
	}
}
