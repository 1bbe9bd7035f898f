package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// elixirReader reads stacks as Elixir prints them. A line with the exception is followed by
// frames with a deeper indentation. A frame alone begins no stack, because the compiler's
// warnings end with a line of the same form.
//
// If a process ends because another one failed, the exception of the other process is printed
// between the heading and the frames, with an even deeper indentation.
type elixirReader struct {
	heads []elixirHead // each indented deeper than the one before
	reach int          // number of the last line that may be one of their frames
}

// An elixirHead is a line that names an exception.
type elixirHead struct {
	line          reportLine
	kind, message string
	failed, begun bool // its problem was reported, its stack was begun
	problem       int
}

const (
	elixirBehindHead  = 40 // lines that a message, arguments and clauses may take
	elixirBehindFrame = 5
	elixirNested      = 8 // nested exceptions that are kept
)

var (
	elixirRaised = source.Lazy(`^\*\* \(([A-Z]\w*(?:\.[A-Z]\w*)*|EXIT from #PID<[\d.]+>|stop|exit|throw|error)\)(?: (.*))?$`)
	elixirFrame  = source.Lazy(`^(?:\(([a-z]\w*)(?: [\w.+-]+)?\) )?([^\s:(][^:(]*\.(?:exs?|[hl]?eex|[ehxy]rl)):(\d+):? (\S.*)$`)
	elixirNoFile = source.Lazy(`^(?:\(([a-z]\w*)(?: [\w.+-]+)?\) |:)(\S.*)$`)
	elixirCall   = source.Lazy(`^(?:anonymous fn/\d+ in |expanding macro: )?:?([A-Za-z_][\w.!?]*(?:"[^"]*"|[^\w\s."(]+)?)(?:/\d+|\(.*\)?)$`)
	elixirFile   = source.Lazy(`\.(?:exs?|[hl]?eex|[hexy]rl)$`)
	elixirArity  = source.Lazy(`/\d+$`)
	elixirInner  = source.Lazy(`\."-(?:fun\.)?(\w+[!?]?)/\d+-.*"$`)
)

// Read implements lineReader.
func (e *elixirReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "":
		return false
	case strings.HasPrefix(t, "** ("):
		return e.raised(l)
	case len(e.heads) == 0 || l.N > e.reach:
		return false
	case (elixirEnds(t) || t[0] == '(') && e.frame(s, l):
		return true
	case e.begun() && l.Indent <= e.heads[0].line.Indent: // text after the stack, maybe a warning
		e.heads = nil
	}
	return false
}

// elixirEnds reports whether a text may end with a call; its arguments may have been cut off.
func elixirEnds(t string) bool { return t[len(t)-1] == ')' || source.IsDigit(t[len(t)-1]) }

// begun reports whether a frame was read below the headings.
func (e *elixirReader) begun() bool {
	return len(e.heads) > 0 && e.heads[len(e.heads)-1].begun
}

// raised keeps "** (RuntimeError) message" until a frame shows that it heads a stack.
func (e *elixirReader) raised(l reportLine) bool {
	m := elixirRaised().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] == "EXIT" { // it says why the process on the line before ended
		if n := len(e.heads); n > 0 && l.N <= e.reach && !e.heads[n-1].failed && !strings.HasSuffix(m[2], ":") {
			e.heads[n-1].message += ": " + m[2]
		}
		return true
	}
	if e.begun() || l.N > e.reach {
		e.heads = nil
	}
	for n := len(e.heads); n > 0 && e.heads[n-1].line.Indent >= l.Indent; n-- {
		e.heads = e.heads[:n-1]
	}
	if len(e.heads) == elixirNested {
		return true
	}
	e.heads = append(e.heads, elixirHead{line: l, kind: m[1], message: m[2]})
	e.reach = l.N + elixirBehindHead
	return true
}

// frame reads "(app 1.2.3) lib/a/b.ex:12: A.B.fun/2". The application or the place may be
// missing.
func (e *elixirReader) frame(s *scanner, l reportLine) bool {
	var f crash.Frame
	var call string
	if m := elixirFrame().FindStringSubmatch(l.Text); m != nil {
		f.Module, f.File, f.Line, call = m[1], m[2], atoi(m[3]), m[4]
	} else if m := elixirNoFile().FindStringSubmatch(l.Text); m != nil && elixirEnds(l.Text) {
		f.Module, call = m[1], m[2]
	} else {
		return false
	}
	if m := elixirCall().FindStringSubmatch(call); m != nil {
		f.Symbol, f.Function = cut(call, maxRaw), elixirInner().ReplaceAllString(m[1], ".$1")
	} else if f.File == "" || call != "(module)" && call != "(file)" && call != "(test)" {
		return false
	}
	e.begin(s, l)
	e.reach = l.N + elixirBehindFrame
	s.Add(l, f)
	return true
}

// begin opens the stack for a frame, unless it is open.
func (e *elixirReader) begin(s *scanner, l reportLine) {
	for n := len(e.heads); n > 1 && e.heads[n-1].line.Indent >= l.Indent; n-- {
		e.heads = e.heads[:n-1]
	}
	last := len(e.heads) - 1
	h := &e.heads[last]
	if h.begun && s.IsOpen("elixir") {
		return
	}
	for i := range e.heads {
		if p := &e.heads[i]; !p.failed {
			s.Fail(crash.Problem{Kind: p.kind, Message: p.message, Line: p.line.N})
			p.failed, p.problem = true, s.Problem
		}
	}
	h.begun, s.Problem = true, h.problem
	kind := crash.StackCrash
	if last > 0 {
		kind = crash.StackCause
	}
	s.Begin(crash.Stack{Kind: kind, Format: "elixir", Title: titleOf(h.kind, h.message)})
}
