package investigate

import (
	"bytes"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
)

// A line that the offline engine found in another version of the file is marked, and a line of the
// work tree is not.
func TestSiteOfAMovedFrame(t *testing.T) {
	t.Parallel()
	lines := bytes.Split([]byte("int f(int *p)\n{\n\treturn *p;\n}\n"), []byte("\n"))
	for _, uncommitted := range []bool{false, true} {
		d := &investigation{sites: map[string]map[crash.FrameRef]locate.Site{}}
		d.q.Report = &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
			{Function: "f", File: "a.c", Path: "a.c", Line: 40, Moved: true, At: 3, Uncommitted: uncommitted},
		}}}}
		s, ok := d.siteOf(crash.FrameRef{}, lines)
		if !ok || s.At != 3 || s.Moved == uncommitted || strings.Contains(s.Note, "line 40 of the report") == uncommitted {
			t.Errorf("uncommitted %v: %+v, %v", uncommitted, s, ok)
		}
	}
}

// A frame whose line has no code at the commit is shown near that line, and no line is marked.
func TestFrameAtABlankLine(t *testing.T) {
	t.Parallel()
	text := "class A {\n    void f() {\n" + strings.Repeat("        g();\n", 40) + "\n" + strings.Repeat("        h();\n", 40) + "    }\n}\n"
	lines := bytes.Split([]byte(text), []byte("\n"))
	d := &investigation{sites: map[string]map[crash.FrameRef]locate.Site{}, moved: map[string]bool{}}
	d.q.Report = &crash.Report{Stacks: []crash.Stack{{Format: "java", Frames: []crash.Frame{
		{Function: "p.A.f", File: "p/A.java", Path: "p/A.java", Line: 43, Moved: true, DefinedAt: 2},
	}}}}
	e, ok := d.excerptOf(crash.FrameRef{}, lines, true)
	if !ok || len(e.marks) > 0 || e.first > 42 || e.first < 20 || e.last < 44 {
		t.Errorf("%+v, %v", e, ok)
	}
}
