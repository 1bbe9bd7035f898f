//go:build !linux

package cache

import (
	"os"
	"testing"
)

// readOnly returns a read-only directory, with or without a cache.
func readOnly(t *testing.T, existing bool) string {
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	prepareReadOnly(t, dir, existing)
	return dir
}
