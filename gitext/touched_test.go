package gitext

import (
	"slices"
	"testing"
)

// Touched counts the files of every commit against its first parent, and of a
// root commit against the empty tree, and names up to most of them.
func TestTouched(t *testing.T) {
	f := newFixture(t)
	f.write("a", "1\n")
	f.write("dir/odd \"name\"\n", "1\n")
	root := f.commit("root")
	f.write("a", "2\n")
	f.write("b", "1\n")
	f.write("c", "1\n")
	next := f.commit("next")
	f.write(":odd", "1\n")
	f.write("=odd", "1\n")
	odd := f.commit("odd")
	got, err := f.open().Touched(t.Context(), []OID{odd, next, root}, 2)
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
	for oid, want := range map[OID]Touched{
		root: {2, []string{"a", "dir/odd \"name\"\n"}},
		next: {3, []string{"a", "b"}},
		odd:  {2, []string{":odd", "=odd"}},
	} {
		if g := got[oid]; g.Files != want.Files || !slices.Equal(g.Paths, want.Paths) {
			t.Errorf("%+v, want %+v", g, want)
		}
	}
}
