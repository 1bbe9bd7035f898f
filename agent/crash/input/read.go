package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"git-agent/agent/crash"
	"git-agent/agent/crash/address"
	"git-agent/agent/crash/format"
	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
)

// A Reader reads reports.
type Reader struct {
	// Stdin is the input for the name "-".
	Stdin io.Reader
	// Program is the program that dumped core, and whose addresses a report has; "" takes it from
	// the core's record.
	Program string
	// Ask says that servers of debuginfod may be asked about addresses in reports.
	Ask bool
	// Confine says how gdb is confined. It is called once for each core file.
	Confine func(context.Context) (Confinement, error)
}

// A Confinement says how strictly gdb is confined, and which files gdb may read in addition to
// the core file and the files in the core's list, such as separate debugging information.
type Confinement struct {
	Level    sandbox.Level
	Readable []string
}

// An Advised error contains advice: a command for the user to type, or an action.
type Advised struct {
	Err    error
	Advice string
}

func (e *Advised) Error() string { return e.Err.Error() }
func (e *Advised) Unwrap() error { return e.Err }

// ReadSource reads the report of a source.
func (r *Reader) ReadSource(ctx context.Context, s Source) (*crash.Report, error) {
	switch {
	case s.Err != nil:
		return nil, s.Err
	case s.Stored != nil:
		return r.readStored(ctx, *s.Stored)
	}
	return r.Read(ctx, s.Name)
}

// Read reads the report with this name.
func (r *Reader) Read(ctx context.Context, name string) (*crash.Report, error) {
	report, err := r.readText(ctx, name)
	var core *format.CoreError
	if errors.As(err, &core) && core.Kind == "ELF" {
		if name == Stdin {
			return nil, &Advised{errors.New("standard input is a core file, which has to be a file for gdb"), "git agent crash <core file>"}
		}
		return r.readCore(ctx, name)
	}
	return report, err
}

// readText reads a report other than a core file, and names the addresses in it.
func (r *Reader) readText(ctx context.Context, name string) (*crash.Report, error) {
	report, err := r.readLines(ctx, name)
	if err == nil {
		r.nameAddresses(ctx, report)
	}
	return report, err
}

// nameAddresses names the frames of a report that have only an address.
func (r *Reader) nameAddresses(ctx context.Context, report *crash.Report) {
	(&address.Namer{Program: r.Program, Ask: r.Ask}).Name(ctx, report)
	for i := range report.Stacks {
		format.NameFrames(report.Stacks[i].Frames)
	}
}

// readLines reads a report as it is.
func (r *Reader) readLines(ctx context.Context, name string) (*crash.Report, error) {
	in, base := r.Stdin, ""
	if name != Stdin {
		f, err := disk.Regular(name)
		var kind *disk.KindError
		if errors.As(err, &kind) {
			return nil, err // the error names the file
		}
		if err != nil {
			return nil, reason(name, err)
		}
		defer f.Close() // only read
		in, base = f, filepath.Base(name)
	}
	report, err := format.ReadNamed(&interruptible{ctx, in}, base)
	switch {
	case errors.Is(err, format.ErrUnknown):
		return nil, &Advised{fmt.Errorf("%s: %w", Title(name), err), format.Known}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, reason(name, err)
	}
	return report, nil
}

// An interruptible reader fails when its context ends, so that a signal ends the
// reading of a huge file.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

func (r *interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
