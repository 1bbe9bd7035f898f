package place

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Folder is git-agent's data directory for one repository, or for data without a repository. It
// need not exist.
type Folder struct {
	Path       string
	Repository string // canonical path of the common git directory
	Why        string // the reason for an unusual place; "" for the usual one
	root       string
}

// Folder returns the folder of the repository with this common git directory,
// and creates nothing.
func (u User) Folder(k Kind, commonDir string) (Folder, error) {
	root, err := u.root(k)
	if err != nil {
		return Folder{}, err
	}
	canonical, err := canonicalPath(commonDir)
	if err != nil {
		return Folder{}, err
	}
	f := Folder{Repository: canonical, Why: root.Why, root: root.Path}
	sum := hashOf(canonical)
	// 64 bits are enough, except for deliberate collisions. After a collision, the second path
	// gets the whole hash.
	for _, digits := range []int{16, len(sum)} {
		f.Path = filepath.Join(root.Path, nameOf(canonical)+"-"+sum[:digits])
		if owner, found := readRecord(f.Path); !found || owner == canonical {
			return f, nil
		}
	}
	return Folder{}, fmt.Errorf("%q is the folder of another repository", f.Path)
}

// Own returns the folder for data without a repository: the root itself.
func (u User) Own(k Kind) (Folder, error) {
	root, err := u.root(k)
	return Folder{Path: root.Path, Why: root.Why, root: root.Path}, err
}

func canonicalPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

func hashOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}

// maxName bounds the readable part of a folder's name.
const maxName = 48

// nameOf returns the usual name of the repository: "linux" for /src/linux/.git and
// /src/linux.git.
func nameOf(commonDir string) string {
	base := filepath.Base(commonDir)
	if base == ".git" {
		base = filepath.Base(filepath.Dir(commonDir))
	}
	base = strings.TrimSuffix(base, ".git")
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '_'
	}, base)
	clean = strings.TrimLeft(clean, ".-") // neither hidden nor an option
	if len(clean) > maxName {
		clean = clean[:maxName]
	}
	if clean == "" {
		return "repository"
	}
	return clean
}

// Make creates the folder if it does not exist, and checks it if it does.
func (f Folder) Make() error {
	for _, dir := range []string{f.root, f.Path} {
		err := checkPrivate(dir)
		if errors.Is(err, fs.ErrNotExist) {
			if err = os.MkdirAll(dir, 0o700); err == nil {
				err = checkPrivate(dir) // perhaps another process has created it
			}
		}
		if err != nil {
			return err
		}
	}
	if owner, found := readRecord(f.Path); f.Repository == "" || found && owner == f.Repository {
		return nil
	}
	return writeRecord(f.Path, f.Repository)
}

// Check returns nil if the folder exists and can be trusted.
func (f Folder) Check() error {
	if err := checkPrivate(f.root); err != nil {
		return err
	}
	return checkPrivate(f.Path)
}

// Gone reports whether the repository is no longer at its path: it was deleted or moved, or its
// disk is not mounted.
func (f Folder) Gone() bool {
	_, err := os.Lstat(f.Repository)
	return errors.Is(err, fs.ErrNotExist)
}

// Folders returns the folders of all repositories, by name.
func (u User) Folders(k Kind) ([]Folder, error) {
	root, err := u.root(k)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []Folder
	for _, e := range entries {
		f := Folder{Path: filepath.Join(root.Path, e.Name()), Why: root.Why, root: root.Path}
		owner, found := readRecord(f.Path)
		if !found || f.Check() != nil {
			continue
		}
		f.Repository = owner
		list = append(list, f)
	}
	return list, err
}

// recordName is the file with the path of the folder's repository.
const recordName = "repository"

// maxRecord bounds the size of a record, in bytes; it exceeds the longest path.
const maxRecord = 64 << 10

// record returns the text of a record: the hash of the path and the path itself, so that a
// damaged record never names another repository.
func record(path string) []byte { return fmt.Appendf(nil, "%s\n%s\n", hashOf(path), path) }

// readRecord returns the path in a record, and false if there is no undamaged
// record.
func readRecord(dir string) (string, bool) {
	file := filepath.Join(dir, recordName)
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(file)
	if err != nil {
		return "", false
	}
	defer f.Close() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err != nil {
		return "", false
	}
	_, path, _ := bytes.Cut(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	return string(path), bytes.Equal(text, record(string(path)))
}

// writeRecord replaces the record atomically.
func writeRecord(dir, path string) error {
	f, err := os.CreateTemp(dir, recordName+".making-") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(record(path))
	file := filepath.Join(dir, recordName)
	if info, lost := os.Lstat(file); lost == nil && info.IsDir() {
		err = errors.Join(err, os.Rename(file, file+".damaged")) // rename cannot replace a directory by a file
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error matters more
	}
	return err
}
