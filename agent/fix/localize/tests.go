package localize

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These bound the reading of the failing tests.
const (
	maxNames    = 40  // failing tests to look for
	maxRegions  = 60  // functions of tests
	maxPlaces   = 200 // places of the output
	maxOfName   = 8   // functions or blocks of one name
	maxTestText = 400 // lines of one test without its focus
	focusBefore = 12  // lines before a failed assertion that show the checked value
	focusAfter  = 3
)

// A region is the text of a failing test: a function, or a block of a test file.
type region struct {
	file  *file
	lines gitext.LineRange
	focus map[int]bool // lines about the failure: around a failed assertion, or new
}

// addTests finds the failing tests in the files that were read. It tries their names, then the
// places in the output, then uncommitted tests, and last the files that the command names.
func (s *search) addTests(ctx context.Context) error {
	for _, name := range s.in.Reproduction.Failing[:min(len(s.in.Reproduction.Failing), maxNames)] {
		s.named(name)
	}
	if err := s.focusPlaces(ctx); err != nil {
		return err
	}
	if err := s.focusNew(ctx); err != nil {
		return err
	}
	if len(s.regions) == 0 {
		s.ofCommand()
	}
	return nil
}

// testFiles returns the test files that were read.
func (s *search) testFiles() []*file {
	return slices.DeleteFunc(s.files.withLines(), func(f *file) bool { return !f.test })
}

// region returns the region of some lines of a test file, and adds it if it is new.
func (s *search) region(f *file, lines gitext.LineRange) *region {
	for _, r := range s.regions {
		if r.file == f && r.lines.Start <= lines.Start && lines.End <= r.lines.End {
			return r
		}
	}
	r := &region{file: f, lines: lines, focus: map[int]bool{}}
	if len(s.regions) < maxRegions {
		s.regions = append(s.regions, r)
	}
	return r
}

// named adds the test for a name in a test tool's output: "TestX/some_case",
// "tests/a.py::TestC::test_x[1]", "a.test.js > adds numbers".
func (s *search) named(name string) {
	in := s.filesNamed(name)
	parts := nameParts(name)
	found := firstOf(parts, func(p string) []*region { return s.functionsNamed(p, in) })
	if len(found) == 0 {
		found = firstOf(nameTexts(name, parts), func(p string) []*region { return s.textNamed(p, in) })
	}
	if len(found) == 0 { // in some languages, tests are in the tested files
		found = firstOf(parts, func(p string) []*region { return s.functionsNamed(p, s.files.withLines()) })
	}
	if len(found) == 0 {
		found = firstOf(parts, s.programNamed)
	}
	for _, r := range found {
		s.focusCase(r, name)
	}
}

// programNamed returns the functions of the test file with a name, which is a program of its own, as CTest and
// Automake run them; none if several files have the name.
func (s *search) programNamed(name string) []*region {
	var found []*file
	for _, f := range s.testFiles() {
		if source.Stem(path.Base(f.path)) == name {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return nil
	}
	var out []*region
	for _, fn := range found[0].functions {
		if len(out) == maxOfName || fn.Start > maxTestText {
			break
		}
		out = append(out, s.region(found[0], gitext.LineRange{Start: fn.Start, End: fn.End}))
	}
	return out
}

// firstOf returns the regions of the first name for which find has any.
func firstOf(names []string, find func(string) []*region) []*region {
	for _, n := range names {
		if found := find(n); len(found) > 0 {
			return found
		}
	}
	return nil
}

// minName is the least length of a searched name, in bytes.
const minName = 4

// nameSeparators separate the name of a test from those of its file, its class and its cases.
var nameSeparators = source.Lazy(`::|\s+[>›»]\s+|[/:#\[({.]|\s+--\s+`)

// nameParts returns the parts of a test's name, the last first.
func nameParts(name string) []string {
	var parts []string
	for _, p := range nameSeparators().Split(source.FirstBytes(name, maxLine), -1) {
		if p = strings.Trim(p, " \t)]}'\"`"); len(p) >= minName && !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	slices.Reverse(parts)
	return parts
}

// nameTexts returns the possible texts in the source of a test without a function's name: the
// whole name, its parts, and its ends, because some tools join the names of suite and test with
// a space.
func nameTexts(name string, parts []string) []string {
	const most = 12
	texts := append([]string{name}, parts...)
	if _, after, ok := strings.Cut(name, ":"); ok {
		texts = append(texts, strings.TrimSpace(after))
	}
	for rest := name; len(texts) < most; {
		_, after, ok := strings.Cut(rest, " ")
		if !ok {
			break
		}
		texts = append(texts, after)
		rest = after
	}
	return slices.DeleteFunc(texts, func(t string) bool { return len(t) < minName })
}

// filesNamed returns the test files that a test's name contains; all if it contains none.
func (s *search) filesNamed(name string) []*file {
	parts := nameParts(name)
	var out []*file
	for _, f := range s.testFiles() {
		base := path.Base(f.path)
		if strings.Contains(name, base) || slices.Contains(parts, source.Stem(base)) {
			out = append(out, f)
		}
	}
	if out == nil {
		return s.testFiles()
	}
	return out
}

// functionsNamed returns the regions of the functions with a name, none if there are
// too many.
func (s *search) functionsNamed(name string, in []*file) []*region {
	type place struct {
		f  *file
		fn source.Function
	}
	var all []place
	for _, f := range in {
		for _, fn := range f.functions {
			if fn.Name == name {
				all = append(all, place{f, fn})
			}
		}
	}
	if len(all) > maxOfName {
		return nil
	}
	var out []*region
	for _, p := range all {
		out = append(out, s.region(p.f, gitext.LineRange{Start: p.fn.Start, End: p.fn.End}))
	}
	return out
}

// textNamed returns the blocks with the quoted name of a test in their first line, as in
// "it('adds numbers', () => {"; none if there are too many.
func (s *search) textNamed(name string, in []*file) []*region {
	type place struct {
		f    *file
		line int
	}
	var all []place
	for _, f := range in {
		for i, l := range f.lines {
			if inQuotes(l, []byte(name)) && !bytes.HasPrefix(bytes.TrimSpace(l), []byte("//")) {
				all = append(all, place{f, i + 1})
			}
		}
	}
	if len(all) > maxOfName {
		return nil
	}
	var out []*region
	for _, p := range all {
		out = append(out, s.region(p.f, block(p.f.lines, p.line)))
	}
	return out
}

// inQuotes reports whether a line contains a text in quotation marks.
func inQuotes(line, text []byte) bool {
	at := bytes.Index(line, text)
	end := at + len(text)
	return at > 0 && end < len(line) && line[end] == line[at-1] && bytes.IndexByte([]byte("'\"`"), line[end]) >= 0
}

// block returns the lines of the block that begins on a line, judged by indentation.
func block(lines [][]byte, line int) gitext.LineRange {
	r := gitext.LineRange{Start: line, End: line}
	base := source.Indent(lines[line-1])
	for i := line; i < len(lines) && i-line < maxTestText; i++ {
		if blank(lines[i]) {
			continue
		}
		if n := source.Indent(lines[i]); n < base || n == base && !bytes.ContainsAny(lines[i][:min(len(lines[i]), n+1)], "})]") {
			break
		}
		r.End = i + 1
		if source.Indent(lines[i]) == base {
			break
		}
	}
	return r
}

// focusCase marks the lines of a test that name the failing case: the part of the test's name
// after the function's name. Test tools write underscores for spaces.
func (s *search) focusCase(r *region, name string) {
	_, sub, ok := strings.Cut(name, "/")
	if !ok || len(sub) < minName {
		return
	}
	spaced := strings.ReplaceAll(sub, "_", " ")
	for l := r.lines.Start; l <= r.lines.End; l++ {
		text := r.file.lines[l-1]
		if bytes.Contains(text, []byte(spaced)) || bytes.Contains(text, []byte(sub)) {
			b := block(r.file.lines, l)
			r.mark(l-1, min(b.End, l+focusBefore))
		}
	}
}

// mark adds lines to the focus of a region.
func (r *region) mark(from, to int) {
	for l := max(from, r.lines.Start); l <= min(to, r.lines.End); l++ {
		r.focus[l] = true
	}
}

// focusPlaces marks the lines before places in test files that the output names. If no failing
// test is known by its name, the tests around these places count as failing.
func (s *search) focusPlaces(ctx context.Context) error {
	named := len(s.regions) > 0
	for _, p := range s.testPlaces() {
		f, err := s.files.get(ctx, s.find(p.File))
		if err != nil {
			return err
		}
		if f == nil || p.Line < 1 || p.Line > len(f.lines) || !f.tests(p.Line) {
			continue
		}
		lines := gitext.LineRange{Start: max(1, p.Line-focusBefore), End: min(len(f.lines), p.Line+focusAfter)}
		if i := f.functionAt(p.Line); i >= 0 {
			lines = gitext.LineRange{Start: f.functions[i].Start, End: f.functions[i].End}
		}
		if named && !s.known(f, p.Line) {
			continue // a helper of the tests, or a test that fails for another reason
		}
		s.region(f, lines).mark(p.Line-focusBefore, p.Line+focusAfter)
	}
	return nil
}

// testPlaces returns the places in the output, and the places of frames outside of suspected
// files.
func (s *search) testPlaces() []Place {
	places := slices.Clone(s.in.Places)
	for _, stack := range s.stacks {
		for _, f := range stack.Frames {
			if f.File != "" && (f.Path == "" || source.IsTestPath(f.Path)) {
				places = append(places, Place{f.File, f.Line})
			}
		}
	}
	return places[:min(len(places), maxPlaces)]
}

// known reports whether a line is in a region.
func (s *search) known(f *file, line int) bool {
	return slices.ContainsFunc(s.regions, func(r *region) bool {
		return r.file == f && r.lines.Start <= line && line <= r.lines.End
	})
}

// focusNew marks the uncommitted lines of the failing tests. If no failing test is known, tests
// with uncommitted lines count as failing.
func (s *search) focusNew(ctx context.Context) error {
	known := len(s.regions) > 0
	for _, f := range s.testFiles() {
		if !f.over {
			continue
		}
		old, err := s.oldLines(ctx, f.path)
		if err != nil {
			return err
		}
		for i, l := range f.lines {
			if old[string(bytes.TrimSpace(l))] || len(bytes.TrimSpace(l)) < minName {
				continue
			}
			if !known {
				if j := f.functionAt(i + 1); j >= 0 {
					s.region(f, gitext.LineRange{Start: f.functions[j].Start, End: f.functions[j].End})
				}
			}
			for _, r := range s.regions {
				if r.file == f {
					r.mark(i+1, i+1)
				}
			}
		}
	}
	return nil
}

// oldLines returns the lines of a file in the commit.
func (s *search) oldLines(ctx context.Context, p string) (map[string]bool, error) {
	text, err := s.repo.BlobAt(ctx, s.files.commit, p, maxFileBytes)
	if err != nil && !gitext.Unreadable(err) && !errors.Is(err, gitext.ErrNotExist) {
		return nil, err
	}
	old := map[string]bool{}
	for l := range bytes.SplitSeq(text, []byte("\n")) {
		old[string(bytes.TrimSpace(l))] = true
	}
	return old, nil
}

// ofCommand adds the test files that the command names as regions.
func (s *search) ofCommand() {
	words := strings.FieldsFunc(s.in.Problem.Test, func(r rune) bool { return strings.ContainsRune(" \t\n'\"()&;|=", r) })
	for _, f := range s.testFiles() {
		stem := source.Stem(f.path)
		for _, w := range words {
			if b := path.Base(w); b == path.Base(f.path) || b == stem {
				s.region(f, gitext.LineRange{Start: 1, End: len(f.lines)})
			}
		}
	}
}
