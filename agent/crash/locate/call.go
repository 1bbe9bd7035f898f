package locate

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

// isIdle reports whether nothing happens on a line: it is empty, a brace or a comment.
func isIdle(line []byte) bool {
	text := bytes.Trim(line, " \t\r{}();")
	return len(text) == 0 || bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("/*")) ||
		text[0] == '*' && (len(text) == 1 || text[1] == ' ' || text[1] == '/')
}

// isEmpty reports whether a line of a file has no code and no brace, so that no frame is at it: it is
// blank or a comment.
func isEmpty(file string, line []byte) bool {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return true
	}
	if strings.HasSuffix(file, ".py") {
		return text[0] == '#'
	}
	_, rest, closed := bytes.Cut(text, []byte("*/"))
	return isIdle(text) && (text[0] == '/' || text[0] == '*') && (!closed || len(bytes.TrimSpace(rest)) == 0)
}

// inlined returns the function around the line of a frame of machine code, if the function that
// the frame names calls it, and if the next inner frame is called there: the compiler may have
// inlined one into the other.
func (t *fileText) inlined(f crash.Frame, callee string) string {
	lines := t.lines
	if isManaged(f.Path) || callee != "" && calls(lines, max(1, f.Line-besideCall), min(len(lines), f.Line+besideCall), f.Line, callee) == 0 {
		return ""
	}
	around, ok := source.FunctionAround(f.Path, lines, f.Line)
	if !ok || isIdle(lines[f.Line-1]) {
		return ""
	}
	name := t.nameOf(around)
	if name == "" {
		return ""
	}
	for _, at := range t.defined(f.Function) {
		if e, ok := source.FunctionAround(f.Path, lines, at); ok && calls(lines, e.Body+1, e.End, at, name) > 0 {
			return name
		}
	}
	return ""
}

// heading returns the lines of a function before its body.
func (t *fileText) heading(e source.Extent) [][]byte {
	return t.lines[e.Start-1 : min(e.Body, len(t.lines))]
}

// nameOf returns the name of a function by its heading, or "".
func (t *fileText) nameOf(e source.Extent) string {
	return source.FunctionName(string(bytes.Join(t.heading(e), []byte(" "))))
}

// siteOfFunction returns the line at which a frame's function calls the next inner frame, else
// the function.
func (t *fileText) siteOfFunction(f crash.Frame, callee, note string) Site {
	lines := t.lines
	at := f.DefinedAt
	if defined := t.defined(f.Function); len(defined) > 0 {
		at = nearest(defined, f.Line)
	}
	s := Site{Note: note, Moved: note != ""}
	if at < 1 || at > len(lines) {
		return s // the file has this function no more
	}
	var ok bool
	if s.Function, ok = source.FunctionAround(f.Path, lines, at); !ok || s.Function.End < at {
		s.Function = source.Extent{Start: at, Body: at, End: min(len(lines), at+plainLines)}
	}
	switch {
	case f.Quote != "" && f.Line < 1:
		s.At = holding(lines, s.Function, f.Quote)
		s.sure = s.At > 0
	case callee != "" && source.IsLisp(f.Path):
		s.At = callsInLisp(lines, s.Function.Body+1, s.Function.End, callee)
		s.sure = s.At > 0
	case callee != "":
		s.At = calls(lines, s.Function.Body+1, s.Function.End, f.Line, callee)
		s.sure = s.At > 0
	}
	return s
}

// holding returns the first line of a function that has a text, behind its heading, or 0.
func holding(lines [][]byte, e source.Extent, text string) int {
	for n := e.Body + 1; n <= min(e.End, len(lines)); n++ {
		if bytes.Contains(lines[n-1], []byte(text)) {
			return n
		}
	}
	return 0
}

// nearest returns the number in a list that is nearest to n, or the first one if n is 0.
func nearest(list []int, n int) int {
	best := list[0]
	for _, at := range list {
		if n > 0 && max(at-n, n-at) < max(best-n, n-best) {
			best = at
		}
	}
	return best
}

// obfuscated matches the names of methods of Minecraft, and of those that override them, in programs for players.
var obfuscated = source.Lazy(`^(?:func_\d+_\w+|m_\d+_)$`)

// numberedLambda matches the name that the compiler of Scala gives to a function without one, of a method that it does not name.
var numberedLambda = source.Lazy(`\.\$anonfun\$\d+$`)

// elsewhere reports whether the line of a frame is certainly outside of the function that the
// frame names.
func (t *fileText) elsewhere(f crash.Frame) bool {
	lines := t.lines
	name := symbol.Last(f.Function)
	switch ext := path.Ext(f.Path); {
	case name == "", ext == ".java" && obfuscated().MatchString(name), ext == ".scala" && numberedLambda().MatchString(f.Function):
		return false
	}
	around, ok := source.FunctionAround(f.Path, lines, f.Line)
	if ok && mentions(t.heading(around), name) {
		return false
	}
	defined := t.defined(f.Function)
	if len(defined) > maxDefined {
		return false
	}
	if len(defined) == 0 && !ok {
		return t.lacksMethod(name)
	}
	if len(defined) == 0 && ok && source.IsIdentByte(name[0]) {
		// The file has this function no more, unless a macro makes it.
		there := t.nameOf(around)
		return there != "" && there != strings.ToUpper(there) && !strings.Contains(name, there) && !mentions(lines, name)
	}
	for _, at := range defined {
		e, ok := source.FunctionAround(f.Path, lines, at)
		if !ok && at <= f.Line && f.Line < at+aroundCall || ok && e.Start <= f.Line && f.Line <= e.End {
			return false
		}
	}
	return len(defined) > 0
}

// lacksMethod reports whether a class of Java certainly has no method of a name. A method that the
// compiler or Lombok made is at the line of its class, and in no text.
func (t *fileText) lacksMethod(name string) bool {
	switch name {
	case "values", "valueOf", "equals", "hashCode", "toString":
		return false
	}
	letter := source.IsIdentByte(name[0]) && !source.IsDigit(name[0])
	return letter && path.Ext(t.path) == ".java" && !mentions(t.lines, name) && !mentions(t.lines, "lombok")
}

func mentions(lines [][]byte, name string) bool {
	for _, l := range lines {
		if found, _ := wordIn(l, name); found {
			return true
		}
	}
	return false
}

// accessor begins the names of methods that a compiler makes for the private members of another class. Their line is that of the class.
const accessor = "access$"

// isAccessor reports whether a function is such a method.
func isAccessor(function string) bool { return strings.Contains(function, "."+accessor) }

// inHeading reports whether the line of a frame is certainly in the heading of a method of Java, where nothing is executed. A constructor
// begins with what its heading has no words for.
func (t *fileText) inHeading(f crash.Frame) bool {
	line := t.lines[f.Line-1]
	if path.Ext(t.path) != ".java" || strings.Contains(f.Function, "<") || bytes.ContainsAny(line, ";=") || bytes.Contains(line, []byte("->")) {
		return false
	}
	e, ok := source.FunctionAround(f.Path, t.lines, f.Line)
	return ok && e.Start < f.Line && f.Line <= e.Body && e.Body < e.End
}

// classLine matches the heading of a class in Java, Kotlin or Scala.
var classLine = source.Lazy(`^\s*(?:[\w@]+(?:\([^()]*\))?\s+)*(?:class|interface|enum|record|object)\s+\w`)

// isBridge reports whether a frame is in a method that the compiler made to call the one of the same name, the next inner frame, with the
// types of a class's parameters. It is at the line of the class.
func (t *fileText) isBridge(report *crash.Report, ref crash.FrameRef, f crash.Frame) bool {
	if ref.Frame == 0 || f.Line > len(t.lines) || report.Stacks[ref.Stack].Frames[ref.Frame-1].Function != f.Function {
		return false
	}
	switch path.Ext(t.path) {
	case ".java", ".kt", ".scala":
		return classLine().Match(t.lines[f.Line-1])
	}
	return false
}

// Callee returns the name under which a frame calls the next inner frame of its stack, or "" if
// the source has no such name.
func Callee(report *crash.Report, ref crash.FrameRef) string {
	if ref.Frame == 0 || report.At(ref).Assertion {
		return ""
	}
	inner := report.Stacks[ref.Stack].Frames[ref.Frame-1]
	if inner.Assertion || inner.Function == "panic" && atRunTime(report) {
		return ""
	}
	if report.Stacks[ref.Stack].Format == elisp {
		return inner.Function
	}
	whole := strings.TrimSuffix(inner.Function, ".<init>") // the source of "p.Type.<init>" is "new Type("
	name := whole[strings.LastIndexByte(whole, '.')+1:]
	if rest, found := strings.CutPrefix(name, accessor); found && !source.IsDigit((rest + "0")[0]) {
		name = rest // of Kotlin
	} else {
		name = symbol.Last(whole)
	}
	for i := range len(name) {
		if !source.IsIdentByte(name[i]) {
			return ""
		}
	}
	return name
}

// property returns the name of the property of Kotlin whose accessor has a name, if the file has that property and not the accessor:
// "module" calls getModule, "module = m" setModule. Other names are as they were.
func (t *fileText) property(callee string) string {
	rest, get := strings.CutPrefix(callee, "get")
	if !get {
		rest, get = strings.CutPrefix(callee, "set")
	}
	if !get || rest == "" || rest[0] < 'A' || 'Z' < rest[0] || path.Ext(t.path) != ".kt" || mentions(t.lines, callee) {
		return callee
	}
	if name := strings.ToLower(rest[:1]) + rest[1:]; mentions(t.lines, name) {
		return name
	}
	return callee
}

// atRunTime reports whether Go's runtime panicked, for an index, a pointer or a division: then no line
// of the source calls panic.
func atRunTime(report *crash.Report) bool {
	return slices.ContainsFunc(report.Problems, func(p crash.Problem) bool {
		return strings.HasPrefix(p.Message, "runtime error: ")
	})
}

// calls returns the line from first to last that is nearest to near and contains name as a whole
// word, preferably as a call; 0 if there is none.
func calls(lines [][]byte, first, last, near int, name string) int {
	best, isCall := 0, false
	if name == "" {
		return 0
	}
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		found, call := wordIn(lines[n-1], name)
		if !found || isCall && !call {
			continue
		}
		closer := max(n-near, near-n) < max(best-near, near-best)
		if best == 0 || call && !isCall || near > 0 && closer {
			best, isCall = n, call
		}
	}
	return best
}

// endsCall reports whether the arguments of a call of a name, which begins in line first, end in line last: old compilers
// of Go say that the call is there.
func endsCall(lines [][]byte, first, last int, name string) bool {
	_, rest, found := bytes.Cut(lines[first-1], []byte(name))
	depth := 0
	for n := first; found && n <= last; n++ {
		if n > first {
			rest = lines[n-1]
		}
		depth += bytes.Count(rest, []byte("(")) - bytes.Count(rest, []byte(")"))
		if depth <= 0 {
			return n == last
		}
	}
	return false
}

// callsValue reports whether a line calls what an expression gives, as "handlers[method](uri)" does: the
// name of the function need not be on it.
func callsValue(line []byte) bool {
	return bytes.Contains(line, []byte("](")) || bytes.Contains(line, []byte(")("))
}

// wordIn reports whether a line contains a name as a whole word, and whether a parenthesis
// follows.
func wordIn(line []byte, name string) (found, call bool) {
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(name))
		if i < 0 {
			return found, false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !source.IsIdentByte(line[i-1])) && (end == len(line) || !source.IsIdentByte(line[end])) {
			found = true
			if rest := bytes.TrimLeft(line[end:], " \t"); len(rest) > 0 && rest[0] == '(' {
				return true, true
			}
		}
		from = end
	}
}
