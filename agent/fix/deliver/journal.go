package deliver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// journalName is a file in the git directory of a work tree. It exists and is locked while a
// process writes a patch. If this process is killed, the file stays without a lock.
const journalName = "git-agent-delivery"

// maxJournal bounds a journal, in bytes.
const maxJournal = 16 << 20

// A journal describes a running delivery.
type journal struct {
	Name   string // name of the backup, without refs/agent/backup/
	Target Target
	Head   gitext.OID // before
	Branch string
	Undo   string
	Began  time.Time
	Files  []journalFile
}

// A journalFile is a file that is being written.
type journalFile struct {
	Path []byte      // bytes of the path, which need not be UTF-8
	Perm fs.FileMode // before
	Dirs int         // number of directories on its path that did not exist
}

// journal describes the delivery before it writes.
func (d *delivery) journal(saved gitext.Saved) *journal {
	j := &journal{Name: filepath.Base(saved.Ref), Target: d.opt.Target, Head: d.head.Commit, Branch: d.head.Branch, Began: time.Now()}
	for _, path := range d.paths {
		f := journalFile{Path: []byte(path)}
		full := filepath.Join(d.repo.WorkTree(), filepath.FromSlash(path))
		if info, err := os.Lstat(full); err == nil {
			f.Perm = info.Mode().Perm()
		}
		for dir := filepath.Dir(full); dir != d.repo.WorkTree(); dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); err == nil {
				break
			}
			f.Dirs++
		}
		j.Files = append(j.Files, f)
	}
	j.Undo = d.undo(saved, j.Files)
	return j
}

// A heldJournal is the journal file of a work tree, locked by this process.
type heldJournal struct {
	file *os.File
	path string
}

// lockJournal makes and locks the journal of a git directory. It refuses if another process
// holds the lock, or was killed while it held the lock.
func lockJournal(gitDir string) (*heldJournal, error) {
	for {
		h, err := openJournal(gitDir, os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if h == nil { // its last owner removed it between the opening and the locking here
			continue
		}
		if note, err := h.read(); note != nil || err != nil {
			h.release()
			return nil, cmp.Or(err, error(errInterrupted))
		}
		return h, nil
	}
}

// openJournal opens and locks the journal. It returns nil without an error if the file does not
// exist, which happens only without O_CREATE or in a race.
func openJournal(gitDir string, flag int) (*heldJournal, error) {
	path := filepath.Join(gitDir, journalName)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|flag, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was written: %w", err)
	}
	if err := tryLock(f); err != nil {
		f.Close()
		return nil, refuse("wait until it has ended", "another git agent is writing a patch here")
	}
	ours, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	if errors.Join(err1, err2) != nil || !os.SameFile(ours, there) {
		f.Close()
		return nil, nil
	}
	return &heldJournal{file: f, path: path}, nil
}

// read returns the content of the journal; nil if the journal was not written completely,
// because then nothing else was written. It refuses a journal that no delivery can have
// written.
func (h *heldJournal) read() (*journal, error) {
	if _, err := h.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(h.file, maxJournal))
	if err != nil {
		return nil, err
	}
	note := &journal{}
	if json.Unmarshal(text, note) != nil || note.Name == "" {
		return nil, nil
	}
	if field := note.wrong(); field != "" {
		return nil, refuse(
			"to go on without it: rm "+quote.Shell(h.path),
			"%s says that a patch was left half written, but git agent did not write that file: %s cannot be right",
			quote.Path(h.path),
			field,
		)
	}
	return note, nil
}

// maxFiles bounds the files of a delivery.
const maxFiles = 10_000

// wrong returns the name of a field with an impossible value, or "". A journal may come from an
// unpacked archive, and a recovery removes and writes the files that it names.
func (j *journal) wrong() string {
	_, badHead := gitext.ParseOID(string(j.Head))
	switch {
	case !gitext.IsStateName(j.Name):
		return "Name"
	case j.Target != WorkTree && j.Target != Index && j.Target != Commit:
		return "Target"
	case j.Head != "" && badHead != nil:
		return "Head"
	case j.Branch != "" && !gitext.InsideTree(j.Branch):
		return "Branch"
	case j.Began.IsZero():
		return "Began"
	case len(j.Files) == 0 || len(j.Files) > maxFiles:
		return "Files"
	}
	for _, f := range j.Files {
		switch {
		case path.Clean(string(f.Path)) != string(f.Path) || !gitext.InsideTree(string(f.Path)):
			return "Path"
		case f.Perm != f.Perm.Perm():
			return "Perm"
		case f.Dirs < 0 || f.Dirs > bytes.Count(f.Path, []byte("/")):
			return "Dirs"
		}
	}
	return ""
}

// write fills the journal and waits until the journal is on the disk.
func (h *heldJournal) write(note *journal) error {
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	if err := h.file.Truncate(0); err != nil { // remove the partial text of a killed process
		return err
	}
	_, err = h.file.WriteAt(text, 0)
	return errors.Join(err, h.file.Sync())
}

// clear empties the journal after its delivery is done. Then release removes it.
func (h *heldJournal) clear() { h.file.Truncate(0) } // release removes the file anyway

// release ends the lock. It removes the journal unless the journal describes an unfinished
// delivery.
func (h *heldJournal) release() {
	if note, err := h.read(); note == nil && err == nil {
		os.Remove(h.path)
	}
	h.file.Close()
}
