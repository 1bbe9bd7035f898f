package gitext

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
	// defaultTimeout is how long git may be silent before it is stopped. The
	// longest legitimate call seen is a log -G over a whole history: 40 s of CPU
	// for 60,000 commits.
	defaultTimeout = 15 * time.Minute
	// quickTimeout is for calls that read a few files. On a machine with six
	// times more work than cores one such call has taken over 30 s.
	quickTimeout = 2 * time.Minute
	// grace is how long git may take to exit after an interrupt.
	grace = 2 * time.Second
	// stderrTail is how many bytes of the end of git's stderr are kept.
	stderrTail = 8 << 10
	// readBuffer is the size of the stdout buffer.
	readBuffer = 64 << 10
)

// errStop is returned by a reader that needs no more: git is stopped and the
// call succeeds.
var errStop = errors.New("stop reading")

// A runner starts git with one environment in one directory.
type runner struct {
	dir     string
	env     []string
	pins    []string
	timeout time.Duration
	limits  *limits // nil for the default

	// attributes is the path of the file that maps file names to languages. Only
	// calls that need it read it: finding the function above each hunk takes a
	// third of the time of a patch (1000 commits of runc: 0.43 s of CPU without,
	// 0.64 s with).
	attributes string

	look blockWatcher // finds a file that blocks git; may be nil

	log func(argv []string, d time.Duration, exit int)
}

// A call is one git command.
type call struct {
	args    []string
	stdin   io.Reader
	timeout time.Duration // the longest silence; 0 is the runner's
	total   time.Duration // the longest wait in all; 0 is defaultTotal
	max     int64         // most bytes of stdout; 0 is no bound
	drivers bool          // the answer depends on where functions begin
	writes  bool          // git holds lock files while it runs
	said    *string       // if not nil, receives the end of git's stderr, even if git succeeds
}

// stream runs git and passes its stdout to read. An error of read is returned
// first, except errStop, which counts as success. A non-zero exit code is an
// *Error.
func (r *runner) stream(ctx context.Context, c call, read func(*bufio.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return &Error{Args: c.args, Exit: -1, Err: err}
	}
	limit := c.timeout
	if limit == 0 {
		limit = r.timeout
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer r.look.watch(ctx, cancel)()
	p, err := r.start(c)
	if err != nil {
		return r.startError(ctx, c, err)
	}
	unwatch := context.AfterFunc(ctx, p.stop)
	watched := newWatchedReader(upTo(p.out, c.max), limit, cmp.Or(c.total, defaultTotal), cancel)
	rerr := read(bufio.NewReaderSize(watched, readBuffer))
	if rerr != nil {
		p.stop()
	}
	watched.wait()
	werr := p.wait()
	watched.timer.Stop()
	unwatch()
	if c.said != nil {
		*c.said = p.stderr.String()
	}
	if r.log != nil {
		r.log(append([]string{"git"}, c.args...), time.Since(p.began), p.exit())
	}
	return r.outcome(ctx, c, p, rerr, werr)
}

func (r *runner) outcome(ctx context.Context, c call, p *process, rerr, werr error) error {
	if errors.Is(rerr, errStop) {
		return nil
	}
	if ctx.Err() != nil && (rerr != nil || werr != nil) {
		return countCut(ctx, &Error{Args: c.args, Exit: -1, Stderr: p.stderr.String(), Hint: timeoutHint(ctx), Err: context.Cause(ctx)})
	}
	var limit *Error
	if errors.Is(rerr, ErrOutputLimit) && !errors.As(rerr, &limit) {
		return countCut(ctx, &Error{Args: c.args, Exit: -1, Err: rerr})
	}
	if werr == nil || rerr != nil && p.exit() == 0 {
		return rerr
	}
	stderr := p.stderr.String()
	if bound := r.howItDied(p, stderr); bound != nil {
		return countCut(ctx, &Error{Args: c.args, Exit: -1, Stderr: stderr, Hint: memoryHint(bound), Err: bound})
	}
	if rerr == nil || p.exit() > 0 {
		return &Error{Args: c.args, Exit: p.exit(), Stderr: stderr, Err: errors.Join(werr, rerr)}
	}
	return rerr
}

// startError explains why git could not be started.
func (r *runner) startError(ctx context.Context, c call, err error) error {
	if tooLong(err) {
		return countCut(ctx, &Error{Args: c.args[:1], Exit: -1, Err: ErrTooLong})
	}
	return &Error{Args: c.args, Exit: -1, Err: err}
}

// silentFor returns an ErrTimeout that says how long git was silent.
func silentFor(limit time.Duration) error {
	return fmt.Errorf("%w: no answer for %v", ErrTimeout, limit)
}

// timeoutHint says what to do if git was stopped for its silence, else "".
func timeoutHint(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		return "try again when the machine is less busy"
	}
	return ""
}

// output runs git and returns its stdout.
func (r *runner) output(ctx context.Context, c call) ([]byte, error) {
	c.max = cmp.Or(c.max, defaultOutput)
	var out []byte
	err := r.stream(ctx, c, func(b *bufio.Reader) error {
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
func (r *runner) start(c call) (*process, error) {
	args := r.pins[:len(r.pins):len(r.pins)]
	if c.drivers && r.attributes != "" {
		args = append(args, "-c", "core.attributesFile="+r.attributes)
	}
	args = append(args, c.args...)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, c.stdin
	cmd.WaitDelay = grace
	ownGroup(cmd)
	p := &process{cmd: cmd, args: c.args, began: time.Now(), stderr: &tail{}, bound: r.memoryFor()}
	cmd.Stderr = p.stderr
	out, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	p.out, cmd.Stdout = out, in
	err = startChild(cmd, c.writes)
	in.Close() // the child has its own copy
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("start git: %w", err)
	}
	_ = limitMemory(cmd.Process.Pid, p.bound) // a system that does not allow it has no bound
	return p, nil
}

// stop interrupts the process group, so that git removes its locks, and kills
// what is left after the grace period. It may be called more than once.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waited || p.kill != nil {
		return
	}
	interruptGroup(p.cmd)
	p.kill = time.AfterFunc(grace, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		killGroup(p.cmd)
		p.out.Close() // a child that left the group may still hold the other end
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

// tail keeps the end of what is written to it.
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

// A watchedReader ends the call when git is silent for too long, or when the
// waits add up to too much. Its clock runs only during reads, so that a slow
// consumer is not mistaken for a slow git.
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

// expire ends the call when the clock has run out. The reader is still waiting,
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
