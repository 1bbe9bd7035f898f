package offline

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
)

// A commit that quotes the failure of the report as what it mends came after the crash: nothing told the
// version, and HEAD or a release has its repair already.

// moreForRepairs is the number of suspects that are looked for in place of repairs.
const moreForRepairs = 2

// leastQuote is the least length of a quote.
const leastQuote = 3

var (
	repairWord = source.Lazy(`(?i)\b(?:fix(?:e[sd]|ing)?|resolve[sd]?|close[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?|handle[sd]?)\b`)
	pullNumber = source.Lazy(` *\(#\d+\)$`)
	// A word that may go on with the sentence behind a quote.
	behindQuote = source.Lazy(`^(?:after|at|because|by|caused|during|for|from|if|in|on|since|through|when|where|while|with|within)$`)
)

// withoutRepairs leaves out the suspects whose subjects quote a failure of the report, and notes them.
func withoutRepairs(report *crash.Report, answer *crash.Answer, suspects []suspect.Suspect) []suspect.Suspect {
	return slices.DeleteFunc(slices.Clone(suspects), func(s suspect.Suspect) bool {
		subject := s.Commit.Subject()
		if !repairWord().MatchString(subject) || !slices.ContainsFunc(report.Problems, func(p crash.Problem) bool { return quotes(subject, p) }) {
			return false
		}
		answer.Notes = append(answer.Notes, fmt.Sprintf(
			"%s is no suspect, because it says that it mends this failure: %.100q; if so, give the commit before it with --at=%s^",
			s.Commit.OID.Short(), agent.CleanLine(subject), s.Commit.OID.Short(),
		))
		return true
	})
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
