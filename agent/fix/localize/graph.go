package localize

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// These shape the graph of calls and the walks in it. Other values near them change
// little.
const (
	restart     = 0.25 // probability with which a walk starts anew at each step
	walkSteps   = 12
	mentioned   = 0.25 // weight of a name without a call, against 1
	maxMeanings = 12   // functions of one name; a name with more says nothing
)

// A graph holds the functions of the files that were read, and which of them may call
// which, by their names.
type graph struct {
	nodes  []*node
	byName map[string][]int
	at     map[key]int
}

// A node is a function of the source or of the tests.
type node struct {
	file  *file
	index int
	edges []edge
}

// An edge leads to a function that may be called.
type edge struct {
	to     int
	weight float64 // of all edges of a node together 1
}

// newGraph makes the graph of some files.
func newGraph(list []*file) *graph {
	g := &graph{byName: map[string][]int{}, at: map[key]int{}}
	for _, f := range list {
		for i, fn := range f.functions {
			g.at[key{f.path, fn.Start}] = len(g.nodes)
			for _, name := range aliases(f, fn) {
				g.byName[name] = append(g.byName[name], len(g.nodes))
			}
			g.nodes = append(g.nodes, &node{file: f, index: i})
		}
	}
	for _, n := range g.nodes {
		used := map[string]float64{}
		for _, l := range n.file.body(n.index) {
			g.addNames(l, 1, used)
		}
		delete(used, n.file.functions[n.index].Name)
		n.edges = g.edges(used, n.file)
	}
	return g
}

// aliases returns the names by which a function is called: its own, that of its file
// if it is all that a script exports, and that of its class if it is a constructor.
func aliases(f *file, fn source.Function) []string {
	switch fn.Name {
	case "exports", "default":
		return []string{strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))}
	case "__init__", "__new__", "constructor":
		if name := classAround(f.lines, fn.Start); name != "" {
			return []string{fn.Name, name}
		}
	}
	return []string{fn.Name}
}

var classHeading = source.Lazy(`^\s*(?:export\s+)?(?:default\s+)?class\s+([A-Za-z_]\w*)`)

// classAround returns the name of the class that a line is in, by its indentation; ""
// for none.
func classAround(lines [][]byte, line int) string {
	at := indent(lines[line-1])
	for i := line - 2; i >= 0 && at > 0; i-- {
		if blank(lines[i]) || indent(lines[i]) >= at {
			continue
		}
		if m := classHeading().FindSubmatch(lines[i][:min(len(lines[i]), maxLine)]); m != nil {
			return string(m[1])
		}
		at = indent(lines[i])
	}
	return ""
}

// addNames adds the names of functions that a line has, with the largest weight of any
// line.
func (g *graph) addNames(line []byte, weight float64, used map[string]float64) {
	tokens(line, func(t token) {
		if t.quoted || len(g.byName[string(t.text)]) == 0 {
			return
		}
		w := weight
		if !t.called {
			w *= mentioned
		}
		used[string(t.text)] = max(used[string(t.text)], w)
	})
}

// edges shares the weights of names in a file out to the functions that they may mean.
func (g *graph) edges(used map[string]float64, from *file) []edge {
	var out []edge
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(used)) {
		meant := g.meanings(name, from)
		for _, m := range meant {
			out = append(out, edge{m, used[name] / float64(len(meant))})
		}
		if len(meant) > 0 {
			sum += used[name]
		}
	}
	for i := range out {
		out[i].weight /= sum
	}
	slices.SortStableFunc(out, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	return out
}

// meanings returns the functions that a name in a file may mean: those of its folder
// if there are any, otherwise all. Only tests call functions of tests.
func (g *graph) meanings(name string, from *file) []int {
	var near, all []int
	for _, m := range g.byName[name] {
		f := g.nodes[m].file
		if f.test && !from.test || f.generated && !f.test {
			continue
		}
		all = append(all, m)
		if path.Dir(f.path) == path.Dir(from.path) {
			near = append(near, m)
		}
	}
	if len(near) > 0 {
		all = near
	}
	if len(all) > maxMeanings {
		return nil
	}
	return all
}

// A walk is the result of random walks with restarts.
type walk struct {
	share []float64 // of each node, 1 for the largest of a node that is no test
	from  []int     // the node from which most of its share comes, -1 for the start
}

// walk starts random walks at some functions. Each step goes to a function that may be
// called, or starts anew.
func (g *graph) walk(starts []edge) walk {
	w := walk{share: make([]float64, len(g.nodes)), from: make([]int, len(g.nodes))}
	most := make([]float64, len(g.nodes))
	for range walkSteps {
		next := make([]float64, len(g.nodes))
		anew := 1.0
		move := func(from, to int, x float64) {
			next[to] += x
			if x > most[to] {
				most[to], w.from[to] = x, from
			}
		}
		for i, x := range w.share {
			for _, e := range g.nodes[i].edges {
				if step := (1 - restart) * x * e.weight; step > 0 {
					anew -= step
					move(i, e.to, step)
				}
			}
		}
		for _, e := range starts {
			move(-1, e.to, anew*e.weight)
		}
		w.share = next
	}
	g.scale(w.share)
	return w
}

// scale divides shares by the largest of a function that is no test.
func (g *graph) scale(shares []float64) {
	top := 0.0
	for i, n := range g.nodes {
		if !n.file.test {
			top = max(top, shares[i])
		}
	}
	if top == 0 {
		return
	}
	for i := range shares {
		shares[i] /= top
	}
}
