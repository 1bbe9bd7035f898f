package place

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// newUser returns a user with a separate home and a directory for temporary files.
func newUser(t *testing.T) (User, string) {
	t.Helper()
	home := t.TempDir()
	temp := filepath.Join(home, "tmp")
	must(t, os.Mkdir(temp, 0o700))
	t.Setenv("TMPDIR", temp)
	vars := map[string]string{"HOME": home, "TMPDIR": temp}
	return User{Getenv: func(name string) string { return vars[name] }}, home
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// repository makes a directory that represents a common git directory.
func repository(t *testing.T, path string) string {
	t.Helper()
	must(t, os.MkdirAll(path, 0o755))
	return path
}

func folder(t *testing.T, u User, k Kind, dir string) Folder {
	t.Helper()
	f, err := u.Folder(k, dir)
	must(t, err)
	return f
}

// A repository has the same folder for any path to it; another repository has another folder.
func TestOneFolderForEachRepository(t *testing.T) {
	u, home := newUser(t)
	dir := repository(t, filepath.Join(home, "src", "linux", ".git"))
	must(t, os.Symlink(filepath.Join(home, "src"), filepath.Join(home, "link")))
	f := folder(t, u, Cache, dir)
	if name := filepath.Base(f.Path); !strings.HasPrefix(name, "linux-") || len(name) != len("linux-")+16 {
		t.Errorf("the folder is %q", f.Path)
	}
	if linked := folder(t, u, Cache, filepath.Join(home, "link", "linux", ".git")); linked != f {
		t.Errorf("through a link it is %+v, not %+v", linked, f)
	}
	seen := map[string]string{f.Path: dir}
	for _, name := range []string{"other/linux/.git", "linux.git", "a b/.git", "-x.git", "..git/.git", ".git/modules/linux", strings.Repeat("n", 200), "ünï.git"} {
		other := repository(t, filepath.Join(home, name))
		path := folder(t, u, Cache, other).Path
		if seen[path] != "" {
			t.Errorf("%q and %q share %q", seen[path], other, path)
		}
		seen[path] = other
		if base := filepath.Base(path); len(base) > 80 || strings.Trim(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "" || strings.HasPrefix(base, "-") || strings.HasPrefix(base, ".") {
			t.Errorf("%q has the folder %q", other, base)
		}
	}
}

// If another repository has the folder's name, a longer name is used. A damaged record is written
// again.
func TestFolderOfAnotherRepository(t *testing.T) {
	u, home := newUser(t)
	dir := repository(t, filepath.Join(home, "r", ".git"))
	f := folder(t, u, State, dir)
	must(t, f.Make())
	must(t, writeRecord(f.Path, "/another/one"))
	g := folder(t, u, State, dir)
	if g.Path == f.Path || !strings.HasPrefix(g.Path, f.Path) {
		t.Errorf("the folder is %q", g.Path)
	}
	must(t, g.Make())
	must(t, writeRecord(g.Path, "/another/one"))
	if h, err := u.Folder(State, dir); err == nil {
		t.Errorf("another repository's folder is taken: %+v", h)
	}
	for _, text := range []string{"", "x", "\n", strings.Repeat("long\n", 100_000)} {
		must(t, os.WriteFile(filepath.Join(f.Path, recordName), []byte(text), 0o600))
		if again := folder(t, u, State, dir); again.Path != f.Path {
			t.Errorf("with a record of %d bytes the folder is %q", len(text), again.Path)
		}
		must(t, f.Make())
		if owner, found := readRecord(f.Path); !found || owner != f.Repository {
			t.Errorf("the record was not written again: %q", owner)
		}
	}
}

// A directory instead of the record is renamed.
func TestRecordIsADirectory(t *testing.T) {
	u, home := newUser(t)
	f := folder(t, u, Cache, repository(t, filepath.Join(home, "r", ".git")))
	must(t, os.MkdirAll(filepath.Join(f.Path, recordName), 0o700))
	must(t, f.Make())
	if owner, found := readRecord(f.Path); !found || owner != f.Repository {
		t.Errorf("the record is %q", owner)
	}
	if left, err := f.RemoveCache(); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// Folders are private to their user. A folder that others could change is
// refused, and nothing is created through a link.
func TestOnlyPrivateFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories have no modes")
	}
	u, home := newUser(t)
	dir := repository(t, filepath.Join(home, "r", ".git"))
	f := folder(t, u, Cache, dir)
	must(t, f.Make())
	for _, path := range []string{f.root, f.Path} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
	}
	must(t, os.Chmod(f.Path, 0o770))
	if err := f.Make(); err == nil || f.Check() == nil {
		t.Error("a folder that its group can write is used")
	}
	must(t, os.Remove(filepath.Join(f.Path, recordName)))
	must(t, os.Remove(f.Path))
	victim := repository(t, filepath.Join(home, "victim"))
	must(t, os.WriteFile(filepath.Join(victim, "cache.db"), nil, 0o600))
	must(t, os.Symlink(victim, f.Path))
	if err := f.Make(); err == nil || f.Check() == nil {
		t.Error("a link is used")
	}
	if _, err := f.RemoveCache(); err == nil {
		t.Error("removed through a link")
	}
	if left, err := os.ReadDir(victim); err != nil || len(left) != 1 {
		t.Errorf("behind the link: %v, %v", left, err)
	}
	if os.Geteuid() == 0 {
		must(t, os.Remove(f.Path))
		must(t, f.Make())
		must(t, os.Chown(f.Path, 12345, 12345))
		if err := f.Make(); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("another user's folder: %v", err)
		}
	}
	if runtime.GOOS == "linux" { // a directory that is in the way of ours is passed over
		must(t, os.Rename(f.root, f.root+".old"))
		must(t, os.Symlink(victim, f.root))
		if g := folder(t, u, Cache, dir); !strings.HasPrefix(g.Path, filepath.Join(home, "tmp")) || !strings.Contains(g.Why, "link") {
			t.Errorf("got %+v", g)
		}
	}
}

// If the usual place is on a network file system, a local directory is used. Without a local
// directory, or if the user's choice is unusable, there is no place.
func TestLocalDisk(t *testing.T) {
	u, home := newUser(t)
	dir := repository(t, filepath.Join(home, "r", ".git"))
	u.network = func(path string) (string, bool) { return "nfs", !strings.HasPrefix(path, filepath.Join(home, "tmp")) }
	for _, k := range []Kind{Cache, State} {
		f := folder(t, u, k, dir)
		if !strings.HasPrefix(f.Path, filepath.Join(home, "tmp", "git-agent")) || !strings.Contains(f.Why, "nfs") {
			t.Errorf("got %+v", f)
		}
		must(t, f.Make())
	}
	u.DataDir = filepath.Join(home, "given")
	if f, err := u.Folder(Cache, dir); err == nil || !strings.Contains(err.Error(), "agent.dataDir") {
		t.Errorf("got %+v, %v", f, err)
	}
	u.DataDir = ""
	u.network = func(string) (string, bool) { return "nfs", true }
	if f, err := u.Folder(Cache, dir); err == nil {
		t.Errorf("got %+v", f)
	}
}

// The XDG variables and agent.dataDir decide where data is kept, unless they
// are not absolute paths.
func TestWhereTheUserSays(t *testing.T) {
	u, home := newUser(t)
	vars := map[string]string{"HOME": home}
	u.Getenv = func(name string) string { return vars[name] }
	for _, test := range []struct {
		variable, value, dataDir string
		kind                     Kind
		want                     string
	}{
		{"XDG_CACHE_HOME", filepath.Join(home, "c"), "", Cache, filepath.Join(home, "c", "git-agent")},
		{"XDG_STATE_HOME", filepath.Join(home, "s"), "", State, filepath.Join(home, "s", "git-agent")},
		{"XDG_CACHE_HOME", filepath.Join(home, "c"), filepath.Join(home, "d"), Cache, filepath.Join(home, "d")},
		{"XDG_CACHE_HOME", filepath.Join(home, "c"), "~/d/e", State, filepath.Join(home, "d", "e")},
		{"XDG_CACHE_HOME", "c", "d", Cache, ""},
	} {
		vars[test.variable], u.DataDir = test.value, test.dataDir
		if root, err := u.root(test.kind); root.Path != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%+v: got %+v, %v", test, root, err)
		}
	}
	if runtime.GOOS == "linux" {
		vars, u.DataDir = map[string]string{"HOME": home, "XDG_CACHE_HOME": "relative"}, ""
		if root, err := u.root(Cache); err != nil || root.Path != filepath.Join(home, ".cache", "git-agent") {
			t.Errorf("got %+v, %v", root, err)
		}
	}
}

// The caches of missing repositories are removed; recorded runs and other programs' files stay.
func TestRemoveCache(t *testing.T) {
	u, home := newUser(t)
	u.DataDir = filepath.Join(home, "both")
	dir := repository(t, filepath.Join(home, "r", ".git"))
	f := folder(t, u, Cache, dir)
	fill := func(names ...string) {
		must(t, f.Make())
		for _, name := range names {
			path := filepath.Join(f.Path, name)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, nil, 0o600))
		}
	}
	all := []string{"cache.db", "cache.db-wal", "cache.db.damaged", "shadow.git/HEAD", "shadow.git/objects/info/alternates",
		"shadow.git/objects/info/commit-graph", "shadow.git/graph-seen", "tmp-123/HEAD", "tmp-123/objects/info/alternates", "setup/a/tree/mine", "setup/a.lock"}
	fill(all...)
	if f.Gone() {
		t.Error("it is there")
	}
	must(t, os.RemoveAll(filepath.Dir(dir)))
	list, err := u.Folders(Cache)
	if err != nil || len(list) != 1 || !list[0].Gone() || list[0].Repository != f.Repository {
		t.Errorf("listed %+v, %v", list, err)
	}
	if left, err := f.RemoveCache(); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
	if _, err := os.Lstat(f.Path); err == nil {
		t.Error("the folder is left")
	}
	fill(append(all, "traces.db", "traces.db.runs/x", "mine", "shadow.git/hooks/mine")...)
	left, err := f.RemoveCache()
	if slices.Sort(left); err != nil || !slices.Equal(left, []string{"mine", "shadow.git/hooks"}) {
		t.Errorf("left %q, %v", left, err)
	}
	for _, name := range []string{"traces.db", "traces.db.runs/x", "mine", recordName} {
		if _, err := os.Lstat(filepath.Join(f.Path, name)); err != nil {
			t.Error(err)
		}
	}
}
