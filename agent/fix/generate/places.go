package generate

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// place matches the place of a line in the output of compilers, panics and tracebacks:
// "src/a.rs:90", `File "a.py", line 12`.
var place = source.Lazy(`([\w./+-]+\.\w+)(?::|", line |\()(\d+)`)

const (
	// nearPlace is the largest distance between a change outside of functions and a line that
	// the output names.
	nearPlace = 3
	maxPlaces = 200
)

// placesIn returns the lines of the tree's files that an output names, by file.
func (g *generator) placesIn(output []byte) map[string][]int {
	byName := map[string][]string{}
	for _, p := range g.tree.files() {
		byName[path.Base(p)] = append(byName[path.Base(p)], p)
	}
	found := map[string][]int{}
	for _, m := range place().FindAllSubmatch(output, maxPlaces) {
		line, err := strconv.Atoi(string(m[2]))
		if err != nil {
			continue
		}
		said := path.Clean(string(m[1]))
		for _, p := range byName[path.Base(said)] {
			if (p == said || strings.HasSuffix(said, "/"+p) || strings.HasSuffix(p, "/"+said)) && !slices.Contains(found[p], line) {
				found[p] = append(found[p], line)
			}
		}
	}
	return found
}

// named reports whether the output names a line near some lines of a file, or in a function
// with one of these lines.
func (g *generator) named(in *site, lines []int) bool {
	for _, at := range g.places[in.path] {
		e, within := source.FunctionAround(in.path, in.lines, at)
		for _, line := range lines {
			if within && e.Start <= line && line <= e.End || !within && line-nearPlace <= at && at <= line+nearPlace {
				return true
			}
		}
	}
	return false
}
