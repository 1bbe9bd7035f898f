package engine

import (
	"cmp"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
)

// A clock deals out the time that a user waits for an answer of the offline engine. The
// zero clock has no end.
type clock struct {
	start time.Time
	whole time.Duration // 0 is no limit
}

// These are the parts of the time. What a step does not use is left for the next ones.
const (
	reproductionPart = 8 // 1/8 for the runs that repeat the first one
	coveragePart     = 5
	historyPart      = 8
	proofPart        = 4 // for the proof of a patch that passed the failing test in time
)

const (
	// coverageTime bounds the measurement of what tests execute. Within it, coverageRuns
	// bounds it by the time of one run, and coverageBuilds by that of the first one, where
	// that is more than leastCoverage: coverage needs a build of its own.
	coverageTime   = 90 * time.Second
	leastCoverage  = 20 * time.Second
	coverageRuns   = 3
	coverageBuilds = 2
	// proofRuns is how often a proof runs the test: without the patch and with it, each
	// again with a test that must fail, and for the wider tests.
	proofRuns = 5
)

// left is the time until the end.
func (c clock) left() time.Duration { return c.whole - time.Since(c.start) }

// shorter reports whether the whole time is less than the limit of one command.
func (c clock) shorter(limit time.Duration) bool {
	return c.whole > 0 && (limit == 0 || c.whole < limit)
}

// compilation bounds what is compiled before the test runs.
func (c clock) compilation() time.Duration {
	if c.whole == 0 {
		return time.Hour
	}
	return max(c.left()/2, time.Second)
}

// reproduction bounds the runs of the test without a patch.
func (c clock) reproduction(limit time.Duration) testrun.Options {
	if c.whole == 0 {
		return testrun.Options{}
	}
	opt := testrun.Options{Budget: min(time.Minute, c.whole/reproductionPart)}
	if left := max(c.left().Truncate(time.Second), time.Second); limit == 0 || left < limit {
		opt.Timeout = left
	}
	return opt
}

// coverage bounds the measurement of what the tests execute.
func (c clock) coverage(rep fix.Reproduction) time.Duration {
	budget := min(coverageTime, max(leastCoverage, coverageRuns*rep.Took, coverageBuilds*rep.First))
	if c.whole > 0 {
		budget = min(budget, c.whole/coveragePart, c.left()/2)
	}
	return budget
}

// history bounds the blame of the suspected lines.
func (c clock) history() time.Duration {
	if c.whole == 0 {
		return time.Hour
	}
	return max(c.whole/historyPart, time.Second)
}

// search returns the time for the search, and how much longer a patch may be proved that
// passed the failing test in time. The search ends so much earlier as the proof will take,
// as far as that is known; a proof that takes longer gets at most a proofPart more than
// the whole time.
func (c clock) search(rep fix.Reproduction) (wall, proof time.Duration) {
	if c.whole == 0 {
		return 0, 0
	}
	left := c.left()
	reserve := min(cmp.Or(rep.First, rep.Took)+(proofRuns-1)*rep.Took, left/proofPart)
	return left - reserve, reserve + c.whole/proofPart
}

// brief writes a duration for a reader: 9m instead of 9m0s.
func brief(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		text := d.Round(time.Second).String()
		if strings.HasSuffix(text, "m0s") {
			text = strings.TrimSuffix(text, "0s")
		}
		return text
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
