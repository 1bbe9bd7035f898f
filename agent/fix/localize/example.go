package localize

import (
	"context"
	"math"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// An Example is what the model is fitted on: the features of the functions of a case.
type Example struct {
	Functions []Listed
	Vectors   [][]float64 // in the order of FeatureNames
}

// Listed is a function with its file.
type Listed struct {
	Path string
	source.Function
}

// FeatureNames names the features.
func FeatureNames() []string {
	return []string{"frame", "ochiai", "mean", "passing", "covered", "nocov", "walk", "direct", "wtest", "wfocus", "wreport", "woutput", "age", "aged", "size", "lines", "failing", "over", "sameDir", "sameStem", "named", "code", "branches", "doc", "callers", "callees", "indeg", "back", "tokc", "tokall"}
}

// Examine returns the features of the candidates.
func Examine(ctx context.Context, repo *gitext.Repo, in Input) (Example, error) {
	s, err := examine(ctx, repo, in)
	if err != nil {
		return Example{}, err
	}
	s.ranked()
	var ex Example
	for _, c := range s.list {
		if c.index < 0 {
			continue
		}
		ex.Functions = append(ex.Functions, Listed{c.file.path, c.file.functions[c.index]})
		ex.Vectors = append(ex.Vectors, []float64{c.frame, c.ochiai, c.mean, float64(c.passing()), flag(len(c.executed) > 0), flag(in.Spectrum == nil), logShare(c.walk), flag(c.direct),
			c.words[0], c.words[1], c.words[2], c.words[3], c.age, flag(c.aged), math.Log1p(c.tokens), math.Log(float64(c.lines.End - c.lines.Start + 1)), float64(c.failing()), flag(c.file.over), s.nearTests(c), s.stemTests(c), s.namedIn(c), c.code(), c.branches(), flag(len(commentAbove(c.file.lines, c.lines.Start)) > 0), s.callers(c), s.callees(c), s.indeg(c), s.back(c), c.tok(false), c.tok(true)})
	}
	return ex, nil
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
func (c *candidate) passing() int {
	n := -1
	for _, h := range c.executed {
		if n < 0 || h.Passing < n {
			n = h.Passing
		}
	}
	return n
}
func (c *candidate) failing() int {
	n := 0
	for _, h := range c.executed {
		n = max(n, h.Failing)
	}
	return n
}

func (c *candidate) code() float64 {
	n := 0
	for _, l := range c.file.body(c.index) {
		t := strings.TrimSpace(string(l))
		if len(t) > 2 && !isComment(l) {
			n++
		}
	}
	return math.Log(float64(n + 1))
}

var branch = source.Lazy(`\b(?:if|for|while|case|catch|except|elif|when|unless)\b|&&|\|\||\?`)

func (c *candidate) branches() float64 {
	n := 0
	for _, l := range c.file.body(c.index) {
		if !isComment(l) {
			n += len(branch().FindAllIndex(l, -1))
		}
	}
	return math.Log(float64(n + 1))
}
func (s *search) callees(c *candidate) float64 {
	n, ok := s.graph.at[key{c.file.path, c.lines.Start}]
	if !ok {
		return 0
	}
	return math.Log1p(float64(len(s.graph.nodes[n].edges)))
}
func (s *search) indeg(c *candidate) float64 {
	n, ok := s.graph.at[key{c.file.path, c.lines.Start}]
	if !ok {
		return 0
	}
	k := 0
	for _, nd := range s.graph.nodes {
		for _, e := range nd.edges {
			if e.to == n {
				k++
			}
		}
	}
	return math.Log1p(float64(k))
}
func (s *search) callers(c *candidate) float64 { // of tests
	n, ok := s.graph.at[key{c.file.path, c.lines.Start}]
	if !ok {
		return 0
	}
	k := 0
	for _, nd := range s.graph.nodes {
		if !nd.file.test {
			continue
		}
		for _, e := range nd.edges {
			if e.to == n {
				k++
			}
		}
	}
	return math.Log1p(float64(k))
}

func (s *search) back(c *candidate) float64 {
	n, ok := s.graph.at[key{c.file.path, c.lines.Start}]
	if !ok {
		return -7
	}
	return logShare(s.graph.nodes[n].back)
}

func (c *candidate) tok(all bool) float64 {
	n := 0
	for _, l := range c.file.body(c.index) {
		tokens(l, func(t token) {
			if all || !t.quoted {
				n++
			}
		})
	}
	return math.Log1p(float64(n))
}
