package testcmd

import (
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// proposeGo proposes the tests of a module, and first those of all modules of a workspace. A module without tests
// is left out where another one has some.
func proposeGo(d directory) []Proposal {
	var out []Proposal
	if patterns := d.goWorkspace(); len(patterns) > 1 {
		out = append(out, Proposal{Test: "go test " + strings.Join(patterns, " "), From: "go.work", all: true})
	}
	if d.has("go.mod") && (d.hasGoTests() || !d.anyGoTests()) {
		out = append(out, Proposal{Test: "go test ./...", From: "go.mod"})
	}
	return out
}

// goUses matches the lines of a go.work that name its modules.
var goUses = source.Lazy(`(?m)^\s*(?:use\s+)?"?(\.[^\s"]*)"?\s*(?://.*)?$`)

// goWorkspace returns the patterns of the packages of a workspace, for its modules that have tests.
func (d directory) goWorkspace() []string {
	var list []string
	for _, m := range goUses().FindAllStringSubmatch(d.text("go.work"), -1) {
		at := directory{d.layout, path.Join(d.path, m[1])}
		if name := path.Clean(m[1]); !strings.HasPrefix(name, "..") && at.has("go.mod") && at.hasGoTests() {
			list = append(list, quote(strings.TrimSuffix("./"+name, "/.")+"/..."))
		}
	}
	return list
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
