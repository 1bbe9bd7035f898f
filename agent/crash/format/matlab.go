package format

import (
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// matlabReader reads errors of MATLAB and Octave. The message of the former is above the first frame, and the code of a frame below it:
//
//	Index exceeds matrix dimensions.
//
//	Error in MBeautify/performFormatting>processContainer (line 559)
//	    indexes = find([containerBorderIndexes{:, 2}] == maxDepth, 2);
type matlabReader struct {
	above  reportLine // the last line that is of no frame
	using  int        // the line "Error using f", below which the message is; 0 for none
	called int        // the line "error: called from" of Octave, 0 for none
}

const matlabNear = 4 // lines between two frames

var (
	matlabFrame = source.Lazy(`^(?:-?Error (?:in|using) |at )?([\w./>@+]+) (?:\(line (\d+)\)|at line (\d+) column \d+)$`)
	matlabUsing = source.Lazy(`^Error using [\w./>+]+(?: \(line \d+\))?$`)
)

// Read implements lineReader.
func (r *matlabReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if t == "" || len(t) > maxText {
		return false
	}
	if strings.HasPrefix(t, "error: ") || strings.HasPrefix(t, "```") {
		if s.IsOpen("matlab") {
			s.Close()
		}
	}
	open := s.IsOpen("matlab") && s.Since(l) <= matlabNear
	if m := matlabFrame().FindStringSubmatch(t); m != nil && (strings.HasPrefix(t, "Error ") || m[3] != "" && (open || r.called > 0 && r.called == l.N-1)) {
		using := strings.HasPrefix(t, "Error using ")
		if using {
			r.using = l.N
		}
		if !open || using {
			r.begin(s, l)
		}
		s.Add(l, matlabOf(m[1], atoi(m[2]+m[3])))
		return true
	}
	switch {
	case t == "error: called from":
		r.called = l.N
		s.Close()
		return true
	case matlabUsing().MatchString(t):
		r.using = l.N
		return false
	case open && s.Since(l) == 1 && r.using != s.Last:
		s.Open.Frames[len(s.Open.Frames)-1].Quote = t
		s.Last = l.N
		return true
	case open && s.Since(l) == 1:
		s.Fail(crash.Problem{Kind: "error", Message: t, Line: l.N})
		s.Open.Problem, s.Open.Title = s.Problem, titleOf("error", t)
		s.Last = l.N
		return true
	}
	r.above = l
	return false
}

// begin opens a stack for the message above it.
func (r *matlabReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "matlab"}
	if r.above.N > 0 && l.N-r.above.N <= matlabNear && !strings.HasPrefix(l.Text, "Error using ") {
		message := strings.TrimPrefix(r.above.Text, "error: ")
		s.Fail(crash.Problem{Kind: "error", Message: message, Line: r.above.N})
		st.Title = titleOf("error", message)
	}
	s.Begin(st)
}

// matlabOf returns the frame of a name: class/method, package.class/method, class.method, file>function.
func matlabOf(name string, line int) crash.Frame {
	outer, inner, _ := strings.Cut(name, ">")
	class, method, isMethod := strings.Cut(outer, "/")
	parts := strings.Split(class, ".")
	if first := parts[0]; !isMethod && len(parts) == 2 && first != "" && first[0] < 'a' {
		parts, method = parts[:1], parts[1] // a class, by its capital letter
	}
	for i := range parts[:len(parts)-1] {
		parts[i] = "+" + parts[i]
	}
	f := crash.Frame{File: path.Join(parts...) + ".m", Line: line, Symbol: name}
	switch {
	case inner != "":
		f.Function = inner
	case method != "":
		f.Function = method
	default:
		f.Function = parts[len(parts)-1]
	}
	if f.Function == name {
		f.Symbol = ""
	}
	return f
}
