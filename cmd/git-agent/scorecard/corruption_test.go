//go:build linux

package scorecard

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/cache"
	"git-agent/cache/place"

	"golang.org/x/sys/unix"
)

// A storeroom is a home that contains every kind of file that git-agent stores: a
// cache, a shadow with filters, recorded runs, and the write-ahead logs of a killed
// process. The repository is outside, so that many homes can share it.
type storeroom struct {
	home   home
	repo   string
	cases  string // for an evaluation, which records a run
	answer string // output of szz
	runs   string // output of trace list
}

// storedFiles are the files that a corruption may damage, given by a part of their
// path.
var storedFiles = []string{
	"cache.db", "cache.db-wal", "cache.db-shm", "traces.db", "traces.db-wal", "traces.db-shm", "traces.db.runs", "own/traces.db",
	"shadow.git/HEAD", "shadow.git/config", "shadow.git/attributes", "shadow.git/objects/info/alternates",
	"shadow.git/objects/info/commit-graph", "shadow.git/bloom-tips", "shadow.git/graph-seen", "repository",
}

// user owns the directories of a home.
func (h home) user() place.User {
	return place.User{Getenv: func(name string) string {
		return map[string]string{"HOME": string(h)}[name]
	}}
}

// smallRepository creates a repository with a bug and its fix in dir.
func (h home) smallRepository(t testing.TB, dir string) {
	t.Helper()
	h.git(t, filepath.Dir(dir), "init", "-q", dir)
	for i, line := range []string{"i < n", "i < n - 1", "i < n"} {
		text := "int sum(int *a, int n)\n{\n\tint s = 0;\n\tfor (int i = 0; " + line + "; i++)\n\t\ts += a[i];\n\treturn s;\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "sum.c"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		h.git(t, dir, "add", "sum.c")
		h.git(t, dir, "commit", "-q", "--no-verify", "-m", fmt.Sprintf("sum: change %d", i))
	}
}

func newStoreroom(t *testing.T) *storeroom {
	t.Helper()
	top := t.TempDir()
	s := &storeroom{home: newHome(t), repo: filepath.Join(top, "o", "r"), cases: filepath.Join(top, "cases.jsonl")}
	must(t, os.Mkdir(filepath.Dir(s.repo), 0o755))
	s.home.smallRepository(t, s.repo)
	fix, bic := strings.TrimSpace(s.home.git(t, s.repo, "rev-parse", "HEAD")), strings.TrimSpace(s.home.git(t, s.repo, "rev-parse", "HEAD~1"))
	must(t, os.WriteFile(s.cases, fmt.Appendf(nil, `{"id":"a","repo":"o/r","fix":%q,"bics":[%q]}`+"\n", fix, bic), 0o644))
	s.answer = s.good(t, s.home, "szz", "--format=%H %s", "HEAD")
	s.good(t, s.home, "doctor", "--fix")
	s.good(t, s.home, "eval", "szz", "--algorithm=b", "--repos="+top, s.cases)
	folder, err := s.home.user().Folder(place.State, filepath.Join(s.repo, ".git"))
	must(t, err)
	must(t, folder.Make())
	own := filepath.Join(filepath.Dir(folder.Path), "traces.db")
	must(t, copyFile(own, filepath.Join(folder.Path, "traces.db")))
	s.leaveLogs(t, folder.Path)
	looked := home(t.TempDir()) // a copy, because reading would remove the logs
	must(t, duplicateTree(string(s.home), string(looked)))
	s.runs = runNames(s.good(t, looked, "trace", "list"))
	if strings.Count(s.runs, "\n") < 2 {
		t.Fatalf("the runs are %q", s.runs)
	}
	return s
}

// leaveLogs leaves the files as a killed process would. It copies them while they are
// open.
func (s *storeroom) leaveLogs(t *testing.T, state string) {
	t.Helper()
	traces, err := cache.OpenTraces(t.Context(), state, cache.Options{})
	must(t, err)
	defer traces.Close()
	id, err := traces.StartRun(t.Context(), "eval/szz", map[string]string{"name": "unclean"})
	must(t, err)
	must(t, traces.Append(t.Context(), id, cache.Step{Kind: cache.Result, Key: "case", Payload: []byte("{}")}))
	folder, err := s.home.user().Folder(place.Cache, filepath.Join(s.repo, ".git"))
	must(t, err)
	kept := cache.Open(t.Context(), folder.Path, cache.Options{})
	defer kept.Close()
	for i := range 40 {
		kept.Put(t.Context(), cache.Key{Kind: "test", Parts: []string{fmt.Sprint(i)}}, bytes.Repeat([]byte{byte(i)}, 400*i))
	}
	copied := t.TempDir()
	must(t, duplicateTree(string(s.home), copied))
	s.home = home(copied)
}

// good runs a verb and fails the test if the verb fails.
func (s *storeroom) good(t testing.TB, h home, args ...string) string {
	t.Helper()
	got := h.run(t, command{dir: s.repo}, args...)
	if got.code != 0 {
		t.Fatalf("%q: %d\n%s%s", args, got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

// runNames returns the first word of each line.
func runNames(list string) string {
	var b strings.Builder
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(line, " ")
		b.WriteString(name + "\n")
	}
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

func duplicateTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		if d.IsDir() {
			return os.Mkdir(filepath.Join(to, rel), 0o700)
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

// A corruption changes one file.
type corruption struct {
	target, kind string
	seed         uint64
}

func (c corruption) String() string { return fmt.Sprintf("%s %s %d", c.target, c.kind, c.seed) }

// byteKinds change bytes of a file. formKinds replace the file by something else.
var (
	byteKinds = []string{"truncate", "flip", "flips", "header", "zero page", "noise page", "append", "swap pages", "zeros"}
	formKinds = []string{"text", "empty", "gone", "directory", "pipe", "link", "closed", "old"}
)

func corruptionVectors() []corruption {
	var list []corruption
	for _, target := range storedFiles {
		for _, kind := range formKinds {
			list = append(list, corruption{target, kind, 0})
		}
		if target == "traces.db.runs" {
			continue
		}
		for _, kind := range byteKinds {
			for seed := range uint64(3) {
				list = append(list, corruption{target, kind, seed})
			}
		}
	}
	return list
}

// path returns the path of the target in a home.
func (c corruption) path(t testing.TB, h home, repo string) string {
	t.Helper()
	kind := place.Cache
	if strings.HasPrefix(c.target, "traces.db") || strings.HasPrefix(c.target, "own/") {
		kind = place.State
	}
	f, err := h.user().Folder(kind, filepath.Join(repo, ".git"))
	must(t, err)
	if own, ok := strings.CutPrefix(c.target, "own/"); ok {
		return filepath.Join(filepath.Dir(f.Path), own)
	}
	return filepath.Join(f.Path, c.target)
}

// apply damages the file. It returns false if there is nothing to damage.
func (c corruption) apply(t testing.TB, path string) bool {
	t.Helper()
	if c.target == "traces.db.runs" {
		must(t, os.RemoveAll(path))
	}
	data, _ := os.ReadFile(path) // a missing file counts as empty
	random := rand.New(rand.NewPCG(c.seed, uint64(len(c.target+c.kind))))
	switch c.kind {
	case "gone", "directory", "pipe", "link":
		must(t, os.RemoveAll(path))
	case "text":
		data = []byte(strings.Repeat("This is no file of git-agent's.\n", 300))
	case "empty":
		data = nil
	case "zeros":
		clear(data)
	case "append":
		data = append(data, noise(random, 1+random.IntN(9000))...)
	case "old", "closed":
	default:
		if len(data) == 0 {
			return false
		}
		damage(random, c.kind, &data)
	}
	switch c.kind {
	case "gone":
	case "directory":
		must(t, os.Mkdir(path, 0o700))
	case "pipe":
		must(t, unix.Mkfifo(path, 0o600))
	case "link":
		must(t, os.Symlink(filepath.Join(filepath.Dir(path), "elsewhere"), path))
	case "old": // an old file, as another program may leave it
		must(t, os.WriteFile(path, data, 0o644))
		must(t, os.Chmod(path, 0o666))
	case "closed":
		must(t, os.WriteFile(path, data, 0o600))
		must(t, os.Chmod(path, 0))
	default:
		must(t, os.WriteFile(path, data, 0o600))
	}
	return true
}

func noise(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func damage(random *rand.Rand, kind string, data *[]byte) {
	b := *data
	const page = 4096
	pages := max(len(b)/page, 1)
	at := random.IntN(pages) * page
	end := min(at+page, len(b))
	switch kind {
	case "truncate":
		*data = b[:random.IntN(len(b))]
	case "flip":
		b[random.IntN(len(b))] ^= 1 << random.IntN(8)
	case "flips":
		for range 50 {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
	case "header":
		for range 4 {
			b[random.IntN(min(len(b), 100))] ^= 1 << random.IntN(8)
		}
	case "zero page":
		clear(b[at:end])
	case "noise page":
		copy(b[at:end], noise(random, end-at))
	case "swap pages":
		other := random.IntN(pages) * page
		for i := 0; at+i < end && other+i < len(b); i++ {
			b[at+i], b[other+i] = b[other+i], b[at+i]
		}
	}
}

// If a stored file is damaged, the answer stays the same, runs can still be recorded,
// readable runs are listed, and the damage is reported.
func TestCorruptions(t *testing.T) {
	s := newStoreroom(t)
	for _, c := range sample(corruptionVectors(), 12) {
		t.Run(c.String(), func(t *testing.T) {
			h := home(t.TempDir())
			must(t, duplicateTree(string(s.home), string(h)))
			if path := c.path(t, h, s.repo); !c.apply(t, path) {
				skipped(t, corruptions, c.String(), "the file is empty")
			} else if problem := s.check(t, h, c); problem != "" {
				broke(t, corruptions, c.String(), "%s", problem)
			} else {
				held(corruptions)
			}
		})
	}
}

// check runs the verbs on a damaged home and returns which promise is broken.
func (s *storeroom) check(t *testing.T, h home, c corruption) string {
	verify := h.run(t, command{dir: s.repo}, "cache", "verify")
	doctor := h.run(t, command{dir: s.repo}, "doctor")
	named := verify.code == 1 || strings.Contains(doctor.stdout, "damaged")
	list := h.run(t, command{dir: s.repo}, "trace", "list")
	first := h.run(t, command{dir: s.repo}, "szz", "--format=%H %s", "HEAD")
	fresh := h.run(t, command{dir: s.repo}, "szz", "--no-cache", "--format=%H %s", "HEAD")
	tool := h.run(t, command{dir: s.repo}, "tool", "git_blame", `{"path":"sum.c"}`)
	later := h.run(t, command{dir: s.repo}, "eval", "szz", "--algorithm=b", "--run=later", "--repos="+filepath.Dir(filepath.Dir(s.repo)), s.cases)
	again := h.run(t, command{dir: s.repo}, "cache", "verify")
	for name, got := range map[string]outcome{"verify": verify, "doctor": doctor, "list": list, "szz": first, "szz --no-cache": fresh, "tool": tool, "eval": later, "verify again": again} {
		if got.late || got.code < 0 || strings.Contains(got.stderr, "goroutine ") {
			return fmt.Sprintf("%s: late %v, exit %d: %s", name, got.late, got.code, got.stderr)
		}
	}
	switch {
	case first.code != 0 || first.stdout != s.answer || fresh.code != 0 || fresh.stdout != s.answer:
		return fmt.Sprintf("szz exits with %d and %d: %q, %q\n%s%s", first.code, fresh.code, first.stdout, fresh.stdout, first.stderr, fresh.stderr)
	case tool.code != 0 || later.code != 0:
		return fmt.Sprintf("tool exits with %d, eval with %d: %s%s", tool.code, later.code, tool.stderr, later.stderr)
	case list.code > 1:
		return fmt.Sprintf("trace list exits with %d: %s", list.code, list.stderr)
	case runNames(list.stdout) != s.runs && !named && c.kind != "gone" && c.kind != "empty" && !strings.HasSuffix(c.target, "-wal"):
		return fmt.Sprintf("runs are lost, and nothing says so: %q\n%s\n%s", list.stdout, verify.stdout, list.stderr)
	case again.code != 0:
		return fmt.Sprintf("it is still damaged: %s", again.stdout)
	}
	return ""
}
