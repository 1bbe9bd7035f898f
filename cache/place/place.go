// Package place decides where git-agent keeps its data, and is the only one
// that does.
//
// Nothing is kept in a repository. What can be computed again (cache.db and
// the shadow git directory) is in the user's cache directory, recorded runs are
// in the user's state directory:
//
//	$XDG_CACHE_HOME/git-agent/linux-3f2a9c0d1e4b5a67/cache.db, shadow.git/
//	$XDG_STATE_HOME/git-agent/linux-3f2a9c0d1e4b5a67/traces.db
//	$XDG_STATE_HOME/git-agent/traces.db      runs that belong to no repository
//
// by default below ~/.cache and ~/.local/state; below ~/Library on macOS and in
// %LocalAppData% on Windows. DataDir, which is agent.dataDir, takes the place of
// both. A folder is named after its repository and keyed by the canonical path
// of its common git directory, which a file in it repeats.
//
// SQLite needs a local disk, so where these directories are on a network file
// system, or cannot be written, a private directory below the one for temporary
// files serves. Where that fails too, nothing is kept.
//
// What is found in a folder is believed, since only its user could have written
// it. So a folder that belongs to somebody else, that others may write to, or
// that is a link is refused: nothing is read, written or deleted through it. Of
// a user's own ~/.cache this is not asked; it may be a link to another disk.
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
)

// Kind is what a directory is for.
type Kind int

// The kinds of data: what may be deleted at any time, and what is the user's.
const (
	Cache Kind = iota
	State
)

// User is whose data it is.
type User struct {
	Getenv  func(string) string // the environment
	DataDir string              // agent.dataDir from the user's own configuration, "" when it is not set

	network func(string) (string, bool) // for tests
}

// Root is the directory that holds the folders of all repositories.
type Root struct {
	Path string
	Why  string // why it is not where it should be; "" when it is there
}

// name is that of our directory in the user's.
const name = "git-agent"

// Root finds the directory for one kind of data, and makes nothing.
func (u User) Root(k Kind) (Root, error) {
	if u.network == nil {
		u.network = networkFS
	}
	if u.DataDir != "" {
		dir, err := u.given()
		if err == nil {
			err = u.usable(dir)
		}
		if err != nil {
			return Root{}, fmt.Errorf("agent.dataDir: %w", err)
		}
		return Root{Path: dir}, nil
	}
	dir, err := u.base(k)
	if err == nil {
		dir = filepath.Join(dir, name)
		if err = u.usable(dir); err == nil {
			return Root{Path: dir}, nil
		}
	}
	local, other := u.local()
	if other != nil {
		return Root{}, fmt.Errorf("%w; %w", err, other)
	}
	return Root{Path: local, Why: err.Error()}, nil
}

// given is the directory that agent.dataDir names, without the links that the
// user chose to go through.
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
		return "", fmt.Errorf("%q is no absolute path", dir)
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return filepath.Clean(dir), nil
}

// base is the user's directory for one kind of data of all programs.
func (u User) base(k Kind) (string, error) {
	variable, below := "XDG_CACHE_HOME", ".cache"
	if k == State {
		variable, below = "XDG_STATE_HOME", filepath.Join(".local", "state")
	}
	if dir := u.Getenv(variable); filepath.IsAbs(dir) { // the specification has others ignored
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
	return "", errors.New("HOME names no directory")
}

// local is a directory of the user's on a disk that every machine has. It
// outlives a restart where the system allows it: /var/tmp does, /tmp need not.
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
		return "", fmt.Errorf("%q lets other users rename what is in it", temp)
	}
	dir := filepath.Join(temp, own)
	return dir, u.usable(dir)
}

// othersRename is true for a directory in which no name is safe from others.
func othersRename(info fs.FileInfo) bool {
	return info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 && runtime.GOOS != "windows"
}

// usable returns nil for a directory of ours on a local disk, or one that could
// be made there.
func (u User) usable(dir string) error {
	near := nearest(dir)
	if system, network := u.network(near); network {
		return fmt.Errorf("%q is on a network file system (%s)", dir, system)
	}
	if near != dir {
		return writable(near)
	}
	return private(dir)
}

// nearest returns dir or the closest of its parents that exists, be it a link
// that leads nowhere.
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

// private returns an error unless dir is a directory that only this user can
// change.
func private(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%q is a link; set agent.dataDir to another disk's directory instead", dir)
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory", dir)
	case !ownedByUs(info):
		return fmt.Errorf("%q belongs to another user", dir)
	case info.Mode().Perm()&0o022 != 0 && runtime.GOOS != "windows":
		return fmt.Errorf("%q can be written by other users; run 'chmod go-w' on it if what is in it is yours", dir)
	}
	return nil
}
