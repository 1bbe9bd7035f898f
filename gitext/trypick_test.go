package gitext

import (
	"errors"
	"slices"
	"testing"
)

func TestTryPicks(t *testing.T) {
	// The changes of a commit are picked onto others without a trace in the repository: they apply
	// cleanly, conflict in some files, or change nothing. A branch may have moved a file.
	for _, format := range []string{"sha1", "sha256"} {
		f := newFixture(t, "--object-format="+format)
		f.write("f", "a\nb\nc\nd\ne\nf\n")
		f.write("g", "1\n2\n3\n4\n")
		base := f.commit("base")
		f.write("f", "a\nb\nC\nd\ne\nf\n")
		f.write("g", "1\n2\n3\nfour\n")
		fix := f.commit("fix")
		f.git("checkout", "-q", "-b", "moved", string(base))
		f.git("mv", "g", "h")
		f.write("f", "A\nb\nc\nd\ne\nf\n")
		moved := f.commit("moved")
		f.git("checkout", "-q", "-b", "other", string(base))
		f.write("f", "a\nb\nc!\nd\ne\nf\n")
		f.write("g", "1\n2\n3\n")
		other := f.commit("other")
		f.git("checkout", "-q", "main")
		before := f.git("count-objects", "-v") + f.git("for-each-ref") + f.git("status", "--porcelain")
		r := f.open()
		got, err := r.TryPicks(t.Context(), fix, []OID{moved, other, fix, base})
		if errors.Is(err, ErrOldGit) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(got[0].Conflicts) > 0 || got[0].Nothing || got[0].Err != nil {
			t.Errorf("%s: onto a branch that moved a file: %+v", format, got[0])
		}
		if !slices.Equal(got[1].Conflicts, []string{"f", "g"}) {
			t.Errorf("%s: onto a branch that changed the same lines: %+v", format, got[1])
		}
		if !got[2].Nothing || got[3].Nothing || got[3].Err != nil || len(got[3].Conflicts) > 0 {
			t.Errorf("%s: onto the fix and its parent: %+v", format, got[2:])
		}
		// A root commit is picked against the empty tree.
		if got, err = r.TryPicks(t.Context(), base, []OID{moved}); err != nil || len(got[0].Conflicts) == 0 {
			t.Errorf("%s: the first commit: %+v, %v", format, got, err)
		}
		if after := f.git("count-objects", "-v") + f.git("for-each-ref") + f.git("status", "--porcelain"); after != before {
			t.Errorf("%s: the repository changed:\n%s\n%s", format, before, after)
		}
	}
}
