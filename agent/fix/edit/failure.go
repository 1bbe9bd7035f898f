package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
)

// A Reason says why an edit was not made.
type Reason string

// These are the reasons.
const (
	NotFound  Reason = "not found"
	Ambiguous Reason = "ambiguous"       // the text occurs more than once
	Applied   Reason = "already applied" // the file already contains the new text
	Same      Reason = "no change"       // the result would be the same
	Empty     Reason = "empty"           // the old text is empty
	Elided    Reason = "elided"          // the new text has dots instead of lines
	Range     Reason = "range"           // the lines are not in the file
)

// A MatchError tells the model why an edit was not made. Its text is short and does not repeat
// the model's text.
type MatchError struct {
	Path   string
	Reason Reason
	Match  Match // Ambiguous: how the text was found
	Count  int   // Ambiguous: number of occurrences
	// Lines are the lines of the occurrences, or the first and the last line of a new text that
	// the file already contains.
	Lines []int
	Near  *Near // NotFound: the nearest text; nil if no text is similar

	detail string
}

func (e *MatchError) Error() string {
	path := agent.CleanLine(e.Path)
	switch e.Reason {
	case Ambiguous:
		return fmt.Sprintf(
			"the text is in %s %d times%s, at lines %s; give more of the lines around the one that is meant, or all=true to replace each",
			path,
			e.Count,
			gradeNote(e.Match),
			listLines(e.Lines),
		)
	case Applied:
		return fmt.Sprintf("already applied: the new text is lines %d-%d of %s; nothing was changed", e.Lines[0], e.Lines[1], path)
	case Same:
		return "no change: with this edit " + path + " would be as it is"
	case Empty:
		return "old is empty: give the lines of " + path + " that are to be replaced; to insert, repeat a line next to the place in old and in new"
	case NotFound:
		return "the text is not in " + path + e.detail
	}
	return e.detail
}

func gradeNote(m Match) string {
	switch m {
	case Trailing, Indentation:
		return " (apart from white space)"
	case Shown:
		return " (apart from white space and special characters)"
	}
	return ""
}

// listLines lists the first few numbers of lines.
func listLines(lines []int) string {
	const most = 10
	var b strings.Builder
	for i, n := range lines[:min(len(lines), most)] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if len(lines) > most {
		fmt.Fprintf(&b, " and %d more", len(lines)-most)
	}
	return b.String()
}

func (f *file) fail(why Reason) *MatchError { return &MatchError{Path: f.path, Reason: why} }

// notFound says why the old text of a pair is not in the file.
func (f *file) notFound(p pair) *MatchError {
	old, _ := trimBlank(splitLines(p.old), nil)
	near, ok := Nearest(keys(f.lines, f.as), keys(old, f.as))
	made, isMade := f.made(p.new, near)
	isMade = isMade && !f.hasRemoved(p, near)
	if isMade && (!ok || made.start <= near.End && near.Start <= made.end) {
		e := f.fail(Applied)
		e.Lines = []int{made.start, made.end}
		return e
	}
	e := f.fail(NotFound)
	switch {
	case ok:
		e.Near = &near
		e.detail = f.difference(near, old)
	case len(f.lines) == 0:
		e.detail = ", which is empty"
	default:
		e.detail = ", and nothing there is like it; look at the file first"
	}
	if isMade {
		e.detail += fmt.Sprintf("\nThe new text is there already: %s", lineRange(made.start, made.end))
	}
	return e
}

// made returns the place of a text that an earlier edit may have inserted: if possible a place
// that overlaps near.
func (f *file) made(text string, near Near) (place, bool) {
	if telling(text) < minTelling {
		return place{}, false
	}
	var places []place
	for _, s := range f.findExact(pair{old: text, new: text}) {
		places = append(places, place{f.lineAt(s.from), f.lineAt(s.to - 1)})
	}
	key := func(line string) string { return strings.TrimRight(line, " \t\r") }
	if lines, _ := trimBlank(splitLines(text), nil); len(places) == 0 {
		for _, at := range occurrences(keys(f.lines, key), keys(lines, key)) {
			places = append(places, place{at + 1, at + len(lines)})
		}
	}
	for _, p := range places {
		if p.start <= near.End && near.Start <= p.end {
			return p, true
		}
	}
	if len(places) == 1 {
		return places[0], true
	}
	return place{}, false
}

// hasRemoved reports whether the nearest text contains a line that the edit removes. In this
// case the edit was not made there.
func (f *file) hasRemoved(p pair, near Near) bool {
	kept := map[string]bool{}
	for _, line := range splitLines(p.new) {
		kept[strings.TrimSpace(line)] = true
	}
	for _, line := range splitLines(p.old) {
		text := strings.TrimSpace(line)
		if kept[text] || telling(text) == 0 || near.End == 0 {
			continue
		}
		for _, have := range f.lines[near.Start-1 : near.End] {
			if strings.TrimSpace(have) == text {
				return true
			}
		}
	}
	return false
}

// These bound the part of the nearest text in a message.
const (
	nearBefore = 3  // lines before the first difference
	nearLines  = 12 // lines
)

// difference shows the nearest text with its place and its first difference.
func (f *file) difference(near Near, old []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "; most like it: %s", lineRange(near.Start, near.End))
	first := near.Start
	if near.Line > 0 {
		yours, ours := strings.TrimSpace(f.as(old[near.Line-1])), ""
		if near.At <= len(f.lines) {
			ours = strings.TrimSpace(f.as(f.lines[near.At-1]))
		}
		at := firstDifference(yours, ours)
		fmt.Fprintf(&b, ". The first difference: line %d of old has %s, and ", near.Line, excerpt(yours, at))
		if near.At > len(f.lines) {
			fmt.Fprintf(&b, "the file ends after line %d", len(f.lines))
		} else {
			fmt.Fprintf(&b, "line %d of the file %s", near.At, excerpt(ours, at))
		}
		first = max(near.Start, near.At-nearBefore)
	}
	last := min(near.End, first+nearLines-1)
	b.WriteString(":\n")
	b.WriteString(strings.TrimSuffix(Number(f.lines, first, last, f.as), "\n"))
	return b.String()
}

func lineRange(start, end int) string {
	if start == end {
		return fmt.Sprintf("line %d", start)
	}
	return fmt.Sprintf("lines %d-%d", start, end)
}

// excerpt quotes the part of a line around an offset.
func excerpt(line string, at int) string {
	const before, most = 30, 90 // bytes before the offset; characters
	if strings.TrimSpace(line) == "" {
		return "(nothing)"
	}
	mark := ""
	if start := min(at, len(line)) - before; start > 0 && len(line) > most {
		for start > 0 && !utf8.RuneStart(line[start]) {
			start--
		}
		line, mark = line[start:], "…"
	}
	return "`" + mark + shorten(line, most) + "`"
}

// elided returns an error if a line of the new text stands for omitted lines.
func (f *file) elided(p pair) *MatchError {
	for i, line := range splitLines(p.new) {
		if leavesOut(line) && !strings.Contains(p.old, strings.TrimSpace(line)) && !strings.Contains(f.text, strings.TrimSpace(line)) {
			e := f.fail(Elided)
			e.detail = fmt.Sprintf(
				"line %d of the new text, `%s`, stands for lines that are left out: write them, or edit less at a time",
				i+1,
				shorten(agent.CleanLine(strings.TrimSpace(line)), 80),
			)
			return e
		}
	}
	return nil
}

// leavesOut reports whether a line is a comment such as "// ... rest of the code ...".
func leavesOut(line string) bool {
	text := strings.ToLower(strings.TrimSpace(line))
	body := strings.TrimLeft(text, "/#*<!-; ({")
	if body == text || !strings.HasPrefix(body, "...") && !strings.HasPrefix(body, "…") {
		return false
	}
	for _, word := range []string{"rest", "existing", "remain", "unchanged", "same", "previous", "other code"} {
		if strings.Contains(body, word) {
			return true
		}
	}
	return false
}
