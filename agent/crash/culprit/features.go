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
	"line_code",   // the same, if the line is code
	"line_newest", // 1 for the newest owner of the line of a frame, then 1/2, 1/3 ...
	"around",      // share of the lines of the functions, weighted by closeness to frames
	"share",       // share of the lines of the functions
	"near",        // weight of the heaviest function where it owns code next to a frame, or to the heading
	"lines",       // how many lines of code of the functions it owns
	"age",
	"recent",  // younger than half a year or so
	"newest",  // 1 for the newest owner of code, then 1/2, 1/3 ...
	"subject", // share of the words of its subject that the report has
	"moves",   // its subject says that it only moves or rewrites code
	"history", // among the latest commits that changed a function
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
		f["moves"] = bit(suspect.SaysRefactor().MatchString(c.Subject()))
		out[i] = make([]float64, len(featureNames))
		for j, name := range featureNames {
			out[i][j] = f[name]
		}
	}
	return out
}

// nextTo is the largest distance, in lines, of a line next to a frame's line.
const nextTo = 2

// places returns the features of the lines that a candidate owns.
func (c *candidate) places() map[string]float64 {
	f := map[string]float64{}
	code := 0
	for _, h := range c.hits {
		f["share"] += h.region.weight * h.share
		f["around"] += h.region.weight * h.around
		f["line"] = max(f["line"], h.exactWeight())
		for _, l := range h.lines {
			if !isCode(l) {
				continue
			}
			code++
			f["line_code"] = max(f["line_code"], h.region.weightAt(l.Line))
			if h.region.distance(l.Line) <= nextTo {
				f["near"] = max(f["near"], h.region.weight)
			}
		}
	}
	f["lines"] = math.Log1p(float64(code))
	for _, name := range []string{"share", "around"} {
		f[name] = math.Log(0.01+f[name]) - math.Log(0.01)
	}
	return f
}

// weightAt returns the weight of the heaviest frame at a line, 0 if there is none.
func (r *region) weightAt(line int) float64 {
	w := 0.0
	for _, p := range r.places {
		if p.line == line {
			w = max(w, p.weight)
		}
	}
	return w
}

// addHistory adds the features of a candidate's positions in histories.
func (c *candidate) addHistory(f map[string]float64) {
	for _, p := range c.history {
		f["history"] = max(f["history"], p.region.weight/float64(1+p.order))
	}
}

func (c *candidate) hasCode() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return slices.ContainsFunc(h.lines, isCode) })
}

func (c *candidate) hasLine() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return h.exact != nil })
}

// newest returns 1 / (1 + the number of newer ones) for each selected candidate.
func (g *gathering) newest(candidates []*candidate, among func(*candidate) bool) map[*candidate]float64 {
	order := slices.DeleteFunc(slices.Clone(candidates), func(c *candidate) bool { return !among(c) })
	slices.SortStableFunc(order, func(a, b *candidate) int { return cmp.Compare(g.age(a), g.age(b)) })
	out := map[*candidate]float64{}
	for i, c := range order {
		out[c] = 1 / float64(1+i)
	}
	return out
}

// reportWords returns the words of a report: from its problems, and from the project's functions
// and files in its stacks.
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
