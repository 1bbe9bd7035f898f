package localize

import (
	"context"
	"math"

	"git-agent/agent/source"
)

// reportLeads reports whether nothing is known that says more of the bug than a user's words: no failing test, none of
// its coverage, and no stack.
func (s *search) reportLeads() bool {
	return s.in.Problem.Report != "" && len(s.in.Reproduction.Failing) == 0 && s.in.Spectrum == nil && len(s.stacks) == 0
}

// reportAlone reports whether a user's words are all that is known of the bug.
func (s *search) reportAlone() bool { return s.reportLeads() && len(s.in.Reproduction.Output) == 0 }

// addReported compares the files of the candidates with the report, if it is all that is known: the words of their
// paths, and their most alike function.
func (s *search) addReported(context.Context) error {
	if !s.reportAlone() {
		return nil
	}
	best := map[*file]float64{}
	for _, c := range s.list {
		best[c.file] = max(best[c.file], c.report)
	}
	paths := pathLikeness(s.in.Problem.Report, best)
	for _, c := range s.list {
		c.inFile, c.path = best[c.file], paths[c.file]
	}
	return nil
}

// pathLikeness sums the rarities of a report's words in the path of each file. It is 1 for the highest sum.
func pathLikeness[T any](report string, files map[*file]T) map[*file]float64 {
	asked := source.Bag{}
	asked.AddWords(report)
	shared, having := map[*file][]string{}, map[string]int{}
	for f := range files {
		words := source.Bag{}
		words.AddWords(f.path)
		for _, w := range source.SortedTokens(words) {
			if asked[w] > 0 {
				shared[f] = append(shared[f], w)
				having[w]++
			}
		}
	}
	out, top := map[*file]float64{}, 0.0
	for f, words := range shared {
		for _, w := range words {
			out[f] += math.Log(1 + (float64(len(files)-having[w])+0.5)/(float64(having[w])+0.5))
		}
		top = max(top, out[f])
	}
	for f := range out {
		out[f] /= top
	}
	return out
}
