// Package edit applies a language model's edits to the text of a file, and explains failures.
//
// Models copy text with mistakes. Replace therefore looks for the text in grades: exactly;
// without white space at the ends of lines; without indentation; in the form shown to the
// model, with escapes and without typographic quotes. Replace removes line numbers that a
// reading tool put before the lines, uses the line breaks of the file, and keeps the bytes of
// lines that the model did not mean to change. If the file contains the text several times, or
// not at all, nothing changes: a *MatchError names the places, or the nearest text of the file
// and the first difference.
//
// Lines replaces a range of lines, Whole a file. Nearest finds the most similar part of a text.
//
// The package works only on texts. Time and memory are linear in the size of the file, except
// for the comparison of a few lines, which has a fixed bound. Equal calls give equal results.
// The grades and the messages follow failures of models in practice (Aider's edit formats;
// OpenAI Codex apply_patch).
package edit

import (
	"fmt"
	"strings"
)

// A Match says how a text was found.
type Match string

// These are the grades, best first.
const (
	Exact       Match = "exact"
	Trailing    Match = "trailing space" // equal except for white space at the ends of lines, and blank lines around the text
	Indentation Match = "indentation"    // likewise, and except for indentation
	Shown       Match = "as shown"       // likewise, and except for the display of special characters
)

// Options are settings of Replace.
type Options struct {
	All bool // replace all occurrences of the text
	// As returns a line in the form shown to the model: with escapes, or without secrets. It
	// may be nil.
	As func(line string) string
}

// A Result is a changed text.
type Result struct {
	Content []byte
	Match   Match // how the text was found; Exact for Lines and Whole
	Count   int   // number of changed places
	// Start and End are the lines of the first changed place in Content, from 1. Where
	// lines were only removed, End is Start-1.
	Start, End int
	Shown      string // the changed places with their line numbers and three lines around them
}

// Replace replaces a text by another. path is for messages. Any error is a *MatchError.
func Replace(path string, content []byte, old, new string, opt Options) (Result, error) {
	f := openFile(path, content, opt.As)
	old, new = f.incoming(old), f.incoming(new)
	switch {
	case old == "":
		return Result{}, f.fail(Empty)
	case old == new:
		return Result{}, f.fail(Same)
	}
	pairs := []pair{{old: old, new: new}}
	if p, ok := unnumbered(old, new); ok {
		pairs = append(pairs, p)
	}
	for _, p := range pairs {
		if spans, grade := f.find(p); len(spans) > 0 && (!p.single || f.onLine(spans, p.line) >= 0) {
			return f.replace(p, spans, grade, opt)
		}
	}
	if p := pairs[len(pairs)-1]; !p.single {
		return Result{}, f.notFound(p)
	}
	return Result{}, f.notFound(pairs[0])
}

// replace applies a pair at the places that find returned, if the pair is unambiguous.
func (f *file) replace(p pair, spans []span, grade Match, opt Options) (Result, error) {
	if len(spans) > 1 && !opt.All {
		meant := f.onLine(spans, p.line)
		if meant < 0 {
			e := f.fail(Ambiguous)
			e.Match, e.Count = grade, len(spans)
			for _, s := range spans {
				e.Lines = append(e.Lines, f.lineAt(s.from))
			}
			return Result{}, e
		}
		spans = spans[meant : meant+1]
	}
	if e := f.elided(p); e != nil {
		return Result{}, e
	}
	if len(spans) == 1 {
		if at, ok := f.applied(p, spans[0]); ok {
			e := f.fail(Applied)
			e.Lines = []int{f.lineAt(at), f.lineAt(at + max(0, len(p.new)-1))}
			return Result{}, e
		}
	}
	res := f.apply(spans)
	res.Match = grade
	if string(res.Content) == f.original {
		return Result{}, f.fail(Same)
	}
	return res, nil
}

// onLine returns the index of the span that begins on a line, or -1. The line is the number in
// the model's text, 0 for none.
func (f *file) onLine(spans []span, line int) int {
	for i, s := range spans {
		if line > 0 && f.lineAt(s.from) == line {
			return i
		}
	}
	return -1
}

// minTelling is the least number of letters and digits in a text that counts as the result of
// an earlier edit.
const minTelling = 8

// applied reports whether the new text, which contains the old one, is already at the place of
// the old one, and the new text's offset. Otherwise a model that forgot its edit would insert
// twice.
func (f *file) applied(p pair, at span) (int, bool) {
	i := strings.Index(p.new, p.old)
	if i < 0 || telling(p.new)-telling(p.old) < minTelling {
		return 0, false
	}
	start := at.from - i
	return start, start >= 0 && strings.HasPrefix(f.text[start:], p.new)
}

// telling counts the letters and digits of a text.
func telling(text string) int {
	n := 0
	for i := range len(text) {
		if c := text[i] | 0x20; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80 {
			n++
		}
	}
	return n
}

// apply replaces spans, which are in order and do not overlap.
func (f *file) apply(spans []span) Result {
	var b strings.Builder
	var places []place
	at, line := 0, 1
	for _, s := range spans {
		kept := f.text[at:s.from]
		b.WriteString(kept)
		line += strings.Count(kept, "\n")
		places = append(places, place{line, line + lineCount(s.text) - 1})
		b.WriteString(s.text)
		line += strings.Count(s.text, "\n")
		at = s.to
	}
	b.WriteString(f.text[at:])
	return f.result(b.String(), places)
}

// lineCount returns the number of lines of a text; an empty text has none.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// result makes a Result from a new text and its changed places.
func (f *file) result(text string, places []place) Result {
	res := Result{Match: Exact, Count: len(places), Content: []byte(f.outgoing(text))}
	res.Start, res.End = places[0].start, places[0].end
	res.Shown = showPlaces(splitLines(text), places, f.as)
	return res
}

// A place is a range of lines, from 1.
type place struct{ start, end int }

// These bound the shown part of a result.
const (
	around     = 3  // lines before and after a change
	maxPlaces  = 3  // changed places
	maxChanged = 60 // lines of one place
)

func showPlaces(lines []string, places []place, as func(string) string) string {
	var b strings.Builder
	shown := 0 // last line that is shown
	for i, p := range places {
		if i == maxPlaces {
			fmt.Fprintf(&b, "… and %d more places\n", len(places)-i)
			break
		}
		first, last := max(shown+1, p.start-around), min(len(lines), p.end+around)
		if i > 0 && first > shown+1 {
			b.WriteString("…\n")
		}
		if cut := first + maxChanged; last >= cut {
			b.WriteString(Number(lines, first, first+maxChanged/2, as))
			fmt.Fprintf(&b, "… (%d lines)\n", last-maxChanged/2-(first+maxChanged/2)-1)
			first = last - maxChanged/2
		}
		b.WriteString(Number(lines, first, last, as))
		shown = max(shown, last)
	}
	return b.String()
}

// maxShownLine bounds a shown line, in characters.
const maxShownLine = 500

// Number returns the lines from first to last, counted from 1, each after its number and a bar.
// as returns the shown form of a line.
func Number(lines []string, first, last int, as func(string) string) string {
	var b strings.Builder
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		fmt.Fprintf(&b, "%4d|%s\n", n, shorten(as(lines[n-1]), maxShownLine))
	}
	return b.String()
}
