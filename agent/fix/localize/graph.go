package localize

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/stat"
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
	nodes   []*node
	byName  map[string][]int
	at      map[key]int
	project project
	imports map[*file]map[string]string // see importsOf

	asserted map[int]float64 // by node, how plainly a failed assertion names it
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
func newGraph(list []*file, p project) *graph {
	g := &graph{byName: map[string][]int{}, at: map[key]int{}, project: p, imports: map[*file]map[string]string{}, asserted: map[int]float64{}}
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
			delete(u.weight, use{name: n.file.functions[n.index].Name})
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

// A use is a name of a function in code.
type use struct {
	name  string
	bound bool   // it is the name of a package of the project:
	dir   string // the folder of the package
}

// uses are the names of functions that a piece of code has.
type uses struct {
	file    *file
	self    int             // the node of the code, which does not count; -1 for none
	weight  map[use]float64 // of each name
	holders map[string]bool // what stands before a dot, in lower case
}

func newUses(f *file, self int) *uses {
	return &uses{file: f, self: self, weight: map[use]float64{}, holders: map[string]bool{}}
}

// importsOf returns what a file imports. It is found once.
func (g *graph) importsOf(f *file) map[string]string {
	found, ok := g.imports[f]
	if !ok {
		found = g.project.importsOf(f)
		g.imports[f] = found
	}
	return found
}

// addNames adds the names of functions that a line has, with the largest weight of any
// line. A name that another project's package has is no name of a function here.
func (g *graph) addNames(line []byte, weight float64, u *uses) {
	g.namesOf(line, u.file, func(t token, of use) {
		if t.holder {
			u.holders[strings.ToLower(of.name)] = true
		}
		if len(g.byName[of.name]) == 0 {
			return
		}
		w := weight
		if !t.called {
			w *= mentioned
		}
		u.weight[of] = max(u.weight[of], w)
	})
}

// namesOf passes on the names of a line of a file that may be of the project.
func (g *graph) namesOf(line []byte, f *file, take func(t token, of use)) {
	imports := g.importsOf(f)
	holder, strange := "", false // what stands before the dot, and whether it leads out of the project
	tokens(line, func(t token) {
		if t.quoted {
			return
		}
		name, before, led := string(t.text), holder, strange
		holder, strange = "", false
		if t.holder {
			holder = name
		}
		from, imported := imports[name]
		if strange = led || before == "" && imported && from == foreign; strange || toTestTool(f, before, name) {
			strange = strange && t.holder
			return
		}
		of := use{name: name}
		if dir, ok := imports[before]; ok && before != "" {
			of.bound, of.dir = true, dir
		}
		take(t, of)
	})
}

// edges shares the weights of names out to the functions that they may mean.
func (g *graph) edges(u *uses) []edge {
	var out []edge
	sum := 0.0
	for _, of := range slices.SortedFunc(maps.Keys(u.weight), compareUses) {
		meant := g.meanings(of, u)
		for _, m := range meant {
			out = append(out, edge{m, u.weight[of] / float64(len(meant))})
		}
		if len(meant) > 0 {
			sum += u.weight[of]
		}
	}
	for i := range out {
		out[i].weight /= sum
	}
	slices.SortStableFunc(out, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	return out
}

func compareUses(a, b use) int {
	return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.dir, b.dir), cmp.Compare(stat.Count(a.bound), stat.Count(b.bound)))
}

// meanings returns the functions that a name may mean: those of the package that stands
// before the dot, if it is imported; else, if any are in a file or a folder that the code
// names before a dot, those; else those of the file, if any; else those of the folder;
// else all. Only tests call functions of tests.
func (g *graph) meanings(of use, u *uses) []int {
	var groups [4][]int
	for _, m := range g.byName[of.name] {
		f := g.nodes[m].file
		if m == u.self || f.test && !u.file.test || f.generated && !f.test || of.bound && f.dir() != of.dir {
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
