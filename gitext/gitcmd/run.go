package gitcmd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// DefaultTimeout bounds git's silence; then git is stopped. The longest
	// legitimate call seen is a log -G over a whole history: 40 s of CPU for
	// 60,000 commits.
	DefaultTimeout = 15 * time.Minute
	// QuickTimeout is for calls that read a few files. On an overloaded machine
	// (six times more work than cores), one such call took over 30 s.
	QuickTimeout = 2 * time.Minute
	// Grace is the time for git to exit after an interrupt.
	Grace = 2 * time.Second
	// stderrTail is the number of bytes kept from the end of git's stderr.
	stderrTail = 8 << 10
	// readBuffer is the size of the stdout buffer.
	readBuffer = 64 << 10
)

// ErrStop is returned by a reader that needs no more output: git is stopped and
// the call succeeds.
var ErrStop = errors.New("stop reading")

// A Runner starts git with one environment in one directory.
type Runner struct {
	Dir     string
	Env     []string
	Pins    []string      // settings before the arguments of each call
	Timeout time.Duration // bound on git's silence
	Limits  *Limits       // nil for the default

	// Attributes is the path of the file that maps file names to languages. git
	// reads the file only for calls that need it, because the search for the
	// function above each hunk takes a third of the time of a patch (1000 commits
	// of runc: 0.43 s of CPU without, 0.64 s with).
	Attributes string

	Look blockWatcher // finds a file that blocks git; may be nil

	Log func(argv []string, d time.Duration, exit int) // called after each call; may be nil
}

// A Call is one git command.
type Call struct {
	Args      []string
	Stdin     io.Reader
	Timeout   time.Duration // the longest silence; 0 is the runner's
	Total     time.Duration // the longest wait in all; 0 is defaultTotal
	max       int64         // most bytes of stdout; 0 is no bound
	Drivers   bool          // the answer depends on the beginnings of functions
	Pathspecs bool          // paths are pathspecs, with their magic; otherwise they are literal
	Writes    bool          // git holds lock files while it runs
	Said      *string       // if not nil, receives the end of git's stderr, even if git succeeds
}

// Stream runs git and passes its stdout to read. An error of read takes
// precedence, except ErrStop, which counts as success. A non-zero exit code is
// an *Error.
func (r *Runner) Stream(ctx context.Context, c Call, read func(*bufio.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return &Error{Args: c.Args, Exit: -1, Err: err}
	}
	limit := c.Timeout
	if limit == 0 {
		limit = r.Timeout
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer r.Look.watch(ctx, cancel)()
	p, err := r.start(c)
	if err != nil {
		return r.startError(ctx, c, err)
	}
	unwatch := context.AfterFunc(ctx, p.stop)
	watched := newWatchedReader(upTo(p.out, c.max), limit, cmp.Or(c.Total, defaultTotal), cancel)
	rerr := read(bufio.NewReaderSize(watched, readBuffer))
	if rerr != nil {
		p.stop()
	}
	watched.wait()
	werr := p.wait()
	watched.timer.Stop()
	unwatch()
	if c.Said != nil {
		*c.Said = p.stderr.String()
	}
	if r.Log != nil {
		r.Log(append([]string{"git"}, c.Args...), time.Since(p.began), p.exit())
	}
	return r.outcome(ctx, c, p, rerr, werr)
}

func (r *Runner) outcome(ctx context.Context, c Call, p *process, rerr, werr error) error {
	if errors.Is(rerr, ErrStop) {
		return nil
	}
	if ctx.Err() != nil && (rerr != nil || werr != nil) {
		return CountCut(ctx, &Error{Args: c.Args, Exit: -1, Stderr: p.stderr.String(), Hint: timeoutHint(ctx), Err: context.Cause(ctx)})
	}
	var limit *Error
	if errors.Is(rerr, ErrOutputLimit) && !errors.As(rerr, &limit) {
		return CountCut(ctx, &Error{Args: c.Args, Exit: -1, Err: rerr})
	}
	if werr == nil || rerr != nil && p.exit() == 0 {
		return rerr
	}
	stderr := p.stderr.String()
	if bound := r.howItDied(p, stderr); bound != nil {
		return CountCut(ctx, &Error{Args: c.Args, Exit: -1, Stderr: stderr, Hint: memoryHint(bound), Err: bound})
	}
	if rerr == nil || p.exit() > 0 {
		return &Error{Args: c.Args, Exit: p.exit(), Stderr: stderr, Err: errors.Join(werr, rerr)}
	}
	return rerr
}

// startError explains why git did not start.
func (r *Runner) startError(ctx context.Context, c Call, err error) error {
	if tooLong(err) {
		return CountCut(ctx, &Error{Args: c.Args[:1], Exit: -1, Err: ErrTooLong})
	}
	return &Error{Args: c.Args, Exit: -1, Err: err}
}

// silentFor returns an ErrTimeout with the duration of git's silence.
func silentFor(limit time.Duration) error {
	return fmt.Errorf("%w: no answer for %v", ErrTimeout, limit)
}

// timeoutHint returns an advice if git was stopped for its silence, else "".
func timeoutHint(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return "try again when the machine is less busy"
	}
	return ""
}

// Output runs git and returns its stdout.
func (r *Runner) Output(ctx context.Context, c Call) ([]byte, error) {
	c.max = cmp.Or(c.max, defaultOutput)
	var out []byte
	err := r.Stream(ctx, c, func(b *bufio.Reader) error {
		var err error
		out, err = io.ReadAll(b)
		return err
	})
	return out, err
}

// A process is a running git, alone in its process group.
type process struct {
	cmd    *exec.Cmd
	args   []string
	began  time.Time
	out    *os.File
	stderr *tail
	bound  int64 // on its memory
	mu     sync.Mutex
	kill   *time.Timer
	waited bool
}

// start runs git in its own process group with a pipe for stdout.
func (r *Runner) start(c Call) (*process, error) {
	args := r.Pins[:len(r.Pins):len(r.Pins)]
	if c.Drivers && r.Attributes != "" {
		args = append(args, "-c", "core.attributesFile="+r.Attributes)
	}
	if c.Pathspecs {
		args = append(args, "--no-literal-pathspecs")
	}
	args = append(args, c.Args...)
	p := &process{args: c.Args, began: time.Now(), stderr: &tail{}, bound: r.MemoryFor()}
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	p.out = out
	p.cmd, err = startBounded(func() *exec.Cmd {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.Dir, r.Env, c.Stdin, in, p.stderr
		cmd.WaitDelay = Grace
		ownGroup(cmd)
		return cmd
	}, c.Writes, p.bound)
	in.Close() // the child has its own copy
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("start git: %w", err)
	}
	return p, nil
}

// stop interrupts the process group, so that git removes its locks, and kills the
// remaining processes after the grace period. It may be called more than once.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waited || p.kill != nil {
		return
	}
	interruptGroup(p.cmd)
	p.kill = time.AfterFunc(Grace, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		killGroup(p.cmd)
		p.out.Close() // a child outside the group may still have the other end open
	})
}

// wait waits for git to exit. After a stop, no process of its group survives.
func (p *process) wait() error {
	p.out.Close() // a git that still writes gets SIGPIPE
	err := p.cmd.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited = true
	if p.kill != nil {
		p.kill.Stop()
		killGroup(p.cmd)
	}
	return err
}

// stopped reports whether stop was called.
func (p *process) stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kill != nil
}

func (p *process) exit() int { return p.cmd.ProcessState.ExitCode() }

// tail keeps the end of the text written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - stderrTail; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(t.b, []byte("\uFFFD")))
}

// A watchedReader ends the call if one silence of git, or the sum of all waits,
// is too long. Its clock runs only during reads, so that a slow consumer does not
// count as a slow git.
type watchedReader struct {
	r      io.Reader
	timer  *time.Timer
	limit  time.Duration // of one silence
	left   time.Duration // for all further reads
	total  time.Duration
	cancel context.CancelCauseFunc
}

func newWatchedReader(r io.Reader, limit, total time.Duration, cancel context.CancelCauseFunc) *watchedReader {
	w := &watchedReader{r: r, limit: limit, left: total, total: total, cancel: cancel}
	w.timer = time.AfterFunc(time.Hour, w.expire)
	w.timer.Stop()
	return w
}

// expire ends the call after the clock has run out. The reader is still waiting,
// so left has not been updated yet.
func (w *watchedReader) expire() {
	if w.left < w.limit {
		w.cancel(fmt.Errorf("%w: no end after %v", ErrTimeout, w.total))
		return
	}
	w.cancel(silentFor(w.limit))
}

// wait starts the clock.
func (w *watchedReader) wait() { w.timer.Reset(max(0, min(w.limit, w.left))) }

func (w *watchedReader) Read(p []byte) (int, error) {
	began := time.Now()
	w.wait()
	n, err := w.r.Read(p)
	if w.timer.Stop() {
		w.left -= time.Since(began)
	}
	return n, err
}

// upTo returns a reader that fails with ErrOutputLimit after max bytes.
func upTo(r io.Reader, max int64) io.Reader {
	if max <= 0 {
		return r
	}
	return &limitedReader{r: r, left: max}
}

type limitedReader struct {
	r    io.Reader
	left int64
}

func (b *limitedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, ErrOutputLimit
	}
	return n, err
}
