package szz

import (
	"regexp"
	"strings"

	"git-agent/agent/source"
)

// A ticket is a kind of number that names a commit by the commit's message: the number of
// a pull request, of a review, or of a ticket.
type ticket struct {
	name     func() *regexp.Regexp // finds it in prose; the first group is the number
	carriers []string              // lines with the number; NUMBER stands for it
	report   bool                  // a report of a bug may have such a number, too
}

// requestWords are the trailers for pull request numbers in some projects.
const requestWords = `^(PR-URL|Pull-Request|Pull-request|PR|Reviewed-on|Part-of): .*[/#!]NUMBER>?$`

// tickets are the known kinds. Their carriers are extended regular expressions with the
// same meaning in git and Go.
var tickets = []ticket{
	{ // of GitHub
		name:     source.Lazy(`(?:\b(?:PR|pull request|pull)\s*#?|(?:\b[\w.-]+/[\w.-]+)?#|\bGH-)(\d{1,6})\b`),
		carriers: []string{`\(#NUMBER\)$`, `^Merge pull request #NUMBER([^0-9]|$)`, `^Auto merge of #NUMBER([^0-9]|$)`, requestWords},
	},
	{ // of GitLab
		name:     source.Lazy(`(?:\b(?:MR|merge request)\s*!?|(?:\b[\w.-]+/[\w.-]+)?!)(\d{1,6})\b`),
		carriers: []string{`^See merge request [^ ]*!NUMBER$`, requestWords},
	},
	{ // of Jira and its like
		name:     source.Lazy(`\b([A-Z][A-Z0-9]{1,9}-[1-9]\d{0,5})\b`),
		carriers: []string{`^(.*[^A-Za-z0-9-])?NUMBER([^0-9].*)?$`},
		report:   true,
	},
	{ // of Phabricator
		name:     source.Lazy(`\b(D\d{3,9})\b`),
		carriers: []string{`^Differential Revision: (.*/)?NUMBER$`},
	},
	{ // of Subversion
		name:     source.Lazy(`\b(?:svn |SVN )?r(?:ev(?:ision)?\.? ?)?(\d{3,7})\b`),
		carriers: []string{`^ *git-svn-id: [^ ]+@NUMBER( |$)`},
	},
	{ // of Gerrit
		name:     source.Lazy(`\b(I[0-9a-f]{40})\b`),
		carriers: []string{`^Change-Id: NUMBER$`},
	},
}

// These patterns decide the meaning of a number. Numbers of reports are more frequent
// than numbers of changes, so only the words of numberBlamed count.
var (
	numberBlamed = source.Lazy(
		`(?i)\b(?:(?:bugs?|errors?|warnings?|problems?|issues?|failures?|regress\w*|leaks?|typos?|breakages?|crash\w*|deadlocks?)\b[^.,]{0,50}\b(?:introduced|caused|created|added)\s+(?:in|by|with)|regress(?:ion|ed|ions)\s+(?:in|from|by|since|caused by|introduced in)|broken\s+(?:in|by|since|after)|accidental\w*\s+(?:\w+\s+)?(?:in|by)|introduced accidentally in|fallout from)\s*:?\s+(?:PR\s*|pull request\s*)?@`,
	)
	numberWord = source.Lazy(`(?i)\b(?:the\s+)?(?:tickets?|story|change|changeset|commit|revision|rev|svn|diff|review)\s+$`)
	// notTicket matches names of standards and the like.
	notTicket = source.Lazy(
		`^(?:UTF|SHA|CVE|CWE|ISO|RFC|IEEE|IEC|MD|AES|RSA|CP|KOI|ASCII|BASE|X|GPL|LGPL|AGPL|BSD|ARM|ARMV|AVX|SSE|H|MPEG|GTK|QT|COVID|WCAG|POSIX|ANSI|ECMA|PEP|CRC|HTTP|TLS|SSL|USB|PCI|DDR|I|IPV|C|T)\d*-`,
	)
	// closing matches the start of a line that names the report of the fixed bug.
	closing = `(?im)^\W*(?:fix\w*|clos\w*|resolv\w*|refs?|references?|bugs?|issues?|tickets?|jira|see|part of)\b[:\s](?:.*[^A-Za-z0-9-])?`
)

// mentions returns the numbers of this kind that the text blames.
func (k *ticket) mentions(body string) []mention {
	var found []mention
	title, _, _ := strings.Cut(body, "\n")
	for _, m := range k.name().FindAllStringSubmatchIndex(body, -1) {
		number := body[m[2]:m[3]]
		if k.report && (notTicket().MatchString(number) || strings.Contains(title, number)) {
			continue
		}
		s := sentenceAround(body, m[0], m[1])
		excerpt := s.excerpt()
		s.before = numberWord().ReplaceAllString(s.before, "")
		text := s.pattern()
		if numberBlamed().MatchString(text) && !addsTest(title) && !excusedWhole().MatchString(text) &&
			!excusedBefore().MatchString(text[:strings.IndexByte(text, '@')+1]) {
			found = append(
				found,
				mention{kind: k, number: number, written: strings.TrimSpace(body[m[0]:m[1]]), around: s.before + s.behind, text: excerpt},
			)
		}
	}
	return found
}

// fixCloses reports whether a line of the message names the ticket as the report of the
// fixed bug.
func fixCloses(body, number string) bool {
	return regexp.MustCompile(closing + regexp.QuoteMeta(number) + `\b`).MatchString(body)
}

// carrier returns an extended regular expression for the lines with a number.
func (k *ticket) carrier(number string) string {
	return strings.ReplaceAll(strings.Join(k.carriers, "|"), "NUMBER", regexp.QuoteMeta(number))
}

// carriedBy reports whether the subject or a trailer of a message has the number. Other
// places do not count, because bodies mention other tickets, too.
func (k *ticket) carriedBy(message, number string) bool {
	carrier := regexp.MustCompile(k.carrier(number))
	subject, rest, _ := strings.Cut(message, "\n")
	if carrier.MatchString(subject) {
		return true
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		if k.report && !fixCloses(line, number) {
			continue
		}
		if carrier.MatchString(line) {
			return true
		}
	}
	return false
}
