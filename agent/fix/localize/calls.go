package localize

import (
	"context"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

const (
	focusWeight = 4    // weight of a name in the lines about the failure, against 1 elsewhere in a test
	leastCalled = 1e-3 // with a smaller share, a function counts as not called
	maxChain    = 3    // functions that are named between a test and a called function
)

// addCalls weighs the functions that the failing tests call against those that all tests call.
// If no failing test is known, it starts from the functions that the report names.
func (s *search) addCalls(ctx context.Context) error {
	p, err := s.findProject(ctx)
	if err != nil {
		return err
	}
	s.graph = newGraph(s.files.withLines(), p, s.executed())
	starts := s.starts()
	s.tested = s.graph.walk(s.everyTest())
	s.walk = s.graph.walk(starts)
	for i, n := range s.graph.nodes {
		if n.file.aside || s.walk.share[i] < leastCalled {
			continue
		}
		if c := s.suspect(n.file, n.index); c != nil {
			c.calls = s.walk.share[i]
		}
	}
	return nil
}

// testedShare returns the share of a function in walks from all tests.
func (s *search) testedShare(c *candidate) float64 {
	if n, ok := s.node(c); ok {
		return s.tested.share[n]
	}
	return 0
}

// node returns the node of a candidate in the graph of calls.
func (s *search) node(c *candidate) (int, bool) {
	if s.graph == nil {
		return 0, false
	}
	n, ok := s.graph.at[key{c.file.path, c.lines.Start}]
	return n, ok && c.index >= 0
}

// starts returns the functions that the failing tests name, or else those that the report
// names.
func (s *search) starts() []edge {
	if len(s.regions) == 0 {
		return s.reported()
	}
	var out []edge
	for _, r := range s.regions {
		self, ok := s.graph.at[key{r.file.path, r.lines.Start}]
		if !ok {
			self = -1
		}
		u := newUses(r.file, self)
		for l := r.lines.Start; l <= r.lines.End; l++ {
			weight := 1.0
			if r.focus[l] {
				weight = focusWeight
			}
			s.graph.addNames(r.file.lines[l-1], weight, u)
			s.graph.addImplied(r.file.lines[l-1], weight, u)
		}
		for _, e := range s.graph.edges(u) {
			out = append(out, edge{e.to, e.weight / float64(len(s.regions))})
		}
	}
	return out
}

// reported returns the functions with names in the report that look like identifiers and not
// like plain words.
func (s *search) reported() []edge {
	u := newUses(&file{}, -1)
	for _, m := range codeName().FindAllString(s.in.Problem.Report, maxReported) {
		if name := strings.TrimRight(m, "( "); len(s.graph.byName[name]) > 0 {
			u.weight[use{name: name}] = 1
		}
	}
	return s.graph.edges(u)
}

// codeName matches program identifiers in prose: a word with an underscore or an inner capital,
// or a word before a parenthesis.
var codeName = source.Lazy(`\b[A-Za-z]\w*(?:[a-z0-9][A-Z]|\w_\w)\w*\b|\b[A-Za-z_]\w{2,}\(`)

const maxReported = 200

// everyTest returns all functions of tests, with equal weights.
func (s *search) everyTest() []edge {
	var out []edge
	for i, n := range s.graph.nodes {
		if n.file.test {
			out = append(out, edge{to: i})
		}
	}
	for i := range out {
		out[i].weight = 1 / float64(len(out))
	}
	return out
}

// callGrounds says how the failing tests reach a function.
func (s *search) callGrounds(c *candidate) []fix.Ground {
	at, ok := s.node(c)
	if !ok || c.calls == 0 {
		return nil
	}
	if len(s.regions) == 0 {
		return nil
	}
	var chain []string
	for n := s.walk.from[at]; n >= 0 && len(chain) <= maxChain; n = s.walk.from[n] {
		name := s.graph.nodes[n].file.functions[s.graph.nodes[n].index].Name
		chain = append([]string{name}, chain...)
	}
	text := "the failing test calls it"
	switch {
	case len(chain) > maxChain:
		text = "the failing test calls it through several functions"
	case len(chain) > 0:
		text += " through " + strings.Join(chain, ", ")
	}
	return []fix.Ground{{Source: fix.SourceReport, Text: text}}
}
