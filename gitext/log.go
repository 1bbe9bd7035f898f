package gitext

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/gitcmd"
)

// LogOptions select the commits of a log, newest first.
type LogOptions struct {
	Tip          OID
	Not          []OID    // leave out commits reachable from these
	Paths        []string // literal; only commits that touch them
	Follow       bool     // follow renames; needs exactly one path
	Since, Until time.Time
	Max          int // 0 is all
	NoMerges     bool
	Grep         string // literal text in the message, in any case; "" is any
	GrepLine     string // extended regular expression for a line of the message; not with Grep
	Files        bool   // fill Files
	NoRenames    bool   // list a rename as a deletion and an addition, so that no blob is read
	MaxFiles     int    // most Files of one entry; 0 is bounded only by the whole log
	Object       OID    // only commits that add or remove this object, which may be missing; "" is all
}

// LogEntry is one commit of a log.
type LogEntry struct {
	OID                     OID
	Parents                 []OID // with Paths, the parents in the simplified history
	AuthorTime, CommitTime  time.Time
	AuthorName, AuthorEmail string
	Subject                 string
	Files                   []FileChange // without hunks; merges have none
}

// logFormat prints each entry as one line that begins with a NUL byte. No raw
// record or patch line begins with NUL.
const logFormat = "--format=tformat:%x00%H%x00%P%x00%at%x00%ct%x00%an%x00%ae%x00%s"

func (o LogOptions) args() ([]string, error) {
	args := []string{logFormat, "--encoding=UTF-8", "--no-color", "--no-ext-diff", "--no-textconv",
		"--no-show-signature", "--no-notes", "--no-mailmap", "--no-decorate", "-l1000"}
	if o.Files {
		args = append(args, "--raw", "--no-abbrev", "--ignore-submodules=none")
		if o.NoRenames {
			args = append(args, "--no-renames")
		} else {
			args = append(args, "-M")
		}
	}
	if o.Follow {
		if len(o.Paths) != 1 {
			return nil, errors.New("following renames needs exactly one path")
		}
		args = append(args, "--follow")
	}
	if !o.Since.IsZero() {
		args = append(args, "--max-age="+strconv.FormatInt(o.Since.Unix(), 10))
	}
	if !o.Until.IsZero() {
		args = append(args, "--min-age="+strconv.FormatInt(o.Until.Unix(), 10))
	}
	if o.Max > 0 {
		args = append(args, "--max-count="+strconv.Itoa(o.Max))
	}
	if o.Grep != "" {
		args = append(args, "--fixed-strings", "--regexp-ignore-case", "--grep="+o.Grep)
	}
	if o.GrepLine != "" {
		args = append(args, "--extended-regexp", "--grep="+o.GrepLine)
	}
	if o.NoMerges {
		args = append(args, "--no-merges")
	}
	if o.Object != "" {
		args = append(args, "--find-object="+string(o.Object))
		if err := o.Object.valid(); err != nil {
			return nil, err
		}
	}
	return args, errors.Join(o.Tip.valid(), validAll(o.Not...), checkPaths(o.Paths))
}

// revisions returns the revision arguments of the walk.
func (o LogOptions) revisions() []string {
	revs := []string{string(o.Tip)}
	for _, oid := range o.Not {
		revs = append(revs, "^"+string(oid))
	}
	return revs
}

// Log lists commits. An error comes last and ends the listing.
func (r *Repo) Log(ctx context.Context, opt LogOptions) iter.Seq2[LogEntry, error] {
	return r.log(ctx, opt)
}

// log runs git log with the extra options in more.
func (r *Repo) log(ctx context.Context, opt LogOptions, more ...string) iter.Seq2[LogEntry, error] {
	return func(yield func(LogEntry, error) bool) {
		args, err := opt.args()
		if err != nil {
			yield(LogEntry{}, err)
			return
		}
		args = append(append([]string{"log"}, args...), more...)
		args = append(append(args, "--end-of-options"), opt.revisions()...)
		err = r.entries(ctx, gitcmd.Call{Args: withPaths(args, opt.Paths)}, opt.MaxFiles, func(e LogLEntry) bool { return yield(e.LogEntry, nil) })
		if err != nil {
			yield(LogEntry{}, err)
		}
	}
}

// entries runs git and yields each log entry with its raw records and patch.
func (r *Repo) entries(ctx context.Context, git gitcmd.Call, maxFiles int, yield func(LogLEntry) bool) error {
	stopped := false
	err := r.shadow.Stream(ctx, git, func(out *bufio.Reader) error {
		reader := newEntryReader(out, maxFiles)
		for {
			entry, err := reader.next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if reader.cut {
				reader.cut = false
				gitcmd.NoteCut(ctx, fmt.Sprintf("git log: %s changes more than is kept of a log", entry.OID.Short()))
			}
			if !yield(entry) {
				stopped = true
				return gitcmd.ErrStop
			}
		}
	})
	if err == nil || stopped {
		return nil
	}
	return r.explain(ctx, err)
}

// These constants bound the kept part of one log, in bytes.
const (
	maxChanges  = 64 << 20 // names of changed files, plus changeCost for each; the bound of one patch, too
	maxLogPatch = 64 << 20 // patches
	maxHead     = 64 << 10 // the subject and each name of one entry
	changeCost  = 200
)

// An entryReader reads the entries of a log.
type entryReader struct {
	lines    gitcmd.LineReader
	maxFiles int   // of one entry
	files    int64 // remaining bytes for file names
	patch    int   // remaining bytes for patches
	cut      bool  // something was left out
}

func newEntryReader(out *bufio.Reader, maxFiles int) *entryReader {
	return &entryReader{lines: gitcmd.NewLineReader(out), maxFiles: cmp.Or(maxFiles, math.MaxInt), files: maxChanges, patch: maxLogPatch}
}

// next reads a line of logFormat and the raw records and patch lines after it.
func (r *entryReader) next() (LogLEntry, error) {
	lines := &r.lines
	head, err := lines.Next()
	if err != nil {
		return LogLEntry{}, err
	}
	entry, err := parseEntry(string(head))
	if err != nil {
		return LogLEntry{}, err
	}
	full := LogLEntry{LogEntry: entry}
	for {
		first, err := lines.Peek()
		if err == io.EOF || err == nil && first == 0 {
			return full, nil
		}
		if err != nil {
			return full, err
		}
		line, err := lines.Next()
		switch {
		case err != nil:
			return full, err
		case first == ':':
			err = r.file(&full, line)
		case r.patch < len(line):
			r.cut = true
		case len(line) > 0 || len(full.Patch) > 0:
			r.patch -= len(line)
			full.Patch = append(append(full.Patch, line...), '\n')
		}
		if err != nil {
			return full, err
		}
	}
}

// file adds a raw record to the entry while the bound allows.
func (r *entryReader) file(into *LogLEntry, record []byte) error {
	if len(into.Files) >= r.maxFiles {
		return nil
	}
	if r.files -= int64(len(record)) + changeCost; r.files < 0 {
		r.cut = true
		return nil
	}
	file, err := parseRaw(string(record))
	into.Files = append(into.Files, file)
	return err
}

// parseEntry parses a line of logFormat. A cut line lacks its last fields.
func parseEntry(line string) (LogEntry, error) {
	f := strings.Split(line, "\x00")
	for len(line) >= gitcmd.MaxLine && len(f) < 8 {
		f = append(f, "")
	}
	if len(f) != 8 || f[0] != "" {
		return LogEntry{}, fmt.Errorf("malformed log entry: %.100q", line)
	}
	oid, err := ParseOID(f[1])
	if err != nil {
		return LogEntry{}, fmt.Errorf("malformed log entry: %w", err)
	}
	e := LogEntry{
		OID: oid, AuthorTime: parseSeconds(f[3]), CommitTime: parseSeconds(f[4]),
		AuthorName: atMost(f[5], maxHead), AuthorEmail: atMost(f[6], maxHead), Subject: atMost(f[7], maxHead),
	}
	for parent := range strings.FieldsSeq(f[2]) {
		e.Parents = append(e.Parents, OID(parent))
	}
	if len(line) > maxHead { // without copies, the texts keep the whole line in memory
		e.OID = OID(strings.Clone(string(e.OID)))
		for i := range e.Parents {
			e.Parents[i] = OID(strings.Clone(string(e.Parents[i])))
		}
		e.AuthorName, e.AuthorEmail, e.Subject = strings.Clone(e.AuthorName), strings.Clone(e.AuthorEmail), strings.Clone(e.Subject)
	}
	return e, nil
}

// parseSeconds parses a commit's date. An invalid date is the zero time.
func parseSeconds(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > maxSeconds {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// LogLEntry is one commit of the history of a range of lines.
type LogLEntry struct {
	LogEntry
	Patch []byte // the range's part of the commit's patch, as git prints it
}
