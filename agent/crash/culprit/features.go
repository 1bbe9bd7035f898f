package culprit

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/symbol"
)

// featureNames are the names of the features, in the order of a vector.
var featureNames = []string{
	"line_first", "line", "near", "log_near", "next_to",
	"share", "log_share", "share_first", "share_most", "regions", "heading", "no_code", "lines",
	"age", "recent_30", "recent_180", "recent_1000", "newest_first", "newest",
	"subject", "message", "fix", "files", "history_first", "history", "no_lines", "log", "log_only",
}

// vectors returns the features of candidates.
func (g *gathering) vectors(candidates []*candidate) [][]float64 {
	idf := source.NewIDF()
	for _, c := range candidates {
		idf.Add(messageOf(c))
	}
	newest := g.newest(candidates)
	out := make([][]float64, len(candidates))
	for i, c := range candidates {
		f := c.places()
		days := g.age(c).Hours() / 24
		f["age"] = math.Log1p(days) / math.Log1p(3650)
		f["recent_30"], f["recent_180"], f["recent_1000"] = math.Exp(-days/30), math.Exp(-days/180), math.Exp(-days/1000)
		f["newest"] = 1 / float64(1+newest[c])
		f["newest_first"] = bit(g.isNewestIn(c, 0))
		subject := source.Bag{}
		subject.AddWords(c.Subject())
		f["subject"] = idf.Overlap(subject, g.words)
		f["message"] = idf.Overlap(g.words, messageOf(c))
		f["fix"] = bit(strings.Contains(strings.ToLower(c.Subject()), "fix"))
		f["files"] = math.Log1p(float64(c.touched))
		g.addHistory(c, f)
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
	noCode, lines := len(c.hits) > 0, 0
	for _, h := range c.hits {
		w := h.region.weight
		f["share"] += w * h.share
		f["share_most"] = max(f["share_most"], h.share)
		f["near"] = max(f["near"], h.near)
		if h.exact != nil {
			f["line"] = max(f["line"], h.exact.weight)
			f["line_first"] = max(f["line_first"], bit(h.exact.weight > 0.99))
		}
		if h.nearest != nil && h.between <= 2 {
			f["next_to"] = max(f["next_to"], h.nearest.weight)
		}
		if h.heading {
			f["heading"] = max(f["heading"], w)
		}
		noCode = noCode && !slices.ContainsFunc(h.lines, isCode)
		lines += len(h.lines)
	}
	f["log_share"] = math.Log(0.01+f["share"]) - math.Log(0.01)
	f["log_near"] = math.Log(0.01+f["near"]) - math.Log(0.01)
	f["regions"] = math.Log1p(float64(len(c.hits)))
	f["lines"] = math.Log1p(float64(lines))
	f["no_code"] = bit(noCode)
	return f
}

// addHistory adds the features of the place of a candidate in histories.
func (g *gathering) addHistory(c *candidate, f map[string]float64) {
	for _, h := range c.hits {
		if h.region == g.regions[0] {
			f["share_first"] = h.share
		}
	}
	for _, p := range c.history {
		f["history"] = max(f["history"], p.region.weight/float64(1+p.order))
		if p.region == g.regions[0] {
			f["history_first"] = 1 / float64(1+p.order)
		}
	}
	f["no_lines"] = bit(len(c.hits) == 0 && len(c.history) > 0)
	f["log_only"] = bit(len(c.hits) == 0 && len(c.history) == 0)
	if c.log > 0 {
		f["log"] = 1 / float64(c.log)
	}
}

// newest returns for each candidate how many others are newer.
func (g *gathering) newest(candidates []*candidate) map[*candidate]int {
	order := slices.Clone(candidates)
	slices.SortStableFunc(order, func(a, b *candidate) int { return cmp.Compare(g.age(a), g.age(b)) })
	out := map[*candidate]int{}
	for i, c := range order {
		out[c] = i
	}
	return out
}

// isNewestIn reports whether no other owner of lines of a region is newer.
func (g *gathering) isNewestIn(c *candidate, region int) bool {
	r := g.regions[region]
	if !slices.ContainsFunc(c.hits, func(h *hit) bool { return h.region == r }) {
		return false
	}
	for _, l := range r.lines {
		if o := g.byOID[l.Owner]; o.Committer.Time.After(c.Committer.Time) && len(o.Parents) < 2 {
			return false
		}
	}
	return true
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
