package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A commit that mends the failure of the report came after the crash: nothing told the version, and HEAD, a release or
// a day has its repair already.

// moreForRepairs is the number of suspects that are looked for in place of repairs.
const moreForRepairs = 2

// leastQuote is the least length of a quote.
const leastQuote = 3

var (
	repairWord = source.Lazy(
		`(?i)\b(?:(?:bug|hot)?fix(?:e[sd]|ing)?|resolve[sd]?|close[sd]?|prevent(?:s|ed|ing)?|avoid(?:s|ed|ing)?|handle[sd]?|address(?:es|ed)?|guard(?:s|ed)? (?:against|for))\b`,
	)
	pullNumber = source.Lazy(` *\(#\d+\)$`)
	// A word that may go on with the sentence behind a quote.
	behindQuote = source.Lazy(`^(?:after|at|because|by|caused|during|for|from|if|in|on|since|through|when|where|while|with|within)$`)
)

// families are kinds of failures: words of a report by which one is recognised, and words by which subjects of commits call it.
var families = []struct{ report, subject source.Pattern }{
	{
		source.Lazy(`NullPointer|NullReference|nil pointer|nil map|null pointer|NoneType|of null\b|of undefined\b|on null\b|for nil\b|Uninitialized`),
		source.Lazy(`(?i)\b(?:NPEs?|nil|null|nullptr|undefined|uninitiali[sz]ed|NullPointer\w*|NullReference\w*|UninitializedProperty\w*)\b`),
	},
	{
		source.Lazy(`out of range|out of bounds|OutOfBounds|OutOfRange|IndexError|buffer-overflow|KeyError`),
		source.Lazy(`(?i)out[ -]of[ -](?:range|bounds)|\b(?:bounds check\w*|slice bounds|(?:slice|index|range|bounds) panics?|overflow|oob|overread|KeyError|IndexError|\w+OutOf\w+)\b`),
	},
	{
		source.Lazy(`data race|concurrent map|ConcurrentModification|closed channel|deadlock`),
		source.Lazy(`(?i)\b(?:data races?|race conditions?|racy|concurrent (?:map|access|modification|reads?|writes?)\w*|deadlocks?|synchroni[sz]\w*|thread-?safe\w*|closed channel|\w*ConcurrentModification\w*|double close|(?:close|closing) panics?)\b`),
	},
}

// mends reports whether a subject says that a commit mends a failure of the kind of one of the problems.
func mends(subject string, problems []crash.Problem) bool {
	return repairWord().MatchString(subject) && slices.ContainsFunc(problems, func(p crash.Problem) bool {
		if quotes(subject, p) {
			return true
		}
		for _, f := range families {
			if f.report().MatchString(p.Kind+": "+p.Message) && f.subject().MatchString(subject) {
				return true
			}
		}
		return false
	})
}

// withoutRepairs leaves out the suspects that mend the failure of a report, and notes them: their subjects quote it, or
// they wrote code of its functions, not before the report's day, and their subjects name a failure of its kind. It also
// returns the first suspect, if it is one of them.
func withoutRepairs(at *reading, report *crash.Report, answer *crash.Answer, suspects []suspect.Suspect) ([]suspect.Suspect, gitext.OID) {
	var leading gitext.OID
	var left []suspect.Suspect
	day, _, dated := lastDay(report)
	for i, s := range suspects {
		subject := s.Commit.Subject()
		wrote := slices.ContainsFunc(s.Evidence, func(e suspect.Evidence) bool { return e.Line > 0 })
		quoted := repairWord().MatchString(subject) && slices.ContainsFunc(report.Problems, func(p crash.Problem) bool { return quotes(subject, p) })
		older := at.mended || dated && s.Commit.Committer.Time.Before(day)
		if !quoted && (older || !wrote || !mends(subject, report.Problems)) {
			left = append(left, s)
			continue
		}
		if i == 0 {
			leading = s.Commit.OID
		}
		answer.Notes = append(answer.Notes, fmt.Sprintf(
			"%s is no suspect, because it says that it mends this failure: %.100q; if so, give the commit before it with --at=%s^",
			s.Commit.OID.Short(), agent.CleanLine(subject), s.Commit.OID.Short(),
		))
	}
	return left, leading
}

// beforeRepair maps a report to the commit before its repair, if the code there fits as well as that of the reading, which has
// the repair. Else it returns nil.
func beforeRepair(ctx context.Context, repo *gitext.Repo, at *reading, repair gitext.OID, report *crash.Report) (*reading, error) {
	c, err := repo.Commit(ctx, repair)
	if err != nil || len(c.Parents) != 1 {
		return nil, err
	}
	fit, there, err := compareAt(ctx, repo, c.Parents[0], report)
	if gitext.Unreadable(err) {
		return nil, nil
	}
	if err != nil || fit.Moved > at.fit.Moved || placed(there) < placed(report) {
		return nil, err
	}
	before, err := readAt(ctx, repo, c.Parents[0], "before "+repair.Short(), report, fmt.Sprintf(
		"nothing tells the commit that crashed; it is read before %s, which says that it mends this failure: %.100q; give the commit that crashed with --at if it is another one",
		repair.Short(), agent.CleanLine(c.Subject()),
	))
	if before != nil {
		before.mended = true
	}
	return before, err
}

// quotes reports whether a subject quotes a failure as a program prints it: the kind, and behind it the message or its
// beginning. Behind two words or the whole message, the sentence may go on; else the subject ends with the quote.
func quotes(subject string, p crash.Problem) bool {
	kind := p.Kind[strings.LastIndexAny(p.Kind, `.\`)+1:]
	before, quote, found := strings.Cut(pullNumber().ReplaceAllString(subject, ""), kind+":")
	if !found || len(kind) <= 3 {
		return false
	}
	for _, mark := range []string{`"`, "`"} {
		if strings.Count(before, mark)%2 == 1 {
			quote, _, _ = strings.Cut(quote, mark)
		}
	}
	said, message := wordsOf(quote), wordsOf(p.Message)
	if text := strings.Join(said, " "); len(text) < leastQuote {
		return false
	} else if strings.HasPrefix(strings.Join(message, " "), text) {
		return true // the last word may be cut off
	}
	n := 0
	for n < len(said) && n < len(message) && said[n] == message[n] {
		n++
	}
	return n > 0 && (n == len(message) || n > 1 && behindQuote().MatchString(said[n]))
}

// wordsOf returns the words of a text without what is between them.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
