package deliver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestUncommittedWorkStays(t *testing.T) {
	// A patch on top of uncommitted changes and untracked files goes into the work tree. The
	// undo command takes only the patch back, and keeps later changes.
	p := newPlace(t)
	p.Commit("base", gittest.Files{"lib.c": "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "staged.c": "a\n"})
	p.Write(gittest.Files{"lib.c": "mine\n2\n3\n4\n5\n6\n7\n8\n9\n", "new.c": "untracked\n", "staged.c": "b\n"})
	p.Git("add", "staged.c")
	tree, before := p.tree(), p.state()
	done := p.deliver(tree, Options{Target: WorkTree},
		text("lib.c", "mine\n2\n3\n4\nfive\n6\n7\n8\n9\n"), text("new.c", "patched\n"), text("staged.c", "c\n"))
	p.wantContent("new.c", "patched\n")
	if got := p.Git("diff", "--cached", "--name-only"); got != "staged.c" {
		t.Errorf("staged: %q", got)
	}
	p.undo(done.Undo)
	if after := p.state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	again := p.deliver(tree, Options{Target: WorkTree, Run: filepath.Base(done.Backup)}, text("lib.c", "mine\n2\n3\n4\nfive\n6\n7\n8\n9\n"))
	if again.Backup != done.Backup+"-2" {
		t.Errorf("the second backup is %s", again.Backup)
	}
	p.Write(gittest.Files{"lib.c": "mine\n2\n3\n4\nfive\n6\n7\n8\nlater\n"})
	p.undo(again.Undo)
	p.wantContent("lib.c", "mine\n2\n3\n4\n5\n6\n7\n8\nlater\n")
}

func TestBackupIsAStash(t *testing.T) {
	// The backup holds HEAD, the index and the files in the form of git stash, so that plain
	// git shows and restores the old state.
	p := newPlace(t)
	p.Commit("base", gittest.Files{"lib.c": "1\n", "staged.c": "a\n"})
	p.Write(gittest.Files{"lib.c": "mine\n", "new.c": "untracked\n", "staged.c": "b\n"})
	p.Git("add", "staged.c")
	p.Write(gittest.Files{"staged.c": "c\n"})
	done := p.deliver(p.tree(), Options{Target: WorkTree}, text("lib.c", "patched\n"), text("new.c", "patched\n"))
	for rev, want := range map[string]string{":lib.c": "mine", ":new.c": "untracked", "^2:staged.c": "b", "^1:lib.c": "1", "^3:before/new.c": "untracked", "^3:after/lib.c": "patched"} {
		if got := p.Git("show", done.Backup+rev); got != want {
			t.Errorf("%s is %q", rev, got)
		}
	}
	p.Git("checkout", "-q", done.Backup, "--", "lib.c")
	p.wantContent("lib.c", "mine\n")
}

func TestLineEndings(t *testing.T) {
	// Attributes and settings that convert line endings do not affect undo, not even for a file
	// with mixed line endings.
	for name, c := range map[string]struct{ attributes, autocrlf, stored, disk, patched, want string }{
		"eol=crlf":       {"*.txt text eol=crlf\n", "false", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"},
		"autocrlf":       {"", "true", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n"},
		"mixed":          {"*.txt text eol=crlf\n", "false", "a\nb\nc\n", "a\r\nb\nc\r\n", "a\nb\nC\n", "a\r\nb\r\nC\r\n"},
		"mixed auto":     {"*.txt text=auto\n", "false", "a\nb\nc\n", "a\nb\r\nc\n", "A\nb\nc\n", "A\nb\nc\n"},
		"no conversion":  {"*.txt -text\n", "true", "a\r\nb\n", "a\r\nb\n", "A\r\nb\n", "A\r\nb\n"},
		"ident":          {"*.txt ident\n", "false", "$Id$\nb\n", "$Id: what I like $\nb\n", "$Id$\nB\n", ""},
		"other encoding": {"*.txt working-tree-encoding=UTF-16LE\n", "false", "a\n", "a\x00\n\x00", "b\n", "b\x00\n\x00"},
	} {
		for _, target := range someTargets() {
			t.Run(name+" "+string(target), func(t *testing.T) {
				p := newPlace(t)
				p.Commit("base", gittest.Files{".gitattributes": c.attributes, "f.txt": c.disk, "other": "x\n"})
				p.Git("config", "core.autocrlf", c.autocrlf)
				if p.Git("-c", "core.autocrlf="+c.autocrlf, "add", "--renormalize", "."); p.Git("show", ":f.txt") != strings.TrimSpace(c.stored) {
					t.Fatalf("stored: %q", p.Git("show", ":f.txt"))
				}
				p.Git("commit", "-q", "--allow-empty", "-m", "renormalized")
				p.Write(gittest.Files{"f.txt": c.disk})
				tree, before := p.tree(), p.state()
				if len(tree.Over) > 0 {
					t.Fatalf("git sees changes: %v", tree.Over)
				}
				done := p.deliver(tree, Options{Target: target}, text("f.txt", c.patched))
				if c.want != "" {
					p.wantContent("f.txt", c.want)
				}
				p.undo(done.Undo)
				if after := p.state(); after != before {
					t.Errorf("%s\nbefore\n%s\nafter\n%s", done.Undo, before, after)
				}
			})
		}
	}
}

// someTargets are the targets that change files; in short tests, one of them.
func someTargets() []Target {
	if testing.Short() {
		return []Target{Index}
	}
	return []Target{WorkTree, Index, Commit}
}

func TestWhereTheUserStands(t *testing.T) {
	// From a sub-directory, in a linked work tree, in a shallow clone and with GIT_DIR,
	// the whole patch is written in the user's own work tree and nowhere else.
	patch := []gitext.Overlay{text("top.c", "patched\n"), text("sub/dir/deep.c", "patched\n"), text("other/new.c", "new\n")}
	base := gittest.Files{"top.c": "old\n", "sub/dir/deep.c": "old\n", "other/x": "x\n"}
	for _, target := range someTargets() {
		for name, move := range map[string]func(*testing.T, *place) string{
			"sub-directory": func(t *testing.T, p *place) string { return filepath.Join(p.Dir, "sub", "dir") },
			"linked": func(t *testing.T, p *place) string {
				linked := filepath.Join(t.TempDir(), "li'nked")
				p.Git("worktree", "add", "-q", "-b", "side", linked)
				p.History = &gittest.History{T: t, Dir: linked, Time: p.Time}
				return linked
			},
			"shallow": func(t *testing.T, p *place) string {
				p.Commit("two", gittest.Files{"x": "x"})
				from := p.Dir
				p.History = &gittest.History{T: t, Dir: t.TempDir(), Time: p.Time}
				p.Git("clone", "-q", "--depth=1", "file://"+from, ".")
				p.Git("config", "user.name", "Una User")
				p.Git("config", "user.email", "una@example.org")
				return p.Dir
			},
			"GIT_DIR": func(t *testing.T, p *place) string {
				separate := filepath.Join(t.TempDir(), "dotfiles")
				if err := os.Rename(filepath.Join(p.Dir, ".git"), separate); err != nil {
					t.Fatal(err)
				}
				t.Setenv("GIT_DIR", separate)
				t.Setenv("GIT_WORK_TREE", p.Dir)
				t.Chdir(p.Dir)
				return ""
			},
		} {
			t.Run(name+" "+string(target), func(t *testing.T) {
				p := newPlace(t)
				p.Commit("base", base)
				main := *p
				dir := move(t, p)
				var err error
				if p.repo, err = gitext.Open(t.Context(), gitext.OpenOptions{Dir: dir, DataDir: t.TempDir()}); err != nil {
					t.Fatal(err)
				}
				defer p.repo.Close()
				tree, before := fix.Tree{Commit: p.Head()}, p.state()
				done := p.deliver(tree, Options{Target: target}, patch...)
				for _, f := range patch {
					p.wantContent(f.Path, string(f.Content))
				}
				if name == "linked" {
					main.wantContent("top.c", "old\n")
				}
				p.undo(done.Undo)
				if after := p.state(); after != before {
					t.Errorf("%s\nbefore\n%s\nafter\n%s", done.Undo, before, after)
				}
			})
		}
	}
}

func TestUserSettingsDoNotChangeThePatch(t *testing.T) {
	// Settings that make git apply fuzzy or picky, or git commit rewrite messages, change
	// nothing. Replacing them is not needed for undo either.
	settings := "[apply]\n\twhitespace = error-all\n\tignoreWhitespace = change\n[commit]\n\tcleanup = strip\n\ttemplate = /nowhere\n\tverbose = 2\n" +
		"[i18n]\n\tcommitEncoding = ISO-8859-1\n[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\texternal = false\n[core]\n\tquotePath = true\n\tsafecrlf = true\n\twhitespace = cr-at-eol,tab-in-indent\n\teditor = false\n\tpager = false\n"
	for _, opt := range targets {
		p := newPlace(t)
		config := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		p.Commit("base", gittest.Files{"ü.c": "one\n\ttwo  \nthree\n"})
		t.Setenv("GIT_CONFIG_GLOBAL", config)
		tree, before := p.tree(), p.state()
		opt.Message = "ä subject\n\n# not a comment\n"
		done, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{text("ü.c", "one\n\ttwo \t \nthree  \n\n")}}}, tree, opt)
		if err != nil {
			t.Fatalf("%s: %v", opt.Target, err)
		}
		if opt.Target != Branch {
			p.wantContent("ü.c", "one\n\ttwo \t \nthree  \n\n")
		}
		if done.Commit != "" {
			if got := p.Git("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%B", string(done.Commit)); got != strings.TrimSpace(opt.Message) {
				t.Errorf("%s: the message is %q", opt.Target, got)
			}
		}
		p.undo(done.Undo)
		if after := p.state(); after != before {
			t.Errorf("%s\nbefore\n%s\nafter\n%s", done.Undo, before, after)
		}
	}
}

func TestHooks(t *testing.T) {
	// git commit runs the user's hooks, and one that rejects the commit leaves everything
	// as it was. A branch is made without hooks.
	p := newPlace(t)
	p.Commit("base", gittest.Files{"lib.c": "old\n"})
	ran := filepath.Join(t.TempDir(), "ran")
	hook := func(name, script string) {
		path := filepath.Join(p.Dir, ".git", "hooks", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+name+" >>"+ran+"\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hook("pre-commit", "cat lib.c >&2; echo it is Friday >&2; exit 1")
	hook("reference-transaction", "")
	hook("post-index-change", "")
	tree, before := p.tree(), p.state()
	_, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{text("lib.c", "new\n")}}}, tree, Options{Target: Commit, Message: message})
	if err == nil || !strings.Contains(err.Error(), "new") || p.state() != before || p.Git("for-each-ref", "refs/agent") != "" {
		t.Errorf("%v\n%s", err, p.state())
	}
	if err := os.Remove(ran); err != nil {
		t.Errorf("no hook ran: %v", err)
	}
	done := p.deliver(tree, Options{Target: Branch, Branch: "b"}, text("lib.c", "new\n"))
	if _, err := os.Stat(ran); err == nil {
		t.Error("a hook ran for a branch")
	}
	p.undo(done.Undo)
	hook("pre-commit", "echo formatted >lib.c; git add lib.c")
	done = p.deliver(tree, Options{Target: Commit}, text("lib.c", "new\n"))
	p.wantContent("lib.c", "formatted\n")
	p.undo(done.Undo)
	if after := p.state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}
