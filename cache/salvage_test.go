package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// recorded makes a closed traces.db with some runs of three steps each.
func recorded(t testing.TB, dir string, runs int) []RunID {
	t.Helper()
	traces := openTraces(t, dir, Options{Warn: fatalWarn(t)})
	var ids []RunID
	for n := range runs {
		id, err := traces.StartRun(t.Context(), "test", n)
		mustNot(t, err)
		for i := range 3 {
			mustNot(t, traces.Append(t.Context(), id, Step{Kind: Result, Key: strconv.Itoa(i), Payload: fmt.Appendf(nil, "payload %s", strings.Repeat("x", 700))}))
		}
		mustNot(t, traces.Finish(t.Context(), id, Done))
		ids = append(ids, id)
	}
	mustNot(t, traces.Close())
	return ids
}

// Opening a file finds damage to its structure: the file is set aside, its readable rows are in
// the new file, and recording continues.
func TestDamagedTracesAreSalvaged(t *testing.T) {
	for name, damage := range map[string]func(content []byte){
		"a page of steps": func(b []byte) { clear(b[len(b)-4096*3 : len(b)-4096*2]) },
		"cells":           func(b []byte) { copy(b[len(b)/2/4096*4096:], noise(64, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			ids := recorded(t, dir, 40)
			path := filepath.Join(dir, tracesFormat.name)
			content, err := os.ReadFile(path)
			mustNot(t, err)
			damage(content)
			mustNot(t, os.WriteFile(path, content, 0o600))
			if report, err := VerifyTraces(t.Context(), dir); err != nil || len(report.Problems) == 0 {
				t.Errorf("verify finds nothing: %+v, %v", report, err)
			}
			var w warnings
			traces := openTraces(t, dir, Options{Warn: w.warn})
			defer traces.Close()
			if len(w.said) != 1 || !strings.Contains(w.said[0], "damaged") {
				t.Errorf("warned %q", w.said)
			}
			runs, err := traces.List(t.Context(), ListOptions{})
			if err != nil || len(runs) < len(ids)/2 {
				t.Errorf("%d of %d runs are left, %v", len(runs), len(ids), err)
			}
			_, err = traces.StartRun(t.Context(), "test", "next")
			mustNot(t, err)
			if kept, err := asideNames(path); err != nil || len(kept) != 1 {
				t.Errorf("kept %q, %v", kept, err)
			}
		})
	}
}

// With anything instead of the file or of SQLite's files beside it, runs can be recorded, and
// nothing waits for a pipe.
func TestTracesAfterAnything(t *testing.T) {
	for _, part := range []string{"", "-wal", "-shm", ".runs"} {
		for name, put := range misplaced {
			t.Run(part+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				recorded(t, dir, 2)
				path := filepath.Join(dir, tracesFormat.name+part)
				mustNot(t, os.RemoveAll(path))
				mustNot(t, put(path))
				var w warnings
				traces := openTraces(t, dir, Options{Warn: w.warn})
				defer traces.Close()
				id, err := traces.StartRun(t.Context(), "test", nil)
				mustNot(t, err)
				mustNot(t, traces.Append(t.Context(), id, Step{Kind: Note, Key: "x"}))
				if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
					t.Error("a link was followed")
				}
			})
		}
	}
}

// misplaced are other kinds of files instead of ours.
var misplaced = map[string]func(path string) error{
	"directory": func(path string) error { return os.Mkdir(path, 0o700) },
	"link":      func(path string) error { return os.Symlink("elsewhere", path) },
	"pipe":      makePipe,
	"text":      func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("text\n", 2000)), 0o600) },
	"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
	"closed":    func(path string) error { return os.WriteFile(path, nil, 0) },
}

// Making the next file removes unfinished files of dead processes. Those of living processes
// stay.
func TestUnfinishedFilesAreSwept(t *testing.T) {
	if !locksWork {
		t.Skip("nobody can tell whether a process lives")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, tracesFormat.name)
	for _, name := range []string{"-DEAD", "-DEAD-wal", "-DEAD-shm", "-DEAD-journal", "-DEAD-lock", "-LOG-wal"} {
		mustNot(t, os.WriteFile(path+unnamed+name, []byte("left"), 0o600))
	}
	alive, err := newUnfinished(path)
	mustNot(t, err)
	mustNot(t, openTraces(t, dir, Options{}).Close())
	names, err := filepath.Glob(path + unnamed + "*")
	if err != nil || len(names) != 2 {
		t.Errorf("left: %q, %v", names, err)
	}
	alive.discard()
	if names, _ := filepath.Glob(path + unnamed + "*"); len(names) > 0 {
		t.Errorf("left: %q", names)
	}
}

// On a file system without hard links, the file that gets the name first stays.
func TestFirstNameStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("directories cannot be locked")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "name")
	seen := make([]string, 16)
	var wg sync.WaitGroup
	for i := range seen {
		made := filepath.Join(dir, strconv.Itoa(i))
		mustNot(t, os.WriteFile(made, []byte(strconv.Itoa(i)), 0o600))
		wg.Go(func() {
			if err := publishByRename(made, path); err != nil {
				t.Error(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			seen[i] = string(text)
		})
	}
	wg.Wait()
	for _, s := range seen {
		if s != seen[0] {
			t.Fatalf("one name had several contents: %q", seen)
		}
	}
}

// The files of earlier versions, with a table of seals and longer sums, can be read.
func TestFilesOfEarlierVersions(t *testing.T) {
	for version, change := range map[int]string{
		1: "PRAGMA user_version = 1",
		2: "CREATE TABLE seal (tag BLOB NOT NULL) STRICT; INSERT INTO seal VALUES (x'00'); UPDATE step SET sum = CAST(sum || x'00112233445566778899aabbccddeeff' AS BLOB)",
	} {
		dir := t.TempDir()
		ids := recorded(t, dir, 2)
		execSQL(t, filepath.Join(dir, tracesFormat.name), change)
		traces := openTraces(t, dir, Options{Warn: fatalWarn(t)})
		n := 0
		for _, err := range traces.Steps(t.Context(), ids[0]) {
			mustNot(t, err)
			n++
		}
		if n != 3 {
			t.Errorf("version %d: %d steps", version, n)
		}
		mustNot(t, traces.Close())
	}
}

// The runs of an earlier version are copied once, and none of them can be
// resumed.
func TestImport(t *testing.T) {
	old, dir := filepath.Join(t.TempDir(), "agent"), t.TempDir()
	ids := recorded(t, old, 3)
	execSQL(t, filepath.Join(old, tracesFormat.name), fmt.Sprintf(`
		UPDATE run SET state = 'running', ended = NULL WHERE id = '%s';
		UPDATE step SET payload = x'00' WHERE run = '%s' AND seq = 2`, ids[1], ids[2]))
	for _, want := range []Copied{{Runs: 3, Steps: 8, Damaged: 1}, {Known: 3}} {
		if got, err := ImportTraces(t.Context(), old, dir, Options{Warn: fatalWarn(t)}); err != nil || got != want {
			t.Errorf("imported %+v, %v, want %+v", got, err, want)
		}
	}
	traces := openTraces(t, dir, Options{Warn: fatalWarn(t)})
	defer traces.Close()
	runs, err := traces.List(t.Context(), ListOptions{})
	if err != nil || len(runs) != 3 {
		t.Errorf("runs %v, %v", runs, err)
	}
	for _, r := range runs {
		if want := map[bool]State{true: Stopped, false: Done}[r.ID == ids[1]]; r.State != want || r.Steps != 3 {
			t.Errorf("run %s is %s with %d steps", r.ID, r.State, r.Steps)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*"+unnamed+"*")); err != nil || len(left) > 0 {
		t.Errorf("left %q, %v", left, err)
	}
}

// The import of a file from an archive copies only data in git-agent's form, and leaves the file
// unchanged.
func TestImportOfHostileFiles(t *testing.T) {
	sql := func(statement string) func(t *testing.T, old string) {
		return func(t *testing.T, old string) { execSQL(t, filepath.Join(old, tracesFormat.name), statement) }
	}
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	for name, plant := range map[string]func(t *testing.T, old string){
		"a view of runs": sql("DROP TABLE step; ALTER TABLE run RENAME TO x; CREATE VIEW run AS " + endless +
			"i AS id, 'k' AS kind, '{}' AS spec, 'done' AS state, i AS started, i AS ended, 'v' AS version FROM n"),
		"a view of steps": sql("DROP TABLE step; CREATE VIEW step AS " + endless + "i AS run, i AS seq FROM n"),
		"a generated column": sql(`DROP TABLE step; CREATE TABLE step (run, seq, kind, key, at, encoding, size, sum,
			payload AS (zeroblob(1000000000)))`),
		"another program's": sql("PRAGMA application_id = 1"),
		"a newer version":   sql("PRAGMA user_version = 99"),
		"a link to it": func(t *testing.T, old string) {
			path := filepath.Join(old, tracesFormat.name)
			mustNot(t, os.Rename(path, path+".real"))
			mustNot(t, os.Symlink(tracesFormat.name+".real", path))
		},
		"a link to its log": func(t *testing.T, old string) {
			mustNot(t, os.Symlink("elsewhere", filepath.Join(old, tracesFormat.name+"-wal")))
		},
		"a linked directory": func(t *testing.T, old string) {
			mustNot(t, os.Rename(old, old+".real"))
			mustNot(t, os.Symlink(old+".real", old))
		},
		"a pipe": func(t *testing.T, old string) {
			path := filepath.Join(old, tracesFormat.name)
			mustNot(t, errors.Join(os.Remove(path), makePipe(path)))
		},
		"text": func(t *testing.T, old string) {
			mustNot(t, os.WriteFile(filepath.Join(old, tracesFormat.name), []byte(strings.Repeat("text\n", 2000)), 0o600))
		},
		"large": func(t *testing.T, old string) {
			mustNot(t, os.Truncate(filepath.Join(old, tracesFormat.name), maxImport+1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			old, dir := filepath.Join(t.TempDir(), "agent"), t.TempDir()
			recorded(t, old, 2)
			plant(t, old)
			if got, err := ImportTraces(t.Context(), old, dir, Options{Warn: fatalWarn(t)}); err == nil {
				t.Errorf("imported %+v", got)
			}
			traces := openTraces(t, dir, Options{Warn: fatalWarn(t)})
			defer traces.Close()
			if runs, err := traces.List(t.Context(), ListOptions{}); err != nil || len(runs) > 0 {
				t.Errorf("runs %v, %v", runs, err)
			}
		})
	}
	t.Run("rows", func(t *testing.T) {
		old, dir := filepath.Join(t.TempDir(), "agent"), t.TempDir()
		ids := recorded(t, old, 3)
		bomb := new(codec)
		packed := bomb.compress(make([]byte, 70<<20))
		s := stored{encoding: compressed, size: 1000, data: packed}
		s.sum = s.checksum(owner(Step{Seq: 1, Kind: Result, Key: "0"}, ids[2]))
		execSQL(t, filepath.Join(old, tracesFormat.name), fmt.Sprintf(`
			UPDATE run SET id = '../../x' WHERE id = '%s'; UPDATE run SET spec = hex(zeroblob(2000000)) WHERE id = '%s';
			UPDATE step SET encoding = 1, size = 1000, sum = x'%x', payload = x'%x' WHERE run = '%s' AND seq = 1`,
			ids[0], ids[1], s.sum, s.data, ids[2]))
		got, err := ImportTraces(t.Context(), old, dir, Options{Warn: fatalWarn(t)})
		if want := (Copied{Runs: 1, Steps: 2, Damaged: 3}); err != nil || got != want {
			t.Errorf("imported %+v, %v, want %+v", got, err, want)
		}
	})
	t.Run("in work", func(t *testing.T) {
		old := filepath.Join(t.TempDir(), "agent")
		traces := openTraces(t, old, Options{})
		defer traces.Close()
		_, err := traces.StartRun(t.Context(), "test", nil)
		mustNot(t, err)
		if _, err := ImportTraces(t.Context(), old, t.TempDir(), Options{}); locksWork && !errors.Is(err, ErrHeld) {
			t.Errorf("got %v", err)
		}
	})
}
