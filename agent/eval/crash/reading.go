package crasheval

import (
	"encoding/json"
	"path"
	"slices"

	"git-agent/agent"
)

// A reading collects the files that calls of tools name to read them: how much of the
// context a model explored (Code Researcher, figure 2).
type reading struct {
	paths []string // each once, in the order of the first calls
	asked map[call]string
}

// A call is a call of a tool, by its run and its id.
type call struct {
	run int
	id  string
}

// readers are the tools that show the text of the file in their argument "path".
var readers = []string{"get_nearby_code", "git_blame"}

// see adds one event. A call that fails reads nothing.
func (r *reading) see(e agent.Event) {
	run := 0
	if of, ok := e.(agent.OfRun); ok {
		run, e = of.Run, of.Event
	}
	switch e := e.(type) {
	case agent.ToolCall:
		var args struct {
			Path string `json:"path"`
		}
		if !slices.Contains(readers, e.Name) || json.Unmarshal(e.Args, &args) != nil || args.Path == "" {
			return
		}
		if r.asked == nil {
			r.asked = map[call]string{}
		}
		r.asked[call{run, e.ID}] = path.Clean(args.Path)
	case agent.ToolResult:
		name, ok := r.asked[call{run, e.ID}]
		if ok && e.Fault == "" && !slices.Contains(r.paths, name) {
			r.paths = append(r.paths, name)
		}
	}
}
