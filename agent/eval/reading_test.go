package eval

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"git-agent/agent"
)

// A file or commit in several calls counts as read once, in any run, and a call that fails reads
// nothing.
func TestReading(t *testing.T) {
	const full = "0123456789012345678901234567890123456789"
	var r Reading
	for i, e := range []struct {
		tool, path, commit string
		fault              agent.Fault
	}{
		{"get_nearby_code", "a.c", "", ""}, {"git_blame", "./a.c", full, ""}, {"get_nearby_code", "b.c", "", agent.FaultPath}, {"git_grep", "c.c", "", ""}, {"cat", "d.c", "", ""},
		{"git_show", "e.c", full, ""}, {"git_show", "", full[:12], ""}, {"git_show", "", full + "^", ""}, {"git_show", "", "fedcba9876", agent.FaultPath}, {"git_show", "", "", ""},
	} {
		id := fmt.Sprint(i)
		args, err := json.Marshal(map[string]string{"path": e.path, "commit": e.commit})
		if err != nil {
			t.Fatal(err)
		}
		r.See(agent.OfRun{Run: 1 + i%2, Event: agent.ToolCall{ID: id, Name: e.tool, Args: args}})
		r.See(agent.OfRun{Run: 2 - i%2, Event: agent.ToolResult{ID: id, Name: e.tool}}) // of another run
		r.See(agent.OfRun{Run: 1 + i%2, Event: agent.ToolResult{ID: id, Name: e.tool, Fault: e.fault}})
	}
	if !slices.Equal(r.Paths, []string{"a.c", "d.c"}) || !slices.Equal(r.Commits, []string{full[:7], full + "^"}) {
		t.Errorf("files %q, commits %q", r.Paths, r.Commits)
	}
}
