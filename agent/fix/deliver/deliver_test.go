package deliver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A place is a repository for deliveries of patches.
type place struct {
	*gittest.History
	repo *gitext.Repo
}

// newPlace makes a repository whose user is known and has no settings of his own.
func newPlace(t *testing.T, init ...string) *place {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	h := gittest.New(t)
	if init != nil {
		if err := os.RemoveAll(filepath.Join(h.Dir, ".git")); err != nil {
			t.Fatal(err)
		}
		h.Git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	}
	h.Git("config", "user.name", "Una User")
	h.Git("config", "user.email", "una@example.org")
	return &place{History: h}
}

// copy makes an equal repository.
func (p *place) copy(t *testing.T) *place {
	t.Helper()
	q := &place{History: &gittest.History{T: t, Dir: t.TempDir(), Time: p.Time}}
	if err := os.CopyFS(q.Dir, os.DirFS(p.Dir)); err != nil {
		t.Fatal(err)
	}
	return q
}

// state describes all that a delivery may change: files with their modes, the index, and
// all refs but backups.
func (p *place) state() string {
	p.T.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, _ := os.Readlink(path)
		if info.Mode().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		}
		fmt.Fprintf(&b, "%q %v %q\n", path, info.Mode(), content)
		return nil
	})
	if err != nil {
		p.T.Fatal(err)
	}
	b.WriteString(p.Git("ls-files", "--stage", "-v"))
	for line := range strings.Lines(p.Git("for-each-ref")) {
		if !strings.Contains(line, "refs/agent/") {
			b.WriteString("\n" + line)
		}
	}
	head, err := os.ReadFile(filepath.Join(p.Git("rev-parse", "--absolute-git-dir"), "HEAD"))
	if err != nil {
		p.T.Fatal(err)
	}
	b.Write(head)
	if held, _ := filepath.Glob(filepath.Join(p.Dir, ".git", journalName)); held != nil {
		b.WriteString("\nthe journal is there")
	}
	return b.String()
}

// tree returns the tree before a repair: HEAD and the uncommitted changes.
func (p *place) tree() fix.Tree {
	p.T.Helper()
	p.repo = p.Open()
	over, left, err := p.repo.Uncommitted(p.T.Context())
	if err != nil || left != nil {
		p.T.Fatal(left, err)
	}
	return fix.Tree{Commit: p.Head(), Over: over}
}

// text is a file of a patch.
func text(path, content string) gitext.Overlay {
	return gitext.Overlay{Path: path, Mode: 0o100644, Content: []byte(content)}
}

// undo runs the undo command far away from the repository.
func (p *place) undo(command string) {
	p.T.Helper()
	cmd := exec.Command("sh", "-ec", command)
	cmd.Dir = p.T.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		p.T.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// wantContent compares a file; Gone means that it must not exist.
func (p *place) wantContent(path, want string) {
	p.T.Helper()
	got, err := os.ReadFile(filepath.Join(p.Dir, path))
	if errors.Is(err, fs.ErrNotExist) {
		got = []byte(gittest.Gone)
	} else if err != nil {
		p.T.Fatal(err)
	}
	if string(got) != want {
		p.T.Errorf("%q holds %q, want %q", path, got, want)
	}
}

const message = "Mend the library\n\nIt said the wrong thing.\n"

// deliver applies a patch and checks the requirements of every delivery.
func (p *place) deliver(tree fix.Tree, opt Options, files ...gitext.Overlay) Done {
	p.T.Helper()
	opt.Message = message
	done, err := Apply(p.T.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: files, Diff: []byte("nonsense")}}, tree, opt)
	if err != nil {
		p.T.Fatalf("%s: %v", opt.Target, err)
	}
	if (done.Backup == "") != (opt.Target == Branch) || done.Target != opt.Target || strings.Contains(done.Undo, "\n") {
		p.T.Errorf("%+v", done)
	}
	return done
}

// targets are all targets, with their required options.
var targets = []Options{{Target: WorkTree}, {Target: Index}, {Target: Commit}, {Target: Branch, Branch: "mended/it"}}

func TestDeliverAndUndo(t *testing.T) {
	// Each target gets the patch, with all names, modes, line endings and kinds of files. The
	// undo command restores every byte, the index and the refs.
	odd := []string{"with space.c", "new\nline", "ünï/çode", "-dash", "quo\"te", "$HOME;x", "b/\xff\xfe"}
	base := gittest.Files{
		"lib.c": "one\ntwo\nthree\n", "gone.c": "old\n", "deep/er/gone.c": "old\n", "crlf.txt": "a\r\nb\r\nc\r\n",
		"script": "#!/bin/sh\n", "binary": "a\x00b\xff", "other.c": "other\n", "no newline": "x",
	}
	patch := []gitext.Overlay{
		text("lib.c", "one\n2\nthree\n"), {Path: "gone.c"}, {Path: "deep/er/gone.c"}, text("new/dir/file.c", "new\n"),
		text("crlf.txt", "a\r\nB\r\nc\r\n"), {Path: "script", Mode: 0o100755, Content: []byte("#!/bin/sh\nexit 0\n")},
		text("binary", "a\x00c\xfe"), {Path: "link", Mode: 0o120000, Content: []byte("lib.c")}, text("no newline", "y"),
	}
	for _, name := range odd {
		base[name] = "odd\n"
		patch = append(patch, text(name, "even\n"))
	}
	for _, format := range []string{"sha1", "sha256"} {
		for _, opt := range targets {
			if testing.Short() && format == "sha256" && opt.Target != Commit {
				continue
			}
			t.Run(format+" "+string(opt.Target), func(t *testing.T) {
				p := newPlace(t, "--object-format="+format)
				p.Commit("base", base)
				if err := os.Chmod(filepath.Join(p.Dir, "lib.c"), 0o600); err != nil {
					t.Fatal(err)
				}
				tree := p.tree()
				before := p.state()
				done := p.deliver(tree, opt, patch...)
				if info, _ := os.Lstat(filepath.Join(p.Dir, "lib.c")); info.Mode().Perm() != 0o600 {
					t.Errorf("the permissions are %v", info.Mode())
				}
				where := "HEAD"
				switch opt.Target {
				case Branch:
					if where = done.Branch; p.state() == before {
						t.Error("there is no branch")
					}
				default:
					for _, f := range patch {
						if want := string(f.Content); f.Mode == 0 {
							p.wantContent(f.Path, gittest.Gone)
						} else if f.Mode != 0o120000 {
							p.wantContent(f.Path, want)
						}
					}
					if info, _ := os.Lstat(filepath.Join(p.Dir, "script")); info.Mode()&0o100 == 0 {
						t.Error("the script is not executable")
					}
					if target, _ := os.Readlink(filepath.Join(p.Dir, "link")); target != "lib.c" {
						t.Errorf("the link names %q", target)
					}
				}
				if status := p.Git("status", "--porcelain", "-uall"); (status == "") != (done.Commit != "") {
					t.Errorf("commit %q, status %s", done.Commit, status)
				}
				if done.Commit != "" {
					if got := p.Git("log", "-1", "--format=%an <%ae> %cn%n%P%n%B", where); got != "Una User <una@example.org> Una User\n"+string(tree.Commit)+"\n"+strings.TrimSpace(message) {
						t.Errorf("the commit is %s", got)
					}
					if got := p.Git("show", where+":lib.c"); got != "one\n2\nthree" {
						t.Errorf("the commit has %q", got)
					}
				}
				p.undo(done.Undo)
				if after := p.state(); after != before {
					t.Errorf("%s\nbefore\n%s\nafter\n%s", done.Undo, before, after)
				}
			})
		}
	}
}
