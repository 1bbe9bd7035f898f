package coverage

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

//go:embed inject/sanitizer.sh
var sanitizerShim string

var (
	// killed matches the end of a command with a crashed program. These signals mean a crash:
	// SIGILL, SIGABRT, SIGBUS, SIGFPE or SIGSEGV.
	killed = source.Lazy(`\(exit 13[24569]\)`)
	// saysKilled matches the message of a shell or make about such a program.
	saysKilled = source.Lazy(
		`(?m)^(?:.*: )?(?:Segmentation fault|Aborted|Bus error|Floating point exception|Illegal instruction)\b|\bSIG(?:SEGV|BUS|FPE|ILL|ABRT)\b`,
	)
	// sanitizerReport matches the beginning of a report of AddressSanitizer.
	sanitizerReport = source.Lazy(`(?m)^(?:=+\n)?==\d+==\s*ERROR: \w+Sanitizer`)
)

// maxReport bounds the report of a sanitizer, in bytes.
const maxReport = 4000

// Crash returns AddressSanitizer's report about the crash of a C or C++ program of the test
// command; nil if there is no crash. The program's own output does not show the place of the
// crash, because it is buffered. The build happens in a separate work tree.
func Crash(ctx context.Context, w *trial.Workspace, p fix.Problem, rep fix.Reproduction, opt Options) ([]byte, error) {
	if rep.State != fix.Failing || !killed().MatchString(rep.How) && !saysKilled().Match(rep.Output) || sanitizerReport().Match(rep.Output) {
		return nil, nil
	}
	opt.Budget = cmp.Or(opt.Budget, defaultBudget)
	j, err := newJob(ctx, w, p, rep, opt)
	if err != nil || !(native{}).has(j.tree) {
		return nil, err
	}
	own, done, err := j.inFreshTree(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	found := false
	for _, name := range append(compilers, "clang", "clang++") {
		ok, err := own.shim(name, sanitizerShim)
		if err != nil {
			return nil, err
		}
		found = found || ok
	}
	if !found {
		return nil, nil
	}
	own.progress("building with AddressSanitizer, for the stack of the crash")
	env := []string{own.shimPath(), "CCACHE_DISABLE=1", "ASAN_OPTIONS=detect_leaks=0:color=never"}
	if p.Build != "" {
		if _, err := own.sh(ctx, opt.Budget, p.Build, env...); err != nil {
			return nil, err
		}
	}
	res, err := own.sh(ctx, opt.Budget, p.Test, env...)
	if err != nil {
		return nil, err
	}
	out := bytes.ReplaceAll(res.Output, []byte(own.tree.real+"/"), nil)
	out = bytes.ReplaceAll(out, []byte(own.tree.dir+"/"), nil)
	at := sanitizerReport().FindIndex(out)
	if at == nil {
		return nil, nil
	}
	report := out[at[0]:]
	if end := bytes.Index(report, []byte("\nShadow bytes around")); end >= 0 {
		report = report[:end]
	}
	return abridged(report), nil
}

// frame matches a frame of a sanitizer's stack; the group begins at the name of the function.
var frame = source.Lazy(`^\s*#\d+ 0x[0-9a-f]+ (in .*)$`)

// abridged returns the first lines of a sanitizer's report, without its own frames. It keeps
// the first two of repeated frames, as in an endless recursion.
func abridged(report []byte) []byte {
	var out bytes.Buffer
	last, times := "", 0
	flush := func() {
		if times > 2 {
			fmt.Fprintf(&out, "    (%s is there %d times in a row)\n", last, times)
		}
		last, times = "", 0
	}
	for line := range bytes.Lines(report) {
		line = bytes.TrimRight(line, "\r\n")
		m := frame().FindSubmatch(line)
		switch {
		case bytes.Contains(line, []byte("libsanitizer/")):
			continue
		case m != nil && string(m[1]) == last:
			if times++; times > 2 {
				continue
			}
		default:
			flush()
			if m != nil {
				last, times = string(m[1]), 1
			}
		}
		if out.Len()+len(line) > maxReport {
			break
		}
		out.Write(append(line, '\n'))
	}
	flush()
	return out.Bytes()
}
