package testcmd

import (
	"maps"
	"slices"
	"strings"
)

// The packages of a workspace of Node.js find each other by links in node_modules. Most links lead to what a build
// makes, which git ignores.

// siblings returns the directories of the packages in the tree, by the names of the packages.
func (l *layout) siblings() map[string]directory {
	out := map[string]directory{}
	for _, dir := range slices.Sorted(maps.Keys(l.in)) {
		d := directory{l, dir}
		if m, ok := d.manifest(); ok && m.Name != "" && dir != "." {
			out[m.Name] = d
		}
	}
	return out
}

// siblingCure says how to build a package that is not found, and the others that the directory's package needs,
// if the tree has it in another directory.
func (d directory) siblingCure(name string) (c Cure, ok bool) {
	if name == "" {
		return Cure{}, false
	}
	siblings := d.siblings()
	at, ok := siblings[name]
	if !ok || at.path == d.path {
		return Cure{}, false
	}
	run, _ := d.nodeManager()
	says := "it is the package in " + at.path + ": " + run + " install links it"
	if builds := d.siblingBuilds(siblings, run); len(builds) > 0 {
		return Cure{Advice: says + ", and --build=" + quote(strings.Join(builds, " && ")) + " builds it", Option: Build}, true
	}
	if !at.hasBuildScript() {
		return Cure{Advice: says}, true
	}
	return Cure{Advice: says + ", and --build=" + quote(at.buildCommand(run)) + " builds it", Option: Build}, true
}

// buildCommand returns the command for the top that runs the script "build" of the directory.
func (d directory) buildCommand(run string) string {
	return "(cd " + quote(d.path) + " && " + run + " run build)"
}

// siblingBuilds returns the commands that build the packages of the tree which the directory's package needs, each
// behind those that it needs itself.
func (d directory) siblingBuilds(siblings map[string]directory, run string) []string {
	var out []string
	seen := map[string]bool{d.path: true}
	var visit func(at directory)
	visit = func(at directory) {
		m, _ := at.manifest()
		for _, needs := range []map[string]string{m.Dependencies, m.DevDependencies, m.PeerDependencies} {
			for _, name := range slices.Sorted(maps.Keys(needs)) {
				next, ok := siblings[name]
				if !ok || seen[next.path] {
					continue
				}
				seen[next.path] = true
				visit(next)
				if next.hasBuildScript() {
					out = append(out, next.buildCommand(run))
				}
			}
		}
	}
	visit(d)
	return out
}
