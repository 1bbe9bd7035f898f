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
	"line_first", "line", "line_newest", "line_newer", "near", "next_to",
	"around", "around_top", "flow", "share", "share_top", "share_first",
	"newer", "newest", "newest_first", "age", "recent",
	"regions", "heading", "no_code", "subject", "message", "fix", "tidy", "feature",
	"history", "no_lines", "log", "log_only",
}

// What the subject of a commit says that it does.
var (
	fixing  = source.Lazy(`(?i)\bfix(?:es|ed|ing)?\b|\b(?:bug|crash|leak|race|overflow|workaround|revert)\b`)
	tidying = source.Lazy(`(?i)\b(?:style|styling|format(?:ting)?|reformat|indent\w*|whitespace|white space|typos?|spelling|cosmetic|rename[sd]?|clean-?ups?|clean up|tidy|unused|lint|warnings?|clang|copyright|spdx|checkpatch|comments?|convert|switch to|replace[sd]?|move[sd]?)\b`)
	adding  = source.Lazy(`(?i)\b(?:add(?:s|ed|ing)?|support\w*|introduce[sd]?|implement\w*|new|initial|import|allow|enable[sd]?|rework\w*|refactor\w*|rewrite)\b`)
)

// vectors returns the features of candidates.
func (g *gathering) vectors(candidates []*candidate) [][]float64 {
	idf := source.NewIDF()
	for _, c := range candidates {
		idf.Add(messageOf(c))
	}
	newest, line := g.newest(candidates, (*candidate).hasCode), g.newest(candidates, (*candidate).hasLine)
	out := make([][]float64, len(candidates))
	for i, c := range candidates {
		f := g.places(c)
		days := g.age(c).Hours() / 24
		f["age"] = math.Log1p(days) / math.Log1p(3650)
		f["recent"] = math.Log(0.3 + math.Exp(-days/180))
		f["newest"], f["line_newest"] = newest[c], line[c]
		f["newest_first"] = bit(g.isNewestIn(c, 0))
		subject := source.Bag{}
		subject.AddWords(c.Subject())
		f["subject"] = idf.Overlap(subject, g.words)
		f["message"] = idf.Overlap(g.words, messageOf(c))
		f["fix"] = bit(fixing().MatchString(c.Subject()))
		f["tidy"] = bit(tidying().MatchString(c.Subject()))
		f["feature"] = bit(adding().MatchString(c.Subject()))
		g.addHistory(c, f)
		out[i] = make([]float64, len(featureNames))
		for j, name := range featureNames {
			out[i][j] = f[name]
		}
	}
	return out
}

// places returns the features of the lines that a candidate owns.
func (g *gathering) places(c *candidate) map[string]float64 {
	f := map[string]float64{}
	most := func(name string, x float64) { f[name] = max(f[name], x) }
	for _, h := range c.hits {
		w := h.region.weight
		f["share"] += w * h.share
		f["around"] += w * h.around
		f["flow"] += w * h.flow
		most("share_top", w*h.share)
		most("around_top", w*h.around)
		most("near", h.near)
		newer := g.newerIn(h, c)
		most("newer", w*newer)
		if h.exact != nil {
			most("line", h.exact.weight)
			most("line_first", bit(h.exact.weight > 0.99))
			most("line_newer", h.exact.weight*newer)
		}
		if h.nearest != nil && h.between <= 2 {
			most("next_to", h.nearest.weight)
		}
		if h.heading {
			most("heading", w)
		}
	}
	for _, name := range []string{"share", "share_top", "near", "around", "around_top", "flow"} {
		f[name] = math.Log(0.01+f[name]) - math.Log(0.01)
	}
	f["regions"] = math.Log1p(float64(len(c.hits)))
	f["no_code"] = bit(len(c.hits) > 0 && !c.hasCode())
	return f
}

// newerIn returns the share of a region's lines that are older than a commit which
// owns some of them: what changes an old function is more suspicious than what made
// it.
func (g *gathering) newerIn(h *hit, c *candidate) float64 {
	older := 0.0
	for _, o := range h.region.hits {
		if len(o.lines) > 0 && g.byOID[o.lines[0].Owner].Committer.Time.Before(c.Committer.Time) {
			older += o.share
		}
	}
	return older
}

func (c *candidate) hasCode() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return slices.ContainsFunc(h.lines, isCode) })
}

func (c *candidate) hasLine() bool {
	return slices.ContainsFunc(c.hits, func(h *hit) bool { return h.exact != nil })
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
	}
	f["no_lines"] = bit(len(c.hits) == 0 && len(c.history) > 0)
	f["log_only"] = bit(len(c.hits) == 0 && len(c.history) == 0)
	if c.log > 0 {
		f["log"] = 1 / float64(c.log)
	}
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
