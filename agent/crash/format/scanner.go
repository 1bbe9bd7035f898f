package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"git-agent/agent/crash"
)

// Limits of what is kept of a report.
const (
	maxLine     = 16 << 10 // bytes of a line that are looked at
	maxRaw      = 400      // bytes of a line that are kept with its frame
	maxText     = 2000     // bytes of a message that are kept
	maxFrames   = 512      // of a stack
	maxStacks   = 200
	maxProblems = 100
)

// A line is one line of a report without its prefixes.
type line struct {
	n      int    // its number in the report, from 1
	text   string // without prefixes, indentation, and white space at its end
	indent int    // columns of white space before text
	tag    string // "123" of a prefix "==123==", as Valgrind and sanitizers write
	logged bool   // a log's prefix was taken off
}

// A format recognizes the lines of one family of reports.
type format interface {
	// read reports whether the line belongs to the format, and if so tells the
	// scanner what it says. It is offered the lines that no earlier format took.
	read(s *scanner, l line) bool
}

// A flusher is a format that holds lines back until the next ones are known.
type flusher interface {
	// flush tells the scanner what is held back: the report ended.
	flush(s *scanner)
}

// A scanner reads a report line by line.
type scanner struct {
	report  crash.Report
	formats []format
	sieve   *sieve
	open    *crash.Stack // the stack that frames are added to, nil if none
	pending flusher      // who holds a frame of that stack back, nil if none
	problem int          // index of the problem that stacks belong to, -1 for none
	last    int          // number of the line that last added a frame
	left    struct{ stacks, problems int }
}

// scan reads the lines of r.
func scan(r io.Reader, formats []format) (*crash.Report, error) {
	return scanLines(r, newSieve(attentive), formats)
}

// scanLines reads the lines of r that pass the sieve.
func scanLines(r io.Reader, v *sieve, formats []format) (*crash.Report, error) {
	s := &scanner{formats: formats, problem: -1, sieve: v}
	in := bufio.NewReaderSize(r, 64<<10)
	var long []byte
	quiet := false
	for n := 1; ; n++ {
		raw, err := readLine(in, &long)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		switch {
		case len(raw) == 0 && err != nil:
		case v.passes(n, raw):
			v.release(s.take)
			s.take(n, raw)
			quiet = false
		case !quiet:
			s.offer(line{n: n}) // lines are left out: what goes on ends here
			quiet = true
		}
		if err != nil {
			break
		}
	}
	return s.finish(), nil
}

// take offers a line of the input to the formats.
func (s *scanner) take(n int, raw []byte) {
	if len(raw) == 0 {
		s.offer(line{n: n})
		return
	}
	for text := range logicalLines(raw) {
		if s.offer(cleanLine(n, text)) {
			s.sieve.taken(n)
		}
	}
}

// readLine returns the next line without its end, at most maxLine bytes of it.
// The bytes are valid until the next call.
func readLine(in *bufio.Reader, long *[]byte) ([]byte, error) {
	part, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return trimEnd(part), err
	}
	*long = append((*long)[:0], part[:min(len(part), maxLine)]...)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = in.ReadSlice('\n')
	}
	return trimEnd(*long), err
}

// offer gives a line to the formats, in order, until one takes it. It reports
// whether one did.
func (s *scanner) offer(l line) bool {
	for _, f := range s.formats {
		if f.read(s, l) {
			return true
		}
	}
	return false
}

// finish returns the report once all lines were offered.
func (s *scanner) finish() *crash.Report {
	for _, f := range s.formats {
		if f, ok := f.(flusher); ok {
			f.flush(s)
		}
	}
	s.close()
	if s.left.stacks > 0 {
		s.report.Notes = append(s.report.Notes, fmt.Sprintf("the report has %d more stacks, which were not read", s.left.stacks))
	}
	if s.left.problems > 0 {
		s.report.Notes = append(s.report.Notes, fmt.Sprintf("the report names %d more problems, which were not read", s.left.problems))
	}
	return &s.report
}

// found notes that a line of a format was found.
func (s *scanner) found(format string) {
	if !slices.Contains(s.report.Formats, format) {
		s.report.Formats = append(s.report.Formats, format)
	}
}

// fail records a problem. The stacks that begin from now on belong to it.
func (s *scanner) fail(p crash.Problem) {
	p.Message = cut(p.Message, maxText)
	p.Kind = cut(p.Kind, maxRaw)
	if len(s.report.Problems) == maxProblems {
		s.left.problems++
		return
	}
	s.report.Problems = append(s.report.Problems, p)
	s.problem = len(s.report.Problems) - 1
}

// failing returns the problem that stacks belong to, nil if there is none.
func (s *scanner) failing() *crash.Problem {
	if s.problem < 0 {
		return nil
	}
	return &s.report.Problems[s.problem]
}

// begin opens a stack, which the next frames are added to. A stack that gets no
// frame is not kept.
func (s *scanner) begin(st crash.Stack) {
	s.close()
	st.Problem = s.problem
	st.Title = cut(st.Title, maxText)
	s.open = &st
}

// hold makes sure that f.flush is called before the open stack ends.
func (s *scanner) hold(f flusher) { s.pending = f }

// close ends the open stack.
func (s *scanner) close() {
	if f := s.pending; f != nil {
		s.pending = nil
		f.flush(s)
	}
	if s.open == nil {
		return
	}
	st := *s.open
	s.open = nil
	s.keep(st)
}

// keep adds a whole stack to the report, unless it has no frame.
func (s *scanner) keep(st crash.Stack) {
	if len(st.Frames) == 0 {
		return
	}
	if len(s.report.Stacks) == maxStacks {
		s.left.stacks++
		return
	}
	s.found(st.Format)
	s.report.Stacks = append(s.report.Stacks, st)
}

// isOpen reports whether frames of the format can be added to the open stack.
func (s *scanner) isOpen(format string) bool {
	return s.open != nil && s.open.Format == format
}

// lastFormat returns the format of the last stack.
func (s *scanner) lastFormat() string {
	if s.open != nil {
		return s.open.Format
	}
	if n := len(s.report.Stacks); n > 0 {
		return s.report.Stacks[n-1].Format
	}
	return ""
}

// add adds a frame of line l to the open stack. The caller has opened one.
func (s *scanner) add(l line, f crash.Frame) {
	s.last = l.n
	if len(s.open.Frames) == maxFrames {
		s.open.Omitted++
		return
	}
	s.open.Frames = append(s.open.Frames, bounded(l, f))
}

// bounded returns a frame of line l whose texts are cut to what is kept of them.
func bounded(l line, f crash.Frame) crash.Frame {
	f.ReportLine = l.n
	if f.Raw == "" {
		f.Raw = l.text
	}
	f.Raw = cut(f.Raw, maxRaw)
	f.File, f.Module = cut(f.File, maxRaw), cut(f.Module, maxRaw)
	f.Symbol, f.Function = cut(f.Symbol, maxRaw), cut(f.Function, maxRaw)
	return f
}

// addPlace records a place that a message names as a stack of one frame.
func (s *scanner) addPlace(l line, format string, f crash.Frame) {
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: format})
	f.Assertion = true
	s.add(l, f)
	s.close()
}

// since counts the lines from the last frame to l.
func (s *scanner) since(l line) int { return l.n - s.last }
