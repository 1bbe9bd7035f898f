package render

import (
	"io"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/agent/suspect"
	"git-agent/cmd/git-agent/ui"
)

// crashRow has the data of one printed line: a ranked file of a report.
type crashRow struct {
	name    string
	report  *crash.Report
	ranking *crash.Answer
	rank    int
	file    crash.File
}

// problem returns the first failure in the report.
func (r crashRow) problem() crash.Problem {
	if len(r.report.Problems) == 0 {
		return crash.Problem{}
	}
	return r.report.Problems[0]
}

// suspect returns the likeliest suspect of the report.
func (r crashRow) suspect() suspect.Suspect {
	if len(r.ranking.Suspects) == 0 {
		return suspect.Suspect{}
	}
	return r.ranking.Suspects[0]
}

// CrashPlaceholders lists the placeholders of crash --format. They are matched in this order, so
// a longer name precedes its own prefixes. Values from a report are always escaped, because
// reports are untrusted.
var CrashPlaceholders = []placeholder[crashRow]{
	{"(path)", "path of the file in the repository", func(r crashRow) string { return r.file.Path }},
	{"(line)", "line of the file's first frame; empty if unknown", func(r crashRow) string { return lineText(crashPlace(r.report, r.file)) }},
	{"(function)", "function of the file's first frame; or empty", func(r crashRow) string { return ui.OneLine(crashFunction(r.report, r.file)) }},
	{"(rank)", "1 for the first file of a report", func(r crashRow) string { return strconv.Itoa(r.rank) }},
	{"(prob)", "probability from 0 to 1; empty if there is none", func(r crashRow) string { return probabilityText(r.file.Probability) }},
	{"(reasons)", "reasons, separated by semicolons", func(r crashRow) string { return ui.OneLine(strings.Join(r.file.Reasons, "; ")) }},
	{"(found)", "stack, or related if no stack names the file", func(r crashRow) string { return foundIn(r.file) }},
	{"(report)", "name of the report's file, or -", func(r crashRow) string { return r.name }},
	{"(problem)", "first failure that the report names; or empty", func(r crashRow) string { return ui.OneLine(r.problem().Kind) }},
	{"(message)", "its message; or empty", func(r crashRow) string { return ui.OneLine(r.problem().Message) }},
	{"(signature)", "16 digits that equal crashes have in common", func(r crashRow) string { return input.SignatureOf(r.report).ID() }},
	{"(commit)", "commit that crashed", func(r crashRow) string { return string(r.ranking.Commit) }},
	{"(commit:short)", "commit that crashed, abbreviated to 12 digits", func(r crashRow) string { return r.ranking.Commit.Short() }},
	{"(commit:from)", "how that commit was found", func(r crashRow) string { return ui.OneLine(r.ranking.CommitFrom) }},
	{"(suspect)", "first suspect commit; or empty", func(r crashRow) string { return string(r.suspect().Commit.OID) }},
	{"(suspect:short)", "first suspect commit, abbreviated", func(r crashRow) string { return r.suspect().Commit.OID.Short() }},
	{"(suspect:subject)", "its subject", func(r crashRow) string { return ui.OneLine(r.suspect().Commit.Subject()) }},
	{"(algorithm)", "algorithm that answered", func(r crashRow) string { return r.ranking.Algorithm }},
	{"n", "newline", func(crashRow) string { return "\n" }},
	{"x00", "NUL byte (any two hexadecimal digits)", nil},
	{"%", "percent sign", func(crashRow) string { return "%" }},
}

// crashPlace returns the line and the column of a file's first frame with a line, 0 without such
// a frame.
func crashPlace(report *crash.Report, f crash.File) (line, column int) {
	for _, ref := range f.Frames {
		if line, column = report.At(ref).Place(); line > 0 {
			return line, column
		}
	}
	return 0, 0
}

func lineText(line, _ int) string {
	if line == 0 {
		return ""
	}
	return strconv.Itoa(line)
}

func crashFunction(report *crash.Report, f crash.File) string {
	if len(f.Frames) == 0 {
		return ""
	}
	return report.At(f.Frames[0]).Function
}

func foundIn(f crash.File) string {
	if f.Related {
		return "related"
	}
	return "stack"
}

// ParseCrashFormat parses the value of crash --format.
func ParseCrashFormat(format string) ([]piece[crashRow], error) {
	return parsePieces(format, CrashPlaceholders, nil)
}

// CrashFormat prints each ranked file in the user's format, one line for each. It
// prints nothing if the format is empty.
type CrashFormat struct {
	W      io.Writer
	Pieces []piece[crashRow]
	End    string // end of a line
	Clean  bool   // escape all values, because a person reads the output
	Color  bool   // print colours
	Max    int    // most files of a report
}

// Crash prints the files of one report.
func (r *CrashFormat) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	if len(r.Pieces) == 0 {
		return nil
	}
	var b strings.Builder
	for i, f := range ranking.Files[:min(len(ranking.Files), r.Max)] {
		row := crashRow{name: name, report: report, ranking: ranking, rank: i + 1, file: f}
		b.WriteString(lineOf(r.Pieces, row, r.Clean, r.Color) + r.End)
	}
	_, err := io.WriteString(r.W, b.String())
	return err
}
