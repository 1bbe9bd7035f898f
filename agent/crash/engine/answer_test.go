package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/rank"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// project writes a small C project, commits it twice, and returns the last commit. Its functions
// copy and check are in separate files.
func project(t *testing.T) (*gittest.History, gitext.OID) {
	h := gittest.New(t)
	h.Commit("start", gittest.Files{
		"src/copy.c":  gittest.Lines("int copy(char *to)", "{", "\treturn *to;", "}"),
		"src/check.c": gittest.Lines(`#include "copy.h"`, "int check(char *to)", "{", "\treturn copy(to);", "}"),
		"src/copy.h":  gittest.Lines("int copy(char *to);"),
		"data.txt":    gittest.Lines("copy and check"),
	})
	return h, h.Commit("check: return early", gittest.Files{
		"src/check.c": gittest.Lines(`#include "copy.h"`, "int check(char *to)", "{", "\treturn 1 + copy(to);", "}"),
		"src/table.c": gittest.Lines("int table;"),
	})
}

// segfault is a report of the project. Its frame of check has no file.
const segfault = `Program received signal SIGSEGV, Segmentation fault.
#0  0x0000000000401136 in copy (to=0x0) at src/copy.c:3
#1  0x0000000000401150 in check ()
#2  0x0000000000401160 in main () at /usr/src/main.c:9
`

// named returns the paths of the files that a stack names.
func named(ranking *crash.Answer) []string {
	var paths []string
	for _, f := range ranking.Files {
		if !f.Related {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Every algorithm ranks the files of the stack, and finds the file of a function without a file
// in the report.
func TestAnswer(t *testing.T) {
	h, head := project(t)
	e := Engine{Repo: h.Open()}
	for _, algorithm := range rank.Algorithms {
		ranking, err := e.Rank(t.Context(), crash.Question{Report: read(t, segfault), Algorithm: string(algorithm)})
		if err != nil {
			t.Fatal(err)
		}
		got := named(ranking)
		slices.Sort(got)
		if !slices.Equal(got, []string{"src/check.c", "src/copy.c"}) || ranking.Commit != head || ranking.CommitFrom != "HEAD" || len(ranking.Notes) > 0 {
			t.Errorf("%s: %+v", algorithm, ranking)
		}
	}
	if _, err := e.Rank(t.Context(), crash.Question{Report: read(t, segfault), Algorithm: "best"}); err == nil || !strings.Contains(err.Error(), `unknown algorithm "best"`) {
		t.Errorf("an unknown algorithm: %v", err)
	}
}

// A missing object affects only its own content, and a note reports it. The other files are
// searched and ranked as before.
func TestMissingObjects(t *testing.T) {
	for lost, want := range map[string]string{
		"HEAD:data.txt":    "not all functions were looked up: this clone lacks object ",
		"HEAD~1^{tree}":    "not all changes of the files were found: this clone lacks object ",
		"HEAD~1:src":       "not all changes of the files were found: this clone lacks object ",
		"HEAD:src/table.c": "not all uses of the files were counted: this clone lacks object ",
	} {
		h, head := project(t)
		oid := h.Git("rev-parse", lost)
		if err := os.Remove(filepath.Join(h.Dir, ".git", "objects", oid[:2], oid[2:])); err != nil {
			t.Fatal(err)
		}
		e := Engine{Repo: h.Open()}
		ranking, err := e.Rank(t.Context(), crash.Question{Report: read(t, segfault), Commit: head})
		if err != nil {
			t.Errorf("without %s: %v", lost, err)
			continue
		}
		if len(named(ranking)) != 2 || !slices.Contains(ranking.Notes, want+oid[:12]) {
			t.Errorf("without %s: files %q, notes %q", lost, named(ranking), ranking.Notes)
		}
	}
}

// A commit whose tree is missing has no files to rank.
func TestMissingCommit(t *testing.T) {
	h, head := project(t)
	oid := h.Git("rev-parse", "HEAD^{tree}")
	if err := os.Remove(filepath.Join(h.Dir, ".git", "objects", oid[:2], oid[2:])); err != nil {
		t.Fatal(err)
	}
	e := Engine{Repo: h.Open()}
	if _, err := e.Rank(t.Context(), crash.Question{Report: read(t, segfault), Commit: head}); !gitext.Unreadable(err) {
		t.Errorf("without the tree: %v", err)
	}
}
