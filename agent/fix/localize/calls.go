package localize

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// These shape the random walk over the names that functions call.
const (
	restart     = 0.25 // probability of a new start at each step
	walkSteps   = 12   // a longer walk starts anew with a probability of 97 %
	notCalled   = 0.25 // weight of a name that is mentioned but not called
	maxMeanings = 12   // functions of one name; a name with more says nothing
	focusWeight = 4.0  // of the lines of a test that say what fails, against 1 for the others
)

// A node is a function of the call graph: of the source, or of the tests.
type node struct {
	file  *file
	index int
	edges []edge // of the names in its body
	share float64
	back  float64
	from  int // the node from which most of its share comes, -1 for the tests themselves
	most  float64
}

type edge struct {
	to     int
	weight float64 // their sum is 1
}

// A graph holds the functions of the files that were read and the names that their
// bodies have.
type graph struct {
	nodes  []*node
	byName map[string][]int
	at     map[key]int
	files  map[string]*file
}

// newGraph lists the functions of the files.
func newGraph(list []*file) *graph {
	g := &graph{byName: map[string][]int{}, at: map[key]int{}, files: map[string]*file{}}
	for _, f := range list {
		g.files[f.path] = f
		for i, fn := range f.functions {
			g.at[key{f.path, fn.Start}] = len(g.nodes)
			for _, name := range aliases(f, fn) {
				g.byName[name] = append(g.byName[name], len(g.nodes))
			}
			g.nodes = append(g.nodes, &node{file: f, index: i})
		}
	}
	for n := range g.nodes {
		nd := g.nodes[n]
		used := map[string]float64{}
		for _, l := range nd.file.body(nd.index) {
			g.names(l, 1, used)
		}
		delete(used, nd.file.functions[nd.index].Name)
		nd.edges = g.edges(used, nd.file.path)
	}
	return g
}

// names adds the names of functions that a line has.
func (g *graph) names(line []byte, weight float64, used map[string]float64) {
	tokens(line, func(t token) {
		if t.quoted || len(g.byName[string(t.text)]) == 0 {
			return
		}
		w := weight
		if !t.called {
			w *= notCalled
		}
		name := string(t.text)
		used[name] = max(used[name], w)
	})
}

// edges turns names into shares of the functions that they may mean.
func (g *graph) edges(used map[string]float64, from string) []edge {
	var out []edge
	sum := 0.0
	for name, w := range used {
		meant := g.meanings(name, from)
		if len(meant) == 0 {
			continue
		}
		for _, m := range meant {
			out = append(out, edge{m, w / float64(len(meant))})
		}
		sum += w
	}
	for i := range out {
		out[i].weight /= sum
	}
	slices.SortFunc(out, func(a, b edge) int { return cmp.Compare(a.to, b.to) })
	return out
}

// meanings returns the functions that a name in a file may mean: those of its folder
// if there are any, otherwise all. Functions of tests are only meant in tests.
func (g *graph) meanings(name, from string) []int {
	var near, all []int
	inTest := false
	if f := g.fileOf(from); f != nil {
		inTest = f.test
	}
	for _, m := range g.byName[name] {
		f := g.nodes[m].file
		if f.test && !inTest || f.generated && !f.test {
			continue
		}
		all = append(all, m)
		if path.Dir(f.path) == path.Dir(from) {
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

func (g *graph) fileOf(p string) *file {
	return g.files[p]
}

// walk sets the share of each function in random walks that begin at the tests.
func (g *graph) walk(starts []edge) {
	now := make([]float64, len(g.nodes))
	for _, n := range g.nodes {
		n.from = -1
	}
	for range walkSteps {
		next := make([]float64, len(g.nodes))
		lost := 1.0
		for i, x := range now {
			if x == 0 {
				continue
			}
			for _, e := range g.nodes[i].edges {
				move := (1 - restart) * x * e.weight
				next[e.to] += move
				lost -= move
				if move > g.nodes[e.to].most {
					g.nodes[e.to].most, g.nodes[e.to].from = move, i
				}
			}
		}
		for _, e := range starts {
			move := lost * e.weight
			next[e.to] += move
			if move > g.nodes[e.to].most {
				g.nodes[e.to].most, g.nodes[e.to].from = move, -1
			}
		}
		now = next
	}
	for i, x := range now {
		g.nodes[i].share = x
	}
}

// addCalls weighs the functions that the failing tests call.
func (s *search) addCalls() {
	used := map[string]float64{}
	if len(s.regions) == 0 {
		return
	}
	for _, r := range s.regions {
		for l := r.lines.Start; l <= r.lines.End; l++ {
			w := 1.0
			if r.focus[l] {
				w = focusWeight
			}
			s.graph.names(r.file.lines[l-1], w, used)
		}
		if i := r.file.functionAt(r.lines.Start); i >= 0 {
			delete(used, r.file.functions[i].Name)
		}
	}
	s.background()
	s.graph.walk(s.graph.edges(used, s.regions[0].file.path))
	top := 0.0
	for _, n := range s.graph.nodes {
		if !n.file.test && !n.file.generated {
			top = max(top, n.share)
		}
	}
	for _, n := range s.graph.nodes {
		if n.share < 1e-6 {
			continue
		}
		if c := s.suspect(n.file, n.index); c != nil {
			c.walk = n.share / top
			c.node = n
			c.direct = n.from < 0
		}
	}
}

// logShare returns the logarithm of a share of the largest one, from -7 to 0.
func logShare(x float64) float64 { return max(-7, math.Log(max(x, 1e-9))) }

func (s *search) background() {
	var starts []edge
	for i, n := range s.graph.nodes {
		if n.file.test {
			starts = append(starts, edge{i, 1})
		}
	}
	for i := range starts {
		starts[i].weight = 1 / float64(len(starts))
	}
	s.graph.walk(starts)
	top := 0.0
	for _, n := range s.graph.nodes {
		n.back = n.share
		if !n.file.test {
			top = max(top, n.back)
		}
		n.most = 0
	}
	for _, n := range s.graph.nodes {
		n.back /= top + 1e-12
	}
}

// aliases returns the names by which a function is called: its own, that of its file
// if it is all that a script exports, and that of its class if it is a constructor.
func aliases(f *file, fn source.Function) []string {
	switch fn.Name {
	case "exports", "default":
		return []string{strings.TrimSuffix(path.Base(f.path), path.Ext(f.path))}
	case "__init__", "__new__", "constructor", "initialize":
		if name := classAround(f.lines, fn.Start); name != "" {
			return []string{fn.Name, name}
		}
	}
	return []string{fn.Name}
}

var classHeading = source.Lazy(`^\s*(?:export\s+)?(?:default\s+)?class\s+([A-Za-z_]\w*)`)

// classAround returns the name of the class whose heading stands before a line, with
// less indentation.
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
