package gitext

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filterLair puts a program beside a repository that leaves a mark when it runs,
// and returns a function that lists the marks.
func filterLair(t *testing.T) (program func(mark string) string, marks func() []string) {
	t.Helper()
	dir := t.TempDir()
	program = func(mark string) string { return "touch " + filepath.Join(dir, mark) + "; cat" }
	marks = func() []string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	return program, marks
}

func appendTo(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestWorkTreeRunsNoProgram(t *testing.T) {
	// No filter runs: neither one of any name, nor one in a submodule's own
	// configuration, nor one in a file included there.
	program, marks := filterLair(t)
	sub := newFixture(t)
	sub.write("s", "x\n")
	sub.commit("sub")
	f := another(t)
	f.write("f.c", "one\n")
	f.git("submodule", "--quiet", "add", sub.dir, "sub")
	f.commit("one")
	f.write("f.c", "two\n")
	f.write("sub/s", "y\n")
	for _, name := range []string{"a=b", "a.b", "plain", "a=b.clean=x"} {
		for _, kind := range []string{"clean", "process", "smudge"} {
			appendTo(t, filepath.Join(f.dir, ".git", "config"), fmt.Sprintf("[filter %q]\n\t%s = %q\n\trequired = true\n", name, kind, program("filter-"+kind)))
		}
	}
	appendTo(t, filepath.Join(f.dir, ".git", "included"), fmt.Sprintf("[filter \"inc\"]\n\tclean = %q\n[core]\n\tfsmonitor = %q\n", program("included"), program("fsmonitor")))
	appendTo(t, filepath.Join(f.dir, ".git", "config"), "[include]\n\tpath = included\n")
	module := filepath.Join(f.dir, ".git", "modules", "sub")
	appendTo(t, filepath.Join(module, "config"), fmt.Sprintf("[filter \"z\"]\n\tclean = %q\n[core]\n\tfsmonitor = %q\n", program("sub-filter"), program("sub-fsmonitor")))
	appendTo(t, filepath.Join(module, "info", "attributes"), "* filter=z\n")
	for _, filter := range []string{"a=b", "a.b", "plain", "a=b.clean=x", "inc"} {
		if err := os.WriteFile(filepath.Join(f.dir, ".git", "info", "attributes"), []byte("* filter="+filter+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, read := range []func() (*Patch, error){
			func() (*Patch, error) { return f.open().PatchWorktree(t.Context(), PatchOptions{}) },
			func() (*Patch, error) { return f.open().PatchStaged(t.Context(), PatchOptions{}) },
		} {
			if _, err := read(); err != nil {
				t.Errorf("%s: %v", filter, err)
			}
		}
		if got := marks(); got != nil {
			t.Fatalf("%s: ran %q", filter, got)
		}
	}
	f.try(f.dir, "diff", "HEAD")
	if marks() == nil {
		t.Error("plain git runs nothing either: this test proves nothing")
	}
}

func TestWorkTreeFilterOfTheUser(t *testing.T) {
	// A file that needs one of the user's filters is left out and named; a staged
	// file has gone through the filter.
	f := newFixture(t)
	program, marks := filterLair(t)
	f.write(".gitattributes", "*.big filter=lfs\n")
	f.write("a.big", "pointer\n")
	f.write("b.c", "one\n")
	f.commit("one")
	appendTo(t, os.Getenv("GIT_CONFIG_GLOBAL"), fmt.Sprintf("[filter \"lfs\"]\n\tclean = %q\n", program("lfs")))
	f.write("a.big", "content\n")
	f.write("b.c", "two\n")
	p, err := f.open().PatchWorktree(t.Context(), PatchOptions{})
	if err != nil || len(p.Files) != 1 || p.Files[0].NewPath != "b.c" || len(p.LeftOut) != 1 || p.LeftOut[0] != (LeftOut{"a.big", "lfs"}) {
		t.Errorf("%+v, %v", p, err)
	}
	if got := marks(); got != nil {
		t.Errorf("ran %q", got)
	}
	f.git("add", "a.big")
	p, err = f.open().PatchWorktree(t.Context(), PatchOptions{})
	if err != nil || len(p.Files) != 2 || p.LeftOut != nil {
		t.Errorf("staged: %+v, %v", p, err)
	}
}

// states makes one file for each possible state of a file in a work tree. git
// knows all of them from one commit.
func states(t *testing.T, f *fixture) {
	t.Helper()
	names := strings.Fields("same modified staged staged-and-modified removed removed-from-index mode link-target link-to-file file-to-link " +
		"file-to-dir assumed skipped touched binary empty no-newline crlf-in crlf-out ident utf16 latin unmerged dir/deep renamed")
	for _, name := range names {
		f.write(name, strings.Repeat(name+"\n", 5)+"\x24Id\x24\n")
	}
	for _, name := range []string{"link-target", "link-to-file"} {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("nowhere", filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.write(".gitattributes", "crlf-* text\nident ident\nutf16 text working-tree-encoding=UTF-16\n* -diff\n")
	f.write("utf16", "\xfe\xff\x00a\x00\n")
	f.git("add", "-A")
	f.git("commit", "-q", "-m", "all")
	appendTo(t, filepath.Join(f.dir, ".git", "info", "attributes"), "crlf-out eol=crlf\n")
	for _, name := range []string{"modified", "staged", "staged-and-modified", "latin", "ident", "dir/deep", "assumed", "skipped"} {
		f.write(name, "new first line\n"+strings.Repeat(name+"\n", 5)+"\x24Id: anything \x24\n")
	}
	f.git("add", "staged", "staged-and-modified")
	f.write("staged-and-modified", "again\n")
	f.write("binary", "a\x00b\n")
	f.write("empty", "")
	f.write("no-newline", "no-newline")
	f.write("crlf-in", strings.Repeat("crlf-in\r\n", 5)+"one more\r\n")
	f.write("crlf-out", strings.Repeat("crlf-out\r\n", 5)+"\x24Id\x24\r\n")
	f.write("utf16", "\xfe\xff\x00b\x00\n")
	f.write("latin", "\xe4\n")
	f.write("new-staged", "new\n")
	f.write("intent", "not yet\n")
	f.write("untracked", "never\n")
	f.git("add", "new-staged")
	f.git("add", "-N", "intent")
	f.git("mv", "renamed", "renamed-to")
	f.git("rm", "-q", "--cached", "removed-from-index")
	f.git("update-index", "--assume-unchanged", "assumed")
	f.git("update-index", "--skip-worktree", "skipped")
	blob := f.oid("HEAD:same")
	f.git("-c", "alias.x=!printf '0 %040d\\tunmerged\\n100644 "+string(blob)+" 1\\tunmerged\\n100644 "+string(blob)+" 2\\tunmerged\\n' 0 | git update-index --index-info", "x")
	for _, name := range []string{"removed", "file-to-link", "file-to-dir", "link-target", "link-to-file"} {
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"file-to-link", "link-target"} {
		if err := os.Symlink("elsewhere", filepath.Join(f.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f.write("link-to-file", "a file\n")
	f.write("file-to-dir/x", "x\n")
	if err := os.Chmod(filepath.Join(f.dir, "mode"), 0o755); err != nil {
		t.Fatal(err)
	}
	f.write("touched", strings.Repeat("touched\n", 5)+"\x24Id\x24\n")
}

func TestUncommittedIsGitDiff(t *testing.T) {
	// With files in every state, in every kind of index and under settings
	// that change what counts as a change, the hunks are those of git diff.
	plain := func(f *fixture) {}
	for name, prepare := range map[string]func(*fixture){
		"plain":       plain,
		"autocrlf":    func(f *fixture) { f.git("config", "core.autocrlf", "true") },
		"safecrlf":    func(f *fixture) { f.git("config", "core.autocrlf", "input"); f.git("config", "core.safecrlf", "true") },
		"no mode":     func(f *fixture) { f.git("config", "core.fileMode", "false") },
		"no links":    func(f *fixture) { f.git("config", "core.symlinks", "false") },
		"ignore case": func(f *fixture) { f.git("config", "core.ignoreCase", "true") },
		"split": func(f *fixture) {
			f.git("update-index", "--split-index")
			f.write("same", "split\n")
			f.git("add", "same")
		},
		"version 4": func(f *fixture) { f.git("update-index", "--index-version", "4") },
		"untracked": func(f *fixture) { f.git("update-index", "--force-untracked-cache") },
		"user attributes": func(f *fixture) {
			dir := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				f.t.Fatal(err)
			}
			appendTo(f.t, filepath.Join(dir, "attributes"), "same text eol=crlf\n")
			f.write("same", strings.Repeat("same\r\n", 5)+"\x24Id\x24\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			states(t, f)
			prepare(f)
			checkUncommitted(t, f, f.dir)
		})
	}
	t.Run("sha256", func(t *testing.T) {
		f := newFixture(t, "--object-format=sha256")
		f.write("a", "a\n")
		f.commit("a")
		f.write("a", "b\n")
		checkUncommitted(t, f, f.dir)
	})
	t.Run("linked work tree", func(t *testing.T) {
		f := newFixture(t)
		f.write("a", "a\n")
		f.write("b", "b\n")
		f.commit("a")
		linked := filepath.Join(t.TempDir(), "linked")
		f.git("worktree", "add", "-q", linked)
		f.write("a", "only in the main one\n")
		if err := os.WriteFile(filepath.Join(linked, "b"), []byte("here\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		checkUncommitted(t, f, linked)
	})
	t.Run("sparse", func(t *testing.T) {
		f := newFixture(t)
		for _, name := range []string{"in/a", "out/b", "top"} {
			f.write(name, name+"\n")
		}
		f.commit("all")
		f.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
		f.write("in/a", "changed\n")
		f.write("out/b", "there again\n")
		checkUncommitted(t, f, f.dir)
	})
}

// checkUncommitted compares with git diff, which refreshes the index first;
// gitext reads the index before the refresh.
func checkUncommitted(t *testing.T, f *fixture, dir string) {
	t.Helper()
	r := openAt(t, OpenOptions{Dir: dir})
	staged, errStaged := r.PatchStaged(t.Context(), PatchOptions{Context: 3})
	tree, errTree := r.PatchWorktree(t.Context(), PatchOptions{Context: 3})
	if errStaged != nil || errTree != nil {
		t.Fatalf("%v, %v", errStaged, errTree)
	}
	for _, c := range []struct {
		got  *Patch
		args []string
	}{{staged, []string{"--cached", "HEAD"}}, {tree, []string{"HEAD"}}} {
		args := append([]string{"diff", "-z", "--raw", "--no-renames", "--abbrev=64"}, c.args...)
		var want []string
		fields := strings.Split(f.at(dir, args...), "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			meta := strings.Fields(fields[i]) // :mode mode oid oid status
			want = append(want, meta[0][1:]+" "+meta[1]+" "+meta[4]+" "+fields[i+1])
		}
		var got []string
		for _, file := range c.got.Files {
			got = append(got, fmt.Sprintf("%06o %06o %c %s", file.OldMode, file.NewMode, file.Status, file.NewPath))
		}
		if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("%q: got\n%s\ngit says\n%s", c.args, a, b)
		}
		text := f.at(dir, append([]string{"diff", "--text", "--no-renames", "--no-ext-diff"}, c.args...)...)
		if a, b := hunksOnly(c.got), plainHunks(withoutBinary(text)); a != b {
			t.Errorf("%q: %s", c.args, firstDifference(a, b))
		}
	}
}

// withoutBinary drops the files with a NUL in their changes.
func withoutBinary(diff string) string {
	var b strings.Builder
	for i, part := range strings.Split(diff, "\ndiff --git ") {
		switch {
		case strings.ContainsRune(part, 0):
		case i == 0:
			b.WriteString(part + "\n")
		default:
			b.WriteString("diff --git " + strings.TrimSuffix(part, "\n") + "\n")
		}
	}
	return b.String()
}
