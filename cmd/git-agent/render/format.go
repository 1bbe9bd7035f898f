package render

import (
	"io"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// formatRow has the data of one printed line: a suspect of a fix.
type formatRow struct {
	answer  Answer
	rank    int
	suspect szz.Suspect
}

func (r formatRow) author() gitext.Person    { return r.suspect.Commit.Author }
func (r formatRow) committer() gitext.Person { return r.suspect.Commit.Committer }

// model returns the model that answered. It is empty if the offline engine
// answered, even instead of a failed model.
func (r formatRow) model() string {
	if report := r.answer.Answer.Agent; report != nil && report.Fallback == "" {
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

// gitDate is git's default date format.
const gitDate = "Mon Jan 2 15:04:05 2006 -0700"

// strictDate is git's date format iso-strict, with UTC as in versions of git
// before 2.45.
const strictDate = "2006-01-02T15:04:05-07:00"

// Placeholders lists the placeholders of --format. They are matched in this
// order, so a longer name precedes its own prefixes. git's placeholders have the
// same meaning as in git log, applied to the suspect, but abbreviated object ids
// always have 12 digits.
var Placeholders = []placeholder[formatRow]{
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
	{"(fix)", "the fix", func(r formatRow) string { return string(r.answer.Answer.Fix) }},
	{"(fix:short)", "the fix, abbreviated", func(r formatRow) string { return r.answer.Answer.Fix.Short() }},
	{"(fix:subject)", "the fix's subject", func(r formatRow) string { return r.answer.Fix.Subject() }},
	{"(rank)", "1 for the first suspect of a fix", func(r formatRow) string { return strconv.Itoa(r.rank) }},
	{"(prob)", "probability from 0 to 1; empty if the algorithm has none", func(r formatRow) string { return probability(r.suspect) }},
	{"(reason)", "why it is suspected, in one sentence", func(r formatRow) string { return r.suspect.Reason }},
	{"(path)", "path of the first piece of evidence", func(r formatRow) string { return firstEvidence(r.suspect).Path }},
	{"(check)", "git command that checks the first piece of evidence", func(r formatRow) string { return firstEvidence(r.suspect).Command }},
	{"(confirmation)", "confirmed, refuted or unclear; empty without --verify-cmd", confirmation},
	{"(algorithm)", "algorithm that answered", func(r formatRow) string { return r.answer.Answer.Algorithm }},
	{"(engine)", "engine that answered", func(r formatRow) string { return r.answer.Answer.Engine }},
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

func probability(s szz.Suspect) string { return probabilityText(s.Probability) }

// probabilityText writes a probability, which is 0 if there is none.
func probabilityText(p float64) string {
	if p == 0 {
		return ""
	}
	return strconv.FormatFloat(p, 'f', 4, 64)
}

func firstEvidence(s szz.Suspect) suspect.Evidence {
	if len(s.Evidence) == 0 {
		return suspect.Evidence{}
	}
	return s.Evidence[0]
}

func confirmation(r formatRow) string {
	if r.suspect.Confirmation == nil {
		return ""
	}
	return r.suspect.Confirmation.Status
}

// ParseFormat parses the value of szz --format.
func ParseFormat(format string) ([]piece[formatRow], error) {
	return parsePieces(format, Placeholders, prettyNames)
}

// Format prints each suspect in the user's format, one line for each. Like git
// log, it prints nothing if the format is empty.
type Format struct {
	W      io.Writer
	Pieces []piece[formatRow]
	End    string // end of a line
	Clean  bool   // escape values, because a person reads the output
	Color  bool   // print colours
}

// Answer prints the suspects of one fix.
func (r *Format) Answer(ans Answer) error {
	if len(r.Pieces) == 0 {
		return nil
	}
	var b strings.Builder
	for i, s := range ans.Answer.Suspects {
		row := formatRow{answer: ans, rank: i + 1, suspect: s}
		b.WriteString(lineOf(r.Pieces, row, r.Clean, r.Color) + r.End)
	}
	_, err := io.WriteString(r.W, b.String())
	return err
}

func wholeOID(oid gitext.OID) string { return string(oid) }
