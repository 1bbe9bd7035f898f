package gitcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/gitext/gitdir"
)

// ErrMissing says that cat-file found no object of that name. ErrAmbiguous, also an ErrMissing,
// says that it found several.
var (
	ErrMissing   = errors.New("missing object")
	ErrAmbiguous = fmt.Errorf("ambiguous name: %w", ErrMissing)
)

// A CatFile asks one long-running cat-file process for objects. Questions
// from several goroutines queue; the questions of one call are written ahead of
// their answers. The process starts at the first question, and again after it
// died or a question was abandoned.
//
// It uses --batch-command (git 2.36). For an older git it uses --batch, whose answers always
// include the content; a question for the head alone drops the content.
type CatFile struct {
	git    *Runner
	mu     sync.Mutex
	p      *process
	in     *os.File
	out    *bufio.Reader
	oldGit bool
	proven bool // --batch-command has answered
	closed bool
}

// NewCatFile returns a reader of the objects that git sees. It does not start a process yet.
func NewCatFile(git *Runner) *CatFile { return &CatFile{git: git} }

// Close ends the process; later questions fail.
func (o *CatFile) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.end()
}

// end lets git finish by closing its stdin.
func (o *CatFile) end() {
	if o.p == nil {
		return
	}
	o.in.Close()
	_ = o.p.wait() // the exit code is irrelevant: all answers were read or are unwanted
	if o.git.Log != nil {
		o.git.Log(append([]string{"git"}, o.p.args...), time.Since(o.p.began), o.p.exit())
	}
	o.p = nil
}

// start starts cat-file unless it is running. A git before 2.36 exits at once
// with a usage message; the first question notices that.
func (o *CatFile) start() error {
	if o.closed {
		return os.ErrClosed
	}
	if o.p != nil {
		return nil
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return err
	}
	mode := "--batch-command"
	if o.oldGit {
		mode = "--batch"
	}
	p, err := o.git.start(Call{Args: []string{"cat-file", mode}, Stdin: stdin})
	stdin.Close() // the child has its own copy
	if err != nil {
		in.Close()
		return err
	}
	o.p, o.in, o.out = p, in, bufio.NewReaderSize(p.out, readBuffer)
	return nil
}

// errSilent says that cat-file ended without an answer.
var errSilent = errors.New("cat-file gave no answer")

// A taker receives the answers in order: the object's head and, if requested, its content. It
// need not read the whole content.
type taker func(i int, head ObjectHead, content io.Reader, err error)

// Each asks about all names. If an object makes cat-file die, only the answer
// for that object is lost.
func (o *CatFile) Each(ctx context.Context, verb string, names []string, take taker) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, o.git.Timeout, silentFor(o.git.Timeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer o.git.Look.watch(ctx, stop)()
	for next := 0; next < len(names); {
		fresh := o.p == nil
		answered, err := o.ask(ctx, verb, names[next:], func(i int, head ObjectHead, content io.Reader, err error) {
			take(next+i, head, content, err)
		})
		next += answered
		switch {
		case err == nil:
		case ctx.Err() != nil || o.p == nil && !errors.Is(err, errSilent):
			o.refuse(ctx, names, next, err, take)
			return
		case answered == 0 && !fresh:
			// cat-file died since the last question: ask a new process
		case answered == 0 && !o.proven && !o.oldGit && !Bounded(err):
			o.oldGit = true
		default:
			take(next, ObjectHead{}, nil, err)
			next++
		}
	}
}

// refuse answers all remaining questions with an error.
func (o *CatFile) refuse(ctx context.Context, names []string, next int, err error, take taker) {
	if ctx.Err() != nil {
		err = CountCut(ctx, context.Cause(ctx))
	}
	for ; next < len(names); next++ {
		take(next, ObjectHead{}, nil, &Error{Args: []string{"cat-file", names[next]}, Exit: -1, Hint: timeoutHint(ctx), Err: err})
	}
}

// ask writes questions and reads the answers. On any failure, and when ctx
// ends, it abandons the process.
func (o *CatFile) ask(ctx context.Context, verb string, names []string, take taker) (answered int, err error) {
	if err := errors.Join(ctx.Err(), o.start()); err != nil {
		return 0, err
	}
	p := o.p
	unwatch := context.AfterFunc(ctx, p.stop)
	var writer sync.WaitGroup
	questions := o.questions(verb, names)
	if len(questions) > pipeAtomic {
		in := o.in
		writer.Go(func() { io.WriteString(in, questions) }) // a failed write shows as a missing answer
	} else {
		_, err = o.in.WriteString(questions)
	}
	for err == nil && answered < len(names) {
		err = o.answer(verb, func(head ObjectHead, content io.Reader, err error) { take(answered, head, content, err) })
		if err == nil {
			answered++
		}
	}
	if interrupted := !unwatch(); interrupted || err != nil {
		o.end()
		err = nil
		if answered < len(names) {
			err = o.silence(ctx, p)
		}
	}
	writer.Wait()
	return answered, err
}

// silence returns the error for a process that ended without an answer.
func (o *CatFile) silence(ctx context.Context, p *process) error {
	e := &Error{Args: p.args, Exit: p.exit(), Stderr: p.stderr.String(), Err: errSilent}
	if bound := o.git.howItDied(p, e.Stderr); bound != nil {
		e.Exit, e.Hint, e.Err = -1, memoryHint(bound), fmt.Errorf("%w (%w)", bound, errSilent)
		return CountCut(ctx, e)
	}
	return e
}

// pipeAtomic is the number of bytes that fit into any empty pipe without blocking.
const pipeAtomic = 4096

func (o *CatFile) questions(verb string, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if !o.oldGit {
			b.WriteString(verb)
			b.WriteByte(' ')
		}
		b.WriteString(name)
		b.WriteByte('\n')
	}
	return b.String()
}

// answer reads one answer. An error means that there was no answer.
func (o *CatFile) answer(verb string, take func(ObjectHead, io.Reader, error)) error {
	line, err := o.out.ReadString('\n')
	if err != nil {
		return errSilent
	}
	o.proven = true
	head, err := parseObjectHead(strings.TrimSuffix(line, "\n"))
	if err != nil || verb == "info" && !o.oldGit {
		take(head, nil, err)
		return nil
	}
	content := &io.LimitedReader{R: o.out, N: head.Size}
	take(head, content, nil)
	if _, err := io.Copy(io.Discard, content); err != nil {
		return errSilent
	}
	if _, err := o.out.Discard(1); err != nil { // the line break after the content
		return errSilent
	}
	return nil
}

// ObjectHead is the line that cat-file prints before an object.
type ObjectHead struct {
	OID  string
	Kind string
	Size int64
}

// parseObjectHead parses "<oid> <type> <size>". Any other line ("<name>
// missing", "<name> ambiguous") means that there is no such object.
func parseObjectHead(line string) (ObjectHead, error) {
	f := strings.Split(line, " ")
	if len(f) == 2 && f[1] == "ambiguous" {
		return ObjectHead{}, ErrAmbiguous
	}
	if len(f) != 3 {
		return ObjectHead{}, ErrMissing
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if !gitdir.IsOID(f[0]) || err != nil || size < 0 {
		return ObjectHead{}, ErrMissing
	}
	return ObjectHead{OID: f[0], Kind: f[1], Size: size}, nil
}

// Info asks for the id, type and size of an object.
func (o *CatFile) Info(ctx context.Context, name string) (head ObjectHead, err error) {
	o.Each(ctx, "info", []string{name}, func(_ int, h ObjectHead, _ io.Reader, gotErr error) { head, err = h, gotErr })
	return head, err
}
