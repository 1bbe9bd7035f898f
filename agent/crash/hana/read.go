package hana

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"git-agent/agent/crash"
)

const (
	maxStacks     = 200 // stacks of threads that are kept
	maxExceptions = 100
)

// Read reads a dump. name is the name of its file, "" if unknown; it shows why a runtime dump was
// written. The Symbol of a frame is the function as written in the dump. Read returns a
// RecursiveError for a dump of a crash while dumping, or an error of r.
func Read(r io.Reader, name string) (*crash.Report, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	d := &dump{}
	s := &sectioner{in: bufio.NewReaderSize(r, bufferSize), begin: d.reader}
	if err := s.run(); err != nil {
		return nil, err
	}
	return d.report(s, name), nil
}

// A dump collects the contents of the sections.
type dump struct {
	build        build
	long, short  facts // of CRASH_EXTINFO and of CRASH_SHORTINFO
	crash        stacks
	emergency    stacks
	threads      stacks
	hasCrashPart bool // there is a section about a crash
}

// reader returns the reader of a section's lines, nil for none.
func (d *dump) reader(name string) lineReader {
	d.hasCrashPart = d.hasCrashPart || strings.HasPrefix(name, "CRASH_")
	switch name {
	case "BUILD":
		return &d.build
	case "CRASH_EXTINFO":
		return &d.long
	case "CRASH_SHORTINFO":
		return &d.short
	case "CRASH_STACK":
		return &section{StackReader{Sink: &d.crash}}
	case "CRASH_EMERGENCYSTACK":
		return &section{StackReader{Sink: &d.emergency}}
	case "STACK_SHORT":
		return &section{StackReader{Sink: &d.threads, Thread: true}}
	}
	return nil
}

// A section reads the lines of a section with stacks.
type section struct{ StackReader }

func (s *section) Line(n int, text string) { s.StackReader.Line(n, text) }

// stacks is a Sink that keeps a bounded number of stacks and exceptions.
type stacks struct {
	problems []crash.Problem
	stacks   []crash.Stack
	lost     bool // the last problem was not kept
	left     int  // stacks that were not kept
}

func (k *stacks) Problem(p crash.Problem) {
	k.lost = len(k.problems) == maxExceptions
	if !k.lost {
		k.problems = append(k.problems, p)
	}
}

func (k *stacks) Stack(st crash.Stack) {
	if len(k.stacks) == maxStacks || st.Kind == crash.StackException && k.lost {
		k.left++
		return
	}
	if st.Kind == crash.StackException {
		st.Problem = len(k.problems) - 1
	}
	k.stacks = append(k.stacks, st)
}

// report assembles the report from the contents of the sections.
func (d *dump) report(s *sectioner, name string) *crash.Report {
	r := &crash.Report{Formats: []string{"hana"}, Build: d.build.Build, Sections: s.sections}
	if len(d.crash.stacks) == 0 {
		d.crash = d.emergency
	}
	d.addCrash(r)
	room := max(0, maxStacks-len(r.Stacks))
	r.Stacks = append(r.Stacks, d.threads.stacks[:min(room, len(d.threads.stacks))]...)
	d.threads.left += max(0, len(d.threads.stacks)-room)
	r.Notes = d.notes(s, name)
	return r
}

// addCrash adds the signal, the exceptions, and their stacks.
func (d *dump) addCrash(r *crash.Report) {
	signal := d.long.problem()
	if signal == nil {
		signal = d.short.problem()
	}
	shift := 0
	if signal != nil {
		r.Problems = append(r.Problems, *signal)
		shift = 1
	}
	r.Problems = append(r.Problems, d.crash.problems...)
	for _, st := range d.crash.stacks {
		switch {
		case st.Kind == crash.StackException:
			st.Problem += shift
		case signal != nil && st.Kind == crash.StackCrash:
			st.Problem = 0
		}
		r.Stacks = append(r.Stacks, st)
	}
}

// notes returns remarks for a reader of the report.
func (d *dump) notes(s *sectioner, name string) []string {
	var notes []string
	if !d.hasCrashPart {
		note := "this is a runtime dump: the service did not crash, and its stacks show what the threads were doing"
		if reason := runtimeReason(name, s.names); reason != "" {
			note += "; it was written because " + reason
		}
		notes = append(notes, note)
	} else if len(d.crash.stacks) == 0 {
		notes = append(notes, "the dump has no stack of the crash in CRASH_STACK or CRASH_EMERGENCYSTACK")
	}
	if d.build.note != "" {
		notes = append(notes, d.build.note)
	}
	if s.cut != "" {
		notes = append(notes, fmt.Sprintf("the dump is cut off within section %s", s.cut))
	}
	if n := d.crash.left + d.threads.left; n > 0 {
		notes = append(notes, fmt.Sprintf("the dump has %d more stacks, which were not read", n))
	}
	if s.left > 0 {
		notes = append(notes, fmt.Sprintf("the dump has %d more sections, which were not listed", s.left))
	}
	return notes
}
