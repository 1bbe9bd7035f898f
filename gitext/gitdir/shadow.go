package gitdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// The shadow is our own small, bare git directory:
//
//	<data dir>/shadow.git/config                    ours, no includes
//	                     /HEAD, refs/               no refs at all
//	                     /attributes                which language a file is in
//	                     /objects/info/alternates   the user's objects
//	                     /objects/info/commit-graph our Bloom filters, when asked for
//	                     /shallow                   a copy of the user's
//
// All objects are read through the shadow. So the repository's own configuration
// cannot run a program or change an answer, and the Bloom filters need not be
// written into the user's files.
//
// The shadow is in a directory that only the user can write, never in the
// repository. Even so, it is used only if its few small files have exactly the
// expected contents and no unknown file is beside them: a "commondir" or a
// "config.worktree" would bring back foreign settings.

// ShadowName is the name of a shadow in a data directory.
const ShadowName = "shadow.git"

// shadowEntries are the permitted names in a shadow.
var shadowEntries = map[string]bool{
	"HEAD": true, "config": true, "attributes": true, "objects": true, "refs": true, "shallow": true, TipsName: true, graphSeenName: true,
}

// objectEntries lists the permitted names in the shadow's object directories.
var objectEntries = map[string][]string{
	"objects":      {"info", "pack"},
	"objects/info": {"alternates", graphName, graphName + ".lock"},
	"objects/pack": {},
}

var errForeign = errors.New("not a shadow directory of ours")

// ShadowFiles returns the files of a shadow, by slash-separated name. objects is the
// user's object directory. The shadow of a shallow clone also needs a copy of the
// clone's file "shallow".
func ShadowFiles(format, objects string) map[string][]byte {
	version, extension := "0", ""
	if format != "sha1" {
		version, extension = "1", "[extensions]\n\tobjectFormat = "+format+"\n"
	}
	var config strings.Builder
	// By default git diffs texts of up to 512 MiB; one such file would displace
	// everything else in a patch. Above the size set here, a file is binary.
	fmt.Fprintf(&config, "[core]\n\trepositoryFormatVersion = %s\n\tbare = true\n\tlogAllRefUpdates = false\n\tbigFileThreshold = 32m\n", version)
	config.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n")
	config.WriteString(extension)
	config.WriteString(driverConfig())
	return map[string][]byte{
		"HEAD":                    []byte("ref: refs/heads/none\n"),
		"config":                  []byte(config.String()),
		"attributes":              []byte(driverAttributes()),
		"objects/info/alternates": []byte(AlternatesLine(objects)),
	}
}

// EnsureShadow makes dir a shadow with these files. An existing shadow costs a few
// reads. A missing shadow is created with one rename. A damaged shadow is
// repaired file by file, so that no file is ever missing for another process.
func EnsureShadow(dir string, files map[string][]byte) error {
	switch err := check(dir, files); {
	case err == nil:
		return nil
	case errors.Is(err, errForeign):
		if err := os.RemoveAll(dir); err != nil { // removes a symbolic link, not its target
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if _, err := os.Lstat(dir); err == nil {
			return Write(dir, files)
		}
	}
	return create(dir, files)
}

// check compares the directory with the expected files. fs.ErrNotExist means that
// a file is missing or out of date.
func check(dir string, files map[string][]byte) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !disk.OwnedByUser(info) {
		return errForeign
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	folders := 0
	for _, e := range entries {
		folder := e.Name() == "objects" || e.Name() == "refs"
		if folder {
			folders++
		}
		temporary := strings.HasPrefix(e.Name(), temporaryPrefix) && e.Type().IsRegular()
		if (!shadowEntries[e.Name()] && !temporary) || e.IsDir() != folder || (!folder && !e.Type().IsRegular()) {
			return errForeign
		}
		if _, wanted := files[e.Name()]; e.Name() == "shallow" && !wanted {
			// the clone is no longer shallow: the user has fetched the rest of
			// the history
			if err := os.Remove(filepath.Join(dir, "shallow")); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if folders != 2 {
		return fs.ErrNotExist
	}
	for folder, names := range objectEntries {
		if err := holdsOnly(filepath.Join(dir, filepath.FromSlash(folder)), names); err != nil {
			return err
		}
	}
	for name, want := range files {
		if err := sameFile(filepath.Join(dir, filepath.FromSlash(name)), want); err != nil {
			return err
		}
	}
	return nil
}

// holdsOnly checks that a directory has only these names and temporary files.
func holdsOnly(dir string, names []string) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return errors.Join(err, errForeign)
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		temporary := strings.HasPrefix(e.Name(), temporaryPrefix) || strings.HasPrefix(e.Name(), "tmp_") // git's
		if !slices.Contains(names, e.Name()) && !temporary {
			return errForeign
		}
	}
	return err
}

// sameFile compares a file with the expected content. It opens only regular
// files, because opening a pipe would wait for ever.
func sameFile(name string, want []byte) error {
	info, err := os.Lstat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errForeign
	case info.Size() != int64(len(want)):
		return fs.ErrNotExist
	}
	got, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return errForeign // then the shadow is made again
	case err == nil && !bytes.Equal(got, want):
		return fs.ErrNotExist
	}
	return err
}

// create writes the directory under a temporary name and renames it into place.
// If two processes call create at the same time, the second finds and uses the
// first one's directory.
func create(dir string, files map[string][]byte) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	defer makeIn(parent)()
	temp, err := os.MkdirTemp(parent, temporaryPrefix) // mode 0700
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // already gone after a success
	if err := Write(temp, files); err != nil {
		return err
	}
	err = os.Rename(temp, dir)
	if err != nil && check(dir, files) == nil {
		return nil
	}
	return err
}

const temporaryPrefix = "tmp-"

// Write writes the files into dir.
func Write(dir string, files map[string][]byte) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o700); err != nil {
			return err
		}
	}
	for name, content := range files {
		if err := ReplaceFile(filepath.Join(dir, filepath.FromSlash(name)), content); err != nil {
			return err
		}
	}
	return nil
}

// ReplaceFile writes a private file atomically: readers see the old or the new
// content. The file is not synced, because a file torn by a power cut compares
// unequal and is written again.
func ReplaceFile(name string, content []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), temporaryPrefix) // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name()) // the first error matters more
	}
	return err
}
