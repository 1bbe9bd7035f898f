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

// These are parameters of the graph of calls and its walks. Similar values give similar
// results.
const (
	restart     = 0.25 // probability of a restart at each step
	walkSteps   = 12
	mentioned   = 0.25 // weight of a name without a call, against 1
	maxMeanings = 12   // functions with one name; a name with more functions is ignored
)

// A graph contains the functions of the read files and the possible calls between them, by
// name.
type graph struct {
	nodes   []*node
	byName  map[string][]int
	at      map[key]int
	project project
	imports map[*file]map[string]string // see importsOf
	named   map[*file]map[string]bool   // see unbound

	executed map[key]bool    // functions that failing tests execute; nil if nothing was measured
	asserted map[int]float64 // strength of the naming in a failed assertion, by node
}

// A node is a function of the source or of the tests.
type node struct {
	file  *file
	index int
	edges []edge
	bound binding
}

// An edge leads to a possibly called function.
type edge struct {
	to     int
	weight float64 // the weights of all edges of a node add up to 1
}

// newGraph builds the graph of some files.
func newGraph(list []*file, p project, executed map[key]bool) *graph {
	g := &graph{
		executed: executed, byName: map[string][]int{}, at: map[key]int{}, project: p,
		imports: map[*file]map[string]string{}, named: map[*file]map[string]bool{}, asserted: map[int]float64{},
	}
	for _, f := range list {
		for i, fn := range f.functions {
			g.at[key{f.path, fn.Start}] = len(g.nodes)
			for _, name := range aliases(f, fn) {
				g.byName[name] = append(g.byName[name], len(g.nodes))
			}
			g.nodes = append(g.nodes, &node{file: f, index: i, bound: bindingOf(f, fn)})
		}
	}
	for i, n := range g.nodes {
		u := newUses(n.file, i)
		for _, l := range n.file.body(n.index) {
			g.addNames(l, 1, u)
			if n.file.test && g.executed == nil { // what other tests execute is not known
				g.addImplied(l, 1, u)
			}
		}
		if !n.file.test { // a test may have the name of the tested function
			delete(u.weight, use{name: n.file.functions[n.index].Name})
		}
		n.edges = g.edges(u)
	}
	return g
}

// aliases returns the names that callers use for a function: its own name, the name of its file
// if it is the only export of a script, and the name of its class if it is a constructor.
func aliases(f *file, fn source.Function) []string {
	switch fn.Name {
	case "exports", "default":
		return []string{source.Stem(f.path)}
	case "__init__", "__new__", "constructor":
		if name := classAround(f.lines, fn.Start); name != "" {
			return []string{fn.Name, name}
		}
	}
	return []string{fn.Name}
}

var classHeading = source.Lazy(`^\s*(?:export\s+)?(?:default\s+)?class\s+([A-Za-z_]\w*)`)

// classAround returns the name of the class around a line, judged by indentation; "" for none.
func classAround(lines [][]byte, line int) string {
	at := source.Indent(lines[line-1])
	for i := line - 2; i >= 0 && at > 0; i-- {
		if blank(lines[i]) || source.Indent(lines[i]) >= at {
			continue
		}
		if m := classHeading().FindSubmatch(lines[i][:min(len(lines[i]), maxLine)]); m != nil {
			return string(m[1])
		}
		at = source.Indent(lines[i])
	}
	return ""
}

// A use is an occurrence of a function's name in code.
type use struct {
	name    string
	implied bool   // the name is not written, see implicits
	bound   bool   // the name is qualified by a package of the project:
	dir     string // the folder of the package
}

// uses are the names of functions in a piece of code.
type uses struct {
	file    *file
	self    int             // the node of this code, which is ignored; -1 for none
	weight  map[use]float64 // weight of each name
	holders map[string]bool // words before a dot, in lower case
	classes map[string]bool // words before a dot, as they are
	tested  string          // the class that a test of Java is named after, in lower case; "" if unknown
}

func newUses(f *file, self int) *uses {
	u := &uses{file: f, self: self, weight: map[use]float64{}, holders: map[string]bool{}, classes: map[string]bool{}}
	if f.test {
		u.tested = testedClass(f)
	}
	return u
}

// testedClass returns the class that a test class of Java or Kotlin is named after, in lower
// case: of RegexTest.java, TestRegex.java and RegexTestCase.java regex. It returns "" for
// other names.
func testedClass(f *file) string {
	if ext := path.Ext(f.path); ext != ".java" && ext != ".kt" {
		return ""
	}
	for _, end := range []string{"testcase", "tests", "test", "it"} {
		if class, ok := strings.CutSuffix(f.stem, end); ok {
			return class
		}
	}
	class, _ := strings.CutPrefix(f.stem, "test")
	if class == f.stem {
		return ""
	}
	return class
}

// isClass reports whether a file has the name of a class that the code names before a dot.
func (u *uses) isClass(f *file) bool {
	base := path.Base(f.path)
	return u.classes[strings.TrimSuffix(base, path.Ext(base))]
}

// importsOf returns the imports of a file, from a cache.
func (g *graph) importsOf(f *file) map[string]string {
	found, ok := g.imports[f]
	if !ok {
		found = g.project.importsOf(f)
		g.imports[f] = found
	}
	return found
}

// addNames adds the names of functions in a line. Each name keeps its largest weight. A name in
// a package of another project is ignored.
func (g *graph) addNames(line []byte, weight float64, u *uses) {
	g.namesOf(line, u.file, func(t token, of use) {
		if t.holder {
			u.holders[strings.ToLower(of.name)] = true
			u.classes[of.name] = true
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

// namesOf calls take for each name in a line that may belong to the project.
func (g *graph) namesOf(line []byte, f *file, take func(t token, of use)) {
	imports := g.importsOf(f)
	holder, strange := "", false // the word before the dot, and whether it is outside of the project
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

// edges divides the weight of each name among the functions that it may mean.
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
	return cmp.Or(
		cmp.Compare(a.name, b.name), cmp.Compare(a.dir, b.dir), cmp.Compare(stat.Count(a.bound), stat.Count(b.bound)),
		cmp.Compare(stat.Count(a.implied), stat.Count(b.implied)),
	)
}

// meanings returns the functions that a name may mean, from the first of these groups with any:
// the functions of the imported package before the dot; in a test of Java those of the class
// that it names before a dot, then those of the class that it is named after, because its
// variables often have the names of other classes and folders; those in a file or folder that
// the code names before a dot; those of the same file; those of the same folder; all. In a group
// the functions of the caller's own Cargo package come before those of others. Only tests call
// functions of tests.
func (g *graph) meanings(of use, u *uses) []int {
	var groups [6][]int
	for _, m := range g.byName[of.name] {
		f := g.nodes[m].file
		if of.implied && g.executed != nil && !g.executed[key{f.path, f.functions[g.nodes[m].index].Start}] {
			continue
		}
		if m == u.self || f.test && !u.file.test || f.generated && !f.test || of.bound && f.dir() != of.dir || g.unbound(m, u.file) {
			continue
		}
		switch {
		case u.tested != "" && u.isClass(f):
			groups[0] = append(groups[0], m)
		case u.tested != "" && f.stem == u.tested:
			groups[1] = append(groups[1], m)
		case u.holders[f.stem] || u.holders[f.folder] && f.folder != u.file.folder:
			groups[2] = append(groups[2], m)
		case f == u.file:
			groups[3] = append(groups[3], m)
		case f.place == u.file.place:
			groups[4] = append(groups[4], m)
		default:
			groups[5] = append(groups[5], m)
		}
	}
	for _, meant := range groups {
		if own := g.inCrate(u.file.crate, meant); len(own) > 0 {
			meant = own
		}
		if len(meant) > maxMeanings {
			return nil
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return nil
}

// inCrate returns those of some functions that belong to a Cargo package.
func (g *graph) inCrate(crate string, of []int) (own []int) {
	for _, m := range of {
		if g.nodes[m].file.crate == crate {
			own = append(own, m)
		}
	}
	return own
}

// A walk is the result of random walks with restarts.
type walk struct {
	share []float64 // share of each node; the largest share outside of tests is 1
	from  []int     // the node that gives most of the share, -1 for the start
}

// walk starts random walks at some functions. Each step goes to a possibly called function or
// restarts.
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

// scale divides all shares by the largest share of a function outside of tests.
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
