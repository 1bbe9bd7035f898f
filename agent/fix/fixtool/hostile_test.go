//go:build unix

package fixtool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A test command may replace files by anything. Nothing outside of the work tree is shown or
// written, and no tool waits.
func TestPlantedFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("private notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plants := map[string]func(name string) error{
		"a link outside":      func(name string) error { return os.Symlink(outside, name) },
		"a link to a device":  func(name string) error { return os.Symlink("/dev/zero", name) },
		"a link to nothing":   func(name string) error { return os.Symlink("nothing", name) },
		"a link to itself":    func(name string) error { return os.Symlink(filepath.Base(name), name) },
		"a link to its like":  func(name string) error { return os.Symlink("../b.c", name) },
		"a pipe":              func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a directory":         func(name string) error { return os.Mkdir(name, 0o700) },
		"a huge file":         func(name string) error { return os.Truncate(mustCreate(t, name), 1<<40) },
		"a binary":            func(name string) error { return os.WriteFile(name, []byte{0, 1, 2}, 0o600) },
		"another hard link":   func(name string) error { return os.Link(outside, name) },
		"nothing":             func(string) error { return nil },
		"an unreadable file":  func(name string) error { return os.WriteFile(name, []byte("int a;\n"), 0) },
		"a socket's pathname": func(name string) error { return os.Mkdir(name, 0) },
	}
	for what, plant := range plants {
		b := newBench(t, gittest.Files{"d/a.c": "int a;\n", "b.c": "int b;\n"}, fix.Problem{Test: "true"}, Options{})
		name := filepath.Join(b.space.Dir(), "d/a.c")
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := plant(name); err != nil {
			t.Fatal(err)
		}
		texts := []string{
			b.call("cat", m{"path": "d/a.c"}), b.call("cat", m{"path": "d/a.c", "function": "a"}), b.call("cat", m{"path": "d"}),
			b.call("code_search", m{"pattern": "int a"}), b.call("search_definition", m{"name": "a"}),
			b.call("edit", m{"path": "d/a.c", "old": "private notes", "new": "public"}),
			b.call("edit", m{"path": "d/a.c", "old": "int b;", "new": "int c;"}),
			b.call("edit", m{"edits": []m{{"path": "b.c", "old": "int b;", "new": "int c;"}, {"path": "d/a.c", "old": "zzz", "new": "int c;"}}}),
			b.call("finish", m{"status": "success", "explanation": "x"}),
		}
		if what != "another hard link" && strings.Contains(strings.Join(texts, ""), "private notes") {
			t.Errorf("%s: %q", what, texts)
		}
		if data, err := os.ReadFile(outside); err != nil || string(data) != "private notes\n" {
			t.Errorf("%s: outside has %q, %v", what, data, err)
		}
		if b.file("b.c") != "int b;\n" {
			t.Errorf("%s: b.c has %q", what, b.file("b.c"))
		}
	}
}

func mustCreate(t *testing.T, name string) string {
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// A directory on the way may be a link, too.
func TestPlantedDirectories(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for what, target := range map[string]string{"outside": outside, "git": ".git", "a sibling": "e", "above": ".."} {
		b := newBench(t, gittest.Files{"d/a.c": "int a;\n", "e/a.c": "int a;\n"}, fix.Problem{}, Options{})
		dir := filepath.Join(b.space.Dir(), "d")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, dir); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"d/a.c", "d/new.c", "d/config"} {
			for _, args := range []m{{"path": path, "old": "", "new": "x"}, {"path": path, "old": "int a;", "new": "x"}} {
				if got := b.call("edit", args); !strings.HasPrefix(got, "error: ") {
					t.Errorf("%s %s: %s", what, path, got)
				}
			}
			b.call("cat", m{"path": path})
		}
		if entries, _ := os.ReadDir(outside); len(entries) > 0 || b.patch() != "" || b.file("e/a.c") != "int a;\n" {
			t.Errorf("%s: %v was written, patch %s", what, entries, b.patch())
		}
	}
}

// A file made by the tests of the repair is not edited and not part of the patch. A test's
// change of an edited file is not part of the patch either.
func TestFilesThatCommandsMake(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: "echo made > made.go; echo more >> calc.go; echo more >> go.sum; exit 1"}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"})
	b.call("test", m{})
	if got := b.call("edit", m{"path": "made.go", "old": "made", "new": "x"}); got != "error: made.go is no file of the repository: a build or a test made it\n" {
		t.Errorf("%s", got)
	}
	if got := b.patch(); got != fmt.Sprintf("calc.go 100644 %d", len(calcFiles["calc.go"])) {
		t.Errorf("patch %s", got)
	}
}

// A repository may itself contain links and odd names.
func TestTrackedLinks(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("c", gittest.Files{"real.c": "int a;\n", "odd\x01\u202e.c": "int odd;\n", "-x.c": "int dash;\n", "a b.c": "int space;\n"})
	work := h.Git("rev-parse", "--show-toplevel")
	if err := os.Symlink("real.c", filepath.Join(strings.TrimSpace(work), "link.c")); err != nil {
		t.Fatal(err)
	}
	h.Git("add", "link.c")
	h.Git("commit", "-qm", "link")
	b := benchAt(t, h, h.Head(), fix.Problem{}, Options{})
	for _, test := range []struct {
		tool string
		args m
		want string
	}{
		{"cat", m{"path": "link.c"}, "link.c, line 1\n   1|int a;\n"},
		{"edit", m{"path": "link.c", "old": "int a;", "new": "int b;"}, "error: link.c is a link; edit the file that it leads to\n"},
		{"cat", m{"path": "odd\x01\u202e.c"}, "odd\\x01\\u202e.c, line 1\n   1|int odd;\n"},
		{"edit", m{"path": "-x.c", "old": "dash", "new": "dot"}, "-x.c: line 1 changed:\n   1|int dot;\n"},
		{"edit", m{"path": "a b.c", "old": "space", "new": "room"}, "a b.c: line 1 changed:\n   1|int room;\n"},
		{"code_search", m{"pattern": "int odd"}, "odd\\x01\\u202e.c\n    1|int odd;\n"},
	} {
		if got := b.call(test.tool, test.args); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s %v:\n%s\nwant:\n%s", test.tool, test.args, got, test.want)
		}
	}
}
