// Package edit changes the text of a file as a language model asks for it, and says
// what is wrong if that cannot be done.
//
// Models copy text with mistakes. Replace therefore looks for the text in grades: as it
// is; without white space at the ends of lines; without indentation; as the model was
// shown it, with escapes and without typographic quotes. Line numbers that a reading
// tool put before the lines are taken off, line breaks are those of the file, and lines
// that the model did not mean to change keep their bytes. A text that is in the file
// more than once, or not at all, changes nothing: a *MatchError says where, or which
// text of the file is nearest and where it differs first.
//
// Lines replaces a range of lines, Whole a file. Nearest finds the part of a text that
// is most like another text.
//
// The package works on texts alone. Time and memory are linear in the size of the file
// for everything but the comparison of a few lines, which has a fixed bound, and equal
// calls give equal results. The grades and the messages follow what failed in the field
// (Aider's edit formats; OpenAI Codex apply_patch).
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
	Trailing    Match = "trailing space" // apart from white space at the ends of lines, and blank lines around it
	Indentation Match = "indentation"    // apart from indentation too
	Shown       Match = "as shown"       // apart from how special characters are shown
)

// Options say how Replace works.
type Options struct {
	All bool // replace the text wherever it is
	// As returns a line as the model was shown it: with escapes, or without secrets. It
	// may be nil.
	As func(line string) string
}

// A Result is a changed text.
type Result struct {
	Content []byte
	Match   Match // how the text was found; Exact for Lines and Whole
	Count   int   // how many places were changed
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

// replace applies a pair at the places that find returned, if that is what is meant.
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

// onLine returns the index of the span that begins on a line, or -1. The line is the one
// that the model's text had as its number, 0 for none.
func (f *file) onLine(spans []span, line int) int {
	for i, s := range spans {
		if line > 0 && f.lineAt(s.from) == line {
			return i
		}
	}
	return -1
}

// minTelling is how many letters and digits a text must have to be recognised as the
// result of an edit that was made before.
const minTelling = 8

// applied reports whether the new text, which contains the old one, is already where the
// old one was found, and its offset. A model that forgot its edit would insert twice.
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

// lineCount returns how many lines a text has; an empty text has none.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// result turns a new text, in which places were changed, into a Result.
func (f *file) result(text string, places []place) Result {
	res := Result{Match: Exact, Count: len(places), Content: []byte(f.outgoing(text))}
	res.Start, res.End = places[0].start, places[0].end
	res.Shown = showPlaces(splitLines(text), places, f.as)
	return res
}

// A place is a range of lines, from 1.
type place struct{ start, end int }

// These bound what a result shows.
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

// Number returns lines first to last, which count from 1, each after its number and a
// bar. as returns a line in the form in which it is shown.
func Number(lines []string, first, last int, as func(string) string) string {
	var b strings.Builder
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		fmt.Fprintf(&b, "%4d|%s\n", n, shorten(as(lines[n-1]), maxShownLine))
	}
	return b.String()
}
