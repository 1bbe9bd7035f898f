package trial

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/agent/sandbox"
)

// An Outcome is the result of a command at a commit.
type Outcome int

// These are the outcomes.
const (
	Passes Outcome = iota
	Fails
	Unknown // the command was not run, or its exit code says nothing about the commit
)

// A Result describes how the command ended at one commit.
type Result struct {
	Outcome Outcome
	How     string // predicate of a sentence with the subject "it": "fails (exit 1)"
	Output  []byte // output of the command; a long one has lost its middle; nil if the command was not run

	Exit     int  // exit code as a shell reports it
	TimedOut bool // the command was ended at its time limit
	Full     bool // the command was ended because it filled the disk
	Other    bool // with Unknown: it fails in another way than it should
	Took     time.Duration
}

// These exit codes have a special meaning. git bisect run defines 125 as "cannot be tested".
// The shell returns 127 for a program that it does not find and 126 for one that it cannot execute. 137 means SIGKILL, which
// mostly comes from the kernel when memory is short. 153 means SIGXFSZ: the process made a file
// too large.
const (
	ExitSkip      = 125
	exitNotExec   = 126
	exitNotFound  = 127
	exitWasKilled = 137
	exitHugeFile  = 153
)

// resultOf determines the outcome from the way the command ended.
func (o *Options) resultOf(res sandbox.Result) Result {
	is := func(outcome Outcome, format string, args ...any) Result {
		return Result{Outcome: outcome, How: fmt.Sprintf(format, args...), Output: res.Output}
	}
	switch {
	case res.TimedOut:
		return is(Unknown, "ran into its time limit of %s", o.Timeout)
	case res.Full != "":
		return is(Unknown, "was ended: %s", res.Full)
	case res.Exit == 0:
		return is(Passes, "passes")
	case res.Starved:
		return is(Unknown, "ran out of memory: no process may have more than %s", formatBytes(o.Memory))
	case res.Exit == ExitSkip:
		return is(Unknown, "said that it cannot tell (exit %d)", ExitSkip)
	case res.Exit == exitNotExec:
		return is(Unknown, "found a program that it may not execute (exit %d)", exitNotExec)
	case res.Exit == exitNotFound:
		return is(Unknown, "found no program to run (exit %d)", exitNotFound)
	case res.Exit == exitWasKilled:
		return is(Unknown, "was killed (exit %d)", exitWasKilled)
	case res.Exit == exitHugeFile:
		return is(Unknown, "wrote a file that is larger than a command may write (exit %d)", exitHugeFile)
	}
	return is(Fails, "fails (exit %d)", res.Exit)
}

// formatBytes formats a size in the form that options take, such as "512m".
func formatBytes(n int64) string {
	for shift, unit := range map[int]string{30: "g", 20: "m", 10: "k"} {
		if n>>shift<<shift == n && n>>shift < 1024 && n>>shift > 0 {
			return strconv.FormatInt(n>>shift, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// A Failure identifies one way in which a command fails. It is the set of lines in the output
// of the failing command that are not in its output when it passes.
type Failure map[string]bool

// FailureOf returns the Failure of a failing result. passing is the output of the passing
// command; it may be nil.
func FailureOf(failing Result, passing []byte) Failure {
	failure := Failure(normalLines(failing.Output))
	for line := range normalLines(passing) {
		delete(failure, line)
	}
	return failure
}

// Recurs reports whether another failing result is the same failure: whether its output has at
// least a third of the failure's lines. A broken build exits like a failing test but prints
// other lines. If the failure has no lines, every failing result counts as the same.
func (f Failure) Recurs(r Result) bool {
	again, lines := 0, normalLines(r.Output)
	for line := range f {
		if lines[line] {
			again++
		}
	}
	return 3*again >= len(f)
}

// varying matches text that may differ between two outputs of the same failure:
// times, line numbers, addresses and ids.
var varying = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`0x[0-9a-fA-F]+|\b[0-9a-f]{7,64}\b|[0-9]+`)
})

// normalLines returns the set of lines of an output. Text that varies is replaced by
// "#".
func normalLines(out []byte) map[string]bool {
	lines := map[string]bool{}
	for line := range bytes.Lines(out) {
		if text := Normal(string(line)); text != "" {
			lines[text] = true
		}
	}
	return lines
}

// Normal replaces text that may differ between two outputs of the same failure by "#", and removes
// the space around it.
func Normal(text string) string { return strings.TrimSpace(varying().ReplaceAllString(text, "#")) }
