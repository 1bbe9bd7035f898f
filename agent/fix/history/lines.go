package history

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// maxNearby bounds the lines before an insertion that are searched for a line of code
// (HAFixAgent, section 4.1.2).
const maxNearby = 5

// nearbyWeight is the suspicion of a line that is only near a suspected line.
const nearbyWeight = 0.2

// add adds the lines of a location with a history.
func (f *finder) add(ctx context.Context, index int, l fix.Location) error {
	file, err := f.file(ctx, l.Path)
	if err != nil {
		return err
	}
	if file.lines == nil {
		return nil
	}
	f.names[index] = l.Function
	if l.Function == "" {
		f.names[index] = nameAt(l, file)
	}
	s := spot{f: f, index: index, path: l.Path, file: file}
	changed := 0
	for i, hot := range l.Hot {
		if f.needsCode && !file.hasCode(hot) && s.near(hot.End+1, 1/float64(1+i)) {
			continue
		}
		n, uncommitted := s.take(hot, 1/float64(1+i), false)
		changed += uncommitted
		if n == 0 {
			s.near(hot.Start, 1/float64(1+i))
		}
	}
	if s.taken == 0 {
		weight := 1.0
		if len(l.Hot) > 0 {
			weight = nearbyWeight
		}
		_, uncommitted := s.take(extent(l, file), weight, len(l.Hot) > 0)
		changed = max(changed, uncommitted)
	}
	if changed > 0 {
		f.notes = append(f.notes, uncommitted(l.Path, f.names[index], changed, s.taken == 0))
	}
	return nil
}

// extent returns all lines of a location: its own lines, else the function around its first hot
// line, else the file.
func extent(l fix.Location, file *file) gitext.LineRange {
	if l.Lines.End >= max(l.Lines.Start, 1) {
		return l.Lines
	}
	if len(l.Hot) > 0 {
		e, ok := source.FunctionAround(l.Path, file.lines, l.Hot[0].Start)
		if !ok {
			return gitext.LineRange{}
		}
		return gitext.LineRange{Start: e.Start, End: e.End}
	}
	return gitext.LineRange{Start: 1, End: len(file.lines)}
}

// nameAt returns the name of the function around a location without a name, or "".
func nameAt(l fix.Location, file *file) string {
	at := l.Lines.Start
	if len(l.Hot) > 0 {
		at = l.Hot[0].Start
	}
	e, ok := source.FunctionAround(l.Path, file.lines, at)
	if !ok || l.Lines.Start > 0 && (l.Lines.Start < e.Start || l.Lines.End > e.End) {
		return ""
	}
	return nameOf(l.Path, file.lines, e.Start)
}

// uncommitted is a note about lines without a history.
func uncommitted(path, function string, n int, all bool) string {
	place := "in " + suspect.ShortPath(path)
	if function != "" {
		place = "of " + agent.Abridge(function, 100) + " " + place
	}
	switch {
	case all:
		return "the suspected lines " + place + " are not committed and have no history"
	case n == 1:
		return "1 suspected line " + place + " changed since the commit and has no history"
	}
	return fmt.Sprintf("%d suspected lines %s changed since the commit and have no history", n, place)
}

// A spot takes lines of one location.
type spot struct {
	f     *finder
	index int
	path  string
	file  *file
	taken int // lines with a history
}

// take takes the lines of a range. It returns the number of lines with a history, and the
// number of uncommitted lines.
func (s *spot) take(r gitext.LineRange, weight float64, nearby bool) (taken, uncommitted int) {
	for at := max(r.Start, 1); at <= min(r.End, len(s.file.lines)) && at-r.Start < maxLines; at++ {
		old := s.file.old(at)
		if old == 0 {
			uncommitted++
			continue
		}
		s.f.lines = append(s.f.lines, line{location: s.index, path: s.path, at: at, old: old, kind: s.file.kind(at), weight: weight, nearby: nearby})
		taken++
	}
	s.taken += taken
	return taken, uncommitted
}

// near takes the nearest line of code before a line. It reports whether there is such a line.
func (s *spot) near(before int, weight float64) bool {
	for at := min(before, len(s.file.lines)+1) - 1; at >= max(before-maxNearby, 1); at-- {
		if s.file.kind(at) == source.LineCode && s.file.old(at) > 0 {
			s.take(gitext.LineRange{Start: at, End: at}, weight*nearbyWeight, true)
			return true
		}
	}
	return false
}

// A file is a file of the tree.
type file struct {
	path  string
	text  []byte
	lines [][]byte          // nil if it cannot be blamed
	kinds []source.LineKind // of the first lines; nil before they are needed
	olds  []int             // each line's number in the commit, 0 if the line is new; nil if all numbers are the same
}

// old returns a line's number in the commit, or 0.
func (x *file) old(at int) int {
	if x.olds == nil {
		return at
	}
	return x.olds[at-1]
}

// hasCode reports whether a range has a line of code.
func (x *file) hasCode(r gitext.LineRange) bool {
	for at := max(r.Start, 1); at <= min(r.End, len(x.lines)); at++ {
		if x.kind(at) == source.LineCode {
			return true
		}
	}
	return false
}

// kind returns the kind of a line.
func (x *file) kind(at int) source.LineKind {
	if at > len(x.kinds) {
		x.kinds = source.LineKinds(x.path, x.text, at+1000) // a lexer is slow: the end of a long file is rarely needed
	}
	if at > len(x.kinds) {
		return source.LineCode
	}
	if k := x.kinds[at-1]; k != source.LineCode || !importedPackage(x.path, x.lines[at-1]) {
		return k
	}
	return source.LineImport
}

// importedPackage reports whether a line of Go contains only a package's path, as in the
// parentheses of an import.
func importedPackage(path string, line []byte) bool {
	return strings.HasSuffix(path, ".go") && goImport().Match(line)
}

var goImport = source.Lazy(`^\s*(?:[\w.]+\s+)?"[^"\s]+"\s*(?://.*)?$`)

const maxFileBytes = 8 << 20 // largest read file

// file reads a file of the tree once. An unreadable or uncommitted file is noted and has no
// lines.
func (f *finder) file(ctx context.Context, path string) (*file, error) {
	if x := f.files[path]; x != nil {
		return x, nil
	}
	x := &file{path: path}
	f.files[path] = x
	f.order = append(f.order, path)
	blob, err := f.repo.BlobAt(ctx, f.tree.Commit, path, maxFileBytes)
	switch {
	case errors.Is(err, gitext.ErrNotExist):
		f.notes = append(f.notes, fmt.Sprintf("%s has no history: it is no file of the commit", suspect.ShortPath(path)))
		return x, nil
	case gitext.Unreadable(err):
		f.notes = append(f.notes, fmt.Sprintf("the history of %s is unknown: %s", suspect.ShortPath(path), gitext.WhyUnread(err)))
		return x, nil
	case err != nil:
		return nil, err
	}
	x.text = blob
	over, err := f.overlay(ctx, path)
	if err != nil {
		return nil, err
	}
	if over != nil {
		x.text = over.text
		if over.removed {
			f.notes = append(f.notes, fmt.Sprintf("%s is deleted in the work tree", suspect.ShortPath(path)))
			return x, nil
		}
	}
	x.lines = splitLines(x.text)
	if over != nil {
		x.olds = mapBack(splitLines(blob), x.lines)
	}
	return x, nil
}

// laidOver is the overlay's file at a path.
type laidOver struct {
	text    []byte
	removed bool
}

// overlay returns the overlay's file at a path, nil if there is none.
func (f *finder) overlay(ctx context.Context, path string) (*laidOver, error) {
	var found *laidOver
	for _, o := range f.tree.Over {
		switch {
		case o.Path != path:
		case o.Mode == 0:
			found = &laidOver{removed: true}
		case o.OID != "":
			text, err := f.repo.Blob(ctx, o.OID, maxFileBytes)
			if err != nil {
				return nil, err
			}
			found = &laidOver{text: text}
		default:
			found = &laidOver{text: o.Content}
		}
	}
	return found, nil
}
