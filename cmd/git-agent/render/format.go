package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// placeholder is one %-sequence of --format. The manual's table is made from
// this one.
type placeholder struct {
	Name  string // without the percent sign
	Doc   string
	value func(row formatRow) string
}

// formatRow is one printed line: a suspect of a fix.
type formatRow struct {
	answer  Answer
	rank    int
	suspect szz.Suspect
}

func (r formatRow) author() gitext.Person    { return r.suspect.Commit.Author }
func (r formatRow) committer() gitext.Person { return r.suspect.Commit.Committer }

// model is empty where the offline engine answered, also in a model's place.
func (r formatRow) model() string {
	if report := r.answer.Verdict.Agent; report != nil && report.Fallback == "" {
		return report.Model
	}
	return ""
}

func (r formatRow) trace() string {
	if len(r.answer.Runs) == 0 {
		return ""
	}
	return string(r.answer.Runs[0])
}

// gitDate is git's default form of a date.
const gitDate = "Mon Jan 2 15:04:05 2006 -0700"

// strictDate is git's iso-strict, as versions before 2.45 write UTC.
const strictDate = "2006-01-02T15:04:05-07:00"

// Placeholders are tried in this order, so a name that begins another one
// comes after it. Those of git mean what they mean to git log, of the suspect;
// abbreviated object ids have 12 digits.
var Placeholders = []placeholder{
	{"H", "commit", func(r formatRow) string { return string(r.suspect.Commit.OID) }},
	{"h", "commit, abbreviated to 12 digits", func(r formatRow) string { return r.suspect.Commit.OID.Short() }},
	{"T", "tree", func(r formatRow) string { return string(r.suspect.Commit.Tree) }},
	{"P", "parents", func(r formatRow) string { return parents(r.suspect.Commit, wholeOID) }},
	{"p", "parents, abbreviated", func(r formatRow) string { return parents(r.suspect.Commit, gitext.OID.Short) }},
	{"an", "author's name", func(r formatRow) string { return r.author().Name }},
	{"ae", "author's email", func(r formatRow) string { return r.author().Email }},
	{"ad", "author's date", func(r formatRow) string { return r.author().Time.Format(gitDate) }},
	{"aI", "author's date, strict ISO 8601", func(r formatRow) string { return r.author().Time.Format(strictDate) }},
	{"as", "author's date, YYYY-MM-DD", func(r formatRow) string { return r.author().Time.Format(time.DateOnly) }},
	{"at", "author's date, seconds since 1970", func(r formatRow) string { return unixTime(r.author()) }},
	{"cn", "committer's name", func(r formatRow) string { return r.committer().Name }},
	{"ce", "committer's email", func(r formatRow) string { return r.committer().Email }},
	{"cd", "committer's date", func(r formatRow) string { return r.committer().Time.Format(gitDate) }},
	{"cI", "committer's date, strict ISO 8601", func(r formatRow) string { return r.committer().Time.Format(strictDate) }},
	{"cs", "committer's date, YYYY-MM-DD", func(r formatRow) string { return r.committer().Time.Format(time.DateOnly) }},
	{"ct", "committer's date, seconds since 1970", func(r formatRow) string { return unixTime(r.committer()) }},
	{"s", "subject", func(r formatRow) string { return r.suspect.Commit.Subject() }},
	{"b", "body", func(r formatRow) string { return r.suspect.Commit.Body() }},
	{"B", "whole message", func(r formatRow) string { return r.suspect.Commit.Message }},
	{"n", "newline", func(formatRow) string { return "\n" }},
	{"x00", "NUL byte (any two hexadecimal digits)", nil},
	{"%", "percent sign", func(formatRow) string { return "%" }},
	{"(fix)", "the fix", func(r formatRow) string { return string(r.answer.Verdict.Fix) }},
	{"(fix:short)", "the fix, abbreviated", func(r formatRow) string { return r.answer.Verdict.Fix.Short() }},
	{"(fix:subject)", "the fix's subject", func(r formatRow) string { return r.answer.Fix.Subject() }},
	{"(rank)", "1 for the first suspect of a fix", func(r formatRow) string { return strconv.Itoa(r.rank) }},
	{"(prob)", "probability from 0 to 1; empty if the algorithm has none", func(r formatRow) string { return probability(r.suspect) }},
	{"(reason)", "why it is suspected, in one sentence", func(r formatRow) string { return r.suspect.Reason }},
	{"(path)", "path of the first piece of evidence", func(r formatRow) string { return firstEvidence(r.suspect).Path }},
	{"(check)", "git command that checks the first piece of evidence", func(r formatRow) string { return firstEvidence(r.suspect).Command }},
	{"(confirmation)", "confirmed, refuted or unclear; empty without --verify-cmd", confirmation},
	{"(algorithm)", "algorithm that answered", func(r formatRow) string { return r.answer.Verdict.Algorithm }},
	{"(engine)", "engine that answered", func(r formatRow) string { return r.answer.Verdict.Engine }},
	{"(type)", "how it introduced the bug, according to a model; or empty", func(r formatRow) string { return r.suspect.Type }},
	{"(model)", "model that answered, or empty", func(r formatRow) string { return r.model() }},
	{"(trace)", "recorded run of the model, or empty; see git-agent-trace", func(r formatRow) string { return r.trace() }},
	{"(trailer)", "Fixes: trailer that names the suspect", func(r formatRow) string { return fixesTrailer(r.suspect.Commit) }},
}

func parents(c gitext.Commit, spell func(gitext.OID) string) string {
	list := make([]string, len(c.Parents))
	for i, p := range c.Parents {
		list[i] = spell(p)
	}
	return strings.Join(list, " ")
}

func unixTime(p gitext.Person) string { return strconv.FormatInt(p.Time.Unix(), 10) }

func probability(s szz.Suspect) string {
	if s.Probability == 0 {
		return ""
	}
	return strconv.FormatFloat(s.Probability, 'f', 4, 64)
}

func firstEvidence(s szz.Suspect) szz.Evidence {
	if len(s.Evidence) == 0 {
		return szz.Evidence{}
	}
	return s.Evidence[0]
}

func confirmation(r formatRow) string {
	if r.suspect.Confirmation == nil {
		return ""
	}
	return r.suspect.Confirmation.Status
}

// piece is a part of a format: its own text, or what gives a value for a row.
type piece struct {
	text  string
	value func(row formatRow) string
}

// ParseFormat reads a --format. git prints what it does not know as it
// stands; here it is an error, so that a typing error shows.
func ParseFormat(format string) ([]piece, error) {
	format = strings.TrimPrefix(strings.TrimPrefix(format, "tformat:"), "format:")
	var pieces []piece
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		if text != "" {
			pieces = append(pieces, piece{text: text})
		}
		if !found {
			break
		}
		p, used, err := parsePlaceholder(rest)
		if err != nil {
			return nil, err
		}
		pieces, format = append(pieces, p), rest[used:]
	}
	return pieces, nil
}

// parsePlaceholder reads what follows a percent sign.
func parsePlaceholder(s string) (p piece, used int, err error) {
	if len(s) >= 3 && s[0] == 'x' {
		if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
			return piece{text: string([]byte{byte(n)})}, 3, nil
		}
	}
	for _, known := range Placeholders {
		if known.value != nil && strings.HasPrefix(s, known.Name) {
			return piece{value: known.value}, len(known.Name), nil
		}
	}
	bad, _, _ := strings.Cut(s, " ")
	if end := strings.IndexByte(bad, ')'); end >= 0 && strings.HasPrefix(bad, "(") {
		bad = bad[:end+1]
	}
	return piece{}, 0, fmt.Errorf("unknown placeholder %q in --format", "%"+bad)
}

// Format prints one line for each suspect, or nothing in an empty format, as
// git log does.
type Format struct {
	W      io.Writer
	Pieces []piece
	End    string
	Clean  bool // a person reads it
}

// line is the text for one row. A program gets values as git gives them, as
// they stand in the repository; what the format itself holds is the user's.
func (r *Format) line(row formatRow) string {
	var b strings.Builder
	for _, p := range r.Pieces {
		text := p.text
		if p.value != nil {
			text = p.value(row)
		}
		if p.value != nil && r.Clean {
			text = layout.Printable(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

func (r *Format) Answer(ans Answer) error {
	if len(r.Pieces) == 0 {
		return nil
	}
	var b strings.Builder
	for i, s := range ans.Verdict.Suspects {
		row := formatRow{answer: ans, rank: i + 1, suspect: s}
		b.WriteString(r.line(row) + r.End)
	}
	_, err := io.WriteString(r.W, b.String())
	return err
}

func wholeOID(oid gitext.OID) string { return string(oid) }
