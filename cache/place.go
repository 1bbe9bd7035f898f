package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// place returns the directory for a file that should be in dir: dir itself, or on a
// network file system a local directory made from base. WAL needs memory that is shared
// between the processes of one host.
func place(dir string, opt Options, base func() (string, error), warn func(string)) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	name, network := opt.network(nearest(dir))
	if !network {
		return dir, nil
	}
	local, err := base()
	if err != nil {
		return "", fmt.Errorf("%q is on %s, and there is no other place: %w", dir, name, err)
	}
	if homeName, network := opt.network(nearest(local)); network {
		return "", fmt.Errorf("%q is on %s, and %q is on %s", dir, name, local, homeName)
	}
	sum := sha256.Sum256([]byte(dir))
	moved := filepath.Join(local, "git-agent", hex.EncodeToString(sum[:8]))
	warn(fmt.Sprintf("%q is on a network file system (%s), using %q", dir, name, moved))
	return moved, nil
}

// nearest returns dir or the closest of its parents that exists.
func nearest(dir string) string {
	for {
		_, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || up == dir {
			return dir
		}
		dir = up
	}
}

func userCacheDir() (string, error) { return os.UserCacheDir() }

// userStateDir is for what must not be deleted by a cleaner of caches.
func userStateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	switch runtime.GOOS {
	case "windows", "darwin":
		return os.UserConfigDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state"), err
}
