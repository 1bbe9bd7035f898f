package culprit

import (
	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A kernel gives each line of a region a weight. A candidate's share of the weight of
// all lines says how much of what matters is its own.
type kernel func(r *region, line int, words source.Bag) float64

// wide is the factor by which a line's weight falls with each line between it and
// the closest frame.
const wide = 0.93

// around weighs the lines by how close they are to a frame.
func around(r *region, line int, _ source.Bag) float64 {
	w := 1.0
	for range min(r.distance(line), 60) {
		w *= wide
	}
	return w
}

// flow returns a kernel that weighs the lines by the identifiers that they share with
// the lines of the frames: what assigns or tests a value that the failing line uses.
// The lines of the frames themselves have no weight.
func flow(r *region) kernel {
	idf := source.NewIDF()
	used := source.Bag{}
	for _, l := range r.lines {
		words := identifiers(l.Text)
		idf.Add(words)
		if r.hasFrame(l.Line) {
			used = source.Unite(used, words)
		}
	}
	used = source.Unite(used, r.hints)
	return func(r *region, line int, words source.Bag) float64 {
		if r.hasFrame(line) {
			return 0
		}
		return idf.Overlap(used, words)
	}
}

// hasFrame reports whether a frame is at a line.
func (r *region) hasFrame(line int) bool {
	for _, p := range r.places {
		if p.line == line {
			return true
		}
	}
	return false
}

// identifiers returns the names in a line of code, without keywords and numbers.
func identifiers(line []byte) source.Bag {
	b := source.CodeWordsOf(line[:min(len(line), source.MaxPairedLine)])
	for w := range b {
		if w[0] >= '0' && w[0] <= '9' || source.IsKeyword(w) {
			delete(b, w)
		}
	}
	return b
}

// hintsOf returns the names that the report gives for what failed in a frame.
func hintsOf(f crash.Frame) source.Bag {
	b := source.Bag{}
	if f.NullArgument != "" {
		b[f.NullArgument] = 1
	}
	return b
}

// kernelShares returns the share of each owner in the weight of a region's lines.
func (r *region) kernelShares(k kernel) map[*hit]float64 {
	out := map[*hit]float64{}
	all := 0.0
	for _, h := range r.hits {
		for _, l := range h.lines {
			w := lineWeight(l.Kind) * k(r, l.Line, identifiers(l.Text))
			out[h] += w
			all += w
		}
	}
	for h := range out {
		if all > 0 {
			out[h] /= all
		}
	}
	return out
}
