//go:build linux

package scorecard

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/cache"

	"golang.org/x/sys/unix"
)

// A brought is a vector in which a repository brings data with it. An archive or
// another user put data where earlier versions kept theirs, or the repository's
// configuration names another place.
type brought struct {
	name  string
	plant func(b *bait) error
}

// A bait is a repository with planted data. Beside it is a victim: files of the user
// and another repository.
type bait struct {
	home   home
	repo   string // its git directory is repo/.git
	agent  string // where earlier versions kept their data
	victim string
}

func (b *bait) shadow(name string) string { return filepath.Join(b.agent, "shadow.git", name) }

// link makes a symbolic link in the agent directory that leads into the victim.
func link(name, to string) func(*bait) error {
	return func(b *bait) error {
		path := filepath.Join(b.agent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.Symlink(filepath.Join(b.victim, to), path)
	}
}

// file writes a file below the agent directory.
func file(name, text string) func(*bait) error {
	return func(b *bait) error {
		path := filepath.Join(b.agent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o644)
	}
}

func pipe(name string) func(*bait) error {
	return func(b *bait) error {
		path := filepath.Join(b.agent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return unix.Mkfifo(path, 0o644)
	}
}

// setting sets agent.dataDir in a configuration file of the repository.
func setting(args ...string) func(*bait) error {
	return func(b *bait) error {
		for _, line := range args {
			if got := b.home.exec(nilTB{}, command{dir: b.repo}, append([]string{"git"}, strings.Fields(strings.ReplaceAll(line, "VICTIM", b.victim))...)...); got.code != 0 {
				return fmt.Errorf("%s", got.stderr)
			}
		}
		return nil
	}
}

// nilTB is a testing.TB for helpers that fail only if a program cannot be started.
type nilTB struct{ testing.TB }

func (nilTB) Helper()                   {}
func (nilTB) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// foreign changes the owner of a file below the agent directory to another user.
func foreign(name string, mode fs.FileMode) func(*bait) error {
	return func(b *bait) error {
		path := filepath.Join(b.agent, name)
		if name != "." {
			if err := file(name, "theirs")(b); err != nil {
				return err
			}
		} else if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
		return os.Chown(path, 12345, 12345)
	}
}

// plantRuns plants recorded runs, one of which could be resumed.
func plantRuns(b *bait) error {
	ctx := context.Background()
	traces, err := cache.OpenTraces(ctx, b.agent, cache.Options{})
	if err != nil {
		return err
	}
	for range 3 {
		id, err := traces.StartRun(ctx, "szz/agent", map[string]string{"fix": strings.Repeat("0", 40)})
		if err != nil {
			return err
		}
		if err := traces.Append(ctx, id, cache.Step{Kind: cache.Result, Key: "opening", Payload: []byte(`{"model":"planted"}`)}); err != nil {
			return err
		}
	}
	return traces.Close()
}

// plantAnswers plants data that the program made in another home. Its format is valid,
// so the program would trust it if it read it.
func plantAnswers(b *bait) error {
	other := home(filepath.Join(filepath.Dir(b.victim), "stranger"))
	if err := os.Mkdir(string(other), 0o700); err != nil {
		return err
	}
	if err := duplicateTree(string(b.home), string(other)); err != nil {
		return err
	}
	if got := other.run(nilTB{}, command{dir: b.repo}, "doctor", "--fix"); got.code > 1 {
		return fmt.Errorf("%s", got.stderr)
	}
	if got := other.run(nilTB{}, command{dir: b.repo}, "szz", "HEAD"); got.code != 0 {
		return fmt.Errorf("%s", got.stderr)
	}
	found, err := filepath.Glob(filepath.Join(string(other), ".cache", "git-agent", "*-*"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("found %q, %w", found, err)
	}
	if err := os.MkdirAll(b.agent, 0o755); err != nil {
		return err
	}
	return duplicateTree(found[0], b.agent)
}

// plantGraph plants changed-path filters with a wrong byte.
func plantGraph(b *bait) error {
	if err := plantAnswers(b); err != nil {
		return err
	}
	graph := b.shadow("objects/info/commit-graph")
	data, err := os.ReadFile(graph)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 0xff
	return os.WriteFile(graph, data, 0o644)
}

var broughtVectors = []brought{
	{"the directory is a link to the user's files", link(".", "")},
	{"the directory is a link to another git directory", link(".", "other/.git")},
	{"the directory is a link that leads nowhere", link(".", "missing")},
	{"the directory is a file", file(".", "text")},
	{"the directory is a pipe", pipe(".")},
	{"data is a link", link("data", "data")},
	{"the shadow is a link to another git directory", link("shadow.git", "other/.git")},
	{"the shadow's objects are a link", link("shadow.git/objects", "other/.git/objects")},
	{"the shadow's objects/info is a link", link("shadow.git/objects/info", "other/.git/objects/info")},
	{"the shadow's refs are a link", link("shadow.git/refs", "other/.git/refs")},
	{"the shadow's config is a link", link("shadow.git/config", "other/.git/config")},
	{"the shadow's config runs a program", file("shadow.git/config", "[core]\n\tfsmonitor = touch ran\n\tpager = touch ran\n[diff]\n\texternal = touch ran\n")},
	{"the shadow has a commondir", file("shadow.git/commondir", "../../../../victim/other/.git\n")},
	{"the shadow's HEAD is a pipe", pipe("shadow.git/HEAD")},
	{"the locks are a link", link("traces.db.runs", "data")},
	{"the record is a link", link("traces.db", "traces.db")},
	{"the record's log is a link", link("traces.db-wal", "data/note")},
	{"the record is a pipe", pipe("traces.db")},
	{"the record holds a stranger's runs", plantRuns},
	{"the cache is a link", link("cache.db", "cache.db")},
	{"the cache is a pipe", pipe("cache.db")},
	{"the cache is a directory", file("cache.db/note", "text")},
	{"the cache and the shadow are a stranger's", plantAnswers},
	{"the filters lie", plantGraph},
	{"a name of the making is a link", link("cache.db.making-1", "data/note")},
	{"a set-aside name is a link", link("cache.db.damaged", "data/note")},
	{"the repository names another place", setting("config agent.dataDir VICTIM/data")},
	{"the work tree names another place", setting("config extensions.worktreeConfig true", "config --worktree agent.dataDir VICTIM/data")},
	{"an included file names another place", setting("config -f .git/more agent.dataDir VICTIM/data", "config include.path more")},
	{"the directory is another user's", foreign(".", 0o777)},
	{"the cache is another user's", foreign("cache.db", 0o666)},
	{"the record is another user's", foreign("traces.db", 0o600)},
}

// placeVerbs are the commands that are run on each repository.
var placeVerbs = [][]string{
	{"szz", "--format=%H %s", "HEAD"}, {"szz", "--algorithm=b", "--json", "HEAD"}, {"szz", "--no-cache", "HEAD~1"},
	{"tool", "git_blame", `{"path":"sum.c"}`}, {"trace", "list"}, {"trace", "list", "--all", "--json"}, {"trace", "show"}, {"trace", "smells"},
	{"cache", "stats"}, {"cache", "verify"}, {"cache", "prune"}, {"cache", "clear"}, {"doctor"}, {"doctor", "--fix"}, {"mcp"},
}

// No verb reads, changes or deletes data that an archive, another user or a
// repository's configuration brings. No verb creates files there.
func TestDataBroughtAlong(t *testing.T) {
	for _, v := range sample(broughtVectors, 5) {
		b := &bait{home: newHome(t)}
		top := t.TempDir()
		b.repo, b.victim = filepath.Join(top, "repo"), filepath.Join(top, "victim")
		b.agent = filepath.Join(b.repo, ".git", "agent")
		b.home.smallRepository(t, b.repo)
		want := b.home.run(t, command{dir: b.repo}, placeVerbs[0]...).stdout
		must(t, os.RemoveAll(filepath.Join(string(b.home), ".cache")))
		must(t, os.RemoveAll(b.agent)) // git agent creates none, but earlier versions did
		b.makeVictim(t)
		if strings.Contains(v.name, "another user's") && os.Geteuid() != 0 {
			skipped(t, repositories, v.name, "only root can give files away")
			continue
		}
		must(t, v.plant(b))
		if problem := b.try(t, want); problem != "" {
			broke(t, repositories, v.name, "%s", problem)
			continue
		}
		held(repositories)
	}
}

func (b *bait) makeVictim(t *testing.T) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Join(b.victim, "data"), 0o755))
	for _, name := range []string{"cache.db", "traces.db", "traces.db-wal", "data/note", "data/cache.db"} {
		must(t, os.WriteFile(filepath.Join(b.victim, name), []byte("precious "+name), 0o644))
	}
	b.home.smallRepository(t, filepath.Join(b.victim, "other"))
	must(t, os.WriteFile(filepath.Join(b.victim, "other", ".git", "objects", "info", "alternates"), []byte("# of the other repository\n"), 0o644))
}

// try runs every verb, and then doctor with every question answered yes. doctor may
// delete only the program's own files in the repository.
func (b *bait) try(t *testing.T, want string) string {
	repo, victim := inventory(t, b.repo), inventory(t, b.victim)
	for i, args := range placeVerbs {
		got := b.home.run(t, command{dir: b.repo, stdin: mcpHello}, args...)
		switch {
		case got.late || got.code < 0 || strings.Contains(got.stderr, "goroutine "):
			return fmt.Sprintf("%q: late %v, exit %d: %s", args, got.late, got.code, got.stderr)
		case i == 0 && (got.code != 0 || got.stdout != want):
			return fmt.Sprintf("szz exits with %d and says %q, not %q: %s", got.code, got.stdout, want, got.stderr)
		case strings.Contains(got.stdout, "planted"):
			return fmt.Sprintf("%q shows what was planted: %s", args, got.stdout)
		}
		if now := inventory(t, b.repo); now != repo {
			return fmt.Sprintf("%q changed the repository:\n%s\nnot\n%s", args, now, repo)
		}
	}
	got := b.home.run(t, command{dir: b.repo}, "doctor", "--fix", "--yes")
	if got.late || got.code < 0 || strings.Contains(got.stderr, "goroutine ") {
		return fmt.Sprintf("doctor --fix --yes: late %v, exit %d: %s", got.late, got.code, got.stderr)
	}
	if now := inventory(t, b.victim); now != victim {
		return fmt.Sprintf("the victim was changed:\n%s\nnot\n%s", now, victim)
	}
	if got := b.home.git(t, filepath.Join(b.victim, "other"), "fsck"); strings.Contains(got, "missing") {
		return "the other repository is damaged: " + got
	}
	if again := b.home.run(t, command{dir: b.repo}, placeVerbs[0]...); again.stdout != want {
		return fmt.Sprintf("szz says %q afterwards, not %q", again.stdout, want)
	}
	return ""
}

const mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"szz","arguments":{}}}
`

// inventory lists all files with the properties that a change would affect.
func inventory(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
		case d.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			text = fmt.Sprintf("%d %x", len(data), data[:min(len(data), 64)])
		}
		fmt.Fprintf(&b, "%s %v %v %s\n", strings.TrimPrefix(path, dir), info.Mode(), info.ModTime().UnixNano(), text)
		return err
	}))
	return b.String()
}
