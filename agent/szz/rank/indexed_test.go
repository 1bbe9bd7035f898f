package rank

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// crossFile is a fix whose culprit changed none of its files, behind more commits than
// the search without an index reads.
func crossFile(h *history) (culprit, fix gitext.OID, x szztest.TextIndex) {
	call := "int use(void)\n{\n\tint n = 1;\n\treturn n;\n}\n"
	made := h.Commit("define it", gittest.Files{"lib/pace.h": "int pace_limit(int rate);\n", "app/use.c": call})
	culprit = h.Commit("another unit", gittest.Files{"lib/pace.h": "int pace_limit(int rate, int unit);\n"})
	for i := range 3 {
		h.Commit(fmt.Sprint("other work ", i), gittest.Files{"other.txt": fmt.Sprint(i)})
	}
	fix = h.Commit("app: the limit was too low", gittest.Files{"app/use.c": strings.Replace(call, "n = 1", "n = pace_limit(1, 2)", 1)})
	x = szztest.TextIndex{"pace_limit": {
		{OID: culprit, Path: "lib/pace.h", OldPath: "lib/pace.h", Removed: 1, Added: 1, Place: 4},
		{OID: made, Path: "lib/pace.h", OldPath: "lib/pace.h", Added: 1, Place: 5},
	}}
	return culprit, fix, x
}

// With an index the commits that changed rare texts of a fix are candidates, and the
// features describe these changes.
func TestIndexedCandidates(t *testing.T) {
	h := newHistory(t)
	culprit, fix, x := crossFile(h)
	plain, indexed, err := StudyIndexed(t.Context(), h.OpenWith(x), h.Context(fix, szz.ContextOptions{NoAnnotations: true}))
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(indexed.Candidates, culprit)
	if at < 0 {
		t.Fatalf("%s is no candidate; without an index the candidates are %v", culprit, plain.Candidates)
	}
	names := IndexedNames()
	for name, want := range map[string]float64{"index_rank": 1, "index_last": 1, "index_first": 0, "index_changed": 1, "index_brought": 0, "index_took_out": 0, "fix_named": 1.0986} {
		if got := indexed.X[at][slices.Index(names, name)]; got != want {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	for i, oid := range plain.Candidates {
		if len(plain.X[i]) != len(FeatureNames()) || !slices.Contains(indexed.Candidates, oid) {
			t.Errorf("%s: %d columns", oid, len(plain.X[i]))
		}
	}
}

// Without an index nothing is added, and the features of an index are 0. The answer to a
// question without an index does not depend on it, either.
func TestAnswerWithoutIndex(t *testing.T) {
	h := newHistory(t)
	_, fix, x := crossFile(h)
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true})
	plain, indexed, err := StudyIndexed(t.Context(), h.Open(), fc)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(plain.Candidates, indexed.Candidates) {
		t.Errorf("%v, want %v", indexed.Candidates, plain.Candidates)
	}
	for i := range plain.X {
		if added := indexed.X[i][len(plain.X[i]):]; !slices.Equal(indexed.X[i][:len(plain.X[i])], plain.X[i]) || slices.Max(added) != 0 {
			t.Errorf("%s: %v", plain.Candidates[i], added)
		}
	}
	without, err := Trace(t.Context(), h.Open(), fc, 3)
	if err != nil {
		t.Fatal(err)
	}
	with, err := Trace(t.Context(), h.OpenWith(x), fc, 3)
	if err != nil || !reflect.DeepEqual(with, without) {
		t.Errorf("with an index: %+v, %v\nwithout: %+v", with, err, without)
	}
}

// An answer with the index says so, and has the culprit that only the index finds, with a
// reason and a command.
func TestAnswerWithIndex(t *testing.T) {
	h := newHistory(t)
	culprit, fix, x := crossFile(h)
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true, Index: true})
	v, err := Trace(t.Context(), h.OpenWith(x), fc, 10)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Index {
		t.Error("the answer does not say that the index was asked")
	}
	at := slices.IndexFunc(v.Suspects, func(s szz.Suspect) bool { return s.Commit.OID == culprit })
	if at < 0 {
		t.Fatalf("%s is not among %v", culprit, v.Suspects)
	}
	s := v.Suspects[at]
	if s.Reason != "the last commit that changed lines with pace_limit, which the fix uses" && s.Reason != "wrote lines in other files that use a rare name of the fix" {
		t.Errorf("the reason is %q", s.Reason)
	}
	if len(s.Evidence) == 0 || !strings.HasPrefix(s.Evidence[0].Command, "git ") {
		t.Errorf("the evidence is %+v", s.Evidence)
	}
	plain, err := Trace(t.Context(), h.Open(), fc, 10)
	if err != nil || plain.Index {
		t.Errorf("without an index the answer says %t, %v", plain.Index, err)
	}
}

// A fix is looked up by its names, strings, keys and files, in any place.
func TestClues(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"lib/flow-table.c": "int\nfill_table(int n)\n{\n\tint a = 1;\n\tint b = 2;\n\treturn old_name(n);\n}\n"})
	fix := h.Commit("tables: honour max-idle\n\nThe value of idle_timeout was lost.\n", gittest.Files{
		"lib/flow-table.c": "int\nfill_table(int n)\n{\n\tint a = 1;\n\tint b = 2;\n\treturn new_name(n, \"idle time\", other-config:max-idle);\n}\n"})
	got := map[string]candidate.ClueSet{}
	for _, c := range candidate.CluesOf(h.Context(fix, szz.ContextOptions{NoAnnotations: true})) {
		got[c.Text] = c.In
	}
	for text, want := range map[string]candidate.ClueSet{
		"old_name": candidate.ClueRemoved, "new_name": candidate.ClueAdded, "idle time": candidate.ClueAdded | candidate.ClueLiteral,
		"idle_timeout": candidate.ClueSaid, "max-idle": candidate.ClueSaid | candidate.ClueKey,
		"other-config:max-idle": candidate.ClueAdded | candidate.ClueKey, "flow-table.c": candidate.ClueFile, "flow-table": candidate.ClueFile,
		"return": 0, "int": 0,
	} {
		if got[text] != want {
			t.Errorf("%q: %b, want %b", text, got[text], want)
		}
	}
}
