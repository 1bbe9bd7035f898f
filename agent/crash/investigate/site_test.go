package investigate

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
	stack := func(inner, function string, line int) *investigation {
		return &investigation{q: crash.Question{Report: &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
			{Function: inner}, {Function: function, Path: "a.c", File: "a.c", Line: line},
		}}}}}}
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
		{"elsewhere", "copy_names", 9, 9, "may be off"}, // an empty line
		{"elsewhere", "copy_names", 10, 10, ""},
		{"log_names", "copy_names", 15, 13, "the report says line 15"}, // a brace beside the call
		{"operator()", "copy_names", 9, 9, ""},
		{"copy_name", "copy_names", 0, 11, ""},
		{"copy_name", "copy_names", 99, 14, "does not have"},
	} {
		s, ok := stack(test.inner, test.function, test.line).siteOf(crash.FrameRef{Frame: 1}, lines)
		if !ok || s.at != test.at || !strings.Contains(s.note, test.note) || test.note == "" && s.note != "" {
			t.Errorf("%s at %d, which calls %s: %+v, %v", test.function, test.line, test.inner, s, ok)
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
