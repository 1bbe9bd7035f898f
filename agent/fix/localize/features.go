package localize

import (
	"context"
	"math"

	"git-agent/gitext"
)

// featureNames names the features of a function, in the order of its vector. The
// names are part of model.json.
var featureNames = []string{"frame", "coverage", "calls", "tested", "words", "report", "size", "age", "asserted", "literal", "path", "file"}

// FeatureNames returns the names of the features, in the order of the vectors.
func FeatureNames() []string { return featureNames }

// These are features of functions without a useful coverage coefficient.
const (
	leastCoverage = -3 // of functions that failing tests execute
	notExecuted   = -4
)

// largeFunction caps the size feature, in lines.
const largeFunction = 200

// vectors returns the features of the candidates.
func (s *search) vectors() [][]float64 {
	top, oldest := 0.0, 0.0
	for _, c := range s.list {
		top = max(top, c.ochiai)
		oldest = max(oldest, c.age)
	}
	out := make([][]float64, len(s.list))
	for i, c := range s.list {
		out[i] = []float64{
			c.frame, coverageOf(c, top), logShare(c.calls), logShare(s.testedShare(c)), c.words, c.report,
			math.Log(float64(min(c.lines.End-c.lines.Start+1, largeFunction))), ageOf(c, oldest), c.asserted, c.literal,
			c.path, c.inFile,
		}
	}
	return out
}

// coverageOf compares the coverage of a function with top, the highest coefficient.
func coverageOf(c *candidate, top float64) float64 {
	switch {
	case top == 0:
		return 0
	case c.ochiai == 0:
		return notExecuted
	}
	return max(leastCoverage, math.Log(c.ochiai/top))
}

// ageOf returns the negative logarithm of a function's age in days. An unknown age counts as
// that of the oldest function.
func ageOf(c *candidate, oldest float64) float64 {
	if !c.aged {
		return -math.Log1p(oldest)
	}
	return -math.Log1p(c.age)
}

// An Example is training data for the model: the features of the functions of one case.
type Example struct {
	Functions []Listed    `json:"functions"`
	Vectors   [][]float64 `json:"vectors"` // of each function, in the order of FeatureNames
}

// Listed names a function, or lines outside of functions.
type Listed struct {
	Path  string           `json:"path"`
	Lines gitext.LineRange `json:"lines"`
}

// Examine returns the features of the functions of a tree.
func Examine(ctx context.Context, repo *gitext.Repo, in Input) (Example, error) {
	s, err := examine(ctx, repo, in)
	if err != nil {
		return Example{}, err
	}
	ex := Example{Vectors: s.vectors()}
	for _, c := range s.list {
		ex.Functions = append(ex.Functions, Listed{c.file.path, c.lines})
	}
	return ex, nil
}
