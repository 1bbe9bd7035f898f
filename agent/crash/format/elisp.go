package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// elispReader reads backtraces of Emacs Lisp, the innermost call first. They have the names of functions, and no files:
//
//	Debugger entered--Lisp error: (wrong-type-argument stringp nil)
//	  expand-file-name(nil)
//	  flycheck-same-files-p("a.el" nil)
//	  (let ((x nil)) (flycheck-run x))
//
// Emacs in batch mode prints "Error: wrong-type-argument (stringp nil)" above one, and its tests the error below one.
type elispReader struct {
	indent int    // columns before the heading
	test   string // the test whose error is below the backtrace
	waits  bool   // the error of the test is one of the next lines
	batch  reportLine
}

const elispBelow = 20 // lines of the arguments of a call

var (
	elispError = source.Lazy(`\bDebugger entered--Lisp error: \(([^\s()"]+) ?(.*)$`)
	elispBatch = source.Lazy(`^Error: ([a-z][\w-]+) (?:\((.*)\)|nil)$`)
	elispTest  = source.Lazy(`^Test (\S+) (backtrace|condition):$`)
	elispCall  = source.Lazy(`^(?:\* )?([^\s()\[\]{}"';,#\x60]{1,200})\(`)
	elispForm  = source.Lazy(`^\(([a-z][\w*+-]*)[\s)]`)
)

// elispOwn are the functions of Emacs that call other ones, or tell of the error.
var elispOwn = source.WordSet(`signal error user-error debug debug-early debug-early-backtrace mapbacktrace apply funcall funcall-interactively
call-interactively command-execute byte-code eval eval-buffer eval-region eval-expression eval-last-sexp elisp--eval-last-sexp
execute-extended-command load load-with-code-conversion require mapc mapcar mapcan mapconcat maphash run-hooks run-hook-with-args
run-hook-with-args-until-success run-mode-hooks timer-event-handler progn let let* if recursive-edit read-from-minibuffer
command-line command-line-1 normal-top-level handle-shift-selection`)

// Read implements lineReader.
func (e *elispReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if strings.Contains(t, "Debugger entered--Lisp error: (") {
		if m := elispError().FindStringSubmatch(t); m != nil {
			e.begin(s, l, m[1], strings.TrimSuffix(strings.TrimRight(m[2], "`"), ")"))
			return true
		}
	}
	switch {
	case strings.HasPrefix(t, "Test ") && strings.HasSuffix(t, ":"):
		return e.ofTest(s, l)
	case strings.HasPrefix(t, "Error: "):
		e.batch = l
		return false
	case e.batch.N > 0 && l.N == e.batch.N+1 && strings.HasPrefix(t, "mapbacktrace("):
		if m := elispBatch().FindStringSubmatch(e.batch.Text); m != nil {
			e.begin(s, e.batch, m[1], m[2])
			return true
		}
	case e.waits && t != "":
		e.waits = false
		if m := elispForm().FindStringSubmatch(t); m != nil {
			p := s.Failing()
			p.Kind, p.Message = m[1], elispMessage(strings.TrimSuffix(t[len(m[0]):], ")"))
			return true
		}
	}
	return s.IsOpen("elisp") && e.call(s, l)
}

// begin opens a backtrace below an error.
func (e *elispReader) begin(s *scanner, l reportLine, kind, data string) {
	e.indent, e.test, e.waits = l.Indent, "", false
	p := crash.Problem{Kind: kind, Message: elispMessage(data), Line: l.N}
	s.Fail(p)
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "elisp", Title: titleOf(p.Kind, p.Message)})
	s.Last = l.N
}

// elispMessage returns the text of a message, without its quotes.
func elispMessage(data string) string {
	if text, quoted := strings.CutPrefix(data, `"`); quoted && strings.Count(text, `"`) == 1 {
		return strings.TrimSuffix(text, `"`)
	}
	return data
}

// ofTest reads the headings of a backtrace of a test, and of its error.
func (e *elispReader) ofTest(s *scanner, l reportLine) bool {
	m := elispTest().FindStringSubmatch(l.Text)
	switch {
	case m == nil:
		return false
	case m[2] == "backtrace":
		e.begin(s, l, "error", "")
		e.test = m[1]
	case m[1] == e.test:
		s.Close()
		e.test, e.waits = "", true
	}
	return true
}

// call reads a line below the heading: a call, code that Emacs interprets, or the rest of the arguments of a call.
func (e *elispReader) call(s *scanner, l reportLine) bool {
	switch {
	case s.Since(l) > elispBelow || strings.HasPrefix(l.Text, "```"):
		s.Close()
		return false
	case l.Indent <= e.indent || l.Text == "":
		return false
	}
	m := elispCall().FindStringSubmatch(l.Text)
	switch {
	case m == nil:
		if !strings.HasPrefix(l.Text, "(") && !strings.HasPrefix(l.Text, "#") {
			return false
		}
		s.Last = l.N
	case elispOwn[m[1]]:
		s.Last = l.N
	default:
		s.Add(l, crash.Frame{Function: m[1]})
	}
	return true
}
