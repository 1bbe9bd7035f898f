package gitext

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/gitcmd"
)

// PickaxeOptions define a search for changes of a text.
type PickaxeOptions struct {
	LogOptions
	Needle string // a text for LogS, an extended regular expression for LogG

	// Last, if set, is the number of entries that the caller wants, from the end. If it saves
	// time, other entries are left out, and their number is added to Skipped.
	Last    int
	Skipped *int
}

// needle returns the option and the text as one argument, because the text may begin with a dash.
func (o PickaxeOptions) needle(letter string) (string, error) {
	if o.Needle == "" || strings.ContainsRune(o.Needle, 0) {
		return "", fmt.Errorf("%q is not a text to look for", o.Needle)
	}
	return "-" + letter + o.Needle, nil
}

// LogS lists the commits that change how often a text occurs in a file, as git
// log -S. Merges are not examined. With Files, entries name the files.
func (r *Repo) LogS(ctx context.Context, opt PickaxeOptions) iter.Seq2[LogEntry, error] {
	return r.pickaxe(ctx, opt, "S")
}

// LogG lists the commits that add or remove a matching line, as git log -G.
func (r *Repo) LogG(ctx context.Context, opt PickaxeOptions) iter.Seq2[LogEntry, error] {
	return r.pickaxe(ctx, opt, "G")
}

func (r *Repo) pickaxe(ctx context.Context, opt PickaxeOptions, letter string) iter.Seq2[LogEntry, error] {
	needle, err := opt.needle(letter)
	if err != nil {
		return failed[LogEntry](err)
	}
	if opt.wholeHistory() {
		return r.searchAll(ctx, opt, letter, needle)
	}
	return r.log(ctx, opt.LogOptions, "-M", needle)
}

// failed returns a sequence that yields only err.
func failed[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

// LogLOptions select lines: a function, by an expression for its heading, or a range of lines of
// the file at Tip.
type LogLOptions struct {
	Tip          OID
	Path         string
	Function     string // a basic regular expression, as in -L :funcname:; "" means Start and End
	Start, End   int
	Since, Until time.Time
	Max          int
	Patch        bool // fill Patch
}

// lines returns the argument of -L.
func (o LogLOptions) lines() (string, error) {
	if err := checkPaths([]string{o.Path}); err != nil {
		return "", err
	}
	if o.Function == "" {
		if o.Start < 1 || o.End < o.Start {
			return "", fmt.Errorf("%d,%d is not a range of lines", o.Start, o.End)
		}
		return "-L" + strconv.Itoa(o.Start) + "," + strconv.Itoa(o.End) + ":" + o.Path, nil
	}
	if strings.ContainsAny(o.Function, "\x00\n") {
		return "", fmt.Errorf("%q is not a function's name", o.Function)
	}
	return "-L:" + escapeColons(o.Function) + ":" + o.Path, nil
}

// escapeColons escapes colons, which would end the expression.
func escapeColons(re string) string {
	var b strings.Builder
	for i := 0; i < len(re); i++ {
		switch {
		case re[i] == '\\' && i+1 < len(re):
			b.WriteString(re[i : i+2])
			i++
		case re[i] == ':':
			b.WriteString(`\:`)
		default:
			b.WriteByte(re[i])
		}
	}
	return b.String()
}

// LogL lists the commits that changed a function or a range of lines, newest
// first and through renames, as git log -L. If no function matches, the error
// is ErrNotExist.
func (r *Repo) LogL(ctx context.Context, opt LogLOptions) iter.Seq2[LogLEntry, error] {
	span, err := opt.lines()
	if err != nil {
		return failed[LogLEntry](err)
	}
	limits := LogOptions{Tip: opt.Tip, Since: opt.Since, Until: opt.Until, Max: opt.Max}
	args, err := limits.args()
	if err != nil {
		return failed[LogLEntry](err)
	}
	args = append(append([]string{"log"}, args...), span, "-M", "-U3", "--src-prefix=a/", "--dst-prefix=b/")
	if !opt.Patch {
		args = append(args, "-s")
	}
	args = append(args, "--end-of-options", string(opt.Tip), "--")
	return func(yield func(LogLEntry, error) bool) {
		err := r.entries(ctx, gitcmd.Call{Args: args, Drivers: true}, 0, func(e LogLEntry) bool { return yield(e, nil) })
		if err != nil {
			yield(LogLEntry{}, r.logLError(ctx, err, opt))
		}
	}
}

// logLError explains a failed log -L: the file does not exist, or lacks the lines.
func (r *Repo) logLError(ctx context.Context, err error, opt LogLOptions) error {
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || gitErr.Exit != 128 {
		return err
	}
	if _, _, lookErr := r.entry(ctx, opt.Tip, opt.Path); errors.Is(lookErr, ErrNotExist) {
		return lookErr
	}
	gitErr.Hint = "'git grep -n -p' shows which functions git sees"
	gitErr.Err = errors.Join(ErrNotExist, gitErr.Err)
	return gitErr
}
