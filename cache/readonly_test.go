package cache

import (
	"os"
	"testing"
)

// prepareReadOnly makes a directory read-only.
func prepareReadOnly(t *testing.T, dir string, existing bool) {
	if existing {
		fill(t, dir, 3)
	}
	mustNot(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { mustNot(t, os.Chmod(dir, 0o700)) })
}
