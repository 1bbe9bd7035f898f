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
	for i, n := range g.nodes {
		u := newUses(n.file, i)
		for _, l := range n.file.body(n.index) {
			g.addNames(l, 1, u)
		}
		if !n.file.test { // a test may have the name of what it tests
			delete(u.weight, n.file.functions[n.index].Name)
		}
		n.edges = g.edges(u)
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

// uses are the names of functions that a piece of code has.
type uses struct {
	file    *file
	self    int                // the node of the code, which does not count; -1 for none
	weight  map[string]float64 // by name
	holders map[string]bool    // what stands before a dot, in lower case
}

func newUses(f *file, self int) *uses {
	return &uses{file: f, self: self, weight: map[string]float64{}, holders: map[string]bool{}}
}

// addNames adds the names of functions that a line has, with the largest weight of any
// line.
func (g *graph) addNames(line []byte, weight float64, u *uses) {
	tokens(line, func(t token) {
		if t.quoted {
			return
		}
		if t.holder {
			u.holders[strings.ToLower(string(t.text))] = true
		}
		if len(g.byName[string(t.text)]) == 0 {
			return
		}
		w := weight
		if !t.called {
			w *= mentioned
		}
		u.weight[string(t.text)] = max(u.weight[string(t.text)], w)
	})
}

// edges shares the weights of names out to the functions that they may mean.
func (g *graph) edges(u *uses) []edge {
	var out []edge
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(u.weight)) {
		meant := g.meanings(name, u)
		for _, m := range meant {
			out = append(out, edge{m, u.weight[name] / float64(len(meant))})
		}
		if len(meant) > 0 {
			sum += u.weight[name]
		}
	}
	for i := range out {
		out[i].weight /= sum
	}
	slices.SortStableFunc(out, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	return out
}

// meanings returns the functions that a name may mean: if any are in a file or a folder
// that the code names before a dot, those; else those of the file, if any; else those
// of the folder; else all. Only tests call functions of tests.
func (g *graph) meanings(name string, u *uses) []int {
	var groups [4][]int
	for _, m := range g.byName[name] {
		f := g.nodes[m].file
		if m == u.self || f.test && !u.file.test || f.generated && !f.test {
			continue
		}
		switch {
		case u.holders[f.stem] || u.holders[f.folder] && f.folder != u.file.folder:
			groups[0] = append(groups[0], m)
		case f == u.file:
			groups[1] = append(groups[1], m)
		case f.place == u.file.place:
			groups[2] = append(groups[2], m)
		default:
			groups[3] = append(groups[3], m)
		}
	}
	for _, meant := range groups {
		if len(meant) > maxMeanings {
			return nil
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
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
