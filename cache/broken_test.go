package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// envDamage asks for more damaged files than the default run has time for.
const envDamage = "GIT_AGENT_TEST_DAMAGE"

const samples = 300

// With any damage to the file, an answer is right or missing, and the cache stays usable. Each
// kind of damage is tried on the file and on its log.
func TestDamagedFileIsNeverAWrongAnswer(t *testing.T) {
	healthy := healthyFiles(t)
	for _, part := range []string{"", "-wal"} {
		for name, damage := range damages(t, healthy[part]) {
			t.Run(cacheFormat.name+part+"/"+name, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, cacheFormat.name)
				for suffix, content := range healthy {
					if suffix == part {
						content = damage
					}
					mustNot(t, os.WriteFile(path+suffix, content, 0o600))
				}
				checkDamaged(t, dir)
			})
		}
	}
}

// healthyFiles returns the files of a cache, by suffix, with a part still in the log. Its writer
// was killed, because a writer that ends writes the log back.
func healthyFiles(t *testing.T) map[string][]byte {
	dir := t.TempDir()
	path := fill(t, dir, samples/2)
	c := startChild(t, "put", dir, fmt.Sprint(samples/2))
	c.read(samples / 2)
	mustNot(t, c.Process.Kill())
	c.read(-1)
	_ = c.Wait() // it was killed
	files := map[string][]byte{}
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		if err != nil || len(content) == 0 {
			t.Fatalf("%s: %d bytes, %v", path+suffix, len(content), err)
		}
		files[suffix] = content
	}
	return files
}

// damages returns damaged versions of a file.
func damages(t *testing.T, healthy []byte) map[string][]byte {
	d := map[string][]byte{
		"empty":   {},
		"text":    []byte(strings.Repeat("This is not a database.\n", 1000)),
		"zeros":   make([]byte, len(healthy)),
		"shorter": healthy[:len(healthy)-1],
		"header":  healthy[:100],
		"page":    healthy[:4096],
		"half":    healthy[:len(healthy)/2],
		"longer":  append(bytes.Clone(healthy), noise(10_000, 1)...),
	}
	random := rand.New(rand.NewPCG(5, 6))
	for i := range amount(envDamage, 3) {
		for _, n := range []int{1, 30, 1000} {
			flipped := bytes.Clone(healthy)
			for range n {
				flipped[random.IntN(len(flipped))] ^= 1 << random.IntN(8)
			}
			d[fmt.Sprintf("flip %d bits, %d", n, i)] = flipped
		}
		// The pages of the schema and of the tree are the first ones.
		inner := bytes.Clone(healthy)
		for range 3 {
			inner[random.IntN(2*4096)] ^= 1 << random.IntN(8)
		}
		d[fmt.Sprintf("flip in the first pages, %d", i)] = inner
	}
	return d
}

// checkDamaged reads the samples and puts missing ones, until all are found. If the damage is
// first noticed in a Put, earlier values are lost with the file.
func checkDamaged(t *testing.T, dir string) {
	var w warnings
	var hits []int
	for len(hits) < 4 && (len(hits) == 0 || hits[len(hits)-1] < samples) {
		c := Open(t.Context(), dir, Options{Warn: w.warn})
		found := 0
		for n := range samples {
			key, want := sample(n)
			got, ok := c.Get(t.Context(), key)
			if ok && !bytes.Equal(got, want) {
				t.Fatalf("value %d is wrong", n)
			}
			if ok {
				found++
			} else {
				c.Put(t.Context(), key, want)
			}
		}
		hits = append(hits, found)
		mustNot(t, c.Close())
	}
	if hits[len(hits)-1] != samples {
		t.Errorf("found %v of %d values", hits, samples)
	}
	t.Logf("found %v of %d values, %q", hits, samples, w.said)
}

// A file from a newer git-agent or another program, or a path that is no file, is set aside with
// a warning and replaced by an empty cache.
func TestForeignFileIsSetAside(t *testing.T) {
	newer := func(t *testing.T, path string) {
		fill(t, filepath.Dir(path), 10)
		execSQL(t, path, "PRAGMA user_version = 99")
	}
	for _, test := range []struct {
		name   string
		suffix string
		make   func(t *testing.T, path string)
	}{
		{"newer", asideNewer, newer},
		{"another program", asideDamaged, func(t *testing.T, path string) { execSQL(t, path, "CREATE TABLE theirs (x)") }},
		{"without our tables", asideDamaged, func(t *testing.T, path string) {
			execSQL(t, path, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 2", cacheFormat.id))
		}},
		{"link", asideDamaged, func(t *testing.T, path string) { mustNot(t, os.Symlink("elsewhere", path)) }},
		{"directory", asideDamaged, func(t *testing.T, path string) { mustNot(t, os.Mkdir(path, 0o700)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, cacheFormat.name)
			test.make(t, path)
			var w warnings
			c := Open(t.Context(), dir, Options{Warn: w.warn})
			defer c.Close()
			key, want := sample(1)
			if _, ok := c.Get(t.Context(), key); ok {
				t.Error("got a value from a file that is not ours")
			}
			c.Put(t.Context(), key, want)
			if got, ok := c.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
				t.Error("the new cache does not keep values")
			}
			if len(w.said) != 1 || !strings.Contains(w.said[0], "set aside") {
				t.Errorf("warnings are %q", w.said)
			}
			if _, err := os.Lstat(path + test.suffix); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
				t.Error("a link was followed")
			}
		})
	}
}

// A writer whose file another process sets aside continues in the new file.
func TestWriterFollowsTheNewFile(t *testing.T) {
	dir := t.TempDir()
	path := fill(t, dir, 10)
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer c.Close()
	key, want := sample(1)
	if _, ok := c.Get(t.Context(), key); !ok {
		t.Fatal("the cache is empty")
	}
	c.Put(t.Context(), key, want)
	if _, err := setAside(path, nil, asideDamaged, time.Time{}); err != nil {
		t.Fatal(err)
	}
	c.Put(t.Context(), key, want)
	other := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	defer other.Close()
	if got, ok := other.Get(t.Context(), key); !ok || !bytes.Equal(got, want) {
		t.Error("the value did not reach the new file")
	}
}

// In a read-only directory, there is no cache, with one warning, and nothing fails. Root may
// write anywhere, so root's test uses a read-only file system.
func TestReadOnlyDirectoryMeansNoCache(t *testing.T) {
	for _, existing := range []bool{false, true} {
		t.Run(fmt.Sprintf("existing %t", existing), func(t *testing.T) {
			dir := readOnly(t, existing)
			var w warnings
			c := Open(t.Context(), dir, Options{Warn: w.warn})
			for n := range 3 {
				key, value := sample(n)
				if got, ok := c.Get(t.Context(), key); ok && !bytes.Equal(got, value) {
					t.Error("value is wrong")
				}
				c.Put(t.Context(), key, value)
			}
			mustNot(t, c.Close())
			if len(w.said) != 1 {
				t.Errorf("warnings are %q", w.said)
			}
			if _, err := OpenTraces(t.Context(), dir, Options{}); err == nil {
				t.Error("traces were opened")
			}
			t.Log(w.said)
		})
	}
}

// Traces of a newer git-agent are refused with a hint and stay unchanged.
func TestNewerTracesAreRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, tracesFormat.name)
	mustNot(t, openTraces(t, dir, Options{}).Close())
	execSQL(t, path, "PRAGMA user_version = 99")
	before, err := os.ReadFile(path)
	mustNot(t, err)
	var hinted *Error
	if _, err := OpenTraces(t.Context(), dir, Options{}); !errors.As(err, &hinted) || hinted.Hint == "" {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed, %v", err)
	}
}

// Damaged traces are kept under another name, each time under a new one.
func TestDamagedTracesAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, tracesFormat.name)
	var w warnings
	for i := range 3 {
		mustNot(t, os.WriteFile(path, fmt.Appendf(nil, "damage %d, which is no database", i), 0o600))
		traces := openTraces(t, dir, Options{Warn: w.warn})
		_, err := traces.StartRun(t.Context(), "test", nil)
		mustNot(t, errors.Join(err, traces.Close()))
	}
	kept, err := filepath.Glob(path + asideDamaged + "*")
	mustNot(t, err)
	if len(kept) != 3 || len(w.said) != 3 {
		t.Errorf("kept %q, warned %q", kept, w.said)
	}
}

// A step with a damaged payload is reported as damaged; it is neither returned as complete nor
// treated as missing.
func TestDamagedStepIsAnError(t *testing.T) {
	dir := t.TempDir()
	traces := openTraces(t, dir, Options{})
	id, err := traces.StartRun(t.Context(), "test", nil)
	mustNot(t, err)
	for n := range 3 {
		mustNot(t, traces.Append(t.Context(), id, Step{Kind: Result, Key: fmt.Sprint(n), Payload: []byte("payload")}))
	}
	mustNot(t, traces.Close())
	execSQL(t, filepath.Join(dir, tracesFormat.name), "UPDATE step SET payload = x'00' WHERE seq = 2")
	traces = openTraces(t, dir, Options{})
	defer traces.Close()
	var good, bad int
	for step, err := range traces.Steps(t.Context(), id) {
		switch {
		case err != nil && step.Seq == 2 && step.Payload == nil:
			bad++
		case err == nil && string(step.Payload) == "payload":
			good++
		}
	}
	if good != 2 || bad != 1 {
		t.Errorf("%d good steps, %d bad", good, bad)
	}
	if _, _, err := traces.Done(t.Context(), id, "1"); err == nil {
		t.Error("the damaged result is no error")
	}
	report, err := VerifyTraces(t.Context(), dir)
	if err != nil || report.Damaged != 1 || report.Entries != 3 {
		t.Errorf("report is %+v, %v", report, err)
	}
}

// A failed migration leaves the file unchanged, a later version migrates the file of an earlier
// one, and a copy of the old version of precious data is kept.
func TestMigrationIsAllOrNothing(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "test.db")
	f := format{name: "test.db", id: 7, sync: "NORMAL", precious: true, migrations: []string{"CREATE TABLE a (x); INSERT INTO a VALUES (1)"}}
	reopen := func() error {
		h, err := f.open(ctx, path)
		if err == nil {
			err = h.close()
		}
		return err
	}
	mustNot(t, reopen())
	f.migrations = append(f.migrations, "CREATE TABLE b (x); INSERT INTO missing VALUES (1)")
	if err := reopen(); err == nil {
		t.Fatal("a wrong migration was accepted")
	}
	f.migrations[1] = "CREATE TABLE b (x); INSERT INTO b SELECT x + 1 FROM a"
	mustNot(t, reopen())
	h, err := f.open(ctx, path)
	mustNot(t, err)
	defer h.close()
	var x, version int
	mustNot(t, h.read.QueryRowContext(ctx, "SELECT x FROM b").Scan(&x))
	mustNot(t, h.read.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
	if x != 2 || version != 2 {
		t.Errorf("x is %d, version is %d", x, version)
	}
	f.migrations = f.migrations[:1]
	old, err := f.open(ctx, path+".v1")
	mustNot(t, err)
	defer old.close()
	mustNot(t, old.read.QueryRowContext(ctx, "SELECT x FROM a").Scan(&x))
	if info, err := os.Stat(path + ".v1"); err != nil || x != 1 || info.Mode().Perm() != 0o600 {
		t.Errorf("x is %d in the copy, %v, %v", x, info, err)
	}
}
