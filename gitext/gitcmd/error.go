package gitcmd

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	// ErrTimeout says that git was silent, or ran, for longer than the call
	// allowed.
	ErrTimeout = errors.New("git took too long")
	// ErrOutputLimit says that git wrote more than the call allowed.
	ErrOutputLimit = errors.New("git wrote too much")
	// ErrMemory says that git needed more memory than it was allowed.
	ErrMemory = errors.New("git needed too much memory")
	// ErrCrash says that git died of a signal sent by no process: git has a bug, or its stack was
	// too small for its input.
	ErrCrash = errors.New("git crashed")
	// ErrTooManyFiles says that a tree has more files than can be searched.
	ErrTooManyFiles = errors.New("the tree has too many files")
	// ErrTooLong says that a name in the repository is too long for a command line
	// of this system.
	ErrTooLong = errors.New("a path is too long for git's command line")
)

// Error describes a failed git call, or an argument that git would refuse.
type Error struct {
	Args   []string // git's arguments, without the pinned settings; empty if Err is the whole message
	Exit   int      // exit code; -1 if git was killed or never started
	Stderr string   // the end of git's stderr
	Hint   string   // a command or an advice for the user; may be empty
	Err    error    // the cause: an *exec.ExitError, ErrTimeout, a context's error
}

// Error returns git's own message, or else the way git ended.
func (e *Error) Error() string {
	if len(e.Args) == 0 && e.Err != nil {
		return e.Err.Error()
	}
	verb := "git"
	for i := 0; i < len(e.Args); i++ {
		if e.Args[i] != "-c" {
			verb = "git " + e.Args[i]
			break
		}
		i++ // its value
	}
	if said := e.Said(); said != "" && !e.Stopped() {
		return verb + ": " + said
	}
	if e.Err != nil {
		return verb + ": " + e.Err.Error()
	}
	return fmt.Sprintf("%s: exit status %d", verb, e.Exit)
}

// Stopped reports whether git was killed or never started; then its stderr
// explains nothing.
func (e *Error) Stopped() bool { return e.Exit < 0 }

// Said returns git's first error message without its "fatal: " or "error: ".
func (e *Error) Said() string {
	var first string
	for line := range strings.Lines(e.Stderr) {
		line = strings.TrimSpace(line)
		line = quotedLine().ReplaceAllString(line, "$1$2$3")
		if rest, ok := strings.CutPrefix(line, "fatal: "); ok {
			return rest
		}
		if first == "" {
			first = strings.TrimPrefix(line, "error: ")
		}
	}
	return first
}

// quotedLine matches messages that quote a line from a file of the repository, or a directory
// named in such a line. The file may be a symbolic link to a secret, so the quoted text is
// removed.
var quotedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(bad shallow line|bad graft data|(?:unexpected|unterminated) line in [^:]*): .*|(object directory) .*( does not exist; check .*)`,
	)
})

func (e *Error) Unwrap() error { return e.Err }

// WholeComplaint joins all of git's messages into one line: for a broken
// configuration file git prints several.
func WholeComplaint(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		text := quotedLine().ReplaceAllString(strings.TrimSpace(line), "$1$2$3")
		kind, rest, begins := strings.Cut(text, ": ")
		begins = begins && slices.Contains([]string{"fatal", "error", "warning"}, kind)
		switch {
		case text == "" || kind == "hint" || begins && slices.Contains(said, rest):
		case begins || said == nil:
			said = append(said, strings.TrimPrefix(text, kind+": "))
		default:
			said[len(said)-1] += " " + text
		}
	}
	return strings.TrimSuffix(strings.Join(said, "; "), ".")
}

// OwnerAdvice returns the command that git suggests for a directory of another owner, or "". The
// directory's name may contain lines that look like the command, so OwnerAdvice accepts the
// command only as the one line at the end of the message.
func OwnerAdvice(stderr string) string {
	_, advice, _ := strings.Cut(stderr, "\n\n\t")
	advice = strings.TrimSpace(advice)
	if !strings.HasPrefix(advice, "git config --global --add safe.directory ") || strings.Contains(advice, "\n") {
		return ""
	}
	return advice
}
