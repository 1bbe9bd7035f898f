package trial

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"git-agent/agent/sandbox"
)

// An Outcome is what a command says about a commit.
type Outcome int

// The outcomes.
const (
	Passes Outcome = iota
	Fails
	Unknown // the command was not run, or how it ended tells nothing
)

// A Result is the outcome of one run of the command.
type Result struct {
	Outcome Outcome
	How     string // reads after "it": "fails (exit 1)"
	Output  []byte // what it printed, without the middle when that is long; nil when it was not run
}

// These exit codes have a meaning of their own. 125 is git bisect run's; 126 and
// 127 are the shell's for a program that cannot be run; 137 is SIGKILL, mostly
// the kernel's when memory is short.
const (
	exitSkip      = 125
	exitNotExec   = 126
	exitNotFound  = 127
	exitWasKilled = 137
)

// resultOf reads the outcome from how the command ended.
func (o *Options) resultOf(res sandbox.Result) Result {
	is := func(outcome Outcome, format string, args ...any) Result {
		return Result{Outcome: outcome, How: fmt.Sprintf(format, args...), Output: res.Output}
	}
	switch {
	case res.TimedOut:
		return is(Unknown, "ran into its time limit of %s", o.Timeout)
	case res.Exit == 0:
		return is(Passes, "passes")
	case res.Starved:
		return is(Unknown, "ran out of memory: no process may have more than %s", formatBytes(o.Memory))
	case res.Exit == exitSkip:
		return is(Unknown, "said that it cannot tell (exit %d)", exitSkip)
	case res.Exit == exitNotExec, res.Exit == exitNotFound:
		return is(Unknown, "found no program to run (exit %d)", res.Exit)
	case res.Exit == exitWasKilled:
		return is(Unknown, "was killed (exit %d)", exitWasKilled)
	}
	return is(Fails, "fails (exit %d)", res.Exit)
}

// formatBytes spells a size as options take it, such as "512m".
func formatBytes(n int64) string {
	for shift, unit := range map[int]string{30: "g", 20: "m", 10: "k"} {
		if n>>shift<<shift == n && n>>shift < 1024 && n>>shift > 0 {
			return strconv.FormatInt(n>>shift, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// A Failure is what tells one failure of a command from another: the lines that
// it prints when it fails in this way and does not print when it passes.
type Failure map[string]bool

// FailureOf is the failure of a result. passing is what the command prints when
// it passes; it may be nil.
func FailureOf(failing Result, passing []byte) Failure {
	failure := Failure(normalLines(failing.Output))
	for line := range normalLines(passing) {
		delete(failure, line)
	}
	return failure
}

// Recurs reports whether a result that fails does so in the same way: it has a
// third or more of the failure's lines. A build that breaks exits like a test
// that fails, but prints other lines. A command that prints nothing of its own
// when it fails is believed by its exit code alone.
func (f Failure) Recurs(r Result) bool {
	again, lines := 0, normalLines(r.Output)
	for line := range f {
		if lines[line] {
			again++
		}
	}
	return 3*again >= len(f)
}

// varying matches what differs between two runs that fail alike: times, line
// numbers, addresses, ids.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|[0-9]+`)

// normalLines returns the set of lines of an output, with "#" for what varies.
func normalLines(out []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(out) {
		line = bytes.TrimSpace(varying.ReplaceAll(line, []byte("#")))
		if len(line) > 0 {
			lines[string(line)] = true
		}
	}
	return lines
}
