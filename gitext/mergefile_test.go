package gitext

import (
	"errors"
	"testing"
)

func TestMergeFile(t *testing.T) {
	// A change apart from those of ours is applied, an overlapping change is a
	// conflict, and a binary file is another error.
	p := newProject(t, "sha1").open()
	const base = "a\nb\nc\nd\ne\nf\ng\n"
	got, err := p.MergeFile(t.Context(), []byte("A\nb\nc\nd\ne\nf\ng\n"), []byte(base), []byte("a\nb\nc\nd\ne\nf\nG\n"))
	if err != nil || string(got) != "A\nb\nc\nd\ne\nf\nG\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err = p.MergeFile(t.Context(), []byte("A\nb\n"), []byte("a\nb\n"), []byte("X\nb\n")); !errors.Is(err, errConflict) {
		t.Errorf("overlapping changes: %v", err)
	}
	if _, err = p.MergeFile(t.Context(), []byte("a\x00\n"), []byte("b\x00\n"), []byte("c\x00\n")); err == nil || errors.Is(err, errConflict) {
		t.Errorf("binary files: %v", err)
	}
}
