package gitext

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A project is a repository with a history to check out, opened with the
// agent's data elsewhere.
type project struct {
	*Repo
	t   *testing.T
	dir string
}

func newProject(t *testing.T, format string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	p.run("git", "init", "-q", "-b", "main", "--object-format="+format)
	return p
}

func (p *project) run(argv ...string) string {
	p.t.Helper()
	return runIn(p.t, p.dir, argv...)
}

func runIn(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@x", "GIT_AUTHOR_DATE=1600000000 +0000",
		"GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@x", "GIT_COMMITTER_DATE=1600000000 +0000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit runs a shell script in the work tree and commits the changes.
func (p *project) commit(script string) OID {
	p.t.Helper()
	p.run("sh", "-ec", script)
	p.run("git", "add", "-A")
	p.run("git", "commit", "-q", "--allow-empty", "-m", script)
	return OID(p.run("git", "rev-parse", "HEAD"))
}

func (p *project) open() *project {
	p.t.Helper()
	var err error
	if p.Repo, err = Open(p.t.Context(), OpenOptions{Dir: p.dir, DataDir: p.t.TempDir()}); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.Close() })
	return p
}

func (p *project) checkout(commit OID, dir string, over ...Overlay) {
	p.t.Helper()
	if err := p.Checkout(p.t.Context(), commit, dir, over...); err != nil {
		p.t.Fatal(err)
	}
}

// listing lists every file below dir except those in .git, one per line.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case rel == ".git":
			return fs.SkipDir
		case d.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			fmt.Fprintf(&out, "%s -> %s\n", rel, target)
			return err
		case !d.IsDir():
			text, err := os.ReadFile(path)
			fmt.Fprintf(&out, "%s %q\n", rel, text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// fingerprint hashes names, modes, times and contents of all files below dir.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			h.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func wantListing(t *testing.T, dir, want string) {
	t.Helper()
	if got := listing(t, dir); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestCheckoutMovesBetweenCommits(t *testing.T) {
	// From commit to commit, only files that differ are written: other files keep
	// their time stamps, untracked files stay, and changed tracked files are
	// restored.
	for _, format := range []string{"sha1", "sha256"} {
		p := newProject(t, format)
		one := p.commit("echo 1 >a; echo same >same; mkdir d; echo x >d/x; ln -s /nowhere link")
		two := p.commit("echo 2 >a; rm -r d; echo new >new; chmod +x same")
		p.open()
		before := fingerprint(t, p.dir)
		dir := filepath.Join(t.TempDir(), "tree")
		p.checkout(one, dir)
		wantListing(t, dir, "a \"1\\n\"\nd/x \"x\\n\"\nlink -> /nowhere\nsame \"same\\n\"\n")
		runIn(t, dir, "sh", "-c", "echo broken >a; echo built >cache; rm link")
		link, _ := os.Lstat(filepath.Join(dir, "d"))
		p.checkout(one, dir)
		if again, _ := os.Lstat(filepath.Join(dir, "d")); !again.ModTime().Equal(link.ModTime()) {
			t.Error("a directory without changes was touched")
		}
		wantListing(t, dir, "a \"1\\n\"\ncache \"built\\n\"\nd/x \"x\\n\"\nlink -> /nowhere\nsame \"same\\n\"\n")
		p.checkout(two, dir)
		wantListing(t, dir, "a \"2\\n\"\ncache \"built\\n\"\nlink -> /nowhere\nnew \"new\\n\"\nsame \"same\\n\"\n")
		if info, _ := os.Stat(filepath.Join(dir, "same")); info.Mode()&0o100 == 0 {
			t.Error("the executable bit is not set")
		}
		if fingerprint(t, p.dir) != before {
			t.Error("the repository was written")
		}
	}
}

func TestCheckoutLaysFilesOver(t *testing.T) {
	// Overlays add, replace and remove, also a file where a directory is; the
	// next checkout without overlays reverts them, and files that are equal in
	// two checkouts with the same overlay are not written again.
	p := newProject(t, "sha1")
	one := p.commit("mkdir t; echo 1 >t/a; echo old >t/old; echo src >src; echo x >x")
	two := p.commit("echo 2 >t/a; echo src2 >src")
	p.open()
	dir := filepath.Join(t.TempDir(), "tree")
	blob := OID(p.run("git", "rev-parse", "HEAD:t/a"))
	over := []Overlay{
		{Path: "t/a", Mode: 0o100644, OID: blob},
		{Path: "t/b", Mode: 0o100755, Content: []byte("#!/bin/sh\n")},
		{Path: "t/old"}, {Path: "t/never"},
		{Path: "x/y", Mode: 0o100644, Content: []byte("y")},
	}
	p.checkout(one, dir, over...)
	wantListing(t, dir, "src \"src\\n\"\nt/a \"2\\n\"\nt/b \"#!/bin/sh\\n\"\nx/y \"y\"\n")
	first, _ := os.Lstat(filepath.Join(dir, "t/a"))
	p.checkout(two, dir, over...)
	wantListing(t, dir, "src \"src2\\n\"\nt/a \"2\\n\"\nt/b \"#!/bin/sh\\n\"\nx/y \"y\"\n")
	if second, _ := os.Lstat(filepath.Join(dir, "t/a")); !os.SameFile(first, second) || !second.ModTime().Equal(first.ModTime()) {
		t.Error("an overlay that both have was written again")
	}
	p.checkout(one, dir)
	wantListing(t, dir, "src \"src\\n\"\nt/a \"1\\n\"\nt/old \"old\\n\"\nx \"x\\n\"\n")
	p.checkout(one, dir, Overlay{Path: "x", Mode: 0o100644, Content: []byte("y")})
	p.checkout(one, dir, Overlay{Path: "x", Mode: 0o100644, Content: []byte("z")})
	wantListing(t, dir, "src \"src\\n\"\nt/a \"1\\n\"\nt/old \"old\\n\"\nx \"z\"\n")
	// A tree that was written before is written again if its object is gone.
	p.checkout(one, dir)
	if err := os.RemoveAll(dir + ".objects"); err != nil {
		t.Fatal(err)
	}
	p.checkout(one, dir, over...)
	wantListing(t, dir, "src \"src\\n\"\nt/a \"2\\n\"\nt/b \"#!/bin/sh\\n\"\nx/y \"y\"\n")
	for _, bad := range []string{"../out", ".git/config", "a\x00b", "/abs"} {
		if err := p.Checkout(t.Context(), one, dir, Overlay{Path: bad, Mode: 0o100644, Content: []byte("x")}); err == nil {
			t.Errorf("path %q was taken", bad)
		}
	}
}

func TestCheckoutRunsNothingOfTheRepository(t *testing.T) {
	// Hooks and filters that the user's repository configures do not run; a
	// file of Git LFS stays its pointer, a submodule is an empty directory.
	p := newProject(t, "sha1")
	p.commit("echo 'f filter=evil' >.gitattributes; echo pointer >f; echo base >base")
	p.run("git", "update-index", "--add", "--cacheinfo", "160000,"+p.run("git", "rev-parse", "HEAD")+",sub")
	p.run("git", "commit", "-q", "-m", "submodule")
	commit := OID(p.run("git", "rev-parse", "HEAD"))
	canary := filepath.Join(t.TempDir(), "canary")
	p.run("git", "config", "filter.evil.smudge", "touch "+canary+"; echo evil")
	p.run("git", "config", "filter.evil.required", "true")
	p.run("git", "config", "core.fsmonitor", "touch "+canary)
	for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
		p.run("sh", "-c", "printf '#!/bin/sh\ntouch "+canary+"\n' >.git/hooks/"+hook+"; chmod +x .git/hooks/"+hook)
	}
	p.open()
	dir := filepath.Join(t.TempDir(), "tree")
	p.checkout(commit, dir, Overlay{Path: "o", Mode: 0o100644, Content: []byte("o")})
	wantListing(t, dir, ".gitattributes \"f filter=evil\\n\"\nbase \"base\\n\"\nf \"pointer\\n\"\no \"o\"\n")
	if info, err := os.Stat(filepath.Join(dir, "sub")); err != nil || !info.IsDir() {
		t.Errorf("no directory for the submodule: %v", err)
	}
	if _, err := os.Stat(canary); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something of the repository was run")
	}
}

func TestCheckoutWritesThroughNoLink(t *testing.T) {
	// A command that replaces a directory, or .git, by a link to another place
	// does not make the next checkout write there.
	p := newProject(t, "sha1")
	one := p.commit("mkdir d; echo 1 >d/f")
	two := p.commit("echo 2 >d/f; echo g >d/g")
	p.open()
	dir, outside := filepath.Join(t.TempDir(), "tree"), t.TempDir()
	p.checkout(one, dir)
	runIn(t, dir, "sh", "-c", `rm -rf d .git; echo mine >"$0/f"; mkdir "$0/objects" "$0/refs"; ln -s "$0" d; ln -s "$0" .git`, outside)
	p.checkout(two, dir)
	wantListing(t, dir, "d/f \"2\\n\"\nd/g \"g\\n\"\n")
	wantListing(t, outside, "f \"mine\\n\"\n")
}

func TestCheckoutOfAMissingBlobLeavesNothing(t *testing.T) {
	// A missing blob is named, and files already written for its commit do not
	// stay beside those of the next commit.
	p := newProject(t, "sha1")
	one := p.commit("echo 1 >a")
	two := p.commit("echo 2 >b; echo lost >c; echo 3 >d")
	lost := OID(p.run("git", "rev-parse", "HEAD:c"))
	p.open()
	dir := filepath.Join(t.TempDir(), "tree")
	p.checkout(one, dir)
	p.run("rm", "-f", ".git/objects/"+string(lost[:2])+"/"+string(lost[2:]))
	var missing *MissingObjectError
	if err := p.Checkout(t.Context(), two, dir); !errors.As(err, &missing) || missing.OID != lost {
		t.Errorf("error %v", err)
	}
	p.checkout(one, dir)
	wantListing(t, dir, "a \"1\\n\"\n")
	p.checkout(two, dir, Overlay{Path: "c"})
	wantListing(t, dir, "a \"1\\n\"\nb \"2\\n\"\nd \"3\\n\"\n")
}

func TestCheckoutKnowsItsRevision(t *testing.T) {
	// A build may ask git in the checkout which revision it is and whether it
	// is clean; git does not find the user's repository from there.
	p := newProject(t, "sha1")
	one := p.commit("echo 1 >a")
	p.commit("echo 2 >a")
	p.open()
	dir := filepath.Join(t.TempDir(), "tree")
	p.checkout(one, dir)
	if got := runIn(t, dir, "git", "rev-parse", "HEAD"); got != string(one) {
		t.Errorf("HEAD is %s", got)
	}
	if got := runIn(t, dir, "git", "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
	if got := runIn(t, dir, "git", "rev-parse", "--git-common-dir"); got != ".git" {
		t.Errorf("the repository is %q", got)
	}
}

func TestBisectHalvesAndSkips(t *testing.T) {
	// The pick divides the range; a commit to skip is replaced by another one of
	// the range; without a possible pick, there is no next commit.
	p := newProject(t, "sha1")
	var commits []OID
	for i := range 10 {
		commits = append(commits, p.commit(fmt.Sprintf("echo %d >a", i)))
	}
	p.open()
	bad, good := commits[9], commits[1:2]
	bisect := func(bad OID, good []OID, skip ...OID) Bisection {
		t.Helper()
		b, err := p.Bisect(t.Context(), bad, good, skip)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := bisect(bad, good); b.Next != commits[5] || b.Left != 8 {
		t.Errorf("%+v", b)
	}
	if b := bisect(bad, good, commits[5]); b.Next == commits[5] || b.Next == bad || b.Next == "" || b.Left != 8 {
		t.Errorf("%+v", b)
	}
	if b := bisect(bad, good, commits[2:9]...); b.Next != "" || b.Left != 8 {
		t.Errorf("%+v", b)
	}
	if b := bisect(commits[2], good); b.Next != "" || b.Left != 1 {
		t.Errorf("%+v", b)
	}
	if b := bisect(commits[3], nil); b.Left != 4 || b.Next == "" {
		t.Errorf("%+v", b)
	}
	n, err := p.CountCommits(t.Context(), bad, good)
	if err != nil || n != 8 {
		t.Errorf("%d, %v", n, err)
	}
	for back, want := range map[int]OID{0: bad, 4: commits[5], 9: commits[0], 10: ""} {
		if got, err := p.AncestorAt(t.Context(), bad, back); err != nil || got != want {
			t.Errorf("%d back: %q, %v", back, got, err)
		}
	}
}
