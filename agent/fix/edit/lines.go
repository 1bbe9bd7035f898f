package edit

import (
	"fmt"
	"strings"

	"git-agent/agent"
)

// Lines replaces lines start to end of a text, from 1, both ends included (the edit command of
// Passerine, arXiv 2501.07531, section 3). With end = start-1, Lines inserts before line start;
// start may be one more than the number of lines. An empty text removes the lines. Any error is
// a *MatchError.
func Lines(path string, content []byte, start, end int, text string) (Result, error) {
	f := openFile(path, content, nil)
	if start < 1 || start > len(f.lines)+1 || end < start-1 || end > len(f.lines) {
		e := f.fail(Range)
		e.detail = fmt.Sprintf(
			"%s has %s; start must be a line of it, or one more to add lines at the end, and end a line from start on, or start-1 to insert before start",
			agent.CleanLine(path),
			agent.Plural(len(f.lines), "line"),
		)
		return Result{}, e
	}
	text = f.incoming(text)
	if p, ok := unnumbered(text, ""); ok && p.line == start {
		text = p.old
	}
	if e := f.elided(pair{new: text}); e != nil {
		return Result{}, e
	}
	res := f.apply([]span{f.rangeSpan(start, end, text)})
	if string(res.Content) == f.original {
		return Result{}, f.fail(Same)
	}
	return res, nil
}

// rangeSpan returns the replacement of lines start to end by the lines of a text.
func (f *file) rangeSpan(start, end int, text string) span {
	s := span{from: len(f.text), to: len(f.text)}
	if start <= len(f.lines) {
		s.from, s.to = f.starts[start-1], f.starts[start-1]
	}
	if end >= start {
		s.to = f.lineEnd(end - 1)
	}
	stop := "\n"
	if len(f.lines) > 0 {
		stop = f.lineBreak(min(start, len(f.lines)) - 1)
	}
	lines := splitLines(text)
	for i, line := range lines {
		s.text += strings.TrimSuffix(line, "\r")
		// If the last line has no line break, the new last line has none either.
		if i < len(lines)-1 || s.to < len(f.text) || strings.HasSuffix(f.text, "\n") || f.text == "" {
			s.text += stop
		}
	}
	if s.text != "" && s.from == len(f.text) && f.text != "" && !strings.HasSuffix(f.text, "\n") {
		s.text = stop + s.text
	}
	return s
}

// Whole replaces a text as a whole. The new text keeps the kind of line breaks of the old one,
// and ends in a line break if the old one does. Any error is a *MatchError.
func Whole(path string, content []byte, text string) (Result, error) {
	f := openFile(path, content, nil)
	text = f.incoming(text)
	if p, ok := unnumbered(text, ""); ok && p.line == 1 {
		text = p.old
	}
	if e := f.elided(pair{new: text}); e != nil {
		return Result{}, e
	}
	if text != "" && !strings.HasSuffix(text, "\n") && (f.text == "" || strings.HasSuffix(f.text, "\n")) {
		text += "\n"
	}
	if f.outgoing(text) == f.original {
		return Result{}, f.fail(Same)
	}
	start, end := changed(f.lines, splitLines(text))
	return f.result(text, []place{{start, end}}), nil
}

// Show returns the lines of after that differ from before, in the form of Result.Shown.
func Show(before, after []byte) string {
	lines := Split(after)
	start, end := changed(Split(before), lines)
	return showPlaces(lines, []place{{start, end}}, asShown)
}

// changed returns the lines of after between the common lines at both ends.
func changed(before, after []string) (start, end int) {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return head + 1, len(after) - tail
}
