package format

import (
	"html"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// xdebugReader reads the stacks that Xdebug prints behind an error of PHP, which phpReader reads: as text, in
// PHP's log, as a table of HTML, and as a browser copies this table. The outermost call comes first, and each
// call stands beside the place from which it was made.
//
//	Call Stack:
//	    0.0001     391688   1. {main}() /srv/shop/index.php:0
//	    0.0001     394944   2. run() /srv/shop/index.php:7
type xdebugReader struct {
	reading bool
	calls   []crash.Frame
}

// maxBeforeCalls limits the lines between the place of an error and the heading of its stack.
const maxBeforeCalls = 6

var (
	xdebugCall = source.Lazy(`^(?:PHP +)?(?:\d+\.\d+\s+\d+\s+)?\d+\. (\S.*?) (\S+):(\d+)$`)
	xdebugRow  = source.Lazy(`^\d+\s+\d+\.\d+\s+\d+\s+(\S.*\)|\{main\}) *\s+(\S+):(\d+)$`)
	xdebugPath = source.Lazy(`<td title='([^']+)'[^>]*>[^<]*<b>:</b>`)
	xdebugHead = source.Lazy(`^#\s+Time\s+Memory\s+Function\s+Location$`)
	phpTag     = source.Lazy(`</?(?:b|br|font|i|span|table|td|th|tr)(?: [^<>]*)?/?>`)
	phpCells   = source.Lazy(`</t[dh]>\s*<t[dh][^<>]*>`)
)

// Read implements lineReader.
func (x *xdebugReader) Read(s *scanner, l reportLine) bool {
	t := phpText(l.Text)
	switch {
	case t == "Call Stack:", t == "Call Stack", t == "PHP Stack trace:":
		x.Flush(s)
		x.reading = s.Since(l) <= maxBeforeCalls && s.LastFormat() == "php"
		return x.reading
	case !x.reading:
		return false
	case t == "", xdebugHead().MatchString(t):
		return t != ""
	}
	m := xdebugCall().FindStringSubmatch(t)
	if m == nil {
		m = xdebugRow().FindStringSubmatch(t)
	}
	if m == nil {
		x.Flush(s)
		return false
	}
	f := crash.Frame{Function: phpName(m[1]), File: m[2], Line: atoi(m[3])}
	if p := xdebugPath().FindStringSubmatch(l.Text); p != nil {
		f.File = html.UnescapeString(p[1]) // the text has only its last part
	}
	if len(x.calls) < maxFrames {
		l.Text = t
		x.calls = append(x.calls, bounded(l, f))
	}
	s.Hold(x)
	return true
}

// Flush makes the stack of the calls that were read, from the place of the error.
func (x *xdebugReader) Flush(s *scanner) {
	calls := x.calls
	x.reading, x.calls = false, nil
	if len(calls) == 0 {
		return
	}
	s.pending = nil
	s.Close()
	last := len(s.Report.Stacks) - 1
	if last < 0 || s.Report.Stacks[last].Format != "php" || len(s.Report.Stacks[last].Frames) != 1 {
		return
	}
	st := &s.Report.Stacks[last]
	place := st.Frames[0]
	place.Assertion = false
	st.Frames = nil
	for i := len(calls) - 1; i >= 0; i-- {
		f := calls[i]
		place.Function = f.Function
		st.Frames = append(st.Frames, place)
		f.Function = ""
		place = f // the place of this call is in the function that made it
	}
}

// phpText returns a line of PHP's errors in HTML as text, with a tab between the cells of a table. Other lines are
// as they were.
func phpText(t string) string {
	if !strings.Contains(t, "</") && !strings.Contains(t, "<br") {
		return t
	}
	t = phpTag().ReplaceAllString(phpCells().ReplaceAllString(t, "\t"), "")
	return strings.TrimSpace(html.UnescapeString(t))
}
