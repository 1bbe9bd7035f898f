package trace

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model"
)

// The page is self-contained, runs no script, and shows text from models and
// repositories as text.
func TestPageStandsAlone(t *testing.T) {
	t.Parallel()
	s := traced()
	s.model[0].(*model.Reply).Message.Text = `</pre><script src="https://evil.example/x.js"></script><img src=x onerror=alert(1)>`
	run := s.record(t)
	var b strings.Builder
	if err := run.WriteHTML(&b, `</title><script>alert(1)</script>`); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, outside := range []string{`<script`, `<img`, `<link`, `<iframe`, `@import`, `url\(`, `<[^>]*\s(src|action|on[a-z]+)=`, `<[^>]*\shref="[^#]`} {
		if m := regexp.MustCompile(outside).FindString(page); m != "" {
			t.Errorf("the page has %q", m)
		}
	}
	for _, want := range []string{
		"&lt;script src=", "Content-Security-Policy", "prefers-color-scheme: dark", culprit, "before compression, 40 lines",
		`id="turn-5"`, "<svg", "No answer (overflow)", "rejected: no commit is named",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if open, shut := strings.Count(page, "<details>"), strings.Count(page, "</details>"); open != shut || open == 0 {
		t.Errorf("%d details begin and %d end", open, shut)
	}
}

// Runs of every length and state have a page.
func TestPageOfPartialRuns(t *testing.T) {
	t.Parallel()
	m := newMemory()
	s := traced()
	if _, err := s.loop(&replies{list: s.model}, m, s.limits).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range m.steps {
		var b strings.Builder
		if err := s.read(t, m.steps[:n], "interrupted").WriteHTML(&b, ""); err != nil {
			t.Errorf("after %d steps: %v", n, err)
		}
	}
}

// Columns stay inside the plot and in order, and their height is proportional to
// their value.
func TestPlot(t *testing.T) {
	t.Parallel()
	if newPlot(&Trajectory{}) != nil {
		t.Error("nothing has a plot")
	}
	for _, turns := range []int{1, 15, 200} {
		for _, priced := range []bool{true, false} {
			run := &Trajectory{}
			for n := range turns {
				r := &model.Reply{Usage: model.Usage{Uncached: int64(n + 1), CacheRead: int64(n), Output: 5}}
				if cost := float64(n+1) / 1000; priced {
					r.Usage.CostUSD = &cost
				}
				run.Turns = append(run.Turns, Turn{N: n + 1, Result: &agent.AskResult{Reply: r}})
			}
			checkPlot(t, fmt.Sprint(turns, priced), newPlot(run), turns)
		}
	}
}

func checkPlot(t *testing.T, name string, p *plot, turns int) {
	t.Helper()
	if len(p.Columns) != turns || p.Width > mostWidth+1 {
		t.Fatalf("%s: %d columns, %g wide", name, len(p.Columns), p.Width)
	}
	last := 0.0
	for _, c := range p.Columns {
		height := 0.0
		for _, s := range c.Parts {
			height += s.Height
			if s.Y < plotTop-0.01 || s.Y+s.Height > plotBase+0.01 {
				t.Errorf("%s: a segment from %g, %g high", name, s.Y, s.Height)
			}
		}
		if height < last || c.X+c.Width > p.Width {
			t.Errorf("%s: column %d is %g high after %g, ends at %g", name, c.Number, height, last, c.X+c.Width)
		}
		last = height
	}
	if last < plotBase-plotTop-0.01 {
		t.Errorf("%s: the highest column is %g", name, last)
	}
}
