package eval

import (
	"encoding/json"
	slashpath "path"
	"slices"

	"git-agent/agent"
	"git-agent/agent/source"
)

// A Reading collects the files and commits that calls of tools request. It shows how much of the
// context a model explored (Code Researcher, figure 2).
type Reading struct {
	Paths   []string // files, without duplicates, in the order of the first calls
	Commits []string // commits, likewise, by the first seven digits of their ids

	asked map[callID]wanted
}

// A callID identifies a call of a tool, by its run and its own id.
type callID struct {
	run int
	id  string
}

// wanted is the file or commit that a call requests.
type wanted struct {
	path, commit string // one of them is ""
}

// readers are the tools that show the file in their argument "path". commitReader shows the
// commit in its argument "commit".
var readers = []string{"get_nearby_code", "git_blame", "cat"}

const commitReader = "git_show"

// fullName matches a commit id that is longer than seven digits.
var fullName = source.Lazy(`^[0-9a-f]{8,64}$`)

// See adds one event. A call that fails reads nothing.
func (r *Reading) See(e agent.Event) {
	run := 0
	if of, ok := e.(agent.OfRun); ok {
		run, e = of.Run, of.Event
	}
	switch e := e.(type) {
	case agent.ToolCall:
		if w := wantedBy(e); w != (wanted{}) {
			if r.asked == nil {
				r.asked = map[callID]wanted{}
			}
			r.asked[callID{run, e.ID}] = w
		}
	case agent.ToolResult:
		w, ok := r.asked[callID{run, e.ID}]
		switch {
		case !ok || e.Fault != "":
		case w.path != "":
			r.Paths = with(r.Paths, w.path)
		default:
			r.Commits = with(r.Commits, w.commit)
		}
	}
}

// wantedBy returns the request of a call, empty if the tool is not a reader.
func wantedBy(e agent.ToolCall) (w wanted) {
	var args struct {
		Path   string `json:"path"`
		Commit string `json:"commit"`
	}
	if json.Unmarshal(e.Args, &args) != nil {
		return w
	}
	switch {
	case slices.Contains(readers, e.Name) && args.Path != "":
		w.path = slashpath.Clean(args.Path)
	case e.Name == commitReader && fullName().MatchString(args.Commit):
		w.commit = args.Commit[:7]
	case e.Name == commitReader:
		w.commit = args.Commit
	}
	return w
}

// with returns a list that includes a name.
func with(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
