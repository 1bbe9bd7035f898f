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
