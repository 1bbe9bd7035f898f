package history

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// commitHead describes a commit and its suspected lines.
func commitHead(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) (string, error) {
	b := entries[0]
	var s strings.Builder
	fmt.Fprintf(&s, "## %s, %s, ", b.Commit.OID.Short(), b.Commit.Author.Time.UTC().Format("2006-01-02"))
	if b.Distance == 0 {
		s.WriteString("the newest commit")
	} else {
		s.WriteString(agent.Plural(b.Distance, "commit") + " ago")
	}
	s.WriteString(": " + agent.CleanLine(agent.Shorten(b.Commit.Subject(), 200)) + "\n")
	for _, line := range firstLines(b.Commit.Body()) {
		s.WriteString("    " + line + "\n")
	}
	for _, b := range entries {
		text, err := wrote(ctx, repo, b)
		if err != nil {
			return "", err
		}
		s.WriteString(text)
	}
	switch {
	case b.Root && len(b.Commit.Parents) == 0:
		s.WriteString("It is the first commit of the history, so it may say little about the bug.\n")
	case b.Root:
		fmt.Fprintf(&s, "It changed %s, so it may say little about the bug.\n", agent.Plural(b.Changed, "file"))
	default:
		s.WriteString(cochanged(entries))
	}
	return s.String(), nil
}

// trailer matches a line that names people or reviews.
var trailer = source.Lazy(
	`^(?i:(?:signed-off|co-authored|reviewed|acked|tested|reported|suggested|helped|co-developed)-by|cc|change-id|reviewed-on|git-svn-id):`,
)

const (
	maxBodyLines = 6
	maxBodyLine  = 200
	maxCochanged = 6
	maxNames     = 200 // characters of the names of these files, which are long in Java
)

// firstLines returns the first informative lines of a message's body.
func firstLines(body string) []string {
	var out []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line == "" || trailer().MatchString(line) {
			continue
		}
		if len(out) == maxBodyLines {
			return append(out, "[...]")
		}
		out = append(out, agent.Shorten(agent.CleanLine(line), maxBodyLine))
	}
	return out
}

// maxQuoted bounds the quoted suspected lines of a location.
const maxQuoted = 4

// wrote lists the suspected lines of a location that a commit wrote, and quotes a few.
func wrote(ctx context.Context, repo *gitext.Repo, b fix.Blamed) (string, error) {
	place := ""
	if b.Function != "" {
		place = " of " + agent.CleanLine(agent.Shorten(b.Function, 120))
	}
	place += " in " + agent.CleanLine(b.Path)
	if b.Nearby {
		place += ", the nearest code to a suspected place that has no history of its own"
	}
	if len(b.Lines) > maxQuoted {
		if !slices.Equal(b.Lines, b.OrigLine) {
			place = " (" + spans(b.OrigLine) + " in the commit)" + place
		}
		return "It wrote lines " + spans(b.Lines) + place + ".\n", nil
	}
	text, err := textAt(ctx, repo, b.Commit.OID, b.Path)
	if err != nil {
		return "", err
	}
	lines := splitLines(text)
	what := "It wrote these lines"
	if len(b.Lines) == 1 {
		what = "It wrote this line"
	}
	out := what + place + ":\n"
	for i, at := range b.Lines {
		quoted := ""
		if orig := b.OrigLine[i]; orig >= 1 && orig <= len(lines) {
			if i > 0 && !telltale(lines[orig-1]) {
				continue // a brace is not informative beside another line
			}
			quoted = agent.Shorten(agent.CleanLine(strings.TrimSpace(string(lines[orig-1]))), maxQuotedLine)
		}
		out += fmt.Sprintf("    %d: %s\n", at, quoted)
	}
	return out, nil
}

const maxQuotedLine = 160

// spans writes numbers as ranges: "3-5, 9". If there are many ranges, it writes only the first
// ones.
func spans(lines []int) string { return spansTo(lines, 8) }

// spansTo writes at most some number of ranges.
func spansTo(lines []int, most int) string {
	sorted := slices.Sorted(slices.Values(lines))
	var out []string
	for i := 0; i < len(sorted); {
		j := i
		for j+1 < len(sorted) && sorted[j+1] <= sorted[j]+1 {
			j++
		}
		if len(out) == most {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(sorted)-i)
		}
		if sorted[j] > sorted[i] {
			out = append(out, fmt.Sprintf("%d-%d", sorted[i], sorted[j]))
		} else {
			out = append(out, fmt.Sprint(sorted[i]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

// cochanged names the other files that a commit changed.
func cochanged(entries []fix.Blamed) string {
	b := entries[0]
	var names []string
	room := maxNames
	for _, f := range b.Files {
		if f == b.Path || len(names) == maxCochanged || len(names) > 0 && len(f) > room {
			continue
		}
		names = append(names, agent.CleanLine(f))
		room -= len(f)
	}
	rest := b.Changed - 1 - len(names)
	switch {
	case len(names) == 0 && rest <= 0:
		return ""
	case len(names) == 0:
		return fmt.Sprintf("It also changed %s: tests, or no program code.\n", agent.Plural(rest, "file"))
	case rest > 0:
		names = append(names, agent.Plural(rest, "other file"))
	}
	return "It also changed " + enumerate(names) + ".\n"
}

func enumerate(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
