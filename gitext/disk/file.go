// Package disk opens files by name and never waits for ever. It also makes
// temporary directories and finds those that killed processes left behind.
//
// A file in a repository, an archive or another program's directory may have any
// kind: opening a named pipe would wait for ever, and reading a device may never
// end. Regular and ReadRegular accept regular files only.
//
// A file named on the command line may well be a pipe: /dev/stdin, or a shell's
// <(command). Named waits for the pipe until its context ends.
package disk

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// A KindError says that a file is not a regular file.
type KindError struct {
	Path string
	Mode fs.FileMode
}

func (e *KindError) Error() string {
	return fmt.Sprintf("%q is %s, not a regular file", e.Path, kindName(e.Mode))
}

func kindName(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode.IsDir():
		return "a directory"
	}
	return "something else"
}

// Regular opens a regular file for reading, following symbolic links, and
// never blocks. Any other kind of file is a *KindError.
func Regular(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		if info, serr := os.Stat(name); serr == nil && info.Mode()&fs.ModeSocket != 0 {
			err = &KindError{name, info.Mode()} // a socket cannot be opened at all
		}
		return nil, err
	}
	return onlyRegular(f, name)
}

func onlyRegular(f *os.File, name string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &KindError{name, info.Mode()}
	}
	if err != nil {
		f.Close() // nothing was read yet
		return nil, err
	}
	return f, nil
}

// ReadRegular reads a regular file of at most max bytes.
func ReadRegular(name string, max int64) ([]byte, error) {
	f, err := Regular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return readAtMost(f, name, max)
}

// ReadRegularIn is ReadRegular for a file below root; no link leads out of it.
func ReadRegularIn(root *os.Root, name string, max int64) ([]byte, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|openAtOnce, 0)
	if err == nil {
		f, err = onlyRegular(f, name)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return readAtMost(f, name, max)
}

func readAtMost(f io.Reader, name string, max int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(text)) > max {
		err = fmt.Errorf("%q has more than %d bytes", name, max)
	}
	return text, err
}

// Named opens a file that the user named, perhaps a pipe without a writer yet.
// The end of ctx ends the wait and later reads. With os.O_WRONLY, Named waits for
// a reader in the same way.
func Named(ctx context.Context, name string, flag int, perm fs.FileMode) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() { // open cannot be cancelled, so this goroutine may outlive the call
		f, err := os.OpenFile(name, flag, perm)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err == nil && flag&(os.O_WRONLY|os.O_RDWR) == 0 {
			context.AfterFunc(ctx, func() { o.f.Close() })
		}
		return o.f, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("open %q: %w", name, context.Cause(ctx))
	}
}

// Exists reports whether there is a file or a directory with this name.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// GlobQuote returns a pattern for [filepath.Glob] that matches only this text.
func GlobQuote(text string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(text)
}
