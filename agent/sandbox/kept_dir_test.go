package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// keep fills the directory of a key, or finds it complete.
func keep(t *testing.T, parent, key string, finish bool) (found bool) {
	t.Helper()
	k, err := Keep(parent, key)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	if found = k.Complete; found || !finish {
		return found
	}
	if err := os.WriteFile(filepath.Join(k.Path, "f"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.Finish(); err != nil {
		t.Fatal(err)
	}
	return false
}

func TestKeep(t *testing.T) {
	// A directory is complete or does not exist: unfinished directories and those of killed
	// runs are removed.
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "kept")
	if keep(t, parent, "a", false) || keep(t, parent, "a", true) || !keep(t, parent, "a", true) {
		t.Error("a is complete before it was finished, or not after")
	}
	if err := os.Remove(filepath.Join(parent, "a"+keptMark)); err != nil {
		t.Fatal(err)
	}
	if k, err := Keep(parent, "a"); err != nil || k.Complete {
		t.Fatalf("%+v, %v", k, err)
	} else if left, err := os.ReadDir(k.Path); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	} else if err := k.Close(); err != nil {
		t.Error(err)
	}
}

func TestKeepForgetsOldKeys(t *testing.T) {
	// The last used directories stay, even if they were made first.
	t.Parallel()
	parent := filepath.Join(t.TempDir(), "kept")
	for i := range keptMost + 1 {
		key := strconv.Itoa(i)
		keep(t, parent, key, true)
		old := time.Now().Add(time.Duration(i-100) * time.Hour)
		if err := os.Chtimes(filepath.Join(parent, key+keptMark), old, old); err != nil {
			t.Fatal(err)
		}
		keep(t, parent, "0", true)
	}
	left, err := filepath.Glob(filepath.Join(parent, "?"))
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if want := []string{"0", "2"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("%q, %v", left, err)
	}
}
