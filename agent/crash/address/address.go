package address

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
)

// A Namer names the addresses in reports.
type Namer struct {
	// Program is a file that the user calls the program that crashed, "" if there is none.
	Program string
	// Ask says that servers of debuginfod may be asked for what is not on this machine.
	Ask bool
}

// maxFrames limits the named frames of a report.
const maxFrames = 2000

// nameTime limits the work on the addresses of a report.
const nameTime = 2 * time.Minute

// Name names the frames of a report that have an address and no place. It adds a note about what
// the names are from, or about what could be asked for them.
func (n *Namer) Name(ctx context.Context, report *crash.Report) {
	ctx, cancel := context.WithTimeout(ctx, nameTime)
	defer cancel()
	w := naming{namer: n, report: report, places: map[string][]place{}, binaries: map[string]*reading{}}
	w.collect()
	left := maxFrames
	for i := range report.Stacks {
		st := &report.Stacks[i]
		for j := 0; j < len(st.Frames) && left > 0; j++ {
			at, ok := placeOf(st, j)
			if !ok {
				continue
			}
			left--
			if frames := w.frames(ctx, st, j, at); len(frames) > 0 {
				st.Frames = slices.Replace(st.Frames, j, j+1, frames...)
				j += len(frames) - 1
			}
		}
	}
	report.Notes = append(report.Notes, w.notes()...)
}

// naming is the work on one report.
type naming struct {
	namer    *Namer
	report   *crash.Report
	places   map[string][]place  // by build id, else by module
	binaries map[string]*reading // likewise; nil where no file is the binary
	named    []string            // the files that gave names
	asked    int                 // questions to the servers
	unknown  int                 // frames of the stack that failed without a name and with a build id
	failure  string              // why the servers were not asked or did not answer
	unread   string              // a file that could not be read, and why
}

// collect finds out what each binary will be asked, so that it is read once.
func (w *naming) collect() {
	left := maxFrames
	for i := range w.report.Stacks {
		st := &w.report.Stacks[i]
		for j, f := range st.Frames {
			if at, ok := placeOf(st, j); ok && left > 0 {
				left--
				w.places[keyOf(f)] = append(w.places[keyOf(f)], at)
			}
		}
	}
}

// placeOf returns the place of frame j of a stack in its binary, if the frame is to be named.
func placeOf(st *crash.Stack, j int) (place, bool) {
	f := st.Frames[j]
	if f.Offset == "" || f.File != "" {
		return place{}, false
	}
	offset, err := strconv.ParseUint(strings.TrimPrefix(f.Offset, "0x"), 16, 64)
	return place{
		Offset: offset,
		Mapped: st.Format == "coredump", // systemd counts from the start of the mapping
		Return: j > 0 && !st.Frames[j-1].Handler,
	}, err == nil
}

// keyOf returns what tells the binary of a frame from others.
func keyOf(f crash.Frame) string { return cmp.Or(f.Build, "module "+f.Module) }

// frames returns what stands for frame j of a stack: its function, behind the functions that the
// compiler inlined there. It returns nil if that is unknown.
func (w *naming) frames(ctx context.Context, st *crash.Stack, j int, at place) []crash.Frame {
	f := st.Frames[j]
	b := w.binaryOf(ctx, f)
	var calls []call
	if b != nil {
		calls = b.calls[at]
	}
	if len(calls) == 0 || f.Function != "" && !calls[len(calls)-1].is(f) {
		if f.Function == "" && f.Build != "" && w.report.Main() >= 0 && st == &w.report.Stacks[w.report.Main()] {
			w.unknown++
		}
		return nil
	}
	if !slices.Contains(w.named, b.file) {
		w.named = append(w.named, b.file)
	}
	frames := make([]crash.Frame, len(calls))
	for i, c := range calls {
		frames[i] = f
		frames[i].File, frames[i].Line, frames[i].Inline = c.File, c.Line, i < len(calls)-1
		if f.Function == "" || frames[i].Inline {
			frames[i].Function, frames[i].Symbol = "", c.Symbol
		}
	}
	return frames
}

// binaryOf returns the binary of a frame, or nil.
func (w *naming) binaryOf(ctx context.Context, f crash.Frame) *reading {
	key := keyOf(f)
	if b, known := w.binaries[key]; known {
		return b
	}
	b := w.find(ctx, f)
	w.binaries[key] = b
	return b
}

// find looks for the binary of a frame on this machine and, if the user allows it, on servers.
func (w *naming) find(ctx context.Context, f crash.Frame) *reading {
	if f.Build == "" {
		if w.namer.Program == "" || path.Base(f.Module) != path.Base(w.namer.Program) {
			return nil
		}
		return w.read(ctx, f, w.namer.Program) // a file that is no binary names nothing
	}
	if !isBuildID(f.Build) {
		return nil
	}
	best := w.read(ctx, f, w.candidates(f)...)
	if best != nil && best.debug || !w.namer.Ask {
		return best
	}
	if f.Function != "" && best == nil && w.asked > 0 && w.failure != "" {
		return nil
	}
	file, err := w.ask(ctx, f.Build)
	if err != nil {
		w.failure = err.Error()
		return best
	}
	if b := w.read(ctx, f, file); b != nil {
		return b
	}
	return best
}

// candidates returns the files that may be the binary of a frame.
func (w *naming) candidates(f crash.Frame) []string {
	files := stored(f.Build)
	if w.namer.Program != "" {
		files = append(files, w.namer.Program)
	}
	if isLocal(f.Module) {
		files = append(files, f.Module)
	}
	if path.Base(w.report.Program) == path.Base(f.Module) && isLocal(w.report.Program) {
		files = append(files, w.report.Program)
	}
	return files
}

// isLocal reports whether a report names an absolute path on this machine. Windows would log in to
// the server that //server/share/file names.
func isLocal(file string) bool { return path.IsAbs(file) && !strings.HasPrefix(file, "//") }

// notes returns what a reader has to know about the names.
func (w *naming) notes() []string {
	var notes []string
	if len(w.named) > 0 {
		more := ""
		if n := len(w.named) - 1; n > 0 {
			more = fmt.Sprintf(" and %s", agent.Plural(n, "other file"))
		}
		notes = append(notes, fmt.Sprintf("addresses of the report are named by %s%s", w.named[0], more))
	}
	if w.unread != "" {
		notes = append(notes, "a binary names no addresses: "+w.unread)
	}
	switch {
	case w.failure != "":
		notes = append(notes, "debuginfod did not help with addresses: "+w.failure)
	case w.unknown > 0 && !w.namer.Ask:
		notes = append(notes, fmt.Sprintf(
			"%s of the stack that failed %s only an address, whose build id no file here has; --debuginfod asks the servers of DEBUGINFOD_URLS",
			agent.Plural(w.unknown, "frame"), has(w.unknown),
		))
	}
	return notes
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
