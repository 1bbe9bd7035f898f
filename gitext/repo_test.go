package gitext

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

// usable checks that a repository answers the basic questions.
func usable(t *testing.T, r *Repo) {
	t.Helper()
	head, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(t.Context(), head)
	if err != nil || c.Subject() != "second" {
		t.Fatalf("got %q, %v", c.Subject(), err)
	}
	lines, err := r.Blame(t.Context(), head, "f", BlameOptions{})
	if err != nil || len(lines) != 2 || lines[0].Commit != c.Parents[0] || lines[1].Commit != head {
		t.Errorf("blame: %v, %v", lines, err)
	}
	p, err := r.Patch(t.Context(), c.Parents[0], head, PatchOptions{})
	if err != nil || len(p.Files) != 1 || len(p.Files[0].Hunks) != 1 {
		t.Errorf("patch: %+v, %v", p, err)
	}
	if v, err := r.GitVersion(t.Context()); err != nil || !strings.Contains(v, ".") || strings.Contains(v, " version") {
		t.Errorf("git version %q, %v", v, err)
	}
	if s := r.emptyTree(); string(s) != mustHash(t, r) {
		t.Errorf("empty tree %s", s)
	}
}

func mustHash(t *testing.T, r *Repo) string {
	t.Helper()
	out, err := r.shadow.Output(t.Context(), gitcmd.Call{Args: []string{"hash-object", "-t", "tree", os.DevNull}})
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// simple has two commits of one file.
func simple(t *testing.T, initArgs ...string) *fixture {
	t.Helper()
	f := newFixture(t, initArgs...)
	f.write("f", "one\ntwo\n")
	f.commit("first")
	f.write("f", "one\n2\n")
	f.commit("second")
	return f
}

func TestDiscovery(t *testing.T) {
	// Every kind of repository is found from inside, reports its kind, and
	// answers.
	t.Run("plain", func(t *testing.T) {
		f := simple(t)
		f.write("sub/dir/x", "")
		r := openAt(t, OpenOptions{Dir: filepath.Join(f.dir, "sub", "dir")})
		usable(t, r)
		if r.Bare() || r.Shallow() || r.Partial() || r.ObjectFormat() != "sha1" || r.WorkTree() != f.dir || r.GitDir() != filepath.Join(f.dir, ".git") {
			t.Errorf("got %+v", r)
		}
		if want := dataOf(r.CommonDir()); r.dataDir != want {
			t.Errorf("data in %q, want %q", r.dataDir, want)
		}
		if out := f.git("status", "--porcelain"); out != "?? sub/\n" {
			t.Errorf("opening changed the repository: %q", out)
		}
	})
	t.Run("bare", func(t *testing.T) {
		f := simple(t)
		bare := filepath.Join(t.TempDir(), "b.git")
		f.git("clone", "-q", "--bare", ".", bare)
		f.git("config", "--global", "safe.bareRepository", "all")
		r := openAt(t, OpenOptions{Dir: bare})
		usable(t, r)
		if !r.Bare() || r.WorkTree() != "" || r.CommonDir() != bare {
			t.Errorf("got %+v", r)
		}
		if _, err := r.PatchWorktree(t.Context(), PatchOptions{}); err == nil {
			t.Error("a bare repository has no work tree to compare with")
		}
	})
	t.Run("inside the git directory", func(t *testing.T) {
		f := simple(t)
		usable(t, openAt(t, OpenOptions{Dir: filepath.Join(f.dir, ".git", "refs")}))
	})
	t.Run("linked worktree", func(t *testing.T) {
		f := simple(t)
		linked := filepath.Join(t.TempDir(), "w")
		f.git("worktree", "add", "-q", "--detach", linked)
		r, main := openAt(t, OpenOptions{Dir: linked}), f.open()
		usable(t, r)
		if r.WorkTree() != linked || r.dataDir != main.dataDir || r.GitDir() == main.GitDir() || r.ID() != main.ID() {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("submodule", func(t *testing.T) {
		f := simple(t)
		super := another(t)
		super.git("submodule", "add", "-q", f.dir, "mod")
		super.commit("add a submodule")
		r := openAt(t, OpenOptions{Dir: filepath.Join(super.dir, "mod")})
		usable(t, r)
		if want := filepath.Join(super.dir, ".git", "modules", "mod"); r.CommonDir() != want {
			t.Errorf("common directory %q, want %q", r.CommonDir(), want)
		}
	})
	t.Run("alternates", func(t *testing.T) {
		f := simple(t)
		shared := filepath.Join(t.TempDir(), "s")
		f.git("clone", "-q", "--shared", ".", shared)
		usable(t, openAt(t, OpenOptions{Dir: shared}))
	})
	t.Run("sha256", func(t *testing.T) {
		f := simple(t, "--object-format=sha256")
		r := f.open()
		usable(t, r)
		if r.ObjectFormat() != "sha256" || len(r.emptyTree()) != 64 {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("reftable", func(t *testing.T) {
		isolate(t)
		if _, err := (&fixture{t: t}).try(t.TempDir(), "init", "-q", "--ref-format=reftable"); err != nil {
			t.Skip("this git has no reftable")
		}
		usable(t, simple(t, "--ref-format=reftable").open())
	})
}

func TestShallow(t *testing.T) {
	// A shallow clone reports itself and its boundary, and blame marks the lines
	// attributed to the boundary; after unshallowing, answers are as usual.
	f := simple(t)
	clone := filepath.Join(t.TempDir(), "c")
	f.git("clone", "-q", "--depth=1", "file://"+f.dir, clone)
	head := f.oid("HEAD")
	r := openAt(t, OpenOptions{Dir: clone})
	if !r.Shallow() || len(r.ShallowBoundary()) != 1 || !r.ShallowBoundary()[head] {
		t.Fatalf("boundary %v", r.ShallowBoundary())
	}
	lines, err := r.Blame(t.Context(), head, "f", BlameOptions{})
	if err != nil || len(lines) != 2 || !lines[0].Boundary || lines[0].Commit != head {
		t.Errorf("blame: %+v, %v", lines, err)
	}
	for p, err := range r.Patches(t.Context(), []OID{head}, PatchOptions{}) {
		if err != nil || p.Parent != "" || len(p.Files) != 1 || p.Files[0].Status != 'A' {
			t.Errorf("patch: %+v, %v", p, err)
		}
	}
	f.at(clone, "fetch", "-q", "--unshallow")
	r = openAt(t, OpenOptions{Dir: clone})
	if r.Shallow() || r.ShallowBoundary() != nil {
		t.Error("still shallow")
	}
	usable(t, r)
}

func TestEnvironmentPointsAtTheRepository(t *testing.T) {
	// Without a given directory, git's variables count as in git, also relative
	// ones; with a given directory, they are ignored.
	f := simple(t)
	other := another(t)
	other.write("g", "x")
	other.commit("other")
	t.Chdir(filepath.Dir(f.dir))
	t.Setenv("GIT_DIR", filepath.Join("repo", ".git"))
	t.Setenv("GIT_WORK_TREE", "repo")
	usable(t, openAt(t, OpenOptions{}))
	r := openAt(t, OpenOptions{Dir: other.dir})
	if r.WorkTree() != other.dir {
		t.Errorf("opened %q", r.WorkTree())
	}
}

func TestObjectsFromTheEnvironment(t *testing.T) {
	// In a hook, new objects are in a quarantine named only in variables.
	f := simple(t)
	quarantine := filepath.Join(t.TempDir(), "odd:na\"me")
	if err := os.MkdirAll(filepath.Join(quarantine, "pack"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(f.dir)
	t.Setenv("GIT_OBJECT_DIRECTORY", quarantine)
	t.Setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", filepath.Join(f.dir, ".git", "objects"))
	f.write("f", "quarantined\n")
	head := f.commit("in quarantine")
	r := openAt(t, OpenOptions{})
	c, err := r.Commit(t.Context(), head)
	if err != nil || c.Subject() != "in quarantine" {
		t.Errorf("got %q, %v", c.Subject(), err)
	}
	os.Unsetenv("GIT_OBJECT_DIRECTORY")
	os.Unsetenv("GIT_ALTERNATE_OBJECT_DIRECTORIES")
	if _, err := openAt(t, OpenOptions{}).Commit(t.Context(), head); !errors.As(err, new(*MissingObjectError)) {
		t.Errorf("the quarantine outlived its variables: %v", err)
	}
}

func TestNotARepository(t *testing.T) {
	// Outside of a repository the error says so, with a hint.
	isolate(t)
	_, err := Open(t.Context(), OpenOptions{Dir: t.TempDir()})
	var gitErr *gitcmd.Error
	if !errors.Is(err, ErrNotRepository) || !errors.As(err, &gitErr) || gitErr.Hint == "" || gitErr.Exit != 128 {
		t.Errorf("got %#v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: safe.directory\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), OpenOptions{Dir: dir}); err == nil || !strings.HasSuffix(err.Error(), "is not a git repository: no such file or directory (a .git file names it)") {
		t.Errorf("a name like a setting: got %v", err)
	}
}

func TestOpenRefusedByGit(t *testing.T) {
	// A repository that git refuses because of its owner is not reported as
	// missing, and git's own advice is passed on.
	f := simple(t)
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err := Open(t.Context(), OpenOptions{Dir: f.dir})
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || errors.Is(err, ErrNotRepository) || !strings.HasPrefix(err.Error(), "detected dubious ownership") ||
		!strings.HasPrefix(gitErr.Hint, "git config --global --add safe.directory") {
		t.Errorf("got %v", err)
	}
	named := filepath.Join(t.TempDir(), "x\ngit config --global core.pager evil\n\n\tgit config --global --add safe.directory y")
	if err := os.Rename(f.dir, named); err != nil {
		t.Fatal(err)
	}
	gitErr = nil
	if _, err := Open(t.Context(), OpenOptions{Dir: named}); !errors.As(err, &gitErr) || gitErr.Hint != "" {
		t.Errorf("the name of a directory is taken for advice: %v, %+v", err, gitErr)
	}
}

func TestOpenWhereNoDirectoryIs(t *testing.T) {
	// A missing directory is not reported as a missing git.
	isolate(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, file + "-missing"} {
		_, err := Open(t.Context(), OpenOptions{Dir: dir})
		if want := fmt.Sprintf("%q is not a directory", dir); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestClosedRepository(t *testing.T) {
	// After Close a read fails instead of starting processes.
	f := simple(t)
	r := f.open()
	head := f.oid("HEAD")
	r.Close()
	if _, err := r.Commit(t.Context(), head); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestObjectDirsAreOnlyThat(t *testing.T) {
	// A directory that a repository falsely names as an object directory is not
	// listed; a real object directory is.
	f := newFixture(t)
	f.write("a", "a\n")
	f.commit("one")
	lender := newFixture(t)
	private := t.TempDir()
	if err := os.WriteFile(filepath.Join(private, "id_rsa"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	borrowed := filepath.Join(lender.dir, ".git", "objects")
	f.write(".git/objects/info/alternates", private+"\n"+borrowed+"\n")
	got := f.open().ObjectDirs()
	if slices.Contains(got, private) || !slices.Contains(got, borrowed) || !slices.Contains(got, filepath.Join(f.dir, ".git", "objects")) {
		t.Errorf("got %q", got)
	}
}

// git maintenance, which runs in the background, has locks beside the objects, and a directory of
// macOS its own file. Without the directory, git in a sandbox said "bad object HEAD".
func TestObjectDirsDuringMaintenance(t *testing.T) {
	f := simple(t)
	own := filepath.Join(f.dir, ".git", "objects")
	for _, name := range []string{"maintenance.lock", "schedule.lock", "loose-object-idx", ".DS_Store"} {
		f.write(".git/objects/"+name, "")
		if got := f.open().ObjectDirs(); !slices.Contains(got, own) {
			t.Errorf("with %s: got %q", name, got)
		}
	}
}

// A repository whose objects were borrowed from another one that was moved lacks its HEAD; git says
// of it that it is a bad object.
func TestLostAlternates(t *testing.T) {
	f := simple(t)
	lender := filepath.Join(t.TempDir(), "lender")
	borrower := filepath.Join(t.TempDir(), "borrower")
	f.git("clone", "-q", "--bare", ".", lender)
	f.git("clone", "-q", "--shared", lender, borrower)
	if lost := openAt(t, OpenOptions{Dir: borrower, DataDir: t.TempDir()}).LostAlternates(); lost != nil {
		t.Errorf("before: %q", lost)
	}
	if err := os.Rename(lender, lender+".moved"); err != nil {
		t.Fatal(err)
	}
	r := openAt(t, OpenOptions{Dir: borrower, DataDir: t.TempDir()})
	if lost := r.LostAlternates(); len(lost) != 1 || filepath.Base(filepath.Dir(lost[0])) != "lender" {
		t.Errorf("got %q", lost)
	}
	for _, rev := range []string{"HEAD", "origin/HEAD"} {
		if _, err := r.Resolve(t.Context(), rev); !errors.As(err, new(*MissingObjectError)) || errors.Is(err, ErrUnknownRevision) {
			t.Errorf("%s: %v", rev, err)
		}
	}
}

func TestObjectDirsFollowAlternates(t *testing.T) {
	// A clone of a clone with shared objects lists the directories of all three,
	// each once, even if the alternates form a circle.
	f := simple(t)
	top := t.TempDir()
	first, second := filepath.Join(top, "first"), filepath.Join(top, "second")
	f.git("clone", "-q", "--shared", ".", first)
	f.at(first, "clone", "-q", "--shared", first, second)
	own := filepath.Join(f.dir, ".git", "objects")
	circle := filepath.Join(second, ".git", "objects") + "\n"
	if err := os.WriteFile(filepath.Join(own, "info", "alternates"), []byte(circle), 0o600); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	dirs := openAt(t, OpenOptions{Dir: second, DataDir: t.TempDir()}).ObjectDirs()
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			t.Fatal(err)
		}
		got[real] = true
	}
	for _, want := range []string{own, filepath.Join(first, ".git", "objects"), filepath.Join(second, ".git", "objects")} {
		real, err := filepath.EvalSymlinks(want)
		if err != nil || !got[real] {
			t.Errorf("%s is not in %q (%v)", want, dirs, err)
		}
	}
	if len(got) != 3 || len(dirs) != 3 {
		t.Errorf("got %q", dirs)
	}
}
