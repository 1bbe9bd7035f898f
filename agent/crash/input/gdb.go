package input

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// The limits of gdb for one core file.
const (
	gdbTime   = 2 * time.Minute
	gdbOutput = 4 << 20 // bytes kept at each end
	gdbMemory = 8 << 30
)

// gdbArguments returns the command that makes gdb print the stacks of a core and its failed access,
// and do nothing else:
// no configuration, no scripts of a program or a library, no pages, no colors. The thread that
// crashed is the first of a core file.
func gdbArguments(gdb, program, core string) []string {
	argv := []string{
		gdb, "-nx", "-nh", "-batch", "-quiet",
		"-iex", "set auto-load off",
		"-iex", "set confirm off", "-iex", "set width 0", "-iex", "set height 0", "-iex", "set style enabled off",
	}
	return append(append(argv, faultArguments...), "-ex", "thread apply all -ascending bt 128", program, core)
}

// readCore reads gdb's report about a core file.
func (r *Reader) readCore(ctx context.Context, name string) (*crash.Report, error) {
	file, err := realPath(name)
	if err != nil {
		return nil, reason(name, err)
	}
	record := inspect(file)
	program, err := r.programOf(name, record)
	if err != nil {
		return nil, err
	}
	output, err := r.runGDB(ctx, program, file, record)
	if err != nil {
		return nil, err
	}
	report, err := format.Read(bytes.NewReader(withoutFrame(output)))
	if err == nil {
		addFault(report, output)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: gdb found no stack in the core file%s", name, lastWords(output))
	}
	report.Notes = append(report.Notes, fmt.Sprintf("gdb read the core file, with the program %s", program))
	return report, nil
}

// programOf returns the program that dumped core.
func (r *Reader) programOf(name string, record core) (string, error) {
	given := r.Program
	if given == "" {
		given = record.program
	}
	program, err := realPath(given)
	switch {
	case given == "":
		err = errors.New("the core file does not say which program ran")
	case err != nil && r.Program == "":
		err = fmt.Errorf("the core file is of %s, which is not here", given)
	case err == nil && !isObject(program):
		err = fmt.Errorf("%s is not a program", given)
	}
	if err != nil {
		return "", &Advised{fmt.Errorf("%s: %w", name, err), "git agent crash --exe=<program> " + quote.Shell(name)}
	}
	return program, nil
}

// runGDB returns gdb's output for a core file.
func (r *Reader) runGDB(ctx context.Context, program, file string, record core) ([]byte, error) {
	byHand := fmt.Sprintf("gdb -nx -batch -ex 'thread apply all bt' %s %s | git agent crash -", quote.Shell(program), quote.Shell(file))
	gdb, err := sandbox.Program("gdb")
	if err != nil {
		return nil, &Advised{fmt.Errorf("%s: the core file cannot be read, because %w", file, err), "where gdb is installed:\n" + byHand}
	}
	within, err := r.Confine(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := disk.MakeTemp()
	if err != nil {
		return nil, err
	}
	defer dir.Remove() // gdb writes nothing there
	spec := sandbox.Spec{
		Dir: dir.Path, Argv: gdbArguments(gdb, program, file), Set: []string{"DEBUGINFOD_URLS="},
		Timeout: gdbTime, MaxOutput: gdbOutput, Memory: gdbMemory, Sandbox: within.Level,
		Readable: append([]string{program, file}, within.Readable...),
	}
	for _, object := range record.files {
		if isObject(object) {
			spec.Readable = append(spec.Readable, object)
		}
	}
	result, err := sandbox.Run(ctx, spec)
	var unavailable *sandbox.Unavailable
	switch {
	case errors.As(err, &unavailable):
		return nil, &Advised{fmt.Errorf("%s: gdb is not run on the core file, because %w", file, err), byHand}
	case err != nil:
		return nil, err
	case result.TimedOut:
		return nil, &Advised{fmt.Errorf("%s: gdb did not read the core file within %v", file, gdbTime), byHand}
	}
	return result.Output, nil
}

// withoutFrame removes gdb's lines about the current frame at the opening of a core file, because
// the stacks after them repeat that frame, and those about the failed access.
func withoutFrame(output []byte) []byte {
	frame := bytes.Index(output, []byte("\n#0 "))
	stacks := bytes.Index(output, []byte("\nThread "))
	if frame < 0 || stacks < frame {
		return output
	}
	return append(output[:frame:frame], output[stacks:]...)
}

// lastWords returns the last line of gdb's output, for an error.
func lastWords(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	last := quote.Text(lines[len(lines)-1])
	if last == "" {
		return ""
	}
	return ": " + last[:min(len(last), 200)]
}

// realPath returns the absolute path of a file without symbolic links. The sandbox shows the file
// under this path.
func realPath(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
