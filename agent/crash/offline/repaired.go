package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
)

// A commit that quotes the failure of the report as what it mends came after the crash: nothing told the
// version, and HEAD or a release has its repair already.

// moreForRepairs is the number of suspects that are looked for in place of repairs.
const moreForRepairs = 2

var (
	repairWord = source.Lazy(`(?i)\b(?:fix(?:e[sd]|ing)?|resolve[sd]?|close[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?|handle[sd]?)\b`)
	firstWord  = source.Lazy(`^\W*(\w{3,})`)
)

// withoutRepairs leaves out the suspects whose subjects quote a failure of the report, and notes them.
func withoutRepairs(report *crash.Report, answer *crash.Answer, suspects []suspect.Suspect) []suspect.Suspect {
	quoted := quotesOf(report)
	return slices.DeleteFunc(slices.Clone(suspects), func(s suspect.Suspect) bool {
		subject := s.Commit.Subject()
		if !repairWord().MatchString(subject) || !slices.ContainsFunc(quoted, func(q *regexp.Regexp) bool { return q.MatchString(subject) }) {
			return false
		}
		answer.Notes = append(answer.Notes, fmt.Sprintf(
			"%s is no suspect, because it says that it mends this failure: %.100q; if so, give the commit before it with --at=%s^",
			s.Commit.OID.Short(), agent.CleanLine(subject), s.Commit.OID.Short(),
		))
		return true
	})
}

// quotesOf returns the beginnings of a report's failures as a program prints them: the kind, and the first word of the
// message behind it.
func quotesOf(report *crash.Report) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range report.Problems {
		kind := p.Kind[strings.LastIndexAny(p.Kind, `.\`)+1:]
		if m := firstWord().FindStringSubmatch(p.Message); m != nil && len(kind) > 3 {
			out = append(out, regexp.MustCompile(regexp.QuoteMeta(kind)+`:\W{1,3}`+regexp.QuoteMeta(m[1])+`\b`))
		}
	}
	return out
}
