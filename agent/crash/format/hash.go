package format

import (
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// hashFrames reads the frames that begin with "#N": those of sanitizers, gdb,
// lldb, coredumpctl, FreeBSD's kernel and PHP. What introduces a stack is read by
// the formats of the tools; without that, "#0" begins one.
//
// gdb wraps frames within their arguments, and so do mailers. A frame without a
// place is held back until the lines that may continue it are known.
type hashFrames struct {
	held    []string // the parts of the frame that is held back
	at      line     // its first line
	index   int      // of the last frame
	address string   // of the last frame
}

const (
	maxWrapped = 12 // lines of one frame
	// Locals of "bt full" stand between frames: a frame whose number goes on
	// belongs to the same stack within this many lines.
	maxFullLocals = 400
)

var (
	hashFrame   = source.Lazy(`^[*>-]{0,2} ?(?:frame )?#(\d{1,4})(?:[: \t]+(.*))?$`)
	hashAddress = source.Lazy(`^(?:pc )?(0x[0-9a-fA-F]+|[0-9a-f]{8,16})\b[: ]*`)
	placeAt     = source.Lazy(`^(.*?)(?:^|\s+)at ([^\s()]+?):(\d+)(?::(\d+))?$`)
	placeAtFile = source.Lazy(`^(.*?\S)\s+at (\S+\.\w+)$`)
	placeFrom   = source.Lazy(`^(.*?\S)\s+from (\S+)$`)
	placeModule = source.Lazy(`^(.*?)\s*\((\S[^()]*?)(?: ?\+ ?0x[0-9a-fA-F]+)?\)(?: \(BuildId: \w+\))?$`)
	placeEnd    = source.Lazy(`^(?:(.*\S)\s+)?(\S*?[\w)\]>]):(\d+)(?::(\d+))?(?: \(.*\))?$`)
	offsetEnd   = source.Lazy(`^(.*?)\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?$`)
	lldbModule  = source.Lazy("^([^`\\s]+)`(.*)$")
	nullInArgs  = source.Lazy(`(\w+)(?:=\w+@entry)?=0x0[,)]`)
	sourceName  = source.Lazy(`\.\w{1,5}$`)
)

// numbered are the formats whose frames hashFrames reads.
var numbered = map[string]bool{"gdb": true, "sanitizer": true, "coredump": true, "tombstone": true, "php": true}

func (h *hashFrames) read(s *scanner, l line) bool {
	m := hashFrame().FindStringSubmatch(l.text)
	if m == nil {
		return h.goesOn(s, l)
	}
	h.flush(s)
	index, _ := strconv.Atoi(m[1])
	rest := strings.TrimSpace(m[2])
	if rest == "" && index == 0 && s.since(l) > maxFullLocals {
		return false // "#0" alone says nothing
	}
	h.place(s, l, index)
	h.at, h.held = l, []string{rest}
	s.hold(h)
	if complete(rest) {
		h.flush(s)
	}
	return true
}

// place makes the stack ready that a frame of this index belongs to.
func (h *hashFrames) place(s *scanner, l line, index int) {
	begun := s.open != nil && numbered[s.open.Format]
	fresh := begun && len(s.open.Frames) == 0
	goesOn := begun && index > h.index && s.since(l) <= maxFullLocals
	h.index = index
	if fresh || goesOn {
		return
	}
	h.address = ""
	s.begin(crash.Stack{Kind: crash.StackCrash, Format: "gdb"})
}

// goesOn reports whether a line continues the frame that is held back.
func (h *hashFrames) goesOn(s *scanner, l line) bool {
	if h.held == nil {
		return false
	}
	if l.text == "" || len(h.held) == maxWrapped || !h.continues(l.text) {
		h.flush(s)
		return false
	}
	h.held = append(h.held, l.text)
	if complete(strings.Join(h.held, " ")) {
		h.flush(s)
	}
	return true
}

// continues reports whether text goes on with the frame that is held back: its
// arguments are not closed, or the text is the place that it lacks.
func (h *hashFrames) continues(text string) bool {
	frame := strings.Join(h.held, " ")
	if strings.HasPrefix(text, "at ") || strings.HasPrefix(text, "from ") || strings.HasPrefix(text, "in ") {
		return true
	}
	if len(frame) > 0 && (strings.HasSuffix(frame, " at") || strings.HasSuffix(frame, " in") || strings.HasSuffix(frame, " from")) {
		return true
	}
	return strings.Count(frame, "(") > strings.Count(frame, ")")
}

// complete reports whether a frame has its place, so that nothing continues it.
func complete(rest string) bool {
	return placeAt().MatchString(rest) || placeFrom().MatchString(rest) ||
		placeEnd().MatchString(rest) || strings.HasPrefix(rest, "<signal handler")
}

// flush adds the frame that is held back.
func (h *hashFrames) flush(s *scanner) {
	if h.held == nil {
		return
	}
	text := strings.Join(h.held, " ")
	l := h.at
	h.held = nil
	if s.open == nil || addPHP(s, l, text) {
		return
	}
	f, address := nativeFrame(text)
	f.Raw = "#" + strconv.Itoa(h.index) + " " + text
	n := len(s.open.Frames)
	switch {
	case s.open.Format == "gdb":
		// gdb prints no address for a frame that begins a line of its caller, which
		// is so for the innermost frame and for functions that were put inline.
		f.Inline = address == "" && h.index > 0 && f.File != "" && h.address != ""
	case n > 0 && address != "" && address == h.address:
		// The frames of one address are one call: the earlier are inline.
		s.open.Frames[n-1].Inline = true
	}
	if address != "" {
		h.address = address
	}
	s.add(l, f)
}

// nativeFrame reads what follows the number of a frame.
func nativeFrame(text string) (f crash.Frame, address string) {
	rest := text
	if m := hashAddress().FindStringSubmatchIndex(rest); m != nil {
		address, rest = rest[m[2]:m[3]], rest[m[1]:]
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "in "), "?? ")
	if m := lldbModule().FindStringSubmatch(rest); m != nil {
		f.Module, rest = m[1], m[2]
	}
	name := readPlace(&f, rest)
	if m := nullInArgs().FindStringSubmatch(name); m != nil {
		f.NullArgument = m[1]
	}
	f.Symbol, f.Function = symbolOf(name)
	return f, address
}

// readPlace reads the place at the end of a frame into f and returns what is
// before it, the function with its arguments.
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
		return m[1]
	}
	if m := placeModule().FindStringSubmatch(rest); m != nil && looksLikeModule(m[2]) {
		f.Module = m[2]
		return m[1]
	}
	if m := offsetEnd().FindStringSubmatch(rest); m != nil {
		return m[1]
	}
	if i := strings.LastIndexByte(rest, ' '); i > 0 && strings.Contains(rest[i:], "/") && sourceName().MatchString(rest) {
		f.File = rest[i+1:] // a file without a line
		return rest[:i]
	}
	return rest
}

// looksLikeModule tells "(libc.so.6)" and "(/usr/bin/x)" from arguments, which a
// symbolizer may print without a place.
func looksLikeModule(s string) bool {
	return strings.HasPrefix(s, "/") || strings.Contains(s, ".so") || strings.HasPrefix(s, "<unknown module>") ||
		(!strings.ContainsAny(s, " ,*&=") && strings.ContainsAny(s, "/.-")) || strings.Contains(s, "+0x")
}

// symbolOf returns the symbol of a report where it says more than the
// function's name, and that name.
func symbolOf(name string) (symbol, function string) {
	name = strings.TrimSpace(name)
	function = functionName(name)
	if name != function && name != "??" {
		symbol = name
	}
	return symbol, function
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 1<<30 {
		return 0
	}
	return n
}
