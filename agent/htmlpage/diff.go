package htmlpage

import (
	"fmt"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext/quote"
)

// These bound a patch on a page, so that the page can be opened and mailed.
const (
	maxDiffLines = 2000
	maxDiffBytes = 256 << 10
	maxDiffLine  = 1000 // characters
)

// A diff is a patch on a page.
type diff struct {
	Lines []diffLine
	Cut   string // a sentence about what is not shown; "" if all of it is
}

// A diffLine is a line of a patch. Class is its class in the style sheet: plus, minus, file, place or
// "".
type diffLine struct{ Class, Text string }

// newDiff returns the lines of a patch, as git diff prints it. Of a very large patch only the
// beginning is shown.
func newDiff(patch string) diff {
	var d diff
	bytes, long := 0, 0
	inHunk := false
	rest := strings.TrimSuffix(patch, "\n")
	for rest != "" && len(d.Lines) < maxDiffLines && bytes < maxDiffBytes {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		class := classOf(line, &inHunk)
		bytes += min(len(line), maxDiffLine) + 1
		short := cutLine(line)
		if short != line {
			long++
		}
		d.Lines = append(d.Lines, diffLine{class, quote.Text(short)})
	}
	var cut []string
	if rest != "" {
		cut = append(cut, fmt.Sprintf("%d more %s", strings.Count(rest, "\n")+1, plural(strings.Count(rest, "\n")+1, "line")))
	}
	if long > 0 {
		cut = append(cut, fmt.Sprintf("the %s of %d long %s", plural(long, "end"), long, plural(long, "line")))
	}
	if len(cut) > 0 {
		d.Cut = "Not shown: " + strings.Join(cut, ", and ") + "."
	}
	return d
}

// plural returns a word with an s, unless there is one.
func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// cutLine returns the beginning of a very long line.
func cutLine(line string) string {
	if len(line) <= maxDiffLine {
		return line
	}
	return source.Cut(line, maxDiffLine) + "…"
}

// classOf returns the class of a line. Inside of a hunk, a line such as "--- x" is a removed one.
func classOf(line string, inHunk *bool) string {
	switch {
	case strings.HasPrefix(line, "diff "):
		*inHunk = false
		return "file"
	case strings.HasPrefix(line, "@@"):
		*inHunk = true
		return "place"
	case !*inHunk:
		return "file"
	case strings.HasPrefix(line, "+"):
		return "plus"
	case strings.HasPrefix(line, "-"):
		return "minus"
	}
	return ""
}
