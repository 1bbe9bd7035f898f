package cache

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// readOnly returns a read-only directory, with or without a cache.
func readOnly(t *testing.T, existing bool) string {
	dir := t.TempDir()
	if os.Getuid() != 0 {
		prepareReadOnly(t, dir, existing)
		return dir
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() { mustNot(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	if existing {
		fill(t, dir, 3)
	}
	mustNot(t, unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	return dir
}
