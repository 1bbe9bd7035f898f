package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

var (
	kernelMark   = source.Lazy(`^(?:</?#?[A-Z]{2,8}\d?>\s*)+`)
	kernelAddr   = source.Lazy(`^\(?\[<?(?:[0-9a-f.]{3,16}|\s*inlined?\s*)>?\]\)?\s*`)
	kernelName   = source.Lazy(`^[A-Za-z_.$][\w.$:@/#-]*(?:\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?)?$`)
	kernelOffset = source.Lazy(`\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?$`)
	kernelSource = source.Lazy(`^([^\s:()]+\.\w{1,3}):(\d+)(?::\d+)?$`)
	armFrom      = source.Lazy(
		`^(?:\[<[0-9a-f.]+>\] )?\(?([\w.$]+)(?: \[\w+\])?\)? from (?:\[<[0-9a-f.]+>\] )?\(?([\w.$]+)\+0x[0-9a-f]+/0x[0-9a-f]+(?: \[(\w+)\])?\)?`,
	)
	kernelRegs = source.Lazy(
		`^(?:(?:RIP|EIP|IP):\s+(?:([0-9a-f]{4}):)?(?:\[<[0-9a-f.]*>\]\s*){0,2}|(?:pc|PC|epc) ?:\s+(?:\[<[0-9a-f]+>\]\s*|[0-9a-f]{8,16}\s+)?|(?:PC|LR) is at |(?:NIP|LR) \[[0-9a-f]+\] )(\S.*)$`,
	)
	bareName = source.Lazy(`^[A-Za-z_][\w.]*$`)
)

// registers reads a line that shows where the instruction pointer was.
func (k *kernelReader) registers(s *scanner, l reportLine) bool {
	switch l.Text[0] {
	case 'R', 'E', 'I', 'p', 'P', 'e', 'N', 'L':
	default:
		return false
	}
	m := kernelRegs().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] == "0033" || m[1] == "0023" || m[1] == "002b" {
		k.trace = false // the process, from where the kernel was called
		return true
	}
	f, _, ok := kernelFrame(m[2], true)
	if !ok || k.done {
		return k.last > 0
	}
	if strings.HasPrefix(l.Text, "LR ") {
		k.unsure = append(k.unsure, heldFrame{l, f}) // the caller, if the trace lacks it
		return true
	}
	if !s.IsOpen("kernel") || s.Open.Kind != crash.StackCrash && len(s.Open.Frames) == 0 {
		k.begin(s, crash.StackCrash, "")
	}
	if len(s.Open.Frames) == k.fromRegs {
		k.fromRegs++
	}
	s.Add(l, f)
	return true
}

// frames reads a line of a call trace. A line without an offset is a frame only within a trace.
func (k *kernelReader) frames(s *scanner, l reportLine) bool {
	inside := k.near(l) && s.IsOpen("kernel")
	sure := strings.Contains(l.Text, "+0x")
	if !sure && !inside {
		return false
	}
	if sure && strings.Contains(l.Text, " from ") {
		if m := armFrom().FindStringSubmatch(l.Text); m != nil {
			k.armFrames(s, l, m)
			return true
		}
	}
	text := l.Text
	if m := kernelMark().FindString(text); m != "" {
		if text = text[len(m):]; text == "" {
			return inside
		}
	}
	unsure := false
	f, inner, ok := kernelFrame(text, inside)
	if ok {
		unsure = f.Raw == "?"
		f.Raw = ""
	} else if k.trace && inside && bareName().MatchString(text) {
		f.Function, ok = text, true
	}
	if !ok || !inside && !k.plausible(l) {
		return false
	}
	k.add(s, l, f, inner, unsure)
	return true
}

// plausible reports whether a frame outside of a report is one of the kernel: its offset is
// followed by the function's size.
func (k *kernelReader) plausible(l reportLine) bool {
	i := strings.Index(l.Text, "+0x")
	if i < 0 {
		return false
	}
	_, rest, ok := strings.Cut(l.Text[i:], "/0x")
	return ok && rest != "" && hexDigits(rest) > 0
}

// add adds a frame, and the places of functions inlined into it.
func (k *kernelReader) add(s *scanner, l reportLine, f crash.Frame, inner []crash.Frame, unsure bool) {
	if !s.IsOpen("kernel") {
		k.begin(s, crash.StackCrash, "")
	}
	k.last = l.N
	if unsure {
		if len(k.unsure) < maxUnsure && len(s.Open.Frames) <= k.fromRegs {
			k.unsure = append(k.unsure, heldFrame{l, f})
		}
		return
	}
	k.trace = true
	n := len(s.Open.Frames)
	if n > 0 && n == k.fromRegs && s.Open.Frames[n-1].Function == f.Function {
		k.fromRegs = -1 // the trace begins with the function from the register
		return
	}
	for _, i := range inner {
		s.Add(l, i)
	}
	s.Add(l, f)
}

// armFrames reads "(f) from [<c0>] (g+0x8/0x20)": f was called from g.
func (k *kernelReader) armFrames(s *scanner, l reportLine, m []string) {
	var first, second crash.Frame
	first.Symbol, first.Function = symbolOf(m[1])
	second.Symbol, second.Function = symbolOf(m[2])
	second.Module = m[3]
	if !s.IsOpen("kernel") || len(s.Open.Frames) <= max(k.fromRegs, 0) {
		k.add(s, l, first, nil, false)
	}
	k.add(s, l, second, nil, false)
}

// kernelFrame reads the text of a frame:
//
//	[<ffffffff81012345>] ? fn+0x3e6/0x580 [module] kernel/workqueue.c:3276 [inline]
//	fn (kernel/workqueue.c:3276 include/linux/list.h:12) module
//	[<ffff82d040203f9c>] R common/ubsan/ubsan.c#ubsan_epilogue+0xa/0xd5
//
// Raw is "?" if the kernel was not sure of the frame. inner are the places of inlined functions.
// A name needs an offset; if loose is true, a place is enough.
func kernelFrame(text string, loose bool) (f crash.Frame, inner []crash.Frame, ok bool) {
	rest, bracket := text, false
	for range 3 {
		m := kernelAddr().FindString(rest)
		if m == "" {
			break
		}
		bracket = true
		f.Inline = f.Inline || strings.Contains(m, "inline")
		rest = rest[len(m):]
	}
	if bracket && len(rest) > 2 && rest[1] == ' ' && strings.IndexByte("RFSE", rest[0]) >= 0 {
		rest = rest[2:] // Xen's mark for how it found the frame
	}
	if t, unsure := strings.CutPrefix(rest, "? "); unsure {
		f.Raw, rest = "?", strings.TrimSpace(t)
	}
	name, tail, _ := strings.Cut(rest, " ")
	name = strings.TrimSuffix(strings.TrimSuffix(name, ","), ")")
	if !kernelName().MatchString(name) {
		return f, nil, false
	}
	offset := kernelOffset().MatchString(name)
	inner = kernelPlace(&f, strings.TrimSpace(tail), &name)
	if !offset && !(loose && f.File != "") {
		return f, nil, false
	}
	if file, fn, ok := strings.Cut(name, "#"); ok {
		name = fn
		if f.File == "" {
			f.File = file
		}
	}
	f.Symbol, f.Function = symbolOf(name)
	if f.Function == kernelOffset().ReplaceAllString(f.Symbol, "") {
		f.Symbol = ""
	}
	return f, inner, f.Function != ""
}

// kernelPlace reads the text after the name of a frame into f. It returns the places of inlined
// functions, innermost first.
func kernelPlace(f *crash.Frame, tail string, name *string) (inner []crash.Frame) {
	if strings.HasPrefix(tail, "(") && strings.Contains(tail, ":") {
		return scriptPlaces(f, tail)
	}
	for _, w := range strings.Fields(tail) {
		switch m := kernelSource().FindStringSubmatch(w); {
		case m != nil:
			f.File, f.Line = m[1], atoi(m[2])
		case w == "[inline]":
			f.Inline = true
		case strings.HasPrefix(w, "[") && strings.HasSuffix(w, "]") && f.Module == "":
			f.Module = strings.Trim(w, "[]")
		case f.Inline && f.File == "" && bareName().MatchString(w):
			*name = w // the inlined function follows the outer one
		}
	}
	return nil
}

// scriptPlaces reads "(a.c:12 b.h:3 (discriminator 2)) module" from the kernel's decoding script:
// the innermost place comes first, the function's own place last.
func scriptPlaces(f *crash.Frame, tail string) (inner []crash.Frame) {
	end := strings.LastIndexByte(tail, ')')
	if end > 0 {
		f.Module = strings.Trim(strings.TrimSpace(tail[end+1:]), "[]")
		tail = tail[1:end]
	}
	var places []crash.Frame
	for _, w := range strings.Fields(tail) {
		if m := kernelSource().FindStringSubmatch(strings.Trim(w, "()")); m != nil && len(places) < 16 {
			places = append(places, crash.Frame{File: m[1], Line: atoi(m[2]), Inline: true})
		}
	}
	if len(places) == 0 {
		return nil
	}
	last := len(places) - 1
	f.File, f.Line = places[last].File, places[last].Line
	return places[:last]
}
