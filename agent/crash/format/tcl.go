package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// tclReader reads the stacks of Tcl, the innermost call first. The command that a procedure executed is above the procedure, whose lines
// count from its beginning, so that only those of files are places:
//
//	missing value to go with key
//	    while executing
//	"dict exists has $t"
//	    (procedure "ArgsInprocess" line 45)
//	    invoked from within
//	"ArgsInprocess $adefs $aoffset"
//	    (file "run.tcl" line 21)
type tclReader struct {
	above   reportLine // the last line that is of no stack
	command string     // the first line of the last command
	inside  bool       // the next line is of a command, or of what executed it
}

const tclNear = 60 // lines of a command

var tclPlace = source.Lazy(
	`^\((?:(?:procedure|(?:object|class) "[^"]*" method) "(?P<name>[^"\s]+)" (?:body )?line \d+|` +
		`file "(?P<file>[^"]+)" line (?P<line>\d+))\)$`,
)

// Read implements lineReader.
func (r *tclReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case t == "while executing" || t == "while compiling":
		s.Fail(crash.Problem{Kind: "error", Message: r.above.Text, Line: max(r.above.N, 1)})
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "tcl", Title: titleOf("error", r.above.Text)})
		r.command, r.inside, s.Last = "", true, l.N
		return true
	case !s.IsOpen("tcl"):
		if t != "" {
			r.above = l
		}
		return false
	case t == "invoked from within":
		r.command, r.inside, s.Last = "", true, l.N
		return true
	case !r.inside || s.Since(l) > tclNear || strings.HasPrefix(t, "```"):
		s.Close()
		r.above = l
		return false
	}
	switch m := groups(tclPlace, t); {
	case m != nil && (m["name"] != "" || m["file"] != ""):
		f := crash.Frame{Function: strings.TrimPrefix(m["name"], "::"), File: m["file"], Line: atoi(m["line"])}
		if f.File == "" {
			f.Quote = r.command
		}
		s.Add(l, f)
		r.inside = false
	case strings.HasPrefix(t, "(") && strings.HasSuffix(t, ")") && r.command != "":
		s.Last = l.N // ("eval" body line 2), or an event
	case r.command == "" && strings.HasPrefix(t, `"`):
		r.command = strings.TrimSuffix(strings.TrimSuffix(cut(t[1:], maxText), `"`), "...")
	}
	return true
}
