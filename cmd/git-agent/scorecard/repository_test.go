//go:build linux

package scorecard

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Every verb and option is tried on hostile repositories. A repository must not make
// the program run its commands, read or write outside of it, exhaust the machine, hang,
// or send control characters to a terminal.

// A prey is a home with a repository, which a trap may spoil.
type prey struct {
	home
	root    string // directory of everything below
	repo    string
	sibling string // another repository of the user's
	lair    string // directory of the attacker's programs and the marks that they leave
	env     []string
}

// secretText is the content of files of the user that no repository may reveal.
const secretText = "canary-7f3a9c51e0"

// A trap is one way to make a repository hostile.
type trap struct {
	name  string
	plant func(t testing.TB, p *prey)
	slow  bool // the verdict takes seconds, so only few verbs are tried
}

// program creates an executable that leaves a mark with this name when it runs.
func (p *prey) program(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(p.lair, "bin", name)
	p.put(t, path, "#!/bin/sh\ntouch '"+filepath.Join(p.lair, "marks", name)+"'\ncat\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// marks returns the names of the attacker's programs that ran.
func (p *prey) marks(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(p.lair, "marks"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// put writes a file and the directories above it.
func (p *prey) put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// in returns a path inside the repository.
func (p *prey) in(name string) string { return filepath.Join(p.repo, filepath.FromSlash(name)) }

// config appends text to the repository's configuration file.
func (p *prey) config(t testing.TB, text string) {
	t.Helper()
	f, err := os.OpenFile(p.in(".git/config"), os.O_WRONLY|os.O_APPEND, 0)
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

// set formats one setting. The value is quoted and may be any text.
func (p *prey) set(t testing.TB, section, key, value string) {
	t.Helper()
	p.config(t, fmt.Sprintf("[%s]\n\t%s = \"%s\"\n", section, key, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)))
}

// link replaces whatever is at a path by a symbolic link.
func (p *prey) link(t testing.TB, name, target string) {
	t.Helper()
	if err := os.RemoveAll(p.in(name)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(p.in(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, p.in(name)); err != nil {
		t.Fatal(err)
	}
}

// pipe replaces whatever is at a path by a named pipe.
func (p *prey) pipe(t testing.TB, name string) {
	t.Helper()
	if err := os.RemoveAll(p.in(name)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(p.in(name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(p.in(name), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newTemplate creates the harmless repositories that are copied for each trap.
func newTemplate(t testing.TB) *prey {
	t.Helper()
	root := t.TempDir()
	p := preyAt(root)
	p.put(t, filepath.Join(root, "home", ".gitconfig"), "[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada Author\n\temail = ada@example.com\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[safe]\n\tdirectory = *\n")
	for _, name := range []string{".ssh/id_rsa", ".netrc", ".bashrc"} {
		p.put(t, filepath.Join(root, "home", name), secretText+"\n")
	}
	for _, dir := range []string{filepath.Join(p.lair, "marks"), filepath.Join(p.lair, "bin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.git(t, root, "init", "-q", p.sibling)
	p.put(t, filepath.Join(p.sibling, "f"), secretText+"\n")
	p.git(t, p.sibling, "add", ".")
	p.git(t, p.sibling, "commit", "-q", "-m", "sibling")
	p.git(t, root, "init", "-q", p.repo)
	for i := range 4 {
		p.put(t, p.in("main.c"), strings.Repeat(fmt.Sprintf("int line = %d;\n", i), 12)+"int sum(int a)\n{\n\treturn a;\n}\n")
		p.put(t, p.in("sub/other.c"), fmt.Sprintf("int other = %d;\n", i))
		p.git(t, p.repo, "add", ".")
		p.git(t, p.repo, "commit", "-q", "-m", fmt.Sprintf("change %d", i))
	}
	p.put(t, p.in("main.c"), "int staged;\n")
	p.git(t, p.repo, "add", ".")
	p.put(t, p.in("main.c"), "int not_staged;\n")
	p.put(t, p.in("sub/other.c"), "int not_staged;\n")
	return p
}

func preyAt(root string) *prey {
	return &prey{home: home(filepath.Join(root, "home")), root: root, repo: filepath.Join(root, "repo"),
		sibling: filepath.Join(root, "sibling"), lair: filepath.Join(root, "lair")}
}

// spoil copies the template and sets up a trap in the copy.
func spoil(t testing.TB, template *prey, trap trap) *prey {
	t.Helper()
	p := preyAt(t.TempDir())
	if err := os.CopyFS(p.root, os.DirFS(template.root)); err != nil {
		t.Fatal(err)
	}
	p.git(t, p.repo, "update-index", "-q", "--refresh")
	trap.plant(t, p)
	return p
}

// snapshot describes all files below the root except the program's own.
func (p *prey) snapshot(t testing.TB) map[string]string {
	t.Helper()
	own := []string{"home/.cache/git-agent", "home/.local", "home/.cache", "repo/.git/agent", "repo/elsewhere/agent", "lair"}
	seen := map[string]string{}
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(p.root, path)
		if slices.Contains(own, name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if err != nil {
			return nil // a trap made the file unreadable
		}
		what := d.Type().String()
		switch {
		case d.Type().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				what += " unreadable"
			}
			what += fmt.Sprintf(" %x", sha256.Sum256(text))
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			what += " " + target
		}
		seen[name] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// changed lists the differences between two snapshots.
func changed(before, after map[string]string) []string {
	var names []string
	for name, what := range after {
		if before[name] != what {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			names = append(names, name+" (gone)")
		}
	}
	slices.Sort(names)
	return names
}

// A verb is one command line of the program.
type verb struct {
	args  []string
	stdin string
	env   []string
}

func verbOf(args ...string) verb { return verb{args: args} }

// aModel configures a model whose server does not exist.
var aModel = []string{"GIT_AGENT_MODEL=m", "GIT_AGENT_BASE_URL=http://127.0.0.1:9/v1", "GIT_AGENT_API_KEY=sk-test-000000000000"}

// verbs are the commands that are tried with every trap. Those that read most come
// first; only they are tried in a sample run or with a slow trap.
func verbs(p *prey) []verb {
	frames := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for i, call := range []string{
		`"szz","arguments":{"revision":"HEAD"}`, `"git_show","arguments":{"commit":"HEAD"}`, `"git_blame","arguments":{"path":"main.c"}`, `"git_grep","arguments":{"pattern":"int"}`,
	} {
		frames += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}`+"\n", i+1, call)
	}
	report := "==7==ERROR: AddressSanitizer: heap-use-after-free\n    #0 0x1 in sum main.c:15\n    #1 0x2 in other sub/other.c:1\n"
	return []verb{
		verbOf("szz", "HEAD"),
		verbOf("szz", "--worktree"),
		verbOf("szz", "--staged", "--json"),
		{args: []string{"mcp"}, stdin: frames},
		verbOf("tool", "git_show", `{"commit":"HEAD"}`),
		verbOf("doctor"),
		verbOf("szz", "-v", "HEAD"),
		verbOf("szz", "--json", "HEAD~2..HEAD"),
		verbOf("szz", "--worktree", "--json", "--", "main.c"),
		verbOf("szz", "--staged"),
		verbOf("szz", "--algorithm=b", "HEAD"),
		verbOf("szz", "--algorithm=ra", "--worktree"),
		verbOf("szz", "--algorithm=ma", "HEAD"),
		verbOf("szz", "--trailer", "HEAD"),
		verbOf("szz", "--format=%h %s %an", "HEAD"),
		verbOf("szz", "--no-cache", "HEAD", "--", "sub/other.c"),
		verbOf("szz", "--color=never", "--quiet", "HEAD"),
		{args: []string{"szz", "--stdin"}, stdin: "HEAD\nHEAD~1\n:/change\n--output=PWNED\n"},
		{args: []string{"szz", "--engine=agent", "--allow-unpriced", "--show-request", "HEAD"}, env: aModel},
		{args: []string{"szz", "--engine=agent", "--allow-unpriced", "--show-request", "--worktree"}, env: aModel},
		verbOf("tool", "--json", "git_show", `{"commit":"HEAD","stat":true}`),
		verbOf("tool", "git_blame", `{"path":"main.c"}`),
		verbOf("tool", "git_grep", `{"pattern":"int"}`),
		verbOf("tool", "git_log_search", `{"pattern":"int"}`),
		verbOf("tool", "git_log_function", `{"path":"main.c","function":"sum"}`),
		verbOf("doctor", "--json"),
		verbOf("doctor", "--fix"),
		verbOf("cache", "stats"),
		verbOf("cache", "verify"),
		verbOf("trace", "list"),
		verbOf("trace", "show"),
		{args: []string{"eval", "szz", "--repos=" + p.root, "/dev/stdin"},
			stdin: `{"id":"x","repo":"repo","fix":"` + strings.Repeat("1", 40) + `","bics":["` + strings.Repeat("2", 40) + `"]}` + "\n"},
		{args: []string{"crash"}, stdin: report},
		{args: []string{"crash", "--json", "--at=HEAD~1"}, stdin: report},
		{args: []string{"crash", "--engine=agent", "--allow-unpriced", "--show-request"}, stdin: report, env: aModel},
		verbOf("fix", "--time=2s", "--test=grep -q absent main.c"),
		verbOf("bisect", "--good=HEAD~3", "--", "grep", "-q", "line = 0", "main.c"),
		verbOf("szz", "--check", "HEAD"),
		verbOf("szz", "--risk", "HEAD"),
		verbOf("szz", "--html=-", "HEAD"),
		verbOf("index"),
		verbOf("completion", "bash"),
		verbOf("man"),
		verbOf("version"),
	}
}

const (
	sampledTraps = 18 // about 15 seconds for all kinds of traps together
	sampledVerbs = 4
	slowVerbs    = 6
	memoryBound  = 1 << 30
)

// TestHostileRepositories tries every verb on every hostile repository.
func TestHostileRepositories(t *testing.T) {
	template := newTemplate(t)
	traps := slices.Concat(settingTraps(), commandTraps(), fileTraps(), pipeTraps(), objectTraps())
	names := map[string]bool{}
	runs, peak, longest, slowest := 0, int64(0), time.Duration(0), ""
	for i, trap := range sample(traps, sampledTraps) {
		if names[trap.name] {
			t.Fatalf("two traps are called %q", trap.name)
		}
		names[trap.name] = true
		t.Run(trap.name, func(t *testing.T) {
			p := spoil(t, template, trap)
			all := verbs(p)
			switch {
			case !*full && trap.slow:
				all = all[i%slowVerbs : i%slowVerbs+1]
			case !*full:
				all = sampleFrom(all, i)
			case trap.slow:
				all = all[:slowVerbs]
			}
			before, failed := p.snapshot(t), false
			for _, v := range all {
				got := p.run(t, command{dir: p.repo, stdin: v.stdin, env: slices.Concat(p.env, v.env)}, v.args...)
				runs, peak = runs+1, max(peak, got.peak)
				if got.took > longest {
					longest, slowest = got.took, fmt.Sprintf("%s, %q", trap.name, v.args)
				}
				if why := p.judge(t, v, got); why != "" {
					broke(t, repositories, trap.name, "%q: %s", v.args, why)
					failed = true
					break
				}
			}
			if names := changed(before, p.snapshot(t)); names != nil && !failed {
				broke(t, repositories, trap.name, "%q changed", names)
				failed = true
			}
			if !failed {
				held(repositories)
			}
		})
	}
	note(repositories, "%d runs over %d traps; most memory of a process %d MiB, longest run %s (%s)", runs, len(names), peak>>20, longest.Round(10*time.Millisecond), slowest)
}

// sampleFrom selects the verb that reads most, and one of the others in turn.
func sampleFrom(all []verb, i int) []verb {
	some := []verb{all[1]}
	for k := range sampledVerbs - 1 {
		some = append(some, all[(i*(sampledVerbs-1)+k)%len(all)])
	}
	return some
}

// judge returns the promise that one run broke, or "". It allows control characters in
// the output of --format, which is not a terminal here, as the manual does.
func (p *prey) judge(t testing.TB, v verb, got outcome) string {
	t.Helper()
	shown := got.stdout + got.stderr
	if slices.ContainsFunc(v.args, func(arg string) bool { return strings.HasPrefix(arg, "--format=") }) {
		shown = got.stderr
	}
	switch text := got.stdout + got.stderr; {
	case got.late:
		return "it did not end"
	case got.code < 0:
		return "a signal ended it"
	case strings.Contains(text, "goroutine 1 [") || strings.Contains(text, "panic:"):
		return "it panicked: " + got.stderr
	case strings.Contains(text, secretText):
		return "it shows a file of the user's: " + excerpt(text, secretText)
	case rawControl(shown) >= 0:
		return fmt.Sprintf("a raw control: %q", excerpt(shown, shown[rawControl(shown):rawControl(shown)+1]))
	case got.peak > memoryBound:
		return fmt.Sprintf("%d MiB of memory", got.peak>>20)
	}
	if names := p.marks(t); names != nil {
		return fmt.Sprintf("%q ran", names)
	}
	return ""
}

func excerpt(text, part string) string {
	i := strings.Index(text, part)
	return text[max(0, i-100):min(len(text), i+100)]
}

// rawControl returns the index of a byte that a terminal acts on, or -1. Line breaks
// and tabs are allowed.
func rawControl(text string) int {
	for i, r := range text {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return i
		}
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}
