package hana

import (
	"path"
	"strings"

	"git-agent/agent/crash"
)

// A Sink receives the findings of a StackReader, in the order of the text.
type Sink interface {
	// Problem receives an exception. The following stacks of the kind StackException belong to
	// it.
	Problem(p crash.Problem)
	// Stack receives a stack with at least one frame.
	Stack(st crash.Stack)
}

// The parts of a text with stacks.
type part int

const (
	partNone      part = iota
	partException      // below the head of an exception, before its frames
	partFrames         // frames are expected
	partIgnored        // the types of an exception, or an unknown part
)

// A StackReader reads stacks line by line: those of CRASH_STACK, which contains pending
// exceptions and then the backtrace, and those of STACK_SHORT, which contains one stack for each
// thread. The zero value with a Sink is ready for use.
type StackReader struct {
	Sink Sink
	// Thread says that stacks without a heading belong to threads.
	Thread bool

	part    part
	open    *crash.Stack
	block   bool // the last frame may have lines with labels
	number  int  // of the last frame
	crashed bool // a backtrace was read
	message []string
	head    crash.Problem // the exception whose message is being read
	pending bool          // head was not yet passed to the Sink
}

// Line reads a line without its end. n is its number in the input. It reports
// whether the line belongs to a stack.
func (r *StackReader) Line(n int, text string) bool {
	t := strings.TrimSpace(text)
	switch {
	case t == "":
		return r.blank()
	case isHeading(t):
		return r.heading(t)
	case isSeparator(t):
		r.block = false
		if t == "--" && r.open != nil && r.open.Kind == crash.StackThread {
			r.End()
		}
		return r.part != partNone
	case strings.HasPrefix(t, "exception"):
		if r.exception(n, t) {
			return true
		}
	case r.thread(n, t):
		return true
	}
	if r.block && r.open != nil && label(&r.open.Frames[len(r.open.Frames)-1], t) {
		return true
	}
	if number, rest, ok := numbered(text); ok && r.frame(n, number, t, rest) {
		return true
	}
	if r.part == partException {
		if len(r.message) < 20 {
			r.message = append(r.message, limit(t, maxRaw))
		}
		return true
	}
	return false
}

// End passes held findings to the Sink at the end of the text.
func (r *StackReader) End() {
	r.announce()
	if r.open != nil && len(r.open.Frames) > 0 {
		r.Sink.Stack(*r.open)
	}
	r.open, r.block, r.part, r.number = nil, false, partNone, -1
}

// Active reports whether a stack is being read.
func (r *StackReader) Active() bool { return r.part != partNone }

// blank reads an empty line, which ends the frames of an exception.
func (r *StackReader) blank() bool {
	r.block = false
	if r.open != nil && r.open.Kind == crash.StackException && len(r.open.Frames) > 1 {
		r.End()
	}
	return r.part != partNone
}

// isHeading recognises "----> Symbolic stack backtrace <----" with arrows of any length.
func isHeading(t string) bool {
	return strings.HasPrefix(t, "-") && strings.HasSuffix(t, "-") && strings.Contains(t, "-> ") && strings.Contains(t, " <-")
}

func (r *StackReader) heading(t string) bool {
	r.End()
	title := strings.Trim(t, "-<> ")
	low := strings.ToLower(title)
	switch {
	case strings.Contains(low, "pending exception"):
		r.part = partIgnored // until the head of the first exception
	case strings.Contains(low, "backtrace"), strings.Contains(low, "call stack"), !r.crashed && strings.Contains(low, "stack"):
		r.begin(crash.Stack{Kind: r.kind(), Title: limit(title, maxRaw)})
	default:
		r.part = partIgnored
	}
	return true
}

// kind returns the kind of a stack without its own heading.
func (r *StackReader) kind() crash.StackKind {
	if r.Thread || r.crashed {
		return crash.StackThread
	}
	return crash.StackCrash
}

func (r *StackReader) begin(st crash.Stack) {
	r.End()
	st.Format, st.Problem = "hana", -1
	r.open, r.part = &st, partFrames
	r.crashed = r.crashed || st.Kind == crash.StackCrash
}

// isSeparator recognises a line of dashes or of equals signs.
func isSeparator(t string) bool {
	return len(t) > 1 && (strings.Trim(t, "-") == "" || strings.Trim(t, "=") == "")
}

// exception reads "exception  1: no.2110017  (Basis/IO/X.cpp:2989)", the heading of an exception,
// and the lines that divide its description.
func (r *StackReader) exception(n int, t string) bool {
	rest := strings.TrimSpace(strings.TrimPrefix(t, "exception"))
	switch {
	case strings.HasPrefix(rest, "throw location"):
		r.announce()
		if r.open != nil && r.open.Kind == crash.StackException {
			r.part = partFrames
		}
		return r.open != nil
	case strings.HasPrefix(rest, "type information"):
		r.announce()
		if r.open != nil {
			r.part = partIgnored
		}
		return r.open != nil
	}
	_, rest, ok := numbered(rest)
	if !ok || !strings.HasPrefix(rest, "no.") {
		return false
	}
	r.begin(crash.Stack{Kind: crash.StackException})
	code, where, _ := strings.Cut(strings.TrimPrefix(rest, "no."), " ")
	r.head = crash.Problem{Kind: "exception " + limit(code, 20), Line: n}
	r.pending, r.part, r.message = true, partException, nil
	where = strings.TrimSpace(where)
	if i := strings.IndexByte(where, ')'); strings.HasPrefix(where, "(") && i > 0 {
		f := crash.Frame{Raw: limit(t, maxRaw), ReportLine: n}
		f.File, f.Line = splitPlace(where[1:i])
		r.open.Frames = append(r.open.Frames, f)
		where = strings.TrimSpace(where[i+1:])
	}
	if where != "" {
		r.message = append(r.message, limit(where, maxRaw))
	}
	return true
}

// announce passes the exception with a complete message to the Sink.
func (r *StackReader) announce() {
	if !r.pending {
		return
	}
	r.pending = false
	r.head.Message = limit(strings.Join(r.message, " "), 2000)
	r.Sink.Problem(r.head)
	r.message = nil
}

// thread reads "1817914258[thr=73928]: JobWrk11358 at", the heading of a thread's stack.
func (r *StackReader) thread(_ int, t string) bool {
	i := strings.Index(t, "[thr=")
	if i <= 0 || i > 20 || strings.Trim(t[:i], "0123456789") != "" {
		return false
	}
	id, rest, ok := strings.Cut(t[i+len("[thr="):], "]")
	if !ok {
		return false
	}
	name := strings.TrimSpace(strings.TrimPrefix(rest, ":"))
	name = strings.TrimSuffix(name, " at")
	r.begin(crash.Stack{Kind: crash.StackThread, Thread: limit(strings.TrimSpace(id+" "+name), maxRaw)})
	return true
}

// frame reads a numbered line as a frame, from its number and the rest of the line.
func (r *StackReader) frame(n, number int, line, rest string) bool {
	if r.part == partIgnored || r.part == partNone && r.Sink == nil {
		return false
	}
	f, short := oneLine(rest)
	if !short {
		if r.part == partException {
			return false // a numbered line of the message
		}
		f = blockHead(rest)
	}
	r.announce()
	switch {
	case r.open == nil:
		r.begin(crash.Stack{Kind: r.kind()})
	case number <= r.number && len(r.open.Frames) > 1 && r.open.Kind != crash.StackException:
		r.begin(crash.Stack{Kind: r.kind()})
	}
	r.part, r.number, r.block = partFrames, number, !short
	f.Raw, f.ReportLine = limit(line, maxRaw), n
	r.add(f)
	return true
}

// add adds a frame to the open stack. It merges the first frame of an exception with the location
// in the exception's head.
func (r *StackReader) add(f crash.Frame) {
	st := r.open
	if st.Kind == crash.StackException && len(st.Frames) == 1 && st.Frames[0].Symbol == "" &&
		f.Line > 0 && f.Line == st.Frames[0].Line && path.Base(f.File) == path.Base(st.Frames[0].File) {
		f.File = longer(st.Frames[0].File, f.File)
		st.Frames[0] = f
		return
	}
	if len(st.Frames) == maxFrames {
		st.Omitted++
		r.block = false
		return
	}
	st.Frames = append(st.Frames, f)
}

func longer(a, b string) string {
	if len(a) >= len(b) {
		return a
	}
	return b
}
