package address

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

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

// Name names the frames of a report that have an address and no place. It adds a note about what
// the names are from, or about what could be asked for them.
func (n *Namer) Name(ctx context.Context, report *crash.Report) {
	w := naming{namer: n, report: report, images: map[string]*image{}}
	left := maxFrames
	for i := range report.Stacks {
		st := &report.Stacks[i]
		for j := 0; j < len(st.Frames) && left > 0; j++ {
			if st.Frames[j].Offset == "" || st.Frames[j].File != "" {
				continue
			}
			left--
			if frames := w.frames(ctx, st, j); len(frames) > 0 {
				st.Frames = slices.Replace(st.Frames, j, j+1, frames...)
				j += len(frames) - 1
			}
		}
	}
	report.Notes = append(report.Notes, w.notes()...)
}

// naming is the work on one report.
type naming struct {
	namer   *Namer
	report  *crash.Report
	images  map[string]*image // by build id, else by module; nil where no file is the binary
	named   []string          // the files that gave names
	asked   int               // questions to the servers
	unknown int               // frames of the stack that failed without a name and with a build id
	failure string            // why the servers were not asked or did not answer
}

// frames returns what stands for frame j of a stack: its function, behind the functions that the
// compiler inlined there. It returns nil if that is unknown.
func (w *naming) frames(ctx context.Context, st *crash.Stack, j int) []crash.Frame {
	f := st.Frames[j]
	im := w.imageOf(ctx, f)
	offset, err := strconv.ParseUint(strings.TrimPrefix(f.Offset, "0x"), 16, 64)
	if err != nil {
		return nil
	}
	var calls []call
	if im != nil {
		if st.Format == "coredump" {
			offset += im.base // systemd counts from the start of the mapping
		}
		if j > 0 && offset > 0 && !st.Frames[j-1].Handler {
			offset-- // a return address is behind its call, perhaps in another line
		}
		calls = im.calls(offset)
	}
	if len(calls) == 0 || f.Function != "" && !calls[len(calls)-1].is(f) {
		if f.Function == "" && f.Build != "" && w.report.Main() >= 0 && st == &w.report.Stacks[w.report.Main()] {
			w.unknown++
		}
		return nil
	}
	if !slices.Contains(w.named, im.file) {
		w.named = append(w.named, im.file)
	}
	frames := make([]crash.Frame, len(calls))
	for i, c := range calls {
		frames[i] = f
		frames[i].File, frames[i].Line, frames[i].Inline = c.file, c.line, i < len(calls)-1
		if f.Function == "" || frames[i].Inline {
			frames[i].Function, frames[i].Symbol = "", c.symbol
		}
	}
	return frames
}

// imageOf returns the binary of a frame, or nil.
func (w *naming) imageOf(ctx context.Context, f crash.Frame) *image {
	key := f.Build
	if key == "" {
		key = "module " + f.Module
	}
	if im, known := w.images[key]; known {
		return im
	}
	im := w.find(ctx, f)
	w.images[key] = im
	return im
}

// find looks for the binary of a frame on this machine and, if the user allows it, on servers.
func (w *naming) find(ctx context.Context, f crash.Frame) *image {
	if f.Build == "" {
		if w.namer.Program == "" || path.Base(f.Module) != path.Base(w.namer.Program) {
			return nil
		}
		im, _ := openImage(w.namer.Program, "") // a file that is no binary names nothing
		return im
	}
	if !isBuildID(f.Build) {
		return nil
	}
	best := richest(w.candidates(f), f.Build)
	if best != nil && best.dwarf != nil || !w.namer.Ask {
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
	if im, err := openImage(file, f.Build); err == nil {
		return im
	}
	return best
}

// richest returns the first of the files that is the binary of a build id and has debugging
// information, else the first that has symbols.
func richest(files []string, build string) *image {
	var best *image
	for _, file := range files {
		im, err := openImage(file, build)
		if err != nil {
			continue // most candidates do not exist
		}
		if im.dwarf != nil {
			return im
		}
		if best == nil {
			best = im
		}
	}
	return best
}

// candidates returns the files that may be the binary of a frame.
func (w *naming) candidates(f crash.Frame) []string {
	files := stored(f.Build)
	if w.namer.Program != "" {
		files = append(files, w.namer.Program)
	}
	if path.IsAbs(f.Module) {
		files = append(files, f.Module)
	}
	if path.Base(w.report.Program) == path.Base(f.Module) && path.IsAbs(w.report.Program) {
		files = append(files, w.report.Program)
	}
	return files
}

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
