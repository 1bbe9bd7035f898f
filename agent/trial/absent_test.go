package trial

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"git-agent/gitext/gittest"
)

func TestAbsent(t *testing.T) {
	// A reader is told which files the commands do not find: they may be the reason of a failure.
	t.Parallel()
	h := gittest.New(t)
	whole := h.Commit("whole", gittest.Files{"a": "a\n"})
	if got := Absent(t.Context(), h.Open(), whole); len(got) > 0 {
		t.Errorf("of a whole commit: %q", got)
	}
	if err := os.Mkdir(filepath.Join(h.Dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Git("update-index", "--add", "--cacheinfo", "160000,"+string(whole)+",sub")
	got := Absent(t.Context(), h.Open(), h.Commit("parts", gittest.Files{".gitattributes": "*.bin filter=lfs\n"}))
	want := []string{
		`submodules, such as "sub", are empty directories where the commands run`,
		"files kept in Git LFS are only their pointers where the commands run",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
