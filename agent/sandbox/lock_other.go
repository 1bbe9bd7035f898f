//go:build !unix

package sandbox

import "os"

// lockFile opens the file if wait is set, and else fails if it exists. Without
// kernel locks, leftovers cannot be told from live runs, so none are removed.
func lockFile(path string, wait bool) (*os.File, error) {
	if wait {
		return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	}
	return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
}

// shareFile opens the file, so that lockFile finds it.
func shareFile(path string) (*os.File, error) { return lockFile(path, true) }

// unlock closes the file.
func unlock(f *os.File) error { return f.Close() }

func checkPrivate(string) error { return nil }

// linked returns true: a file may have another name, and this system does not say.
func linked(os.FileInfo) bool { return true }
