package hana

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

const (
	bufferSize  = 256 << 10 // bytes of a line that are examined
	maxSections = 2000      // sections whose positions are kept
	maxName     = 64        // bytes of a section's name
)

// known are names of sections, from the list in SAP's editor mode for trace files. Such a section
// may start without a timestamp after its name.
var known = source.WordSet(`BUILD SYSTEMINFO CRASH_SHORTINFO MODULES CRASH_EMERGENCYSTACK
	CRASH_EXTINFO CRASH_CONTEXT CRASH_STACK CRASH_REGISTERS STACK_SHORT CPUINFO
	MEMMAP LIMITS MOUNTINFO SCHEDINFO PROCSTAT STACK_FULL EXCEPTIONS STATISTICS
	XSENGINE JAVASCRIPT EXECUTOR INDEXMANAGER CRYPTO MDC
	SAVEPOINT_SHAREDLOCK_OWNERS PRE_RESTART_SWVERSION RESOURCE_CONTAINER OS_MEMORY
	IMPLICIT_MEMORY_BOOKING IPMM_MEMORY SYMBOL_CACHE REGISTERED_STACK_OBJECTS
	DISASSEMBLY REGISTER_OBJECTS THREADS INDEXMANAGER_STATE INDEXMANAGER_WAITGRAPH
	MEMORY_ACCOUNTING DDLCONTEXTSTORE ENCRYPTION DATABASE_HISTORY
	SERVICE_THREAD_SAMPLES PROCESS_INFO MEMORY_OOM`)

// Looks reports whether the first bytes of an input are those of a dump: they contain the start
// of a section.
func Looks(first []byte) bool {
	for len(first) > 0 {
		line := first
		if i := bytes.IndexByte(first, '\n'); i >= 0 {
			line, first = first[:i], first[i+1:]
		} else {
			first = nil
		}
		if startsDump(line) {
			return true
		}
	}
	return false
}

// startsDump reports whether a line starts a section that only dumps have. Other files have lines
// like "[STATISTICS]" too.
func startsDump(line []byte) bool {
	name := sectionName(line)
	return name != "" && (strings.HasPrefix(name, "CRASH_") || name == "STACK_SHORT" || bytes.Contains(line, []byte("Local")))
}

// sectionName returns the name of the section that a line starts, or "".
func sectionName(line []byte) string {
	if len(line) < 4 || line[0] != '[' {
		return ""
	}
	end := bytes.IndexByte(line[:min(len(line), maxName+2)], ']')
	if end < 3 {
		return ""
	}
	name := line[1:end]
	for i, c := range name {
		if !(c >= 'A' && c <= 'Z' || c == '_' || i > 0 && source.IsDigit(c)) {
			return ""
		}
	}
	rest := line[end+1:]
	if known[string(name)] && (len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ') {
		return string(name)
	}
	if bytes.HasPrefix(rest, []byte("  ")) && bytes.Contains(rest, []byte("Local")) {
		return string(name)
	}
	return ""
}

// isEnd reports whether a line ends a section.
func isEnd(line []byte) bool { return bytes.HasPrefix(line, []byte("[OK]")) }

// A sectioner passes over a dump and gives the lines of the requested sections to their readers.
type sectioner struct {
	in     *bufio.Reader
	offset int64 // of the next byte
	line   int   // number of the current line, from 1

	sections []crash.Section
	names    map[string]bool // of all sections
	left     int             // number of sections whose positions were not kept
	open     bool            // the last section is not ended
	cut      string          // the section that was cut off by the end of the input, "" if none

	// begin is called at the start of each section. It returns the reader of the section's lines,
	// nil for none.
	begin func(name string) lineReader
	lines lineReader // of the current section
}

// A lineReader reads the lines of a section.
type lineReader interface {
	// Line reads a line without its end. n is its number in the input.
	Line(n int, text string)
	// End ends the section.
	End()
}

// run passes over the whole input.
func (s *sectioner) run() error {
	s.names = map[string]bool{}
	for {
		start := s.offset
		line, whole, err := s.next()
		if len(line) > 0 || err == nil {
			s.line++
			s.read(line, start)
		}
		if errors.Is(err, io.EOF) {
			if s.open && len(s.sections) > 0 {
				s.cut = s.sections[len(s.sections)-1].Name
			}
			s.end(s.offset)
			return nil
		}
		if err != nil {
			return err
		}
		if !whole {
			if err := s.skipRest(); err != nil {
				return err
			}
		}
	}
}

// next returns the next line, and whether it is complete. The bytes are valid until the next
// call.
func (s *sectioner) next() (line []byte, whole bool, err error) {
	line, err = s.in.ReadSlice('\n')
	s.offset += int64(len(line))
	if errors.Is(err, bufio.ErrBufferFull) {
		return line, false, nil
	}
	return line, true, err
}

// skipRest skips the rest of a line that is longer than the buffer.
func (s *sectioner) skipRest() error {
	for {
		part, err := s.in.ReadSlice('\n')
		s.offset += int64(len(part))
		switch {
		case err == nil, errors.Is(err, io.EOF):
			return nil // the next read meets the end again
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// read processes one line, which begins at the given offset.
func (s *sectioner) read(line []byte, start int64) {
	if len(line) > 0 && line[0] == '[' {
		if s.open && isEnd(line) {
			s.end(s.offset)
			return
		}
		if name := sectionName(line); name != "" {
			s.end(start)
			s.start(name, start)
			return
		}
	}
	if s.lines != nil {
		s.lines.Line(s.line, latin1(bytes.TrimRight(line, " \t\r\n\x00")))
	}
}

// start opens a section.
func (s *sectioner) start(name string, offset int64) {
	if len(s.names) < maxSections {
		s.names[name] = true
	}
	s.lines = s.begin(name)
	if len(s.sections) == maxSections {
		s.left++
		return
	}
	s.open = true
	s.sections = append(s.sections, crash.Section{Name: name, Start: offset, End: offset, Line: s.line})
}

// end closes the open section, if there is one.
func (s *sectioner) end(offset int64) {
	if s.lines != nil {
		s.lines.End()
		s.lines = nil
	}
	if s.open {
		s.sections[len(s.sections)-1].End = offset
		s.open = false
	}
}

// latin1 converts text from ISO-8859-1 to UTF-8.
func latin1(b []byte) string {
	ascii := true
	for _, c := range b {
		if c >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return string(b)
	}
	var w strings.Builder
	w.Grow(len(b) + len(b)/8)
	for _, c := range b {
		w.WriteRune(rune(c))
	}
	return w.String()
}

// ReadSection returns the text of a section in UTF-8, including its first and last line, from at
// most max bytes of the dump. more reports that the section continues. A cut text ends with a
// whole line if one fits. ReadSection returns an error if the section does not begin at its
// recorded position, because r is then a different file.
func ReadSection(r io.ReaderAt, s crash.Section, max int) (text string, more bool, err error) {
	size := s.End - s.Start
	if size < 0 || s.Start < 0 || max < 0 {
		return "", false, fmt.Errorf("section %s lies at impossible offsets %d to %d", s.Name, s.Start, s.End)
	}
	if size > int64(max) {
		size, more = int64(max), true
	}
	buf := make([]byte, size)
	n, err := r.ReadAt(buf, s.Start)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	buf = buf[:n]
	head := "[" + s.Name + "]"
	if !strings.HasPrefix(string(buf[:min(n, len(head))]), head[:min(int(size), len(head))]) {
		return "", false, fmt.Errorf("section %q is no longer where it was", s.Name)
	}
	if more {
		if i := bytes.LastIndexByte(buf, '\n'); i > 0 {
			buf = buf[:i+1]
		}
	}
	return latin1(buf), more, nil
}

// Find returns the sections with a name, in order.
func Find(sections []crash.Section, name string) []crash.Section {
	var found []crash.Section
	for _, s := range sections {
		if strings.EqualFold(s.Name, name) {
			found = append(found, s)
		}
	}
	return found
}
