package format

import (
	"cmp"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// numberedReader reads the frames that begin with "#N": frames of sanitizers, gdb, lldb,
// coredumpctl, FreeBSD's kernel and PHP. The formats of the tools read the headings of stacks;
// without a heading, "#0" begins a stack.
//
// gdb and mailers wrap frames within their arguments. A frame without a place is held back until
// the next lines show whether they continue it.
type numberedReader struct {
	held    string     // the frame that is held back
	at      reportLine // its first line
	blank   bool       // a blank line was inside it
	index   int        // of the last frame
	address string     // of the last frame
	unnamed bool       // the stack is a sanitizer's without a heading
}

const (
	maxWrapped = 12 // lines of one frame
	// Locals of "bt full" stand between frames: a frame with the next number belongs to the same
	// stack within this many lines.
	maxFullLocals = 400
)

var (
	hashFrame   = source.Lazy(`^[*>-]{0,2} ?(?:frame )?#(\d{1,4})(?:[: \t]+(.*))?$`)
	hashAddress = source.Lazy(`^(?:pc |- )?(0x[0-9a-fA-F]+\b|0x\?+|[0-9a-f]{8,16}\b)(?: - |[: ]*)`)
	linkedFrame = source.Lazy(`^(?:[\w./-]{1,60}|.{1,200} = )#(\d{1,4})[ \t]+(.*)$`)
	wholePlace  = source.Lazy(`^(?:\(?[^\s:()]*[^\s:()/]\.\w{1,5}:\d+(?::\d+)?\)?|\([^()\s]+\+0x[0-9a-f]+\)(?: \(BuildId: \w+\))?)$`)
	brokenPath  = source.Lazy(`(?:^| )\S*/[^\s:)]*$`)
	placeAt     = source.Lazy(`^(.*?)(?:^|\s+)at ([^\s()]+?):(\d+)(?::(\d+))?$`)
	placeAtFile = source.Lazy(`^(.*?\S)\s+at (\S+\.\w+)$`)
	placeFrom   = source.Lazy(`^(.*?\S)\s+from (\S+)$`)
	placeInside = source.Lazy(`^(.*?)\s*\(([^\s():]+\.\w{1,5}):(\d+)(?::(\d+))?\)$`)
	placeModule = source.Lazy(`^(.*?)\s*\((\S[^()]*?)(?: ?\+ ?0x[0-9a-fA-F]+)?\)(?: \(BuildId: \w+\))?$`)
	placeEnd    = source.Lazy(`^(?:(.*\S)\s+)?(\S*?[\w)\]>]):(\d+)(?::(\d+))?(?: \(.*\))?$`)
	// The beginning of an absolute path behind a function, whose folders have blanks in their names.
	blankPath  = source.Lazy(`\s(?:[A-Za-z]:[\\/]|/)[^\s:()<>,"][^:()<>,"]*$`)
	rooted     = source.Lazy(`^(?:[A-Za-z]:[\\/]|/)`)
	offsetEnd  = source.Lazy(`^(.*?)\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?$`)
	lldbModule = source.Lazy("^([^`\\s]+)`(.*)$")
	lldbOffset = source.Lazy(` \+ \d+$`) // of a function without lines
	nullInArgs = source.Lazy(`(\w+)(?:=\w+@entry)?=0x0[,)]`)
	// ThreadSanitizer prints Java frames with a type descriptor.
	jvmFrame   = source.Lazy(`^((?:[\w$]+\.)+[\w$<>]+)\([\w/$;\[]*\)[\w/$;\[]+ \(?([\w$]+\.(?:java|kt|scala)):(\d+)\)?`)
	sourceName = source.Lazy(`\.\w{1,5}$`)
)

// Lists of issues and of changes have lines such as "#295 Allow RPC ID". These signs prove a
// frame: an address, "in" before a function, a place, a module with an offset, a single word,
// alone or with arguments, or a debugger's substitute for a function.
var (
	frameSign = source.Lazy(
		`^(?:(?:pc |- )?(?:0x[0-9a-fA-F]+|0x\?+|[0-9a-f]{8,16})\b|in \S|[<{?/]|\S+` + "`" + `\S|operator\b[^(]*\(|[\w:~$.@]+(?:<.*>)?(?: ?\(|$))|\bat \S+(?::\d+|\.\w+$)|\bfrom \S*[./]\S*$|\.\w{1,5}:\d+|\+0x[0-9a-f]`,
	)
	changeTitle = source.Lazy(`^\w+\([^()]*\)!?: `)
)

// evident reports whether the text after a number proves a frame.
func evident(text string) bool {
	return frameSign().MatchString(text) && !changeTitle().MatchString(text)
}

// numbered are the formats with frames that numberedReader reads.
var numbered = map[string]bool{"gdb": true, "sanitizer": true, "coredump": true, "tombstone": true, "php": true}

// Read implements lineReader.
func (h *numberedReader) Read(s *scanner, l reportLine) bool {
	var m []string
	if strings.IndexByte(l.Text, '#') >= 0 {
		if m = hashFrame().FindStringSubmatch(l.Text); m == nil {
			m = h.issueLink(s, l)
		}
	}
	if m == nil {
		return h.goesOn(s, l)
	}
	index := atoi(m[1])
	frames := splitFrames(strings.TrimSpace(m[2]), index)
	if frames[0] == "" && index == 0 && s.Since(l) > maxFullLocals {
		h.Flush(s)
		return false // "#0" alone proves nothing
	}
	if index > 0 && !h.follows(s, l, index) && !evident(frames[0]) {
		return h.goesOn(s, l) // the number belongs to an issue
	}
	for i, text := range frames {
		h.begin(s, l, index+i, text)
	}
	return true
}

// follows reports whether a frame of this index is expected: it is the first one below a heading,
// or its number is the next one.
func (h *numberedReader) follows(s *scanner, l reportLine, index int) bool {
	if s.Open == nil || !numbered[s.Open.Format] {
		return false
	}
	return len(s.Open.Frames) == 0 && h.held == "" || index == h.index+1 && s.Since(l) <= maxFullLocals
}

// begin holds a frame back until its place is known.
func (h *numberedReader) begin(s *scanner, l reportLine, index int, text string) {
	h.Flush(s)
	h.place(s, l, index)
	h.at, h.held, h.blank = l, cmp.Or(text, " "), false
	s.Hold(h)
	if complete(text) {
		h.Flush(s)
	}
}

// splitFrames separates a frame from the frames after it in the same line, as in a page that has
// lost its line ends.
func splitFrames(text string, index int) []string {
	var frames []string
	for {
		index++
		number := " #" + strconv.Itoa(index)
		i := strings.Index(text, number+" ")
		if i < 0 {
			return append(frames, text)
		}
		frames = append(frames, strings.TrimSpace(text[:i]))
		text = strings.TrimSpace(text[i+len(number):])
	}
}

// issueLink reads a frame in the middle of its line: a forge took its number for an issue's and
// put the name of a repository before it, or gdb failed to print a local variable.
func (h *numberedReader) issueLink(s *scanner, l reportLine) []string {
	if strings.IndexByte(l.Text, '#') <= 0 || s.Open == nil || !numbered[s.Open.Format] {
		return nil
	}
	m := linkedFrame().FindStringSubmatch(l.Text)
	if m == nil || atoi(m[1]) != h.index+1 {
		return nil
	}
	return m
}

// place opens the stack for a frame of this index.
func (h *numberedReader) place(s *scanner, l reportLine, index int) {
	begun := s.Open != nil && numbered[s.Open.Format]
	fresh := begun && (len(s.Open.Frames) == 0 || index == 0 && s.IsOpen("php") && len(s.Open.Frames) == 1)
	goesOn := begun && index > h.index && s.Since(l) <= maxFullLocals
	h.index = index
	if fresh || goesOn {
		return
	}
	h.address, h.unnamed = "", begun && s.Open.Format == "sanitizer" || s.LastFormat() == "sanitizer" && s.Since(l) < 12
	format := "gdb"
	if h.unnamed {
		format = "sanitizer"
	}
	s.Begin(crash.Stack{Kind: crash.StackCrash, Format: format})
}

// named returns the kind of a sanitizer's stack without a heading, judging by its innermost
// function.
func named(function string) crash.StackKind {
	name := strings.TrimPrefix(strings.TrimPrefix(function, "__interceptor_"), "___interceptor_")
	switch {
	case strings.HasSuffix(name, "pthread_create"):
		return crash.StackCreated
	case name == "free" || strings.HasPrefix(name, "operator delete"):
		return crash.StackFree
	case name == "malloc" || name == "calloc" || name == "realloc" || name == "strdup" || strings.HasPrefix(name, "operator new"):
		return crash.StackAlloc
	}
	return crash.StackCrash
}

// goesOn reports whether a line continues the held frame.
func (h *numberedReader) goesOn(s *scanner, l reportLine) bool {
	if h.held == "" {
		return false
	}
	if l.Text == "" && h.opened() && !h.blank {
		h.blank = true // copying from a browser can insert a blank line
		return false
	}
	text := strings.TrimLeft(l.Text, "# ")
	space, ok := h.continues(text)
	if !ok || l.N-h.at.N > maxWrapped {
		h.Flush(s)
		return false
	}
	h.held = cut(h.held+space+text, maxLine)
	if complete(h.held) {
		h.Flush(s)
	}
	return true
}

// opened reports whether the held frame has unclosed arguments.
func (h *numberedReader) opened() bool {
	return strings.Count(h.held, "(") > strings.Count(h.held, ")")
}

// continues reports whether text continues the held frame: its arguments are not closed, or the
// text is its missing part. It returns the space between the two before the line was wrapped.
func (h *numberedReader) continues(text string) (space string, ok bool) {
	path := strings.HasPrefix(text, "/") || strings.HasSuffix(h.held, "/")
	switch {
	case text == "":
		return "", false
	case strings.HasPrefix(text, "at "), strings.HasPrefix(text, "from "), strings.HasPrefix(text, "in "):
		return " ", true
	case path && brokenPath().MatchString(h.held) && wholePlace().MatchString(text):
		return "", true
	case wholePlace().MatchString(text), text[0] == '(' && !strings.Contains(h.held, "("):
		return " ", true
	case h.blank:
		return "", false
	case strings.HasSuffix(h.held, " at"), strings.HasSuffix(h.held, " in"), strings.HasSuffix(h.held, " from"):
		return " ", true
	}
	return " ", h.opened()
}

// complete reports whether a frame has its place, so that no text can continue it.
func complete(rest string) bool {
	return placeAt().MatchString(rest) || placeFrom().MatchString(rest) ||
		placeEnd().MatchString(rest) || strings.HasPrefix(rest, "<signal handler")
}

// Flush adds the held frame.
func (h *numberedReader) Flush(s *scanner) {
	if h.held == "" {
		return
	}
	text := strings.TrimSpace(h.held)
	l := h.at
	h.held = ""
	if s.Open == nil || addPHP(s, l, text) {
		return
	}
	if len(s.Open.Frames) == maxFrames {
		s.Add(l, crash.Frame{}) // the frame is only counted
		return
	}
	f, address := nativeFrame(text)
	f.Raw = "#" + strconv.Itoa(h.index) + " " + text
	n := len(s.Open.Frames)
	switch {
	case s.Open.Format == "gdb":
		// gdb prints no address for a frame at the beginning of a line of its caller: for the
		// innermost frame and for inlined functions.
		f.Inline = address == "" && h.index > 0 && f.File != "" && h.address != ""
	case n > 0 && address != "" && address == h.address:
		// Frames with one address are one call: the earlier ones are inline.
		s.Open.Frames[n-1].Inline = true
	}
	if address != "" {
		h.address = address
	}
	if h.unnamed && n == 0 && s.Open.Problem >= 0 {
		s.Open.Kind = named(f.Function)
	}
	s.Add(l, f)
}

// nativeFrame reads the text after the number of a frame.
func nativeFrame(text string) (f crash.Frame, address string) {
	rest := text
	if m := hashAddress().FindStringSubmatchIndex(rest); m != nil {
		address, rest = rest[m[2]:m[3]], rest[m[1]:]
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "in "), "?? ")
	if m := jvmFrame().FindStringSubmatch(rest); m != nil {
		return javaFrameOf("", m[1], []string{"", "", m[2], m[3]}, ""), address
	}
	if m := lldbModule().FindStringSubmatch(rest); m != nil {
		f.Module, rest = m[1], lldbOffset().ReplaceAllString(m[2], "")
	}
	name := readPlace(&f, rest)
	if f.File == "<null>" {
		f.File, f.Line, f.Column = "", 0, 0
	}
	name = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(name, "<null>"), "<null> "))
	if m := nullInArgs().FindStringSubmatch(name); m != nil {
		f.NullArgument = m[1]
	}
	name = strings.TrimSuffix(name, " at")
	if strings.TrimPrefix(name, "?? ") == "()" {
		name = "" // gdb knows no function
	}
	if i := strings.Index(name, " ("); i > 0 && strings.Count(name, "(") > strings.Count(name, ")") {
		name = name[:i] // the arguments were cut off
	}
	f.Symbol, f.Function = symbolOf(name)
	return f, address
}

// readPlace reads the place at the end of a frame into f. It returns the text before it, the
// function with its arguments.
func readPlace(f *crash.Frame, rest string) (name string) {
	if m := placeAt().FindStringSubmatch(rest); m != nil {
		f.File, f.Line, f.Column = m[2], atoi(m[3]), atoi(m[4])
		return m[1]
	}
	if m := placeFrom().FindStringSubmatch(rest); m != nil {
		f.Module = m[2]
		return m[1]
	}
	if m := placeAtFile().FindStringSubmatch(rest); m != nil {
		f.File = m[2]
		return m[1]
	}
	if m := placeEnd().FindStringSubmatch(rest); m != nil {
		f.File, f.Line, f.Column = m[2], atoi(m[3]), atoi(m[4])
		name = m[1]
		if i := blankPath().FindStringIndex(name); i != nil && !rooted().MatchString(m[2]) {
			end := strings.LastIndex(rest, m[2]+":"+m[3]) + len(m[2])
			f.File = strings.TrimSpace(rest[i[0]:end])
			name = strings.TrimSuffix(name[:i[0]], " at")
		}
		return name
	}
	if m := placeInside().FindStringSubmatch(rest); m != nil {
		f.File, f.Line, f.Column = m[2], atoi(m[3]), atoi(m[4])
		return m[1]
	}
	if m := placeModule().FindStringSubmatch(rest); m != nil && (looksLikeModule(m[2]) || strings.Contains(rest[len(m[1]):], " + 0x")) {
		placeInModule(f, m[2], rest[len(m[1]):])
		return m[1]
	}
	if m := offsetEnd().FindStringSubmatch(rest); m != nil {
		return m[1]
	}
	if i := strings.LastIndexByte(rest, ' '); i > 0 && strings.HasSuffix(rest, ".o") {
		f.Module = rest[i+1:]
		return rest[:i]
	}
	if i := strings.LastIndexByte(rest, ' '); i > 0 && strings.Contains(rest[i:], "/") && sourceName().MatchString(rest) {
		f.File = rest[i+1:] // a file without a line
		return rest[:i]
	}
	return rest
}

// looksLikeModule distinguishes "(libc.so.6)" and "(/usr/bin/x)" from arguments, which a
// symbolizer may print without a place.
func looksLikeModule(s string) bool {
	return strings.HasPrefix(s, "/") || strings.Contains(s, ".so") || strings.HasPrefix(s, "<unknown module>") ||
		(!strings.ContainsAny(s, " ,*&=") && strings.ContainsAny(s, "/.-")) || strings.Contains(s, "+0x")
}
