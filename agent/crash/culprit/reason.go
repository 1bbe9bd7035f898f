package culprit

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext/quote"
)

// reason explains in a sentence why a candidate is a suspect.
func (g *gathering) reason(report *crash.Report, c *candidate) string {
	var clauses []string
	if h := c.best(); h != nil {
		clauses = append(clauses, h.clause(report))
		if n := len(c.hits) - 1; n > 0 {
			clauses = append(clauses, fmt.Sprintf("lines of %s in the stacks", agent.Plural(n, "other function")))
		}
	} else if len(c.history) > 0 {
		p := c.history[0]
		clauses = append(clauses, fmt.Sprintf("it is %s to change %s, of which it left no line", latest(p.order), p.region.named()))
	} else {
		clauses = append(clauses, "it is among the latest commits to change a file of the stack")
	}
	s := strings.Join(clauses, ", and ")
	if g.since != nil {
		s += fmt.Sprintf("; it is one of %s since %s", agent.Plural(g.since.commits, "commit"), g.since.good.Short())
	}
	return agent.CleanLine(strings.ToUpper(s[:1]) + s[1:])
}

// best returns the heaviest hit: the line of a frame, else lines close to one, else the largest
// share.
func (c *candidate) best() *hit {
	if len(c.hits) == 0 {
		return nil
	}
	return slices.MaxFunc(c.hits, func(a, b *hit) int {
		return cmp.Or(cmp.Compare(a.exactWeight(), b.exactWeight()),
			cmp.Compare(a.near+a.region.weight*a.share, b.near+b.region.weight*b.share))
	})
}

func (h *hit) exactWeight() float64 {
	if h.exact == nil {
		return 0
	}
	return h.exact.weight
}

// clause says which part of a region a commit owns.
func (h *hit) clause(report *crash.Report) string {
	r := h.region
	owned := fmt.Sprintf("%s of %s", ownedOf(h), r.named())
	switch {
	case h.exact != nil:
		return fmt.Sprintf("it wrote line %d of %s, where %s is, and %s", h.exact.line, shortPath(r.path), frameName(report, h.exact.ref), owned)
	case h.nearest != nil && h.between <= 5:
		return fmt.Sprintf(
			"it wrote what is %s from line %d of %s, where %s is, and %s",
			agent.Plural(h.between, "line"),
			h.nearest.line,
			shortPath(r.path),
			frameName(report, h.nearest.ref),
			owned,
		)
	}
	return fmt.Sprintf("it wrote %s, where %s is", owned, frameName(report, r.places[0].ref))
}

// ownedOf says how many lines of a region a commit owns.
func ownedOf(h *hit) string {
	n, all := len(h.lines), len(h.region.lines)
	if n == all {
		return "all lines"
	}
	return fmt.Sprintf("%d of the %d lines", n, all)
}

// named returns a readable name of a region.
func (r *region) named() string {
	if r.function != "" {
		return agent.Abridge(r.function, 80) + "()"
	}
	return fmt.Sprintf("%s:%d-%d", shortPath(r.path), r.Start, r.End)
}

// frameName names a frame with its number in the stack.
func frameName(report *crash.Report, ref crash.FrameRef) string {
	s := report.Stacks[ref.Stack]
	switch {
	case report.At(ref).Assertion:
		return "the failed check"
	case ref.Stack == mainStack(report):
		return fmt.Sprintf("frame %d", s.Number(ref.Frame))
	}
	return fmt.Sprintf("frame %d of %s", s.Number(ref.Frame), s.Name())
}

func latest(order int) string {
	if order == 0 {
		return "the latest commit"
	}
	return fmt.Sprintf("one of the latest %d commits", order+1)
}

// maxEvidence is the most lines that are shown for one suspect.
const maxEvidence = 4

// evidence returns lines that a candidate owns, lines at frames first.
func (g *gathering) evidence(c *candidate) []suspect.Evidence {
	var out []suspect.Evidence
	hits := slices.Clone(c.hits)
	slices.SortStableFunc(hits, func(a, b *hit) int {
		return cmp.Compare(b.near+b.region.weight*b.share, a.near+a.region.weight*a.share)
	})
	for _, h := range hits {
		lines := h.closest()
		for _, l := range lines[:min(len(lines), max(1, maxEvidence-len(hits)+1))] {
			if len(out) == maxEvidence {
				return out
			}
			out = append(out, suspect.Evidence{
				Path: h.region.path, Line: l.Line, Text: agent.CleanLine(agent.Abridge(string(bytes.TrimSpace(l.Text)), 200)),
				Command: g.blameCommand(h.region),
			})
		}
	}
	if len(out) == 0 {
		out = append(out, g.pastEvidence(c)...)
	}
	return out
}

// pastEvidence returns evidence for a commit that changed a function or a file but owns no line
// of it.
func (g *gathering) pastEvidence(c *candidate) []suspect.Evidence {
	if len(c.history) > 0 {
		r := c.history[0].region
		return []suspect.Evidence{{Path: r.path, Line: r.Start, Text: c.Subject(),
			Command: command(
				"log",
				fmt.Sprintf("-%d", c.history[0].order+1),
				fmt.Sprintf("-L%d,%d:%s", r.Start, r.End, r.path),
				g.commit.OID.Short(),
			)}}
	}
	return []suspect.Evidence{{Path: cmp.Or(c.changed, g.regions[0].path), Text: c.Subject(), Command: g.latestCommand()}}
}

// closest returns the lines of code of a hit, the closest to a frame first. If no line is code,
// it returns all lines.
func (h *hit) closest() []suspect.OwnedLine {
	lines := slices.DeleteFunc(slices.Clone(h.lines), func(l suspect.OwnedLine) bool { return l.Kind != source.LineCode })
	if len(lines) == 0 {
		lines = slices.Clone(h.lines)
	}
	slices.SortStableFunc(lines, func(a, b suspect.OwnedLine) int {
		return cmp.Compare(h.region.distance(a.Line), h.region.distance(b.Line))
	})
	return lines
}

// distance returns the number of lines between a line and the closest place of a region.
func (r *region) distance(line int) int {
	best := math.MaxInt
	for _, p := range r.places {
		best = min(best, max(p.at-line, line-p.at))
	}
	return best
}

// blameCommand returns the command that shows the owners of the lines of a region. A repository
// without a work tree has no file with the ignored commits, so the command reads the commit's.
func (g *gathering) blameCommand(r *region) string {
	args, before := []string{"blame", "-w"}, ""
	switch {
	case len(g.ignored) > 5 && g.repo.Bare():
		before = command("show", g.commit.OID.Short()+":"+suspect.IgnoreFile) + " | "
		args = append(args, "--ignore-revs-file=/dev/stdin")
	case len(g.ignored) > 5:
		args = append(args, "--ignore-revs-file="+suspect.IgnoreFile)
	default:
		for _, oid := range g.ignored {
			args = append(args, "--ignore-rev="+oid.Short())
		}
	}
	return before + command(append(args, fmt.Sprintf("-L%d,%d", r.Start, r.End), g.commit.OID.Short(), "--", r.path)...)
}

// command returns a git command for a shell.
func command(args ...string) string {
	words := []string{"git"}
	for _, a := range args {
		words = append(words, quote.Shell(a))
	}
	return strings.Join(words, " ")
}

// signalNames describe the features for a reader. Features that say nearly the same have one name,
// because each weight alone says little: what one adds, another takes away.
var signalNames = map[string]string{
	"line":        "owns the line of a frame",
	"line_code":   "owns the line of a frame",
	"line_newest": "owns the line of a frame",
	"around":      "owns code of the functions",
	"share":       "owns code of the functions",
	"near":        "owns code of the functions",
	"lines":       "owns code of the functions",
	"age":         "its age",
	"recent":      "its age",
	"newest":      "among the newest owners of the functions",
	"subject":     "its subject is about the report",
	"moves":       "its subject says that it only moves or rewrites code",
	"history":     "among the latest changes of a function",
}

// signals returns the features that determined the probability, the strongest first. Features with
// one name are one signal, which has the value of the first feature and the sum of the weights.
func signals(vector []float64, weights map[string]float64) []suspect.Signal {
	var out []suspect.Signal
	for j, x := range vector {
		w, name := weights[featureNames[j]]*x, signalNames[featureNames[j]]
		if same := slices.IndexFunc(out, func(s suspect.Signal) bool { return s.Name == name }); same >= 0 {
			out[same].Weight += w
		} else {
			out = append(out, suspect.Signal{Name: name, Value: x, Weight: w})
		}
	}
	out = slices.DeleteFunc(out, func(s suspect.Signal) bool { return math.Abs(s.Weight) < 0.01 })
	slices.SortStableFunc(out, func(a, b suspect.Signal) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
	return out
}

func shortPath(path string) string { return suspect.ShortPath(path) }
