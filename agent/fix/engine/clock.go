package engine

import (
	"cmp"
	"strings"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
)

// A clock divides the time for an answer of the offline engine among its steps. The zero clock
// has no limit.
type clock struct {
	start time.Time
	whole time.Duration // 0 is no limit
}

// These are the parts of the time. The next steps get the unused time of a step.
const (
	reproductionPart = 8 // 1/8 for the repetitions of the first run
	coveragePart     = 5
	historyPart      = 8
	olderPart        = 3 // 1/3 for a run of the tests without the new ones; half of it for a run at an older commit
	setUpPart        = 4 // a setup that took more than 1/4 is why a test had too little time
	proofPart        = 4 // 1/4 more for the proof of a patch that passed the failing test in time
)

const (
	// coverageTime bounds the measurement of coverage. Below it, the measurement gets the
	// largest of leastCoverage, coverageRuns times the duration of a run, and coverageBuilds
	// times that of the first run, because coverage needs a separate build.
	coverageTime   = 90 * time.Second
	leastCoverage  = 20 * time.Second
	coverageRuns   = 3
	coverageBuilds = 2
	// proofRuns is the number of test runs in a proof: without the patch and with it, both
	// again with a test that must fail, and once for the wider tests.
	proofRuns = 5
)

// left is the time until the end.
func (c clock) left() time.Duration { return c.whole - time.Since(c.start) }

// shorter reports whether the whole time is less than the limit of one command.
func (c clock) shorter(limit time.Duration) bool {
	return c.whole > 0 && (limit == 0 || c.whole < limit)
}

// compilation bounds the compilation before the first test run.
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

// coverage bounds the measurement of coverage.
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

// search returns the time for the search, and additional time for the proof of a patch that
// passed the failing test in time. The search ends early enough for the estimated proof. A
// longer proof gets at most a proofPart more than the whole time. suite is the duration of the wider tests, 0 if it is not known.
func (c clock) search(rep fix.Reproduction, suite time.Duration) (wall, proof time.Duration) {
	if c.whole == 0 {
		return 0, 0
	}
	left := c.left()
	reserve := min(cmp.Or(rep.First, rep.Took)+(proofRuns-1)*rep.Took+suite, left/proofPart)
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
