package deliver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestRefusals(t *testing.T) {
	// Each reason not to write causes one clear error, and files, index, refs and backups stay
	// unchanged. A branch can still be made, unless the reason concerns the branch.
	patch := []gitext.Overlay{text("lib.c", "patched\n"), text("new.c", "new\n"), text("d/new.c", "new\n")}
	git := func(args ...string) func(*place) { return func(p *place) { p.Git(args...) } }
	later := func(files gittest.Files) func(*place) { return func(p *place) { p.Write(files) } }
	conflict := func(p *place) {
		p.Git("checkout", "-q", "-b", "side", "HEAD~")
		p.Commit("side", gittest.Files{"other.c": "side\n"})
		p.Git("checkout", "-q", "main")
	}
	start := func(command string) func(*place) {
		return func(p *place) {
			conflict(p)
			p.Git("-c", "alias.x=!git "+command+" || :", "x")
		}
	}
	files := "worktree index commit"
	for name, c := range map[string]struct {
		before  func(*place) // before the run begins
		later   func(*place) // before the patch is written
		targets string       // targets that refuse
		want    string
	}{
		"changed since":      {nil, later(gittest.Files{"lib.c": "mine\n"}), files, `"lib.c" has changed since the run began`},
		"removed since":      {nil, later(gittest.Files{"lib.c": gittest.Gone}), files, `"lib.c" has changed since the run began`},
		"made since":         {nil, later(gittest.Files{"new.c": "mine\n"}), files, `"new.c" has changed since the run began`},
		"ignored file":       {later(gittest.Files{".git/info/exclude": "new.c\n", "new.c": "secret\n"}), nil, files, `"new.c" has changed since the run began`},
		"a directory before": {later(gittest.Files{"new.c/x": "x\n"}), nil, files + " branch", `"new.c" would be a file and a directory`},
		"a directory since":  {nil, later(gittest.Files{"new.c/x": "x\n"}), files, `"new.c" is no regular file`},
		"behind a file":      {nil, later(gittest.Files{"d": "x\n"}), files, `"d/new.c" leads through "d", which is no directory`},
		"behind a link":      {nil, func(p *place) { os.Symlink(".", filepath.Join(p.Dir, "d")) }, files, `"d/new.c" leads through "d", which is no directory`},
		"uncommitted before": {later(gittest.Files{"lib.c": "mine\n"}), nil, "index commit branch", "lib.c"},
		"staged":             {nil, func(p *place) { p.Write(gittest.Files{"z": "z"}); p.Git("add", "z") }, "index commit", "the index has changes that are not committed"},
		"merge":              {nil, start("merge side"), files, "a merge is under way"},
		"clean merge":        {nil, start("merge --no-commit --no-ff -s ours side"), files, "a merge is under way"},
		"rebase":             {nil, start("rebase side"), files, "a rebase is under way"},
		"cherry-pick":        {nil, start("cherry-pick side"), files, "a cherry-pick is under way"},
		"revert":             {nil, start("revert --no-edit HEAD~"), files, "a revert is under way"},
		"bisection":          {nil, start("bisect start HEAD HEAD~"), files, "a bisection is under way"},
		"conflicts":          {nil, start("stash apply $(git stash create; :) ; git read-tree -m HEAD~ HEAD side"), files, "the index has conflicts"},
		"detached":           {nil, git("checkout", "-q", "--detach"), "commit", "HEAD is detached: no branch would have the commit"},
		"unborn":             {nil, git("symbolic-ref", "HEAD", "refs/heads/empty"), "index commit", "the index has changes that are not committed"},
		"unborn, no index":   {nil, func(p *place) { p.Git("symbolic-ref", "HEAD", "refs/heads/empty"); p.Git("read-tree", "--empty") }, "index commit", "the current branch has no commit yet"},
		"locked":             {nil, later(gittest.Files{".git/index.lock": ""}), "index commit", "another git holds the lock of the index"},
		"branch there":       {nil, git("branch", "mended/it"), "branch", `the branch "mended/it" exists already`},
		"branch in the way":  {nil, git("branch", "mended"), "branch", "beside the branch \"mended\""},
		"nobody": {nil, func(p *place) {
			p.Git("config", "--unset", "user.email")
			p.Git("config", "user.useConfigOnly", "true")
		}, "commit branch", "git does not know who you are"},
		"sparse": {nil, func(p *place) { p.Git("sparse-checkout", "set", "--no-cone", "/other.c") }, files, `"lib.c" is outside of the sparse checkout`},
		"became a link": {nil, func(p *place) {
			p.Git("rm", "-q", "--cached", "lib.c")
			os.Remove(filepath.Join(p.Dir, "lib.c"))
			os.Symlink("other.c", filepath.Join(p.Dir, "lib.c"))
		}, files, ""},
		"other writer": {nil, func(p *place) {
			h, err := lockJournal(p.repo.GitDir())
			if err != nil {
				p.T.Fatal(err)
			}
			p.T.Cleanup(h.release)
		}, files, "another git agent is writing a patch here"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("EMAIL", "")
			p := newPlace(t)
			p.Commit("first", gittest.Files{"lib.c": "old\n", "other.c": "x\n"})
			p.Commit("base", gittest.Files{"other.c": "base\n"})
			if c.before != nil {
				c.before(p)
			}
			tree := p.tree()
			if c.later != nil {
				c.later(p)
			}
			before := p.state()
			for _, opt := range targets {
				if !strings.Contains(c.targets, string(opt.Target)) {
					continue
				}
				opt.Message = message
				_, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: patch}}, tree, opt)
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s: got %v\nwant %s", opt.Target, err, c.want)
				}
				if after := p.state(); after != before {
					t.Errorf("%s: before\n%s\nafter\n%s", opt.Target, before, after)
				}
				if left := p.Git("for-each-ref", "refs/agent"); left != "" {
					t.Errorf("%s left: %s", opt.Target, left)
				}
			}
			if !strings.Contains(c.targets, "branch") {
				p.deliver(tree, Options{Target: Branch, Branch: "mended/it"}, patch...)
			}
		})
	}
}

func TestPatchesThatFitNowhere(t *testing.T) {
	// No target takes a patch without changes, a path in a submodule or outside or an
	// unknown target.
	p := newPlace(t)
	p.Commit("base", gittest.Files{"lib.c": "old\n"})
	p.Git("update-index", "--add", "--cacheinfo", "160000,"+string(p.Head())+",sub")
	p.Git("commit", "-q", "-m", "a submodule")
	tree := fix.Tree{Commit: p.Head()}
	p.repo = p.Open()
	before := p.state()
	for _, opt := range append(targets, Options{Target: "moon"}) {
		for want, file := range map[string]gitext.Overlay{
			"the patch changes nothing":            text("lib.c", "old\n"),
			`"sub/x" is in the submodule "sub"`:    text("sub/x", "x\n"),
			`"../x" is not a path inside a tree`:   text("../x", "x\n"),
			`".git/config" is not a path inside a`: text(".git/config", "x\n"),
			`"d/.Git/hook" is not a path inside a`: text("d/.Git/hook", "x\n"),
			"is no target of a patch":              text("lib.c", "new\n"),
		} {
			if (want == "is no target of a patch") != (opt.Target == "moon") {
				continue
			}
			opt.Message = message
			if _, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{file}}}, tree, opt); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %s", opt.Target, err, want)
			}
		}
	}
	for _, name := range []string{"", "-d", "a..b", "a b", "HEAD", "x.lock", "a\nb", "@{-1}"} {
		if _, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{text("lib.c", "new\n")}}}, tree, Options{Target: Branch, Branch: name, Message: message}); err == nil || !strings.Contains(err.Error(), "no name for a branch") {
			t.Errorf("branch %q: %v", name, err)
		}
	}
	if after := p.state(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

func TestBareRepository(t *testing.T) {
	// A bare repository takes a branch and nothing else.
	p := newPlace(t)
	p.Commit("base", gittest.Files{"lib.c": "old\n"})
	tree := fix.Tree{Commit: p.Head()}
	from := p.Dir
	p.History = &gittest.History{T: t, Dir: t.TempDir(), Time: p.Time}
	p.Git("clone", "-q", "--bare", "file://"+from, ".")
	p.Git("config", "user.name", "Una User")
	p.Git("config", "user.email", "una@example.org")
	p.repo = p.Open()
	for _, opt := range targets {
		opt.Message = message
		done, err := Apply(t.Context(), p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{text("lib.c", "new\n")}}}, tree, opt)
		if opt.Target != Branch {
			if !errors.As(err, new(*Refusal)) || err.Error() != "this repository has no work tree" {
				t.Errorf("%s: %v", opt.Target, err)
			}
			continue
		}
		if err != nil || p.Git("show", opt.Branch+":lib.c") != "new" {
			t.Fatal(err)
		}
		p.undo(done.Undo)
		if got := p.Git("for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
			t.Errorf("after undo: %s", got)
		}
	}
}

func TestAFailureInTheMiddle(t *testing.T) {
	// git apply writes file by file. If the second file cannot be written, the first one is
	// restored. The same holds after a cancelled commit.
	for _, target := range []Target{WorkTree, Index, Commit} {
		p := newPlace(t)
		p.Commit("base", gittest.Files{"a/lib.c": "old\n", "z/lib.c": "old\n", "gone.c": "old\n"})
		tree, before := p.tree(), p.state()
		ctx, cancel := context.WithCancel(t.Context())
		testOnlyStep = func(step string) {
			if step == "applied" {
				cancel()
			}
		}
		_, err := Apply(ctx, p.repo, fix.Trial{Patch: fix.Patch{Files: []gitext.Overlay{text("a/lib.c", "new\n"), {Path: "gone.c"}, text("n/e/w", "new\n")}}}, tree, Options{Target: target, Message: message})
		testOnlyStep = func(string) {}
		if (err != nil) != (target == Commit) {
			t.Errorf("%s: %v", target, err)
		}
		if target == Commit && (p.state() != before || p.Git("for-each-ref", "refs/agent") != "") {
			t.Errorf("%s:\nbefore\n%s\nafter\n%s", target, before, p.state())
		}
		cancel()
	}
}
