package gitext

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
)

// errMissing is what cat-file says about a name without an object.
var errMissing = errors.New("missing object")

// An objectReader asks one long-lived cat-file for objects, one question at a
// time. The process starts at the first question and again after a question
// was given up.
//
// It speaks --batch-command (git 2.36). Where git does not know that, it asks
// with --batch, whose answers always carry the content: then info reads and
// drops it.
type objectReader struct {
	git     *runner
	mu      sync.Mutex
	p       *process
	in      *os.File
	out     *bufio.Reader
	oldGit  bool
	stopped bool
}

func newObjectReader(git *runner) *objectReader { return &objectReader{git: git} }

// close ends the process; later questions fail.
func (o *objectReader) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
	o.end()
}

// end lets git finish by closing its stdin.
func (o *objectReader) end() {
	if o.p == nil {
		return
	}
	o.in.Close()
	_ = o.p.wait() // how it ends says nothing: all answers have been read, or are not wanted
	o.p = nil
}

// start runs cat-file unless it runs. A git before 2.36 leaves at once with a
// usage message, which the first question notices.
func (o *objectReader) start() error {
	if o.stopped {
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
	p, err := o.git.start(call{args: []string{"cat-file", mode}, stdin: stdin})
	stdin.Close() // the child has its own copy
	if err != nil {
		in.Close()
		return err
	}
	o.p, o.in, o.out = p, in, bufio.NewReaderSize(p.out, readBuffer)
	return nil
}

// ask puts one question and hands the answer's head and content to read. On
// any trouble, and when ctx ends, the process is given up.
func (o *objectReader) ask(ctx context.Context, verb, name string, read func(head objectHead, content *bufio.Reader) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, o.git.timeout, ErrTimeout)
	defer cancel()
	began, fresh := time.Now(), o.p == nil
	err := o.try(ctx, verb, name, read)
	if errors.Is(err, errSilent) && fresh && !o.oldGit && ctx.Err() == nil {
		o.oldGit = true
		err = o.try(ctx, verb, name, read)
	}
	if errors.Is(err, errSilent) && !fresh && ctx.Err() == nil {
		err = o.try(ctx, verb, name, read) // it died since the last question
	}
	if o.git.log != nil && fresh {
		o.git.log([]string{"git", "cat-file", "--batch-command"}, time.Since(began), 0)
	}
	if ctx.Err() != nil && err != nil {
		return &Error{Args: []string{"cat-file", name}, Exit: -1, Err: context.Cause(ctx)}
	}
	return err
}

// errSilent says that cat-file ended instead of answering.
var errSilent = errors.New("cat-file gave no answer")

func (o *objectReader) try(ctx context.Context, verb, name string, read func(objectHead, *bufio.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.start(); err != nil {
		return err
	}
	p := o.p
	unwatch := context.AfterFunc(ctx, p.stop)
	err := o.exchange(verb, name, read)
	if !unwatch() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, errMissing) && !errors.As(err, new(*TooLargeError)) {
		p.stop()
		o.end()
	}
	return err
}

func (o *objectReader) exchange(verb, name string, read func(objectHead, *bufio.Reader) error) error {
	question := verb + " " + name + "\n"
	if o.oldGit {
		question = name + "\n"
	}
	if _, err := o.in.WriteString(question); err != nil {
		return errSilent
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		return errSilent
	}
	head, err := parseObjectHead(strings.TrimSuffix(line, "\n"))
	if err != nil {
		return err
	}
	if verb == "info" && !o.oldGit {
		return read(head, nil)
	}
	content := &io.LimitedReader{R: o.out, N: head.size}
	rerr := read(head, bufio.NewReader(content))
	if _, err := io.Copy(io.Discard, content); err != nil {
		return errSilent
	}
	if _, err := o.out.Discard(1); err != nil { // the line break after the content
		return errSilent
	}
	return rerr
}

type objectHead struct {
	oid  OID
	kind string
	size int64
}

// parseObjectHead reads "<oid> <type> <size>"; all else ("<name> missing",
// "<name> ambiguous") means that there is no such object.
func parseObjectHead(line string) (objectHead, error) {
	f := strings.Split(line, " ")
	if len(f) != 3 {
		return objectHead{}, errMissing
	}
	oid, err := ParseOID(f[0])
	size, serr := strconv.ParseInt(f[2], 10, 64)
	if err != nil || serr != nil || size < 0 {
		return objectHead{}, errMissing
	}
	return objectHead{oid: oid, kind: f[1], size: size}, nil
}

// info asks what a name is.
func (o *objectReader) info(ctx context.Context, name string) (oid OID, head objectHead, err error) {
	err = o.ask(ctx, "info", name, func(h objectHead, _ *bufio.Reader) error {
		head = h
		return nil
	})
	return head.oid, head, err
}

// contents reads an object of the kind given, if it is not larger than max
// (0: any size).
func (o *objectReader) contents(ctx context.Context, name, kind string, max int64) (oid OID, text []byte, err error) {
	check := func(h objectHead) error {
		if h.kind != kind {
			return fmt.Errorf("%q is a %s, not a %s", name, h.kind, kind)
		}
		if max > 0 && h.size > max {
			return &TooLargeError{OID: h.oid, Size: h.size, Max: max}
		}
		return nil
	}
	if max > 0 {
		_, head, err := o.info(ctx, name)
		if err == nil {
			err = check(head)
		}
		if err != nil {
			return "", nil, err
		}
	}
	err = o.ask(ctx, "contents", name, func(h objectHead, content *bufio.Reader) error {
		if err := check(h); err != nil {
			return err
		}
		oid, text = h.oid, make([]byte, h.size)
		_, err := io.ReadFull(content, text)
		return err
	})
	return oid, text, err
}

// Blob reads a file's content by its object id. A blob above max bytes (0: no
// bound) is a *TooLargeError, one that the clone lacks a *MissingObjectError.
func (r *Repo) Blob(ctx context.Context, oid OID, max int64) ([]byte, error) {
	if err := oid.valid(); err != nil {
		return nil, err
	}
	_, text, err := r.objs.contents(ctx, string(oid), "blob", max)
	if errors.Is(err, errMissing) {
		return nil, &MissingObjectError{OID: oid}
	}
	return text, err
}

// BlobAt reads the file at path in a commit or tree. A path that is not there,
// or is no file, is ErrNotExist.
func (r *Repo) BlobAt(ctx context.Context, rev OID, path string, max int64) ([]byte, error) {
	oid, mode, err := r.entry(ctx, rev, path)
	if err != nil {
		return nil, err
	}
	if mode == modeSubmodule || mode == modeTree {
		return nil, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
	}
	return r.Blob(ctx, oid, max)
}

const (
	modeTree      = 0o40000
	modeSubmodule = 0o160000
)

// entry finds path in a tree. The quick way is a question to cat-file; where
// its line protocol cannot carry the path, or the answer is no, ls-tree says
// what is the matter.
func (r *Repo) entry(ctx context.Context, rev OID, path string) (OID, uint32, error) {
	if err := rev.valid(); err != nil {
		return "", 0, err
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return "", 0, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
	}
	if !strings.Contains(path, "\n") && !strings.HasPrefix(path, "./") && !strings.HasPrefix(path, "../") {
		_, head, err := r.objs.info(ctx, string(rev)+":"+path)
		if err == nil && head.kind == "blob" {
			return head.oid, 0o100644, nil
		}
		if err != nil && !errors.Is(err, errMissing) {
			return "", 0, err
		}
	}
	return r.treeEntry(ctx, rev, path)
}

// treeEntry asks ls-tree, which knows more and costs a process.
func (r *Repo) treeEntry(ctx context.Context, rev OID, path string) (OID, uint32, error) {
	out, err := r.shadow.output(ctx, call{timeout: quickTimeout, args: []string{"ls-tree", "-z", "--full-tree", string(rev), "--", path}})
	if err != nil {
		return "", 0, r.explain(ctx, err, rev)
	}
	for record := range strings.SplitSeq(string(out), "\x00") {
		meta, name, _ := strings.Cut(record, "\t")
		f := strings.Fields(meta)
		if name != path || len(f) != 3 {
			continue
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		return OID(f[2]), uint32(mode), err
	}
	return "", 0, fmt.Errorf("%q at %s: %w", path, rev.Short(), ErrNotExist)
}
