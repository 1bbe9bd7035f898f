package localize

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
)

// addSpectrum adds the functions that the failing tests execute.
func (s *search) addSpectrum(ctx context.Context) error {
	sp := s.in.Spectrum
	if sp == nil || sp.Failing == 0 {
		return nil
	}
	for _, p := range slices.Sorted(maps.Keys(sp.Files)) {
		f, err := s.files.get(ctx, p)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		for _, hits := range sp.Files[p] {
			if i := f.functionAt(hits.Line); i >= 0 && hits.Failing > 0 {
				if c := s.suspect(f, i); c != nil {
					c.execute(sp, hits)
				}
			}
		}
	}
	for _, c := range s.list {
		if len(c.executed) > 0 {
			c.weighLines(sp)
		}
	}
	return nil
}

// execute adds a line that failing tests execute.
func (c *candidate) execute(sp *fix.Spectrum, hits fix.LineHits) {
	c.executed = append(c.executed, hits)
	score := coverage.Ochiai(sp.Failing, hits.Failing, hits.Passing)
	c.hot = append(c.hot, hotLine{hits.Line, score})
}

// weighLines sums up the lines of a function that failing tests execute.
func (c *candidate) weighLines(sp *fix.Spectrum) {
	var most fix.LineHits
	for _, h := range c.executed {
		o := coverage.Ochiai(sp.Failing, h.Failing, h.Passing)
		if o > c.ochiai {
			c.ochiai, most = o, h
		}
	}
	c.because(fix.SourceCoverage, "%s", coverageText(sp, most))
}

func coverageText(sp *fix.Spectrum, h fix.LineHits) string {
	failing := "the failing test executes it"
	if sp.Failing > 1 {
		failing = fmt.Sprintf("%d of %d failing tests execute it", h.Failing, sp.Failing)
	}
	switch {
	case sp.Passing == 0:
		return failing
	case h.Passing == 0:
		return failing + ", and no passing test executes its most suspicious line"
	}
	return fmt.Sprintf("%s, and %d of %d passing tests execute its most suspicious line", failing, h.Passing, sp.Passing)
}
