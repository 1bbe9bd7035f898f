package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// erlangReader reads the stacks that Erlang prints as terms, in reports of errors and of crashes,
// and within the messages of Elixir:
//
//	{{case_clause,[]},[{gproc_dist,remove_entry,3,[{file,"src/gproc_dist.erl"},{line,733}]},
//	 {gen_leader,handle_msg,4,[{file,"src/gen_leader.erl"},{line,1169}]}]}
//
// A term may go on in the next lines, and the arguments of a call may hold the stack of its cause.
// The loggers of RabbitMQ and others print the reason as a sentence with the innermost call:
//
//	CRASH REPORT Process <0.9.0> with 0 neighbours crashed with reason: no case clause matching
//	 {ok,{0,33800}} in swc_node:event/2 line 186
type erlangReader struct {
	before  string // the end of the lines that the term of the next line may have begun in
	line    int    // the last of them
	end     int    // where the last frame ends, as the number of bytes behind it
	start   int    // where the open stack begins, likewise
	open    bool   // the last frame is in the open stack
	skipped bool   // the last frame is in a stack that was read before
	known   map[crash.Frame]bool
	said    reportLine // a sentence without its call yet
}

// Limits on the text of a term: that precedes a line, that holds the name of a call, and the lines of a sentence.
const (
	maxTerm      = 4000
	maxCall      = 400
	maxSentence  = 4
	erlangFormat = "erlang"
)

var (
	erlangPlace  = source.Lazy(`\[(?:\{file, ?"([^"]+)"\}, ?\{line, ?(\d+)\}|file: (?:~c)?["']([^"']+)["'], line: (\d+))`)
	erlangCall   = source.Lazy(`\{:?('[^']+'|"[^"]+"|[A-Za-z][\w@.]*), ?:?('[^']+'|"[^"]+"|[\w@?!-]+), ?$`)
	erlangNext   = source.Lazy(`^(?:, ?\{?error_info.{0,200}?)?\] ?\}, ?(?:\{[^{}\[\]]*, ?\[\]\}, ?)*$`)
	erlangReason = source.Lazy(`:?([a-z]\w*)(?: and stacktrace)?$`)
	erlangSaid   = source.Lazy(`(?:with reason|exit with reason|because):? (.*?) (?:in )?(\w+):('[^']+'|[\w@?!]+)(?:/\d+|\(.*\)) line (\d+)(?: |$)`)
	erlangInner  = source.Lazy(`^-(?:fun\.)?(\w+[!?]?)/\d+-.*$`)
	erlangBegins = source.Lazy(`(?:crashed|exited|terminated) with reason:|exit with reason `)
)

// Read implements lineReader.
func (e *erlangReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if e.line < l.N-1 || !strings.ContainsAny(t, "{[") {
		e.before, e.open, e.skipped = "", false, false
	}
	if !strings.Contains(t, "{line,") && !strings.Contains(t, ", line: ") {
		if strings.ContainsAny(t, "{[") {
			e.keep(t, l.N)
		}
		return e.sentence(s, l)
	}
	text := strings.TrimPrefix(e.before+" "+t, " ")
	found := false
	for _, m := range erlangPlace().FindAllStringSubmatchIndex(text, -1) {
		if m[1] > len(text)-len(t) {
			found = e.frame(s, l, text, m) || found
		}
	}
	e.keep(t, l.N)
	if !found {
		return e.sentence(s, l)
	}
	return !strings.Contains(t, ", line: ") // Elixir's own frame may hold the term
}

// keep keeps the end of the lines for the term of the next one.
func (e *erlangReader) keep(t string, n int) {
	e.end += len(t) + 1
	e.start += len(t) + 1
	e.before = strings.TrimPrefix(e.before+" "+t, " ")
	e.before = e.before[max(0, len(e.before)-maxTerm):]
	e.line = n
}

// frame adds the call whose place m matches in a text that ends with line l.
func (e *erlangReader) frame(s *scanner, l reportLine, text string, m []int) bool {
	if s.IsOpen("elixir") {
		return false // the stack of Elixir goes on
	}
	start, f, ok := erlangFrame(text, m)
	if !ok {
		return false
	}
	// Distances from the end of the line before, because its beginning may have been cut off.
	lead := len(text) - len(l.Text)
	last, first := lead-e.end, lead-e.start
	if strings.TrimSpace(e.before) == "" {
		last, first = -e.end, -e.start
	}
	next := (e.open || e.skipped) && last >= 0 && last <= start && erlangNext().MatchString(text[last:start])
	e.end = lead - m[1]
	switch {
	case next && e.skipped:
		return true
	case next:
	case e.known[f]:
		e.skipped, e.open = true, false // the next report repeats the stack
		return true
	default:
		e.begin(s, l, f, text[:start], e.open && start < first)
		e.start = lead - start
	}
	s.Add(l, f)
	e.know(f)
	return true
}

// begin opens the stack of a call, behind the reason that a text ends with, unless a sentence told it. The
// arguments of an enclosing call hold the stack that was read before it, which is its cause.
func (e *erlangReader) begin(s *scanner, l reportLine, f crash.Frame, text string, encloses bool) {
	s.Close()
	if encloses {
		s.Demote(erlangFormat)
	}
	st := crash.Stack{Kind: crash.StackCrash, Format: erlangFormat}
	if strings.Contains(l.Text, ", line: ") {
		st.Kind = crash.StackCause // of the exception of Elixir that has it as an argument
	}
	if !dropSentence(s, f) {
		kind, message := erlangReasonOf(text)
		s.Fail(crash.Problem{Kind: kind, Message: message, Line: l.N})
	}
	if p := s.Failing(); p != nil {
		st.Title = titleOf(p.Kind, p.Message)
	}
	s.Begin(st)
	e.open, e.skipped = true, false
}

// dropSentence removes the last stack if a sentence told it and it is the same call as that of a whole stack. It reports
// whether it did; the problem of the sentence is that of the stack.
func dropSentence(s *scanner, f crash.Frame) bool {
	last := len(s.Report.Stacks) - 1
	if last < 0 {
		return false
	}
	told := s.Report.Stacks[last]
	if told.Format != erlangFormat || told.Problem != s.Problem || len(told.Frames) != 1 ||
		told.Frames[0].Function != f.Function || told.Frames[0].Line != f.Line {
		return false
	}
	s.Report.Stacks = s.Report.Stacks[:last]
	return true
}

// know notes the innermost call of a stack, which later reports of the same failure repeat.
func (e *erlangReader) know(f crash.Frame) {
	if e.known == nil {
		e.known = map[crash.Frame]bool{}
	}
	if len(e.known) < maxStacks {
		e.known[f] = true
	}
}

// erlangFrame returns where the term of a call begins, and the call. m matches its place.
func erlangFrame(text string, m []int) (int, crash.Frame, bool) {
	var f crash.Frame
	if m[2] >= 0 {
		f.File, f.Line = text[m[2]:m[3]], atoi(text[m[4]:m[5]])
	} else {
		f.File, f.Line = text[m[6]:m[7]], atoi(text[m[8]:m[9]])
	}
	begin := max(0, m[0]-maxTerm) // a line may have many places
	head := strings.TrimRight(text[begin:m[0]], ", ")
	arity := strings.TrimRight(head, "0123456789")
	if arity == head {
		open := openingOf(head)
		if open < 0 || head[open] != '[' {
			return 0, f, false
		}
		arity = head[:open]
	}
	from := max(0, len(arity)-maxCall)
	c := erlangCall().FindStringSubmatchIndex(arity[from:])
	if c == nil {
		return 0, f, false
	}
	f.Symbol, f.Function = erlangNames(arity[from:][c[2]:c[3]], arity[from:][c[4]:c[5]], strings.TrimSpace(head[len(arity):]))
	f.Raw = f.Symbol + " " + f.File
	return begin + from + c[0], f, true
}

// openingOf returns the index of the bracket that the last one of a text closes, or -1.
func openingOf(text string) int {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ']', '}', ')':
			depth++
		case '[', '{', '(':
			if depth--; depth <= 0 {
				return i
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// erlangNames returns a call as Erlang writes it, and the name of its function. A module of Elixir has
// the prefix of its language, and the name of a closure that of the function around it.
func erlangNames(module, function, arity string) (symbol, name string) {
	module = strings.TrimPrefix(strings.Trim(module, `'"`), "Elixir.")
	function = strings.Trim(function, `'"`)
	symbol = module + ":" + function
	if source.IsDigit((arity + " ")[0]) {
		symbol += "/" + arity
	}
	return symbol, module + "." + erlangInner().ReplaceAllString(function, "$1")
}

// erlangReasonOf returns the reason that a text ends with, before a stack: an atom, or a tuple of an atom and a value.
func erlangReasonOf(text string) (kind, message string) {
	text = strings.TrimSuffix(strings.TrimRight(text, "[{, "), " and stacktrace")
	if strings.HasSuffix(text, "}") {
		if open := openingOf(text); open >= 0 {
			kind, message, _ = strings.Cut(text[open+1:len(text)-1], ",")
			if m := erlangReason().FindStringSubmatch(kind); m != nil && m[0] == kind {
				return m[1], strings.TrimSpace(message)
			}
		}
		return "error", ""
	}
	if m := erlangReason().FindStringSubmatch(text[max(0, len(text)-maxCall):]); m != nil {
		return m[1], ""
	}
	return "error", ""
}

// sentence reads a reason in words, which may go on in the next lines.
func (e *erlangReader) sentence(s *scanner, l reportLine) bool {
	switch {
	case strings.Contains(l.Text, "with reason") && erlangBegins().MatchString(l.Text):
	case e.said.Text != "" && l.N-e.said.N < maxSentence:
		l.Text = cut(e.said.Text+" "+l.Text, maxTerm)
		l.N = e.said.N
	default:
		return false
	}
	m := erlangSaid().FindStringSubmatch(l.Text)
	if m == nil {
		e.said = l
		return false
	}
	e.said = reportLine{}
	symbol, name := erlangNames(m[2], m[3], "")
	f := crash.Frame{File: m[2] + ".erl", Line: atoi(m[4]), Function: name, Symbol: symbol, Raw: cut(l.Text, maxRaw)}
	if e.toldBefore(s, f) {
		return true
	}
	s.Fail(crash.Problem{Kind: "error", Message: m[1], Line: l.N})
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: erlangFormat, Title: titleOf("error", m[1])})
	s.Add(l, f)
	s.Close()
	return true
}

// toldBefore reports whether the call of a sentence is in a stack that was read.
func (e *erlangReader) toldBefore(s *scanner, f crash.Frame) bool {
	for k := range e.known {
		if k.Line == f.Line && k.Function == f.Function {
			return true
		}
	}
	e.know(f)
	s.Close()
	return false
}
