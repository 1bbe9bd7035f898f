package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/secret"
	"git-agent/gitext/disk"

	"github.com/rogpeppe/go-internal/diff"
)

// maxFile bounds the size of a configuration file, in bytes.
const maxFile = 16 << 20

// Change is an edit of one file that can be shown before it is made.
type Change struct {
	Path          string // of the file, as the client names it
	Before, After []byte // After is empty if the file is to be removed
	target        string // the file that Path leads to
	mode          fs.FileMode
}

// ManualError says that a file cannot be edited safely, and which lines a person has to add.
type ManualError struct {
	Path  string
	Lines string // "" if the entry is to be removed
	Err   error
}

// Error names the file and what is wrong with it.
func (e *ManualError) Error() string { return fmt.Sprintf("%s is not edited: %v", e.Path, e.Err) }

// Unwrap returns what is wrong.
func (e *ManualError) Unwrap() error { return e.Err }

// Install returns the change that makes the client start the server. It is empty if the client
// does so already.
func (c Client) Install(p Places, project bool, s Server) (*Change, error) {
	ch, err := c.open(p, project)
	if err != nil {
		return nil, err
	}
	s = c.serve(s)
	if err := c.checkOurs(ch); err != nil {
		return nil, c.manual(ch.Path, s, err)
	}
	text, err := c.file.install(string(ch.Before), c.fields(s), c.extra)
	if err != nil {
		return nil, c.manual(ch.Path, s, err)
	}
	ch.After = []byte(text)
	return ch, nil
}

// Uninstall returns the change that removes the server. It is empty if there is none.
func (c Client) Uninstall(p Places, project bool) (*Change, error) {
	ch, err := c.open(p, project)
	if err != nil {
		return nil, err
	}
	ch.After = ch.Before
	if entry, err := c.Read(ch.Before); err == nil && entry == nil {
		return ch, nil
	}
	if err := c.checkOurs(ch); err != nil {
		return nil, &ManualError{Path: ch.Path, Err: err}
	}
	text, err := c.file.uninstall(string(ch.Before))
	if err != nil {
		return nil, &ManualError{Path: ch.Path, Err: err}
	}
	ch.After = []byte(text)
	return ch, nil
}

func (c Client) manual(path string, s Server, err error) error {
	lines, failed := c.file.install("", c.fields(s), c.extra)
	return errors.Join(&ManualError{Path: path, Lines: lines, Err: err}, failed)
}

// checkOurs refuses an entry that starts another program.
func (c Client) checkOurs(ch *Change) error {
	entry, err := c.Read(ch.Before)
	if err == nil && entry != nil && !entry.Ours() {
		err = fmt.Errorf("its server %s is another one, which starts %q", Name, entry.Command)
	}
	return err
}

// open reads the configuration file of a client. A missing file is empty.
func (c Client) open(p Places, project bool) (*Change, error) {
	path, err := c.Path(p, project)
	if err != nil {
		return nil, err
	}
	ch := &Change{Path: path, target: path, mode: 0o600}
	if project {
		ch.mode = 0o644
		if err := refuseLinks(p.Top, path); err != nil {
			return nil, err
		}
	} else if real, err := filepath.EvalSymlinks(path); err == nil {
		ch.target = real
	} else if _, there := os.Lstat(path); there == nil {
		return nil, fmt.Errorf("%s is a link to nothing", path)
	}
	ch.Before, err = ch.read()
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(ch.target); err == nil {
		ch.mode = info.Mode().Perm()
	}
	return ch, nil
}

// refuseLinks refuses a path in a project that leads through a link: the project's author would
// choose which file is written.
func refuseLinks(top, path string) error {
	for at := path; at != top && at != filepath.Dir(at); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link; it is not followed", at)
		}
	}
	return nil
}

func (ch *Change) read() ([]byte, error) {
	text, err := disk.ReadRegular(ch.target, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// Empty reports whether there is nothing to do.
func (ch *Change) Empty() bool { return bytes.Equal(ch.Before, ch.After) }

// maxShown bounds the length of a shown line, in bytes.
const maxShown = 300

// Diff returns the change as a patch for people: secrets in it are redacted, and long lines are
// shortened.
func (ch *Change) Diff() string {
	text := string(diff.Diff(ch.Path, ch.Before, ch.Path, ch.After))
	if _, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(text, "diff ") {
		text = rest // the first line repeats the next two
	}
	text = cutLines(text, 8*maxShown) // a file may be one line of megabytes
	return cutLines(secret.New().Mask(text), maxShown)
}

// cutLines shortens lines of more bytes than most.
func cutLines(text string, most int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > most {
			line = strings.ToValidUTF8(line[:most], "") + "...\n"
		}
		out.WriteString(line)
	}
	return out.String()
}

// Apply makes the change. write replaces a file completely or not at all.
func (ch *Change) Apply(write func(path string, mode fs.FileMode, write func(io.Writer) error) error) error {
	now, err := ch.read()
	if err != nil {
		return err
	}
	if !bytes.Equal(now, ch.Before) {
		return fmt.Errorf("%s has changed in the meantime; nothing was written", ch.Path)
	}
	if len(ch.After) == 0 {
		return os.Remove(ch.target)
	}
	if err := os.MkdirAll(filepath.Dir(ch.target), 0o755); err != nil {
		return err
	}
	return write(ch.target, ch.mode, func(w io.Writer) error {
		_, err := w.Write(ch.After)
		return err
	})
}
