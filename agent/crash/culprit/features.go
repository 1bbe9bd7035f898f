package culprit

import (
	"cmp"
	"math"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/symbol"
)

// featureNames are the names of the features, in the order of a vector.
var featureNames = []string{
	"line",        // weight of the heaviest frame whose line it owns
	"line_newest", // 1 for the newest owner of the line of a frame, then 1/2, 1/3 ...
	"around",      // share of the lines of the functions, those close to frames first
	"share",       // share of the lines of the functions
	"age",
	"recent",   // younger than half a year or so
	"newest",   // 1 for the newest owner of code, then 1/2, 1/3 ...
	"subject",  // share of the words of its subject that the report has
	"history",  // among the latest commits that changed a function
	"no_lines", // the same, but it owns no line
	"log",      // 1 for the latest commit that changed one of the files, then 1/2 ...
	"log_only", // the same, but it changed no function of the stacks
}

// vectors returns the features of candidates.
func (g *gathering) vectors(candidates []*candidate) [][]float64 {
	idf := source.NewIDF()
	for _, c := range candidates {
		idf.Add(messageOf(c))
	}
	newest, line := g.newest(candidates, (*candidate).hasCode), g.newest(candidates, (*candidate).hasLine)
	out := make([][]float64, len(candidates))
	for i, c := range candidates {
		f := c.places()
		c.addHistory(f)
		days := g.age(c).Hours() / 24
		f["age"] = math.Log1p(days) / math.Log1p(3650)
		f["recent"] = math.Log(0.3 + math.Exp(-days/180))
		f["newest"], f["line_newest"] = newest[c], line[c]
		subject := source.Bag{}
		subject.AddWords(c.Subject())
		f["subject"] = idf.Overlap(subject, g.words)
		out[i] = make([]float64, len(featureNames))
		for j, name := range featureNames {
			out[i][j] = f[name]
		}
	}
	return out
}

// places returns the features of the lines that a candidate owns.
func (c *candidate) places() map[string]float64 {
	f := map[string]float64{}
	for _, h := range c.hits {
		f["share"] += h.region.weight * h.share
		f["around"] += h.region.weight * h.around
		f["line"] = max(f["line"], h.exactWeight())
	}
	for _, name := range []string{"share", "around"} {
		f[name] = math.Log(0.01+f[name]) - math.Log(0.01)
	}
	return f
}

// addHistory adds the features of the place of a candidate in histories.
func (c *candidate) addHistory(f map[string]float64) {
	for _, p := range c.history {
		f["history"] = max(f["history"], p.region.weight/float64(1+p.order))
	}
	f["no_lines"] = bit(len(c.hits) == 0 && len(c.history) > 0)
	f["log_only"] = bit(len(c.hits) == 0 && len(c.history) == 0)
	if c.log > 0 {
		f["log"] = 1 / float64(c.log)
	}
}

func (c *candidate) hasCode() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return slices.ContainsFunc(h.lines, isCode) })
}

func (c *candidate) hasLine() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return h.exact != nil })
}

// newest returns for each of some candidates 1 / (1 + how many of them are newer).
func (g *gathering) newest(candidates []*candidate, among func(*candidate) bool) map[*candidate]float64 {
	order := slices.DeleteFunc(slices.Clone(candidates), func(c *candidate) bool { return !among(c) })
	slices.SortStableFunc(order, func(a, b *candidate) int { return cmp.Compare(g.age(a), g.age(b)) })
	out := map[*candidate]float64{}
	for i, c := range order {
		out[c] = 1 / float64(1+i)
	}
	return out
}

// reportWords returns the words of a report: of what failed, and of the functions and
// files of the project that are in its stacks.
func reportWords(report *crash.Report) source.Bag {
	b := source.Bag{}
	for _, p := range report.Problems {
		b.AddWords(p.Kind + " " + source.FirstBytes(p.Message, 2000))
	}
	for _, s := range report.Stacks {
		for _, f := range s.Frames[:min(len(s.Frames), 20)] {
			if f.Path == "" {
				continue
			}
			b.AddWords(symbol.Last(f.Function))
			for w := range source.PathWords(f.Path) {
				b[w]++
			}
		}
	}
	return b
}

func isCode(l suspect.OwnedLine) bool { return l.Kind == source.LineCode }

func bit(on bool) float64 {
	if on {
		return 1
	}
	return 0
}
