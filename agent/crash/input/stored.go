package input

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// The limits of coredumpctl for one core. An unpacked core has the size of the process's memory.
const (
	coredumpctlTime   = 2 * time.Minute
	coredumpctlOutput = 2 << 20
	maxStoredCore     = 16 << 30
)

// maxCommand is how many bytes Linux keeps of a process's name (TASK_COMM_LEN), which is what
// coredumpctl compares.
const maxCommand = 15

// storedHeads are the fields of "coredumpctl info" that say which core it is.
var storedHeads = source.Lazy(`(?m)^ *(PID|Timestamp|Executable): *(.*?)(?: \([^()]* ago\))? *$`)

// readStored reads the newest core that systemd-coredump keeps for a match: a process id, the
// name or the path of a program, or "" for any program. gdb reads the core file. If that is
// impossible, the stacks are those that systemd-coredump wrote into the journal.
func (r *Reader) readStored(ctx context.Context, match string) (*crash.Report, error) {
	match, err := storedMatch(match)
	if err != nil {
		return nil, err
	}
	program, err := sandbox.Program("coredumpctl")
	if err != nil {
		return nil, &Advised{fmt.Errorf("the cores of systemd-coredump cannot be read, because %w", err), "git agent crash <core file>"}
	}
	dir, err := disk.MakeTemp()
	if err != nil {
		return nil, err
	}
	defer dir.Remove() // what is left does no harm
	ctl := coredumpctl{program: program, dir: dir.Path, match: match}
	info, err := ctl.run(ctx, "-1", "info")
	if err != nil {
		return nil, err
	}
	head := storedHead(info)
	told, tellErr := format.Read(bytes.NewReader(info))
	report, err := r.unpacked(ctx, ctl, head["Executable"])
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && tellErr != nil:
		return nil, err
	case err != nil:
		report = told
		r.nameAddresses(ctx, report)
		report.Notes = append(report.Notes, "the stacks are those in the journal, because the core file was not read: "+quote.Text(err.Error()))
	}
	report.Written = cmp.Or(report.Written, dayOf(head["Timestamp"]))
	report.Notes = append(report.Notes, fmt.Sprintf("the core is that of process %s, of %s", quote.Text(head["PID"]), quote.Text(head["Timestamp"])))
	return report, nil
}

// storedMatch returns a match in the form that coredumpctl compares with its entries.
func storedMatch(match string) (string, error) {
	switch {
	case strings.HasPrefix(match, "-") || strings.ContainsAny(match, "=\n\x00"):
		return "", fmt.Errorf("%q is not the id, the name or the path of a process", match)
	case strings.Contains(match, "/"):
		return filepath.Abs(match)
	}
	return match[:min(len(match), maxCommand)], nil
}

// unpacked reads the core file of a stored core.
func (r *Reader) unpacked(ctx context.Context, ctl coredumpctl, executable string) (*crash.Report, error) {
	file := filepath.Join(ctl.dir, "core")
	if _, err := ctl.run(ctx, "--output="+file, "dump"); err != nil {
		return nil, err
	}
	inner := *r
	if record := inspect(file); inner.Program == "" && record.program == "" {
		inner.Program = executable
	}
	report, err := inner.readCore(ctx, file)
	if err != nil {
		return nil, withoutFile(err, file)
	}
	return report, nil
}

// withoutFile returns an error about a temporary file without its name and without advice, which
// would name the file, too.
func withoutFile(err error, file string) error {
	text := strings.TrimPrefix(err.Error(), file+": ")
	if real, evalErr := filepath.EvalSymlinks(file); evalErr == nil {
		text = strings.TrimPrefix(text, real+": ")
	}
	return errors.New(text)
}

// A coredumpctl runs the program of this name about one match. It only reads the journal and the
// cores that the user may read anyway, so it is not confined.
type coredumpctl struct{ program, dir, match string }

// run returns the output of one of its commands.
func (c coredumpctl) run(ctx context.Context, args ...string) ([]byte, error) {
	argv := append([]string{c.program, "--no-pager", "--quiet"}, args...)
	if c.match != "" {
		argv = append(argv, c.match)
	}
	result, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: c.dir, Argv: argv, Set: []string{"LC_ALL=C", "SYSTEMD_COLORS=0", "SYSTEMD_PAGER="},
		Timeout: coredumpctlTime, MaxOutput: coredumpctlOutput, Disk: sandbox.NewDisk(maxStoredCore), Sandbox: sandbox.None,
	})
	switch {
	case err != nil:
		return nil, err
	case result.TimedOut:
		return nil, fmt.Errorf("coredumpctl did not answer within %v", coredumpctlTime)
	case result.Full != "":
		return nil, fmt.Errorf("coredumpctl was ended, because %s", result.Full)
	case result.Exit != 0:
		what := "coredumpctl has no core"
		if c.match != "" {
			what += " of " + quote.Text(c.match)
		}
		return nil, &Advised{errors.New(what + lastWords(result.Output)), "coredumpctl list shows the cores that are kept"}
	}
	return result.Output, nil
}

// storedHead returns fields of the output of "coredumpctl info".
func storedHead(info []byte) map[string]string {
	fields := map[string]string{}
	for _, m := range storedHeads().FindAllStringSubmatch(string(info), -1) {
		if name := m[1]; fields[name] == "" {
			fields[name] = m[2]
		}
	}
	return fields
}

// storedDay matches the day in a time such as "Thu 2026-11-26 20:16:47 UTC".
var storedDay = source.Lazy(`\b\d{4}-\d\d-\d\d\b`)

func dayOf(timestamp string) string { return storedDay().FindString(timestamp) }
