package testcmd

import (
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// proposeGo proposes the tests of a module, and first those of all modules of a workspace: before that, those that
// need the module in question, because the others may take minutes to compile. A module without tests is left out
// where another one has some.
func proposeGo(d directory) []Proposal {
	var out []Proposal
	if patterns, needing := d.goWorkspace(); len(patterns) > 1 {
		if len(needing) > 0 && len(needing) < len(patterns) {
			out = append(out, Proposal{Test: "go test " + strings.Join(needing, " "), Part: true, From: "go.work", all: true})
		}
		out = append(out, Proposal{Test: "go test " + strings.Join(patterns, " "), From: "go.work", all: true})
	}
	if d.has("go.mod") && (d.hasGoTests() || !d.anyGoTests()) {
		out = append(out, Proposal{Test: "go test ./...", From: "go.mod"})
	}
	return out
}

// goUses matches the lines of a go.work that name its modules.
var goUses = source.Lazy(`(?m)^\s*(?:use\s+)?"?(\.[^\s"]*)"?\s*(?://.*)?$`)

// goModuleName matches the line of a go.mod with the name of the module.
var goModuleName = source.Lazy(`(?m)^module\s+"?([^\s"]+)`)

// goWorkspace returns the patterns of the packages of a workspace, for its modules that have tests, and those of them
// that need the module in question.
func (d directory) goWorkspace() (list, needing []string) {
	near := d.near
	if d.in[near] != nil {
		near += "/." // a directory
	}
	own := d.nearest(near, func(dir string) bool { return d.in[dir]["go.mod"] })
	name := goModuleName().FindStringSubmatch(d.layout.text(path.Join(own, "go.mod")))
	for _, m := range goUses().FindAllStringSubmatch(d.text("go.work"), -1) {
		at := directory{d.layout, path.Join(d.path, m[1])}
		dir := path.Clean(m[1])
		if strings.HasPrefix(dir, "..") || !at.has("go.mod") || !at.hasGoTests() {
			continue
		}
		list = append(list, quote(strings.TrimSuffix("./"+dir, "/.")+"/..."))
		if d.near != "" && at.path != own && name != nil && slices.Contains(strings.Fields(at.text("go.mod")), name[1]) {
			needing = append(needing, list[len(list)-1])
		}
	}
	return list, needing
}

// hasGoTests reports whether the module of the directory has tests; modules below it are others.
func (d directory) hasGoTests() bool {
	for dir, names := range d.in {
		if (dir == d.path || d.holds(dir)) && hasGoTest(names) && d.goModule(dir) {
			return true
		}
	}
	return false
}

// goModule reports whether a directory below this one belongs to its module.
func (d directory) goModule(dir string) bool {
	for ; dir != d.path && dir != "."; dir = path.Dir(dir) {
		if d.in[dir]["go.mod"] {
			return false
		}
	}
	return true
}

// anyGoTests reports whether some directory of the tree has tests.
func (l *layout) anyGoTests() bool {
	for _, names := range l.in {
		if hasGoTest(names) {
			return true
		}
	}
	return false
}

func hasGoTest(names map[string]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(names)), func(n string) bool { return strings.HasSuffix(n, "_test.go") })
}
