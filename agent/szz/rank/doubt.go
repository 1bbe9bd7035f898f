package rank

import (
	"math"
	"sort"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
)

// doubtedChance is the largest probability of a candidate that can hardly be the culprit. It changes only tests, for a
// fix of source code: of 1,580 such fixes with known culprits, two have such a culprit; some projects commit the test
// that shows the bug right before the fix, with the names and the words of the fix. Or it changes only the layout of
// code, and so owns the lines that it breaks, with the age and the neighbours of a culprit. Or it is recent, reads like
// the fix, and of the fix's files changes only tests: of 374 culprits of fixes that change tests or documents, too, nine
// share only these with the fix, and none of them was the first.
const doubtedChance = 0.01

// nearbyOdds is what is left of the odds of a commit that fixes something else and wrote no line in or near what the fix
// changes: it has the age, the file and the words of a culprit, and mended another bug. Where such a commit led, it was the
// culprit in 1 of 8 cases (2.8 by the probabilities), and in none of 8 fixes of other projects that were read (3.0).
const nearbyOdds = 0.4

// mendsBug matches the subject of a commit that mends a bug. Unlike saysFix it leaves out what new code says of itself, too,
// such as that it avoids a race.
var mendsBug = source.Lazy(`(?i)\b(fix\w*|(bug|hot)-?fix\w*|repair\w*|correct(s|ed|ing)?)\b`)

// doubt lowers the probabilities of candidates that can hardly be the culprit, if the fix changes source code outside
// of tests, and divides what they lose among the others.
func (k *Case) doubt(ranked []Ranked) {
	if !k.fixesSource() {
		return
	}
	lost := 0.0
	for i := range ranked {
		j := &ranked[i]
		if j.Probability <= doubtedChance {
			continue
		}
		chance, why := k.doubted(j)
		if why == "" {
			continue
		}
		j.doubt, j.lowered = why, math.Log(chance/j.Probability)
		lost += j.Probability - chance
		j.Probability = chance
	}
	if lost == 0 {
		return
	}
	for i := range ranked {
		if ranked[i].doubt == "" {
			ranked[i].Probability = WithoutShare(ranked[i].Probability, lost)
		}
	}
	sort.SliceStable(ranked, func(i, j int) bool { return ranked[i].Probability > ranked[j].Probability })
}

// doubted returns the probability that doubt leaves a candidate, and why; "" if there is no doubt.
func (k *Case) doubted(j *Ranked) (chance float64, why string) {
	switch c := j.Candidate; {
	case changesOnlyTests(c):
		return doubtedChance, "changes only tests"
	case c.OnlyLayout() && !k.Set.Spaces:
		return doubtedChance, "changes only the layout of code"
	case k.sharesOnlyTests(c):
		return doubtedChance, "changes of the fix's files only tests"
	case k.wroteNothingNear(c) && k.changesAlike(c):
		return doubtedChance, "made the same change as the fix, in other files"
	case k.wroteNothingNear(c) && !k.indexed && !k.tookOut(c) && mendsBug().MatchString(c.Commit.Subject()):
		odds := nearbyOdds * j.Probability / (1 - j.Probability)
		return odds / (1 + odds), "fixes something else, and wrote no line near the fix"
	}
	return j.Probability, ""
}

// wroteNothingNear reports whether a candidate owns no line in or near what the fix changes, or in the functions around it.
func (k *Case) wroteNothingNear(c *candidate.Candidate) bool {
	return c.Sources&(candidate.FromDeleted|candidate.FromContext|candidate.FromFunction|candidate.FromBeside) == 0
}

// changesAlike reports whether a candidate removes most of the lines that the fix removes, and adds most of those that it
// adds, but in none of its files: it is the same fix of a copy of the code.
func (k *Case) changesAlike(c *candidate.Candidate) bool {
	mostOf := func(keys, has map[string]bool) bool { return len(keys) > 0 && 2*common(keys, has) > len(keys) }
	return c.Diff != nil && !k.changesFixed(c) && mostOf(k.DelKeys, c.Diff.RemovedLines) && mostOf(k.addKeys, c.Diff.AddedLines)
}

// fixesSource reports whether the fix changes a source file that is no test.
func (k *Case) fixesSource() bool {
	for p := range k.FixPath {
		if source.FileKindOf(p) == source.SourceFile {
			return true
		}
	}
	return false
}

// sharesOnlyTests reports whether a candidate was found only by its words, and of the files that the fix changes it changes
// tests, and no other.
func (k *Case) sharesOnlyTests(c *candidate.Candidate) bool {
	if c.Sources&^(candidate.FromRecent|candidate.FromIndex) != 0 || len(c.Paths) != c.Files {
		return false
	}
	tests := 0
	for _, p := range c.Paths {
		switch {
		case k.allPaths[p] == 0 && !k.Paths[p]:
		case !source.IsTestPath(p):
			return false
		default:
			tests++
		}
	}
	return tests > 0
}

// changesOnlyTests reports whether a candidate changes tests, and beside them at most documents.
func changesOnlyTests(c *candidate.Candidate) bool {
	return len(c.Paths) == c.Files && source.AreTests(c.Paths)
}
