//go:build linux

package gitext

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

// gitIn runs git with an input.
func (f *fixture) gitIn(input string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = f.dir, strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// treeBomb writes nested trees of ten entries each, to the given depth, and
// returns the outermost: a few kilobytes with 10^depth files.
func (f *fixture) treeBomb(depth int) string {
	f.t.Helper()
	blob := f.gitIn("", "hash-object", "-w", "--", "a.c")
	kind, entry := "100644 blob ", "f"
	tree := blob
	for range depth {
		var list strings.Builder
		for i := range 10 {
			list.WriteString(kind + tree + "\t" + entry + string(rune('0'+i)) + "\n")
		}
		tree = f.gitIn(list.String(), "mktree")
		kind, entry = "040000 tree ", "d"
	}
	return tree
}

// bombed is a history of three commits: a file, a tree bomb beside it, and a
// change of one line.
func bombed(t *testing.T) (*fixture, []OID) {
	f := newFixture(t)
	f.write("a.c", "int total(int compute_total)\n{\n\treturn compute_total / 0;\n}\n")
	first := f.commit("start")
	bomb := f.treeBomb(9)
	beside := func(parent OID) OID {
		blob := f.gitIn("", "hash-object", "-w", "--", "a.c")
		tree := f.gitIn("100644 blob "+blob+"\ta.c\n040000 tree "+bomb+"\tbomb\n", "mktree")
		return OID(f.gitIn("", "commit-tree", "-p", string(parent), "-m", "on "+string(parent), tree))
	}
	second := beside(first)
	f.write("a.c", "int total(int compute_total)\n{\n\treturn compute_total / 1;\n}\n")
	third := beside(second)
	return f, []OID{third, second, first}
}

// boundedAt sets the memory bound of the repository's git processes, in bytes.
func (r *Repo) boundedAt(bytes int64) *Repo {
	r.shadow.Limits = gitcmd.NewLimits(func() (int64, bool) { return bytes, true })
	return r
}

func TestMemoryIsBounded(t *testing.T) {
	// A git that needs more than its bound ends with ErrMemory and is counted;
	// its output so far is kept.
	f, oids := bombed(t)
	r := f.open().boundedAt(128 << 20)
	ctx, unread := gitcmd.CountUnread(t.Context())
	var seen []OID
	var failed error
	for e, err := range r.Log(ctx, LogOptions{Tip: oids[0], Files: true, NoRenames: true}) {
		if failed = err; err == nil {
			seen = append(seen, e.OID)
		}
	}
	if !errors.Is(failed, gitcmd.ErrMemory) || !Unreadable(failed) {
		t.Errorf("got %v, want ErrMemory", failed)
	}
	equal(t, "commits before the bomb", seen, oids[:1])
	u := unread()
	if u.Cut != 1 || u.Missing != 0 || len(u.Bounds) != 1 || !strings.Contains(u.Bounds[0], "128 MiB") {
		t.Errorf("counted %+v", u)
	}
	var gitErr *gitcmd.Error
	if errors.As(failed, &gitErr) && !strings.Contains(gitErr.Hint, "agent.gitMemory") {
		t.Errorf("hint %q", gitErr.Hint)
	}
	if next := r.shadow.MemoryFor(); next != 64<<20 {
		t.Errorf("the next git may have %d bytes", next)
	}
}

func TestRegexpIsBounded(t *testing.T) {
	// An expression that costs gigabytes ends with ErrMemory, in grep and log.
	f, oids := bombed(t)
	r := f.open().boundedAt(128 << 20)
	if _, err := r.Grep(t.Context(), oids[2], GrepOptions{Pattern: "a{1,32767}"}); !errors.Is(err, gitcmd.ErrMemory) {
		t.Errorf("grep: %v", err)
	}
	for _, err := range r.LogG(t.Context(), PickaxeOptions{LogOptions: LogOptions{Tip: oids[0], Paths: []string{"a.c"}}, Needle: "a{1,32767}"}) {
		if !errors.Is(err, gitcmd.ErrMemory) {
			t.Errorf("log -G: %v", err)
		}
	}
}

func TestBombCostsItsCommitOnly(t *testing.T) {
	// A commit that cannot be compared within the bounds does not affect other
	// commits.
	f, oids := bombed(t)
	r := f.open().boundedAt(128 << 20)
	touched, err := r.Touched(t.Context(), oids, 10)
	if err != nil || len(touched) != 2 || touched[oids[0]].Files != 1 {
		t.Errorf("touched %+v, %v", touched, err)
	}
	stats, err := r.Stats(t.Context(), oids)
	if err != nil || len(stats) != 3 || !errors.Is(stats[1].Err, gitcmd.ErrMemory) || stats[2].Err != nil {
		t.Errorf("stats %+v, %v", stats, err)
	}
	if entries, err := r.Tree(t.Context(), oids[0]); !errors.Is(err, gitcmd.ErrTooManyFiles) || len(entries) == 0 {
		t.Errorf("%d entries of a tree, %v", len(entries), err)
	}
}

func TestSearchOfABombEnds(t *testing.T) {
	// A search through a tree with too many files ends, though git neither prints
	// anything nor grows.
	f, oids := bombed(t)
	_, err := f.open().Grep(t.Context(), oids[0], GrepOptions{Pattern: "nowhere"})
	if !errors.Is(err, gitcmd.ErrTooManyFiles) {
		t.Errorf("got %v, want ErrTooManyFiles", err)
	}
}

func TestConfiguredMemory(t *testing.T) {
	// agent.gitMemory counts only in the user's own configuration.
	f := newFixture(t)
	f.git("config", "agent.gitMemory", "77m")
	if got := f.open().shadow.MemoryFor(); got != new(gitcmd.Runner).MemoryFor() {
		t.Errorf("a repository set %d", got)
	}
	f.git("config", "--global", "agent.gitMemory", "99m")
	if got := f.open().shadow.MemoryFor(); got != 99<<20 {
		t.Errorf("the user got %d", got)
	}
}

func TestLongNamesAreNoArguments(t *testing.T) {
	// A path too long for a command line is an unreadable part, not another
	// error.
	f := newFixture(t)
	f.write("a", "a\n")
	tip := f.commit("one")
	_, err := f.open().Blame(t.Context(), tip, strings.Repeat("x", 1<<20), BlameOptions{})
	if !errors.Is(err, gitcmd.ErrTooLong) || !Unreadable(err) {
		t.Errorf("got %.200v, want ErrTooLong", err)
	}
}

func TestLargeCommit(t *testing.T) {
	// A commit of any length is read within bounds; its header stays complete.
	f := newFixture(t)
	f.write("a", "a\n")
	f.commit("one")
	head := "tree " + f.gitIn("", "write-tree") + "\nauthor " + strings.Repeat("A", 5<<20) + " <a@example.org> 1600000000 +0000\ncommitter C <c@example.org> 1600000000 +0000\n\n"
	oid := OID(f.gitIn(head+strings.Repeat("word ", 8<<20), "hash-object", "-t", "commit", "-w", "--stdin", "--literally"))
	r := f.open()
	c, err := r.Commit(t.Context(), oid)
	if err != nil || len(c.Message) > maxMessage || len(c.Author.Name) > maxPerson || c.Committer.Name != "C" {
		t.Errorf("%d bytes of message, %d of name, %q, %v", len(c.Message), len(c.Author.Name), c.Committer.Name, err)
	}
	for e, err := range r.Log(t.Context(), LogOptions{Tip: oid}) {
		if err != nil || e.OID != oid || len(e.Subject) > maxHead || len(e.AuthorName) > maxHead {
			t.Errorf("%s, %d bytes of subject, %v", e.OID, len(e.Subject), err)
		}
	}
}
