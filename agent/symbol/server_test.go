package symbol

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/symbol/lsp/lsptest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// fakeServer puts a language server into the PATH that has one answer.
func fakeServer(t *testing.T, name, answer string) {
	t.Helper()
	dir := t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' %s '%s'\n", os.Args[0], lsptest.Mark, answer)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

func at(file string, line int) string {
	return fmt.Sprintf(`[{"uri":"ROOT/%s","range":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":8}}}]`, file, line-1, line-1)
}

// The answer of a server comes first if it is a definition. Else the index's answer
// stays, and a note says why.
func TestLookupByServer(t *testing.T) {
	h := gittest.New(t)
	commit := h.Commit("one", project)
	for i, test := range []struct {
		answer, name string
		at           Place
		by, first    string
		note         string
	}{
		{at("tests/queue.c", 1), "push", Place{"app/main.c", 8}, "clangd", "tests/queue.c:1", ""},
		{at("lib/queue.h", 8), "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd knows a declaration only, in lib/queue.h:8"},
		{at("app/main.c", 8), "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd does not know it"},
		{"null", "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd does not know it"},
		{at("../../x.c", 8), "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "outside of the repository"},
		{at("lib/untracked.c", 8), "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd does not know it"},
		{at("lib/queue.c", 999), "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd does not know it"},
		{at("lib/queue.c", 5), "added", Place{"lib/queue.c", 7}, "clangd", "lib/queue.c:5", ""},
		{lsptest.Dies, "push", Place{"app/main.c", 8}, ByCtags, "lib/queue.c:3", "clangd: "},
		{at("tests/queue.c", 1), "push", Place{}, ByCtags, "lib/queue.c:3", "no language server was asked"},
		{at("tests/queue.c", 1), "start", Place{"py/m.py", 5}, ByCtags, "py/m.py:2", "no language server for"},
	} {
		if testing.Short() && i%3 != 1 && test.answer != lsptest.Dies {
			continue // each case starts programs, which under the race detector take seconds to end
		}
		fakeServer(t, "clangd", test.answer)
		f := finder(t, h, commit, Options{Server: true})
		needCtags(t, f)
		found := lookUp(t, f, test.name, test.at)
		first := fmt.Sprintf("%s:%d", found.Definitions[0].Path, found.Definitions[0].Line)
		notes := strings.Join(found.Notes, "; ")
		if found.By != test.by || first != test.first || !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
			t.Errorf("%.60s %s at %v: %s by %s, %s", test.answer, test.name, test.at, first, found.By, notes)
		}
	}
}

// A server that is not installed, or that fails at every start, costs a note.
func TestNoServer(t *testing.T) {
	h := gittest.New(t)
	f := finder(t, h, h.Commit("one", project), Options{Server: true})
	f.ctags = func() (string, error) { return "", errNoCtags }
	lookUp(t, f, "push", Place{}) // finds git before the PATH changes
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "clangd"), []byte("#!/bin/sh\necho broken >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for range 2 {
		found := lookUp(t, f, "push", Place{"app/main.c", 8})
		if notes := strings.Join(found.Notes, "; "); found.By != ByGrep || !strings.Contains(notes, "clangd: ") || !strings.Contains(notes, "broken") {
			t.Errorf("%+v", found)
		}
	}
}

// The real servers answer, where they are installed.
func TestRealServers(t *testing.T) {
	if testing.Short() {
		t.Skip("real servers take seconds to start")
	}
	h := gittest.New(t)
	h.Write(gittest.Files{"go.mod": "module example.org/m\n\ngo 1.21\n"})
	commit := h.Commit("one", project)
	for _, test := range []struct {
		server, name string
		at           Place
		want         string
	}{
		{"clangd", "helper", Place{"app/main.c", 9}, "app/main.c:1"},
		{"clangd", "q->length", Place{"lib/queue.c", 6}, "lib/queue.h:2"},
		{"gopls", "Server", Place{"go/a.go", 5}, "go/a.go:2"},
	} {
		f := finder(t, h, commit, Options{Server: true})
		found := lookUp(t, f, test.name, test.at)
		if found.By != test.server {
			t.Logf("%s did not answer: %v", test.server, found.Notes)
			continue
		}
		if got := fmt.Sprintf("%s:%d", found.Definitions[0].Path, found.Definitions[0].Line); got != test.want {
			t.Errorf("%s by %s: %s, want %s", test.name, test.server, got, test.want)
		}
	}
}

func TestIncludeDirs(t *testing.T) {
	t.Parallel()
	var entries []gitext.TreeEntry
	for _, p := range []string{"src/deep/er/a.h", "include/sys/b.h", "c.c", "odd\n/x.h", "top.h"} {
		entries = append(entries, gitext.TreeEntry{Path: p})
	}
	if got := strings.Join(includeDirs(entries), " "); got != "include . src include/sys src/deep src/deep/er" {
		t.Error(got)
	}
	for i := range 2 * maxIncludes {
		entries = append(entries, gitext.TreeEntry{Path: fmt.Sprintf("d%d/x.h", i)})
	}
	if n := len(includeDirs(entries)); n != maxIncludes {
		t.Error(n)
	}
}
