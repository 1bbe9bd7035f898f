package rank

import (
	"strings"
	"testing"

	"git-agent/agent/szz/candidate"
	"git-agent/gitext/gittest"
)

// What was done later to a file from which a commit took lines is no history of the fixed file. In libuv, "io: make
// libuv 64-bit safe" led with .42 for 428f2c44 as "the last commit to change a file that the fix changes", and had changed
// none: the lines came from src/win/fs.c two years before. Of a renamed file, the history goes on.
func TestHistoryOfTheFixedFiles(t *testing.T) {
	t.Parallel()
	const sum = "long average_of_samples(const long *samples, long count)\n{\n\tlong total_of_samples = add_all(samples, count);\n" +
		"\treturn total_of_samples / count;\n}\n"
	for _, renames := range []bool{false, true} {
		h := newHistory(t)
		h.Commit("compute an average", gittest.Files{"p.c": lines("call", 12) + sum, "q.c": lines("other", 9)})
		earlier := h.Commit("call more", gittest.Files{"p.c": lines("call", 13) + sum})
		text, change := "#include \"p.h\"\n"+sum, gittest.Files{"p.c": lines("call", 15), "q.c": lines("other", 11)}
		if renames {
			h.Git("mv", "p.c", "stats.c")
			text = lines("call", 13) + sum
			h.Commit("rename p.c", nil)
			delete(change, "p.c")
		} else {
			h.Commit("split p.c", gittest.Files{"p.c": lines("call", 13), "stats.c": text})
		}
		later := h.Commit("change a part of it", change)
		fix := h.Commit("no division by zero", gittest.Files{"stats.c": strings.Replace(text, "return", "return !count ? 0 :", 1)})
		k := h.caseOf(fix)
		if c := k.pool.ByOID[later]; c != nil && c.Sources&candidate.FromHistory != 0 {
			t.Errorf("renamed: %t, what was done to p.c later is history: %b", renames, c.Sources)
		}
		if c := k.pool.ByOID[earlier]; renames && (c == nil || c.Sources&candidate.FromHistory == 0) {
			t.Error("what was done to p.c before it was renamed is no history")
		}
	}
}

// A commit that renames a file did not write it, though its patch of the new name alone adds all of it. In mockito, "Rename
// extension modules with mockito- prefix" led for 4f469c83 as soon as blame looked through a formatter.
func TestRenamesOfTheFixedFile(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := lines("call", 30)
	wrote := h.Commit("call", gittest.Files{"a/p.c": text})
	h.Git("mv", "a", "b")
	h.Commit("split the folders", nil)
	h.Git("mv", "b", "c")
	again := h.Commit("name the folders", gittest.Files{"README": "folders\n"})
	k := h.caseOf(h.Commit("fix the call", gittest.Files{"c/p.c": strings.Replace(text, "call_7", "safe_7", 1)}))
	if c := k.pool.ByOID[again]; c == nil || c.Diff.Creates || c.Diff.NAdded > 0 {
		t.Errorf("the renaming commit: %+v", c)
	}
	if c := k.pool.ByOID[wrote]; c == nil || !c.Diff.Creates || c.Diff.NAdded != 30 {
		t.Errorf("the writer: %+v", c)
	}
}
