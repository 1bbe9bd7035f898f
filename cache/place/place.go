// Package place chooses the directories for git-agent's data. No other package
// does.
//
// git-agent keeps no data in a repository. Reproducible data (cache.db and the
// shadow git directory) is in the user's cache directory; recorded runs are in
// the user's state directory:
//
//	$XDG_CACHE_HOME/git-agent/linux-3f2a9c0d1e4b5a67/cache.db, shadow.git/
//	$XDG_STATE_HOME/git-agent/linux-3f2a9c0d1e4b5a67/traces.db
//	$XDG_STATE_HOME/git-agent/traces.db      runs that belong to no repository
//
// The defaults are ~/.cache and ~/.local/state, ~/Library on macOS, and
// %LocalAppData% on Windows. DataDir (agent.dataDir) replaces both. The name of a
// folder consists of the repository's name and a hash of the canonical path of
// the common git directory; a file in the folder has the full path.
//
// SQLite needs a local disk. If these directories are on a network file system or
// cannot be written, git-agent uses a private directory below the directory for
// temporary files. If that fails too, it keeps no data.
//
// The content of a folder is trusted, since only its user could have written it.
// So git-agent refuses a folder that belongs to another user, that others may
// write to, or that is a link: it reads, writes and deletes nothing there. These
// checks do not apply to the user's own ~/.cache, which may be a link to another
// disk.
package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"git-agent/gitext/disk"
)

// Kind is a kind of data.
type Kind int

// Cache is data that may be deleted at any time; State is the user's own data.
const (
	Cache Kind = iota
	State
)

// User is the owner of the data, with the settings that determine its place.
type User struct {
	Getenv  func(string) string // the environment
	DataDir string              // agent.dataDir from the user's own configuration, "" when it is not set

	network func(string) (string, bool) // for tests
}

// root is the directory that contains the folders of all repositories.
type root struct {
	Path string
	Why  string // the reason for an unusual place; "" for the usual one
}

// name is the name of our directory in the user's directory.
const name = "git-agent"

// root returns the directory for one kind of data, and creates nothing.
func (u User) root(k Kind) (root, error) {
	if u.network == nil {
		u.network = networkFS
	}
	if u.DataDir != "" {
		dir, err := u.given()
		if err == nil {
			err = u.checkUsable(dir)
		}
		if err != nil {
			return root{}, fmt.Errorf("agent.dataDir: %w", err)
		}
		return root{Path: dir}, nil
	}
	dir, err := u.base(k)
	if err == nil {
		dir = filepath.Join(dir, name)
		if err = u.checkUsable(dir); err == nil {
			return root{Path: dir}, nil
		}
	}
	local, other := u.local()
	if other != nil {
		return root{}, fmt.Errorf("%w; %w", err, other)
	}
	return root{Path: local, Why: err.Error()}, nil
}

// given returns the directory named by agent.dataDir, with symbolic links
// resolved, since the user chose them.
func (u User) given() (string, error) {
	dir := u.DataDir
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		home, err := u.home()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%q is not an absolute path", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return filepath.Clean(dir), nil
}

// base returns the user's directory for this kind of data of all programs.
func (u User) base(k Kind) (string, error) {
	variable, below := "XDG_CACHE_HOME", ".cache"
	if k == State {
		variable, below = "XDG_STATE_HOME", filepath.Join(".local", "state")
	}
	if dir := u.Getenv(variable); filepath.IsAbs(dir) { // the specification says to ignore relative paths
		return dir, nil
	}
	switch runtime.GOOS {
	case "windows":
		return os.UserCacheDir() // %LocalAppData%, for both
	case "darwin":
		if k == State {
			return os.UserConfigDir()
		}
		return os.UserCacheDir()
	}
	home, err := u.home()
	return filepath.Join(home, below), err
}

func (u User) home() (string, error) {
	if home := u.Getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserHomeDir()
	}
	return "", errors.New("HOME is not set to a directory")
}

// local returns a directory of the user on a local disk. If possible, the
// directory survives a restart: /var/tmp does, /tmp need not.
func (u User) local() (string, error) {
	temp := os.TempDir()
	if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() && u.Getenv("TMPDIR") == "" && runtime.GOOS == "linux" {
		temp = "/var/tmp"
	}
	own := name
	if uid := os.Geteuid(); uid >= 0 {
		own += "-" + strconv.Itoa(uid)
	}
	if info, err := os.Stat(temp); err != nil {
		return "", err
	} else if othersRename(info) {
		return "", fmt.Errorf("other users can rename files in %q", temp)
	}
	dir := filepath.Join(temp, own)
	return dir, u.checkUsable(dir)
}

// othersRename reports whether other users can rename the entries of a directory.
func othersRename(info fs.FileInfo) bool {
	return info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 && runtime.GOOS != "windows"
}

// checkUsable returns nil if dir is our own directory on a local disk, or can be
// created as one.
func (u User) checkUsable(dir string) error {
	near := nearest(dir)
	if system, network := u.network(near); network {
		return fmt.Errorf("%q is on a network file system (%s)", dir, system)
	}
	if near != dir {
		return checkWritable(near)
	}
	return checkPrivate(dir)
}

// nearest returns dir or its closest existing parent. A dangling link counts as
// existing.
func nearest(dir string) string {
	for {
		_, err := os.Lstat(dir)
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return dir
		}
		dir = up
	}
}

// checkPrivate returns an error unless dir is a directory that only this user
// can change.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%q is a link; set agent.dataDir to another disk's directory instead", dir)
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory", dir)
	case !disk.OwnedByUser(info):
		return fmt.Errorf("%q belongs to another user", dir)
	case info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%q can be written by other users; run 'chmod go-w' on it if what is in it is yours", dir)
	}
	return nil
}
