package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"git-agent/agent/crash"
)

// Limits on the stored parts of a report.
const (
	maxLine     = 16 << 10 // bytes of a line that are examined
	maxRaw      = 400      // bytes of a line that are kept with its frame
	maxText     = 2000     // bytes of a message that are kept
	maxFrames   = 512      // of a stack
	maxStacks   = 200
	maxProblems = 100
	maxLeft     = 1000 // stacks that are counted and not kept; the formats read no line after them
	maxSplits   = 1 << 16
)

// A reportLine is one line of a report without its prefixes.
type reportLine struct {
	N      int    // number of the line in the report, from 1; the lines that one line holds count, too
	Text   string // without prefixes, indentation, and trailing white space
	Indent int    // columns of white space before text
	Tag    string // "123" of a prefix "==123==", as Valgrind and sanitizers write
	logged bool   // the prefix of a log was removed
}

// A lineReader recognises the lines of one family of reports.
type lineReader interface {
	// Read reports whether the line belongs to the format, and if so passes its content to the
	// scanner. It gets the lines that no earlier format accepted.
	Read(s *scanner, l reportLine) bool
}

// A flusher is a format that holds lines back until the next lines are known.
type flusher interface {
	// Flush passes the held lines to the scanner at the end of the report.
	Flush(s *scanner)
}

// A scanner reads a report line by line.
type scanner struct {
	Report    crash.Report
	formats   []lineReader
	sieve     *sieve
	Open      *crash.Stack // the stack for the next frames, nil if none
	pending   flusher      // the reader that holds back a frame of that stack, nil if none
	Problem   int          // index of the problem of the next stacks, -1 for none
	Last      int          // number of the line of the last frame
	left      struct{ stacks, problems int }
	repeat    repeat
	mentioned []byte // the last word with a version
	linked    links
	spare     []spare
	heading   []byte // the end of the last line with text

	fromFolder bool // pip builds a package from a folder

	splits []int // the numbers of lines that begin within a line of the report
}

// number returns the number of a line of the report for the formats, to which the lines that one line holds are lines below each
// other.
func (s *scanner) number(n int) int { return n + len(s.splits) }

// numbered returns the number in the report of a line of the formats.
func (s *scanner) numbered(n int) int {
	i, _ := slices.BinarySearch(s.splits, n+1)
	return n - i
}

// scanAll reads the lines of r.
func scanAll(r io.Reader, formats []lineReader) (*crash.Report, error) {
	return readThrough(r, newSieve(attentive), formats)
}

// readThrough reads the lines of r that pass the sieve.
func readThrough(r io.Reader, v *sieve, formats []lineReader) (*crash.Report, error) {
	s := &scanner{formats: formats, Problem: -1, sieve: v}
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
		case !quiet && v.kept > linesBefore:
			s.Offer(reportLine{N: s.number(n - linesBefore)}) // this line is left out, so open parts end here
			quiet = true
		}
		if err != nil {
			break
		}
	}
	return s.Finish(), nil
}

// take passes a line of the input to the formats.
func (s *scanner) take(n int, raw []byte) {
	if len(raw) == 0 {
		s.Offer(reportLine{N: s.number(n)})
		return
	}
	if s.repeats(n, raw) {
		return
	}
	wasFull, omitted := s.full(), 0
	if wasFull {
		omitted = s.Open.Omitted
	}
	defer func() { s.learn(raw, wasFull, omitted) }()
	s.mention(raw)
	s.linked.read(s.number(n), raw)
	s.date(raw)
	if s.sated() {
		return
	}
	first := true
	for text := range logicalLines(raw) {
		if !first && len(s.splits) < maxSplits {
			s.splits = append(s.splits, s.number(n)+1)
		}
		first = false
		if s.Offer(cleanLine(s.number(n), text)) {
			s.sieve.taken(n)
		}
	}
}

// sated reports whether so many stacks were left out that the rest of the report, which is a log, adds
// nothing but versions and times.
func (s *scanner) sated() bool { return s.left.stacks >= maxLeft && len(s.Report.Problems) > 0 }

// readLine returns the next line without its end, cut to maxLine bytes. The bytes are valid until
// the next call.
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

// Offer gives a line to the formats, in order, until one accepts it. It reports whether one did.
func (s *scanner) Offer(l reportLine) bool {
	for _, f := range s.formats {
		if f.Read(s, l) {
			return true
		}
	}
	return false
}

// Finish returns the report after the last line.
func (s *scanner) Finish() *crash.Report {
	for _, f := range s.formats {
		if f, ok := f.(flusher); ok {
			f.Flush(s)
		}
	}
	s.Close()
	s.spares()
	s.places()
	for i := range s.Report.Stacks {
		markHandlers(&s.Report.Stacks[i])
		for j := range s.Report.Stacks[i].Frames {
			f := &s.Report.Stacks[i].Frames[j]
			f.ReportLine = s.numbered(f.ReportLine)
		}
	}
	for i := range s.Report.Problems {
		s.Report.Problems[i].Line = s.numbered(s.Report.Problems[i].Line)
	}
	nameSignals(&s.Report)
	switch {
	case s.sated():
		s.Report.Notes = append(s.Report.Notes, fmt.Sprintf("the report has more than %d more stacks, which were not read", maxLeft-1))
	case s.left.stacks > 0:
		s.Report.Notes = append(s.Report.Notes, fmt.Sprintf("the report has %d more stacks, which were not read", s.left.stacks))
	}
	if s.left.problems > 0 {
		s.Report.Notes = append(s.Report.Notes, fmt.Sprintf("the report names %d more problems, which were not read", s.left.problems))
	}
	return &s.Report
}

// A spare is a failure that counts only in a report that has no other stack.
type spare struct {
	problem crash.Problem
	stack   crash.Stack
}

// Spare keeps a stack that counts only if the report has no other one, such as that of an error which a program survived.
func (s *scanner) Spare(p crash.Problem, st crash.Stack) {
	if len(s.spare) < maxStacks {
		s.spare = append(s.spare, spare{p, st})
	}
}

// spares adds the stacks that count if there is no other one.
func (s *scanner) spares() {
	if len(s.Report.Stacks) > 0 {
		return
	}
	for _, e := range s.spare {
		s.Fail(e.problem)
		e.stack.Kind, e.stack.Problem, e.stack.Title = crash.StackCrash, s.Problem, titleOf(e.problem.Kind, e.problem.Message)
		s.keep(e.stack)
	}
}

// Found notes that a line of a format was found.
func (s *scanner) Found(format string) {
	if !slices.Contains(s.Report.Formats, format) {
		s.Report.Formats = append(s.Report.Formats, format)
	}
}

// Fail records a problem. The stacks that begin from now on belong to this problem.
func (s *scanner) Fail(p crash.Problem) {
	p.Message = cut(p.Message, maxText)
	p.Kind = cut(p.Kind, maxRaw)
	if len(s.Report.Problems) == maxProblems {
		s.left.problems++
		return
	}
	s.Report.Problems = append(s.Report.Problems, p)
	s.Problem = len(s.Report.Problems) - 1
}

// Failing returns the problem of the next stacks, nil if there is none.
func (s *scanner) Failing() *crash.Problem {
	if s.Problem < 0 {
		return nil
	}
	return &s.Report.Problems[s.Problem]
}

// Begin opens a stack for the next frames. A stack without frames is not kept.
func (s *scanner) Begin(st crash.Stack) {
	s.Close()
	st.Problem = s.Problem
	st.Title = cut(st.Title, maxText)
	s.Open = &st
}

// Hold arranges that f.Flush is called before the open stack ends.
func (s *scanner) Hold(f flusher) { s.pending = f }

// Close ends the open stack.
func (s *scanner) Close() {
	if f := s.pending; f != nil {
		s.pending = nil
		f.Flush(s)
	}
	if s.Open == nil {
		return
	}
	st := *s.Open
	s.Open = nil
	s.keep(st)
}

// keep adds a complete stack to the report, unless it has no frame.
func (s *scanner) keep(st crash.Stack) {
	if len(st.Frames) == 0 {
		return
	}
	if len(s.Report.Stacks) == maxStacks {
		s.left.stacks++
		return
	}
	s.Found(st.Format)
	s.Report.Stacks = append(s.Report.Stacks, st)
}

// IsOpen reports whether the open stack accepts frames of the format.
func (s *scanner) IsOpen(format string) bool {
	return s.Open != nil && s.Open.Format == format
}

// LastFormat returns the format of the last stack.
func (s *scanner) LastFormat() string {
	if s.Open != nil {
		return s.Open.Format
	}
	if n := len(s.Report.Stacks); n > 0 {
		return s.Report.Stacks[n-1].Format
	}
	return ""
}

// Add adds a frame of line l to the open stack. A stack must be open.
func (s *scanner) Add(l reportLine, f crash.Frame) {
	s.Last = l.N
	if len(s.Open.Frames) == maxFrames {
		s.Open.Omitted++
		return
	}
	s.Open.Frames = append(s.Open.Frames, bounded(l, f))
}

// bounded returns a frame of line l with its texts cut to their limits.
func bounded(l reportLine, f crash.Frame) crash.Frame {
	f.ReportLine = l.N
	if f.Raw == "" {
		f.Raw = l.Text
	}
	f.Raw = cut(f.Raw, maxRaw)
	f.File, f.Module = cut(f.File, maxRaw), cut(f.Module, maxRaw)
	f.Symbol, f.Function = cut(f.Symbol, maxRaw), cut(f.Function, maxRaw)
	return f
}

// AddPlace records a place in a message as a stack of one frame.
func (s *scanner) AddPlace(l reportLine, format string, f crash.Frame) {
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: format})
	f.Assertion = true
	s.Add(l, f)
	s.Close()
}

// Since counts the lines from the last frame to l.
func (s *scanner) Since(l reportLine) int { return l.N - s.Last }
