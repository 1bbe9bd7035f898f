package fixeval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The engine gets the tree before the fix with the tests of the fix: a new test is added, and a
// deleted one is gone. It gets the true lines only if the algorithm allows this, and the report
// only if requested.
func TestInquiry(t *testing.T) {
	b := newBug(t)
	var got []Inquiry
	repair := func(_ context.Context, q Inquiry) (*fix.Answer, error) {
		got = append(got, q)
		return &fix.Answer{}, nil
	}
	for _, report := range []bool{false, true} {
		_, ask := b.begin(Options{Trial: local, Repair: repair, Report: report})
		for _, name := range []string{"offline", "agent-fn_pair+fl_diff-given"} {
			if _, err := ask(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := got[0].Problem
	if p.Tree.Commit != b.c.Base || p.Test != b.c.TestCmd || p.Suite != b.c.SuiteCmd || p.Report != "" || p.Given != nil {
		t.Errorf("%+v", p)
	}
	if o := p.Tree.Over; len(o) != 2 || o[0].Path != "test/add.sh" || !strings.Contains(string(o[0].Content), "add 2 3") || o[1].Path != "test/gone.sh" || o[1].Mode != 0 {
		t.Errorf("tests: %+v", o)
	}
	given := []fix.GivenLocation{{Path: "lib.sh", Lines: gitext.LineRange{Start: 2, End: 2}}}
	if !slices.Equal(got[1].Problem.Given, given) || !slices.Equal(got[1].Algorithm.Method.Heuristics, []fix.Heuristic{fix.FnPair, fix.FlDiff}) {
		t.Errorf("given %+v with %+v", got[1].Problem.Given, got[1].Algorithm)
	}
	if got[2].Problem.Report != "add subtracts" {
		t.Errorf("report %q", got[2].Problem.Report)
	}
}

// The engine's repository contains nothing after the base: no id, revision or search finds the
// fix, later commits or their changes, and no object directory leads to the clone.
func TestTruncated(t *testing.T) {
	b := newBug(t)
	b.Git("tag", "v2")
	b.Git("branch", "next")
	blob := gitext.OID(b.Git("rev-parse", "HEAD:lib.sh"))
	tree := gitext.OID(b.Git("rev-parse", string(b.c.Fix)+"^{tree}"))
	var found []string
	note := func(what string, err error) {
		if err == nil {
			found = append(found, what)
		}
	}
	_, ask := b.begin(Options{Trial: local, Repair: func(ctx context.Context, q Inquiry) (*fix.Answer, error) {
		for _, oid := range []gitext.OID{b.c.Fix, b.later} {
			_, err := q.Repo.Commit(ctx, oid)
			note("commit", err)
			_, err = q.Repo.Resolve(ctx, oid.Short())
			note("short id", err)
			_, err = q.Repo.BlobAt(ctx, oid, "lib.sh", 0)
			note("file", err)
		}
		for _, rev := range []string{"v2", "next", "main~-1", "HEAD@{1}", ":/fix it", "ORIG_HEAD", "FETCH_HEAD"} {
			_, err := q.Repo.Resolve(ctx, rev)
			note(rev, err)
		}
		for _, oid := range []gitext.OID{blob, tree} {
			_, err := q.Repo.Blob(ctx, oid, 0)
			note("object", err)
		}
		if head, err := q.Repo.Resolve(ctx, "HEAD"); err != nil || head != b.c.Base {
			t.Errorf("HEAD is %s, %v", head, err)
		}
		if n, err := q.Repo.CountCommits(ctx, b.c.Base, nil); err != nil || n != 2 {
			t.Errorf("%d commits, %v", n, err)
		}
		for _, dir := range append(q.Repo.ObjectDirs(), q.Repo.CommonDir(), q.Repo.GitDir()) {
			if strings.HasPrefix(dir, b.Dir) {
				t.Errorf("%s is in the clone", dir)
			}
		}
		return &fix.Answer{}, findInCommands(ctx, t, b, q)
	}})
	if _, err := ask(t.Context(), "agent"); err != nil {
		t.Fatal(err)
	}
	if found != nil {
		t.Errorf("found %q", found)
	}
}

// findInCommands searches for the fix with the git of a workspace, as a command of a model could.
func findInCommands(ctx context.Context, t *testing.T, b *bug, q Inquiry) error {
	w, err := trial.Open(ctx, q.Repo, q.Trial)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Prepare(ctx, q.Problem.Tree.Commit, q.Problem.Tree.Over); err != nil {
		return err
	}
	script := "for o in " + string(b.c.Fix) + " " + string(b.later) + "; do git cat-file -e $o && echo found $o; done; " +
		"git log --all --reflog --format=%s; git cat-file --batch-all-objects --batch-check='%(objecttype)' | sort | uniq -c; git rev-list --all --objects | wc -l; git fsck --lost-found"
	res, err := w.Exec(ctx, script, trial.ExecOptions{})
	if err != nil {
		return err
	}
	if out := string(res.Output); strings.Contains(out, "found ") || strings.Contains(out, "fix it") || strings.Contains(out, "more") {
		t.Errorf("commands see the future:\n%s", out)
	}
	return nil
}

// In the sandbox, a command cannot read the clone with the fix, even with the clone's path.
func TestCloneOutOfReach(t *testing.T) {
	level, err := sandbox.Probe(t.Context(), sandbox.Auto)
	if err != nil || level.Level == sandbox.None {
		t.Skip("no sandbox on this machine")
	}
	b := newBug(t)
	var out string
	_, ask := b.begin(Options{Trial: trial.Options{Sandbox: level.Level}, Repair: func(ctx context.Context, q Inquiry) (*fix.Answer, error) {
		w, err := trial.Open(ctx, q.Repo, q.Trial)
		if err != nil {
			return nil, err
		}
		defer w.Close()
		if err := w.Prepare(ctx, q.Problem.Tree.Commit, nil); err != nil {
			return nil, err
		}
		res, err := w.Exec(ctx, "git --git-dir="+b.Dir+"/.git cat-file -p "+string(b.c.Fix)+"; cat "+b.Dir+"/lib.sh; true", trial.ExecOptions{})
		out = string(res.Output)
		return &fix.Answer{}, err
	}})
	if _, err := ask(t.Context(), "agent"); err != nil {
		t.Fatal(err)
	}
	if out == "" || strings.Contains(out, "fix it") || strings.Contains(out, "add()") {
		t.Errorf("the command read the clone:\n%s", out)
	}
}

// Releases of the project in the caches of package managers are hidden from commands, because
// they may contain the fix. Their manifests and other packages are not hidden.
func TestReleases(t *testing.T) {
	b := newBug(t)
	b.c.Base = b.Commit("manifests", gittest.Files{"go.mod": "module github.com/Ann/bug/v2 // a comment\n", "package.json": `{"name":"@ann/bug"}`, "Cargo.toml": "[package]\nversion = \"1\"\nname = \"bug\"\n"})
	home := t.TempDir()
	for _, name := range []string{"GOMODCACHE", "GOPATH", "CARGO_HOME", "NODE_PATH"} {
		t.Setenv(name, filepath.Join(home, name))
	}
	hidden := []string{"GOMODCACHE/github.com/!ann/bug@v1.0.0", "GOMODCACHE/github.com/!ann/bug/v3@v3.1.0", "GOPATH/pkg/mod/cache/download/github.com/!ann/bug/v3/@v/v3.1.0.zip",
		"CARGO_HOME/registry/src/index/bug-1.2.0", "NODE_PATH/@ann/bug", "NODE_PATH/other/node_modules/@ann/bug", "shown/node_modules/@ann/bug"}
	for _, name := range append(hidden, "GOMODCACHE/github.com/!ann/bugs@v1.0.0", "GOPATH/pkg/mod/cache/download/github.com/!ann/bug/v3/@v/v3.1.0.mod",
		"CARGO_HOME/registry/src/index/bug-report-1.2.0", "NODE_PATH/bug", "GOMODCACHE/github.com/!ann/bug/tool@v1.0.0") {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	opt := Options{Trial: local, Repair: func(_ context.Context, q Inquiry) (*fix.Answer, error) {
		got = q.Trial.Hidden
		return &fix.Answer{}, nil
	}}
	opt.Trial.Readable, opt.Trial.Hidden = []string{filepath.Join(home, "shown")}, []string{"own"}
	b.c.Fix = b.Commit("again", gittest.Files{"lib.sh": "other\n"})
	b.c.TestFiles = nil
	_, ask := b.begin(opt)
	if _, err := ask(t.Context(), "agent"); err != nil {
		t.Fatal(err)
	}
	want := []string{"own"}
	for _, name := range hidden {
		want = append(want, filepath.Join(home, name))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("hidden\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Of a release of the project that a lock file names, as another crate needs it, only what Cargo reads
// of a crate that is compiled stays visible. It is compiled before the engine is asked.
func TestNeededRelease(t *testing.T) {
	b := newBug(t)
	lock := "[[package]]\nname = \"bug\"\nversion = \"1.0.0\"\ndependencies = [\n \"other\",\n]\n\n" +
		"[[package]]\nname = \"bug\"\nversion = \"1.2.0\"\nsource = \"registry+https://example.com/index\"\n"
	b.c.Base = b.Commit("manifests", gittest.Files{"Cargo.toml": "[package]\nname = \"bug\"\n", "Cargo.lock": lock})
	home := t.TempDir()
	t.Setenv("CARGO_HOME", home)
	for _, name := range strings.Fields(`src/index/bug-1.2.0/Cargo.toml src/index/bug-1.2.0/src/lib.rs src/index/bug-1.2.0/build.rs src/index/bug-1.2.0/.cargo-ok
		src/index/bug-1.2.0/CHANGELOG.md src/index/bug-1.3.0/Cargo.toml cache/index/bug-1.2.0.crate cache/index/bug-1.3.0.crate src/index/other-1.2.0/src/lib.rs`) {
		name = filepath.Join(home, "registry", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tools, called := t.TempDir(), filepath.Join(t.TempDir(), "called")
	for name, text := range map[string]string{"rustc": "#!/bin/sh\necho rustc 1\n", "cargo": "#!/bin/sh\necho \"$@\" >>" + called + "\n"} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	var got trial.Options
	var before []byte
	opt := Options{Trial: local, Repair: func(_ context.Context, q Inquiry) (*fix.Answer, error) {
		got = q.Trial
		before, _ = os.ReadFile(called)
		return &fix.Answer{}, nil
	}}
	b.c.Fix = b.Commit("again", gittest.Files{"lib.sh": "other\n"})
	b.c.TestFiles, b.c.TestCmd, b.c.SuiteCmd = nil, "cargo test --test a", ""
	_, ask := b.begin(opt)
	if _, err := ask(t.Context(), "agent"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(before), "--no-run") {
		t.Errorf("Cargo compiled %q before the engine's time began", before)
	}
	in := func(name string) string { return filepath.Join(home, "registry", name) }
	if want := []string{in("src/index/bug-1.3.0"), in("cache/index/bug-1.3.0.crate")}; !slices.Equal(got.Hidden, want) {
		t.Errorf("hidden %q, want %q", got.Hidden, want)
	}
	want := []sandbox.Cover{{Path: in("src/index/bug-1.2.0/CHANGELOG.md")}, {Path: in("src/index/bug-1.2.0/src/lib.rs")},
		{Path: in("cache/index/bug-1.2.0.crate"), With: in("src/index/bug-1.2.0/Cargo.toml")}}
	if !slices.Equal(got.CratesOnly, want) {
		t.Errorf("covered %q, want %q", got.CratesOnly, want)
	}
}

// A session refuses options that allow commands to read the clone.
func TestReadableClone(t *testing.T) {
	b := newBug(t)
	opt := Options{Trial: local}
	opt.Trial.Scratch = t.TempDir()
	for _, path := range []string{filepath.Dir(b.Dir), b.Dir, filepath.Join(b.Dir, "test"), filepath.Join(b.Dir, "lib.sh")} {
		opt.Trial.Readable = []string{path}
		if _, err := Open(opt)(t.Context(), b.Dir, 1); err == nil || !strings.Contains(err.Error(), "has the fixes") {
			t.Errorf("%s is readable: %v", path, err)
		}
	}
	if err := os.Mkdir(filepath.Join(b.Dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	opt.Trial.Readable = []string{filepath.Join(b.Dir, "node_modules"), "/no/such/path"}
	s, err := Open(opt)(t.Context(), b.Dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// A case with absent commits is skipped. A case whose files are in neither commit, or are
// unchanged by the fix, is an error.
func TestUnfitCases(t *testing.T) {
	b := newBug(t)
	s, _ := b.begin(Options{Trial: local})
	gone := b.c
	gone.Fix = gitext.OID(strings.Repeat("1", len(gone.Fix)))
	if _, _, err := s.Begin(t.Context(), gone); !errors.As(err, new(*eval.AbsentError)) {
		t.Errorf("an absent fix: %v", err)
	}
	wrong := b.c
	wrong.ID, wrong.TestFiles = "w", []string{"test/none.sh"}
	if _, _, err := s.Begin(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "in neither") {
		t.Errorf("an absent test: %v", err)
	}
	wrong = b.c
	wrong.ID, wrong.SrcFiles = "w", []string{"README"}
	if _, _, err := s.Begin(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "changes none") {
		t.Errorf("an unchanged source: %v", err)
	}
}

// The repository of a case is removed at the end of the case, and the rest at the end of the
// session.
func TestCleanup(t *testing.T) {
	b := newBug(t)
	var dir string
	s, ask := b.begin(Options{Trial: local, Repair: func(_ context.Context, q Inquiry) (*fix.Answer, error) {
		dir = q.Repo.GitDir()
		return &fix.Answer{}, nil
	}})
	if _, err := ask(t.Context(), "offline"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	s.(eval.Ender).End(b.c)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the case's repository is still there: %v", err)
	}
	scratch := s.(*session).opt.Trial.Scratch
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(scratch, "run-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// An engine's error belongs to the case; a missing engine ends the evaluation. The model's work
// is stored with the answer.
func TestEngineErrors(t *testing.T) {
	b := newBug(t)
	broken := errors.New("broken")
	_, ask := b.begin(Options{Trial: local, Repair: func(_ context.Context, q Inquiry) (*fix.Answer, error) {
		if q.Algorithm.Engine == Offline {
			return nil, broken
		}
		q.OnEvent(agent.ToolCall{Turn: 1, Name: "edit"})
		return &fix.Answer{Agent: &fix.AgentReport{Runs: []fix.Run{
			{Trace: "r1", RunReport: agent.RunReport{Status: "found", Turns: 7, Calls: 9}}, {RunReport: agent.RunReport{Status: "limit", Turns: 2}}}}}, nil
	}})
	if _, err := ask(t.Context(), "offline"); !errors.Is(err, broken) {
		t.Errorf("the engine's error: %v", err)
	}
	a, err := ask(t.Context(), "agent-none")
	if err != nil {
		t.Fatal(err)
	}
	if w := a.(Prediction).Work; w == nil || w.Turns != 9 || w.Calls != 9 || !slices.Equal(w.Runs, []string{"r1"}) || len(w.Tools) != 1 {
		t.Errorf("%+v", w)
	}
	_, ask = newBug(t).begin(Options{Trial: local})
	if _, err := ask(t.Context(), "agent"); !errors.As(err, new(*eval.StopError)) {
		t.Errorf("no engine: %v", err)
	}
}
