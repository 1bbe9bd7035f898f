package hana

import (
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

const (
	maxFrames = 512  // of a stack
	maxRaw    = 400  // bytes of a line that are kept with its frame
	maxSymbol = 4000 // bytes of a name that are kept
)

// numbered splits a line " 12: text" into the number and the text.
func numbered(line string) (n int, rest string, ok bool) {
	t := strings.TrimLeft(line, " \t")
	digits := 0
	for digits < len(t) && digits < 6 && source.IsDigit(t[digits]) {
		digits++
	}
	if digits == 0 || digits+1 >= len(t) || t[digits] != ':' || t[digits+1] != ' ' && t[digits+1] != '\t' {
		return 0, "", false
	}
	n, err := strconv.Atoi(t[:digits])
	rest = strings.TrimSpace(t[digits+1:])
	return n, rest, err == nil && rest != ""
}

// oneLine reads the text of a frame on one line:
//
//	0x00007fcf4008b935 in Executor::calculate(Executor::X&)+0x4a1 at X2OldLock.cpp:609 (libhdbcs.so)
//
// The place and the module may be missing or cut off. Names of templates may contain any
// characters, so the line is read from its right end.
func oneLine(rest string) (f crash.Frame, ok bool) {
	if !strings.HasPrefix(rest, "0x") {
		return f, false
	}
	address, name, ok := strings.Cut(rest, " in ")
	if !ok || !isHex(address[2:]) {
		return f, false
	}
	tail := ""
	if i := strings.LastIndex(name, "+0x"); i >= 0 {
		end := i + 3
		for end < len(name) && isHex(name[end:end+1]) {
			end++
		}
		name, tail = name[:i], strings.TrimSpace(name[end:])
	} else if i := strings.LastIndex(name, " at "); i >= 0 {
		name, tail = name[:i], name[i+1:]
	}
	place, module := cutModule(tail)
	f.Module = module
	if place, ok = strings.CutPrefix(place, "at "); ok {
		f.File, f.Line = splitPlace(place)
	}
	setSymbol(&f, name)
	return f, true
}

// cutModule splits "at X.cpp:12 (libx.so)" into the place and the module. The bracket may be
// unclosed.
func cutModule(tail string) (place, module string) {
	if strings.HasPrefix(tail, "(") {
		return "", strings.Trim(tail, "()")
	}
	i := strings.LastIndex(tail, " (")
	if i < 0 {
		return tail, ""
	}
	return tail[:i], strings.Trim(tail[i+2:], "()")
}

// splitPlace splits "path/X.cpp:12" into the path and the line.
func splitPlace(s string) (file string, line int) {
	s = strings.TrimSpace(s)
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return limit(s, maxRaw), 0
	}
	n, err := strconv.Atoi(s[i+1:])
	if err != nil || n < 0 || n > 1<<30 {
		return limit(s, maxRaw), 0
	}
	return limit(s[:i], maxRaw), n
}

// blockHead reads the first line of a frame with several lines. It contains the function:
// "Transaction::commit(bool) const + 0x1a3". Stacks copied from elsewhere have "function at
// path".
func blockHead(rest string) crash.Frame {
	var f crash.Frame
	name := rest
	if i := strings.LastIndex(name, "+ 0x"); i > 0 && isHex(strings.TrimSpace(name[i+4:])) {
		name = name[:i]
	} else if i := strings.LastIndex(name, " at "); i > 0 {
		if file, line := splitPlace(name[i+4:]); line > 0 || looksLikeFile(file) {
			f.File, f.Line = file, line
			name = name[:i]
		}
	}
	setSymbol(&f, name)
	return f
}

// label reads a line after the head of a frame: "Source: X.cpp:12". It reports whether the line
// has this form.
func label(f *crash.Frame, line string) bool {
	name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
	if !ok {
		return false
	}
	value = strings.TrimSpace(value)
	switch name {
	case "Source":
		f.File, f.Line = splitPlace(value)
	case "Module":
		f.Module = limit(value, maxRaw)
	case "Symbol":
		if f.Symbol == "" || strings.HasPrefix(f.Symbol, "0x") || strings.HasPrefix(f.Symbol, "<no symbol") {
			f.Symbol = limit(value, maxSymbol)
		}
	case "SFrame", "Params", "Regs", "Locals", "Frame":
	default:
		return false
	}
	return true
}

// looksLikeFile distinguishes "dir/X.cpp" from words of a sentence.
func looksLikeFile(s string) bool {
	return !strings.ContainsAny(s, " \t<>(){}") && strings.Contains(s, ".") && len(s) > 2
}

// setSymbol stores the name of a function as written in the dump.
func setSymbol(f *crash.Frame, name string) {
	f.Symbol = limit(strings.TrimSpace(name), maxSymbol)
}

func isHex(s string) bool {
	for i := range len(s) {
		if !source.IsHexDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
