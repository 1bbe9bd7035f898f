package suspect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// described formats lines as "line owner kind". The owner is given by its subject.
func described(h *gittest.History, lines []OwnedLine) []string {
	var out []string
	for _, l := range lines {
		kind := map[source.LineKind]string{source.LineCode: "code", source.LineComment: "comment"}[l.Kind]
		out = append(out, fmt.Sprintf("%d %s %s", l.Line, h.Git("log", "-1", "--format=%s", string(l.Owner)), kind))
	}
	return out
}

func TestFindOwners(t *testing.T) {
	// FindOwners returns the requested lines in order, without the lines between ranges
	// and beyond the end of the file. A change of white space owns nothing.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("int a;", "int b;", "// c", "int d;", "int e;")})
	h.Commit("second", gittest.Files{"a.c": gittest.Lines("int a;", "int b2;", "// c", "int d;", "int e;")})
	tip := h.Commit("space", gittest.Files{"a.c": gittest.Lines("int a;", "int b2;", "// c", "\tint d;", "int e;")})
	found, err := FindOwners(t.Context(), h.Open(), tip, []FileLines{
		{Path: "a.c", Ranges: []gitext.LineRange{{Start: 0, End: 1}, {Start: 3, End: 4}, {Start: 9, End: 12}}},
		{Path: "a.c", Ranges: []gitext.LineRange{{Start: 2, End: 2}}},
		{Path: "a.c"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"1 first code", "3 first comment", "4 first code"}, {"2 second code"}, nil} {
		if got := described(h, found.Lines[i]); !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q", i, got, want)
		}
	}
	if l := found.Lines[1][0]; l.OrigLine != 2 || l.Path != "a.c" || l.PreviousPath != "a.c" || string(l.Text) != "int b2;" {
		t.Errorf("%+v", l)
	}
	if len(found.Notes) > 0 || found.NoneKnown() {
		t.Errorf("notes %q", found.Notes)
	}
}

func TestFindOwnersNotesWhatItCouldNotRead(t *testing.T) {
	// The lines of a file above the size limit are missing, and a note names it.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("c", gittest.Files{"large": strings.Repeat("0123456\n", maxFileBytes/8+1), "a.c": "int a;\n"})
	one := []gitext.LineRange{{Start: 1, End: 1}}
	found, err := FindOwners(t.Context(), h.Open(), tip, []FileLines{{Path: "large", Ranges: one}, {Path: "a.c", Ranges: one}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Lines[0]) != 0 || len(found.Lines[1]) != 1 || len(found.Notes) != 1 || !strings.HasPrefix(found.Notes[0], `"large" was not traced: it has `) {
		t.Errorf("%d and %d lines, notes %q", len(found.Lines[0]), len(found.Lines[1]), found.Notes)
	}
}

func TestFindOwnersInAnIncompleteClone(t *testing.T) {
	// A clone may lack a file that git would compare with the one that is traced, which was added when the other one was
	// removed. Then the lines that it had from the beginning are of the commit that added it. A clone that lacks the file
	// itself has no owners.
	t.Parallel()
	numbered := func(word string) string {
		var b strings.Builder
		for i := range 50 {
			fmt.Fprintf(&b, "int %s%d;\n", word, i)
		}
		return b.String()
	}
	for _, test := range []struct {
		lacks string
		want  []string
		note  string
	}{
		{"HEAD~2:old.c", []string{"1 rename code", "2 third code"}, `"new.c" was traced to the commit that added it, not to files that it may be from: `},
		{"HEAD~1:new.c", nil, `"new.c" was not traced: `},
	} {
		h := gittest.New(t)
		h.Commit("first", gittest.Files{"old.c": numbered("a")})
		h.Commit("rename", gittest.Files{"old.c": gittest.Gone, "new.c": numbered("a") + "int z;\n"})
		tip := h.Commit("third", gittest.Files{"new.c": strings.Replace(numbered("a")+"int z;\n", "int a1;", "int b;", 1)})
		blob := h.Git("rev-parse", test.lacks)
		if err := os.Remove(filepath.Join(h.Dir, ".git", "objects", blob[:2], blob[2:])); err != nil {
			t.Fatal(err)
		}
		found, err := FindOwners(t.Context(), h.Open(), tip, []FileLines{{Path: "new.c", Ranges: []gitext.LineRange{{Start: 1, End: 2}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := described(h, found.Lines[0]); !slices.Equal(got, test.want) || len(found.Notes) != 1 || !strings.HasPrefix(found.Notes[0], test.note) {
			t.Errorf("without %s: %q, want %q; notes %q", test.lacks, got, test.want, found.Notes)
		}
	}
}

func TestFindOwnersInAShallowClone(t *testing.T) {
	// Lines older than a shallow clone have no owner in it, and a note says so.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("int a;", "int b;")})
	h.Commit("second", gittest.Files{"b.c": "int x;\n"})
	tip := h.Commit("third", gittest.Files{"a.c": gittest.Lines("int a;", "int c;")})
	dir := t.TempDir()
	h.Git("clone", "-q", "--depth=2", "file://"+h.Dir, dir)
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: dir, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { repo.Close() })
	for _, c := range []struct {
		start, end, known int
		none              bool
		note              string
	}{
		{1, 2, 1, false, "1 of the 2 traced lines is older than this shallow clone"},
		{1, 1, 0, true, "the only traced line is older than this shallow clone"},
		{2, 2, 1, false, ""},
	} {
		found, err := FindOwners(t.Context(), repo, tip, []FileLines{{Path: "a.c", Ranges: []gitext.LineRange{{Start: c.start, End: c.end}}}})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(found.Notes, "\n"); len(found.Lines[0]) != c.known || found.NoneKnown() != c.none || !strings.HasPrefix(notes, c.note) || (c.note == "") != (notes == "") {
			t.Errorf("%d-%d: %d lines, none %v, notes %q", c.start, c.end, len(found.Lines[0]), found.NoneKnown(), notes)
		}
	}
}
