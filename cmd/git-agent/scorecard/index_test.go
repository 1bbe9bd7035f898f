//go:build linux

package scorecard

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// An index of changed lines that is damaged, belongs to another history, or whose history was
// rewritten, only costs time: every answer is that of git alone.

// indexQuestions are command lines that are answered from the index.
var indexQuestions = [][]string{
	{"tool", "git_log_search", `{"pattern":"return"}`},
	{"tool", "git_log_search", `{"pattern":"re(ad|turn)","regexp":true}`},
	{"tool", "git_log_search", `{"pattern":"nowhere in this history"}`},
}

// An indexed is a home with an indexed repository.
type indexed struct {
	home
	repo, file string
	good       []byte
}

func newIndexed(t *testing.T) *indexed {
	t.Helper()
	s := newStage(t)
	x := &indexed{home: s.home, repo: s.repo}
	if got := x.run(t, command{dir: x.repo}, "index", "build"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	found, err := filepath.Glob(filepath.Join(string(x.home), ".cache/git-agent/*/index.db"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	x.file = found[0]
	if x.good, err = os.ReadFile(x.file); err != nil {
		t.Fatal(err)
	}
	return x
}

// restore gives the index its sound content.
func (x *indexed) restore(t *testing.T, content []byte) {
	t.Helper()
	rest, _ := filepath.Glob(x.file + "*")
	for _, path := range rest {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(x.file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// answers returns the answers to the questions, or the broken promise.
func (x *indexed) answers(t *testing.T) (all []string, wrong string) {
	t.Helper()
	for _, q := range indexQuestions {
		stored, _ := filepath.Glob(filepath.Join(filepath.Dir(x.file), "cache.db*")) // stored answers would hide the index
		for _, path := range stored {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		got := x.run(t, command{dir: x.repo}, q...)
		switch {
		case got.late:
			return nil, fmt.Sprintf("%q does not end", q)
		case got.code < 0 || strings.Contains(got.stderr, "panic:") || strings.Contains(got.stderr, "goroutine "):
			return nil, fmt.Sprintf("%q panics: %.500s", q, got.stderr)
		case got.peak > memoryBound:
			return nil, fmt.Sprintf("%q took %d MiB", q, got.peak>>20)
		case strings.Contains(got.stdout+got.stderr, secretText):
			return nil, fmt.Sprintf("%q shows a secret", q)
		}
		all = append(all, fmt.Sprint(got.code, "\n", got.stdout))
	}
	return all, ""
}

// alone returns the answers without an index.
func (x *indexed) alone(t *testing.T) []string {
	t.Helper()
	if err := os.Rename(x.file, x.file+".aside"); err != nil {
		t.Fatal(err)
	}
	all, wrong := x.answers(t)
	if wrong != "" {
		t.Fatal(wrong)
	}
	if err := os.Rename(x.file+".aside", x.file); err != nil {
		t.Fatal(err)
	}
	return all
}

// An indexDamage changes the content of a file.
type indexDamage struct {
	name string
	to   func(r *rand.Rand, b []byte) []byte
}

var indexDamages = []indexDamage{
	{"a flipped bit", func(r *rand.Rand, b []byte) []byte { b[r.IntN(len(b))] ^= 1 << r.IntN(8); return b }},
	{"twenty wrong bytes", func(r *rand.Rand, b []byte) []byte {
		for range 20 {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		return b
	}},
	{"zeros", func(r *rand.Rand, b []byte) []byte {
		clear(b[r.IntN(len(b)):][:1])
		i := r.IntN(len(b))
		clear(b[i:min(i+512, len(b))])
		return b
	}},
	{"a cut end", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] }},
	{"pages in another order", func(r *rand.Rand, b []byte) []byte {
		const page = 4096
		p, q := r.IntN(len(b)/page)*page, r.IntN(len(b)/page)*page
		first := slices.Clone(b[p : p+page])
		copy(b[p:p+page], b[q:q+page])
		copy(b[q:q+page], first)
		return b
	}},
	{"a doubled end", func(r *rand.Rand, b []byte) []byte { return append(b, b[r.IntN(len(b)):]...) }},
}

func TestDamagedIndex(t *testing.T) {
	x := newIndexed(t)
	want := x.alone(t)
	type vector struct {
		indexDamage
		seed uint64
	}
	var vectors []vector
	for seed := range uint64(12) {
		for _, d := range indexDamages {
			vectors = append(vectors, vector{d, seed})
		}
	}
	for _, v := range sample(vectors, 12) {
		x.restore(t, v.to(rand.New(rand.NewPCG(v.seed, uint64(len(v.name)))), slices.Clone(x.good)))
		x.judge(t, fmt.Sprintf("index with %s (%d)", v.name, v.seed), want)
	}
}

// judge compares the answers.
func (x *indexed) judge(t *testing.T, vector string, want []string) {
	t.Helper()
	got, wrong := x.answers(t)
	for i := range got {
		if wrong == "" && got[i] != want[i] {
			wrong = fmt.Sprintf("%q is answered\n%.600s\nnot\n%.600s", indexQuestions[i], got[i], want[i])
		}
	}
	if wrong != "" {
		broke(t, corruptions, vector, "%s", wrong)
		return
	}
	held(corruptions)
}

func TestStrangeIndex(t *testing.T) {
	x := newIndexed(t)
	want := x.alone(t)
	secret := filepath.Join(string(x.home), "secret")
	if err := os.WriteFile(secret, []byte(secretText), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func() error{
		"a directory":        func() error { return os.Mkdir(x.file, 0o700) },
		"a named pipe":       func() error { return syscall.Mkfifo(x.file, 0o600) },
		"a link to a secret": func() error { return os.Symlink(secret, x.file) },
		"an endless device":  func() error { return os.Symlink("/dev/zero", x.file) },
		"a link to itself":   func() error { return os.Symlink(x.file, x.file) },
		"an empty file":      func() error { return os.WriteFile(x.file, nil, 0o600) },
		"text":               func() error { return os.WriteFile(x.file, []byte(strings.Repeat("index\x1b[2J\n", 1000)), 0o600) },
		"unreadable":         func() error { return os.WriteFile(x.file, x.good, 0) },
	} {
		x.restore(t, x.good)
		if err := os.Remove(x.file); err != nil {
			t.Fatal(err)
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		x.judge(t, "index that is "+name, want)
	}
}

// histories rewrite the repository after it was indexed.
var histories = map[string]string{
	"force-pushed back":      `git reset -q --hard HEAD~5`,
	"force-pushed elsewhere": `git reset -q --hard HEAD~5; echo 'return read;' >>x.c; git add -A; git commit -qm other`,
	"without its objects":    `git reset -q --hard HEAD~5; git reflog expire --expire=now --all; git gc -q --prune=now`,
	"of another root":        `git checkout -q --orphan o; git commit -qm root; git branch -D -q main 2>/dev/null || true; git reflog expire --expire=now --all; git gc -q --prune=now`,
	"squashed":               `git reset -q --soft HEAD~10; git commit -qm squashed`,
	"grown by a merge":       `git checkout -q -b side HEAD~3; echo 'return side;' >y.c; git add -A; git commit -qm side; git checkout -q -; git merge -q --no-edit side`,
	"cut to be shallow":      `git rev-parse HEAD~3 >.git/shallow`,
	"replaced in part":       `git replace HEAD~2 HEAD~4`,
	"repacked":               `git repack -q -a -d; git pack-refs --all`,
}

func TestRewrittenHistory(t *testing.T) {
	for name, script := range histories {
		t.Run(name, func(t *testing.T) {
			x := newIndexed(t)
			if got := x.exec(t, command{dir: x.repo}, "sh", "-ec", script); got.code != 0 {
				t.Fatal(got.stderr)
			}
			want := x.alone(t)
			x.judge(t, "index of a history "+name, want)
			if got := x.run(t, command{dir: x.repo}, "index", "update"); got.code != 0 && name != "cut to be shallow" {
				broke(t, corruptions, "index update of a history "+name, "exit code %d: %.500s", got.code, got.stderr)
			}
			x.judge(t, "updated index of a history "+name, want)
		})
	}
}
