package format

import (
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// rReader reads the stacks of R: the trees of calls of the package rlang, which begin with the outermost
// call, the lists of traceback(), which begin with the innermost one, and the line "Calls:" of Rscript.
// The place beside a call is where the call stands, which is in the caller. Shiny's stacks are a lineForm.
type rReader struct {
	error     rError
	heading   int // the line of the heading of a stack, 0 for none
	calls     []rCall
	innermost bool // the innermost call is the first one
}

// An rError is an error that R prints.
type rError struct {
	line     reportLine // the one that names it
	function string     // the one that it names
	message  string
	reported bool
}

// An rCall is a call in a stack.
type rCall struct {
	number int
	depth  int // column of its text behind the number, in a tree
	frame  crash.Frame
	at     crash.Frame // where the call stands; without a file if that is not known
	line   reportLine
}

const (
	rBehindError = 60 // lines between an error and its stack
	rBehindCall  = 30 // lines of a call, which may have whole functions as arguments
	rHeading     = 3  // lines between the heading of a stack and its first call
)

var (
	rErrorForm = source.Lazy(`^(?:Error|Caused by error)(?: in (.+?)(?: at \S+:\d+:\d+)?)? ?:(?: (.*))?$`)
	rNumbered  = source.Lazy(`^(\d+)([.:]) ([│├└─|+\\ -]*)(\S.*)$`)
	rCalled    = source.Lazy("^(?:([A-Za-z][\\w.]*)(?::::?| \\(local\\) | )|global )?(?:[\\w.]+\\$)*\\x60?([A-Za-z.][\\w.]*)\\x60?\\(")
	rPlace     = source.Lazy(`^(.*)(?: at (.+?)| (/\S+?))(?:#(\d+)|:(\d+):\d+)$`)
	rFile      = source.Lazy(`\.(?:[Rr](?:md|nw|html)?|[Qq](?:md)?)$`)
)

// Read implements lineReader.
func (r *rReader) Read(s *scanner, l reportLine) bool {
	l.Text = strings.TrimLeft(strings.TrimPrefix(l.Text, "#>"), " ") // as reprex prints it
	t := l.Text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case t == "Backtrace:" || len(t) < maxHeading && strings.HasSuffix(t, "traceback()"):
		r.Flush(s)
		r.heading = l.N
		return false
	case strings.HasPrefix(t, "Calls: ") && r.near(l):
		r.list(l, t[len("Calls: "):])
		r.Flush(s)
		return true
	case t == "Execution halted" && r.near(l) && !r.error.reported && r.error.function != "":
		r.calls = []rCall{{frame: crash.Frame{Function: r.error.function}, line: r.error.line}}
		r.Flush(s)
		return false
	case r.numbered(s, l):
		return true
	}
	if n := len(r.calls); n > 0 {
		if last := &r.calls[n-1]; r.innermost && t[0] != '>' && l.N-last.line.N < rBehindCall && last.goesOn() {
			last.text(last.frame.Raw + " " + t)
			return true
		}
		r.Flush(s)
	}
	r.failure(l)
	return false
}

// near reports whether a line may belong to the last error.
func (r *rReader) near(l reportLine) bool {
	return r.error.line.N > 0 && l.N-r.error.line.N <= rBehindError
}

// failure keeps a line that names an error, or the message below one.
func (r *rReader) failure(l reportLine) {
	e := &r.error
	if strings.Contains(l.Text, "rror") {
		if m := rErrorForm().FindStringSubmatch(l.Text); m != nil {
			*e = rError{line: l, message: m[2]}
			if name := rCalled().FindStringSubmatch(strings.Trim(m[1], "`")); name != nil {
				e.function = name[2]
			}
			return
		}
	}
	if e.message == "" && e.line.N > 0 && l.N == e.line.N+1 {
		e.message = l.Text
	}
}

// numbered reads "3. │ └─pkg:::f(x) at R/a.R:12:3" and "3: f(x) at a.R#12".
func (r *rReader) numbered(s *scanner, l reportLine) bool {
	if !source.IsDigit(l.Text[0]) {
		return false
	}
	m := rNumbered().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	number, innermost := atoi(m[1]), m[2] == ":"
	if n := len(r.calls); n == 0 {
		if r.innermost = innermost; !r.begins(l, m[3], m[4]) {
			return false
		}
	} else if last := r.calls[n-1]; innermost != r.innermost || l.N-last.line.N > rBehindCall ||
		innermost && number != last.number-1 || !innermost && number <= last.number {
		return false
	}
	c := rCall{number: number, depth: utf8.RuneCountInString(m[3]), line: l}
	c.text(m[4])
	r.calls = append(r.calls, c)
	if len(r.calls) > 2*maxFrames {
		r.Flush(s)
	}
	return true
}

// begins reports whether a numbered line begins a stack, by the branches of a tree and the call in it.
func (r *rReader) begins(l reportLine, branches, call string) bool {
	headed := r.heading > 0 && l.N-r.heading <= rHeading
	switch {
	case !r.innermost:
		return headed && (branches != "" || r.near(l))
	case headed:
		return strings.Contains(call, "(")
	}
	return r.error.function != "" && l.N-r.error.line.N <= rHeading && rCalled().MatchString(call)
}

// text sets what the text of a call says. Raw keeps it for the lines behind it.
func (c *rCall) text(t string) {
	t = cut(t, maxText)
	c.frame = crash.Frame{Raw: t}
	if m := rPlace().FindStringSubmatch(t); m != nil && rFile().MatchString(m[2]+m[3]) {
		t, c.at = m[1], crash.Frame{File: m[2] + m[3], Line: atoi(m[4] + m[5])}
	}
	if m := rCalled().FindStringSubmatch(t); m != nil {
		c.frame.Module, c.frame.Function = m[1], m[2]
		if m[1] != "" {
			c.frame.Symbol = m[1] + "::" + m[2]
		}
	}
}

// goesOn reports whether the text of a call may go on in the next line.
func (c *rCall) goesOn() bool {
	return c.number > 1 || c.at.File == "" && strings.Count(c.frame.Raw, "(") > strings.Count(c.frame.Raw, ")")
}

// list reads "f -> g ... h -> i", which begins with the outermost function.
func (r *rReader) list(l reportLine, functions string) {
	r.calls, r.innermost = nil, false
	for i, name := range strings.Split(strings.ReplaceAll(functions, " ... ", " -> "), " -> ") {
		if i < maxFrames && name != "<Anonymous>" && name != "..." {
			r.calls = append(r.calls, rCall{number: i + 1, frame: crash.Frame{Function: name}, line: l})
		}
	}
}

// Flush reports the calls that were read.
func (r *rReader) Flush(s *scanner) {
	calls := r.calls
	r.calls, r.heading = nil, 0
	if len(calls) == 0 {
		return
	}
	e := &r.error
	st := crash.Stack{Kind: crash.StackCrash, Format: "r"}
	if e.line.N > 0 && calls[0].line.N-e.line.N <= rBehindError {
		if !e.reported {
			s.Fail(crash.Problem{Kind: "error", Message: e.message, Line: e.line.N})
		}
		e.reported, st.Title = true, titleOf("error", e.message)
	}
	s.Begin(st)
	if r.innermost {
		slices.Reverse(calls)
	}
	for _, c := range slices.Backward(placed(calls, r.innermost)) {
		if c.frame.Raw = ""; c.frame.Function != "" || c.frame.File != "" { // not a pipe
			s.Add(c.line, c.frame)
		}
	}
	s.Close()
}

// placed gives the place of each call to its caller. The outermost call of a tree may stand in
// no function: its place is a call of its own. calls begin with the outermost one.
func placed(calls []rCall, list bool) []rCall {
	flat := list || !slices.ContainsFunc(calls, func(c rCall) bool { return c.depth > 0 })
	var out []rCall
	for _, c := range calls {
		caller := len(out) - 1
		for !flat && caller >= 0 && out[caller].depth >= c.depth {
			caller--
		}
		switch {
		case c.at.File == "":
		case caller >= 0 && out[caller].frame.File == "":
			out[caller].frame.File, out[caller].frame.Line = c.at.File, c.at.Line
		default:
			out = append(out, rCall{depth: c.depth, frame: c.at, line: c.line})
		}
		out = append(out, c)
	}
	return out
}
