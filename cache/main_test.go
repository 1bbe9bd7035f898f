package cache

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The test binary runs itself as another process: childMode names the function and
// childDir the directory it works in.
const (
	childMode = "GIT_AGENT_CACHE_CHILD"
	childDir  = "GIT_AGENT_CACHE_DIR"
	childArg  = "GIT_AGENT_CACHE_ARG"
)

func TestMain(m *testing.M) {
	mode := os.Getenv(childMode)
	if mode == "" {
		os.Exit(m.Run())
	}
	if err := children[mode](context.Background(), os.Getenv(childDir), os.Getenv(childArg)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// children are the functions for a child process. Each prints a line for each acknowledged write
// immediately.
var children = map[string]func(ctx context.Context, dir, arg string) error{
	"put":    putForever,
	"append": appendForever,
	"some":   putSome,
	"quota":  putWithQuota,
	"steps":  appendWithQuota,
	"hold":   holdRun,
}

// child is a running child process.
type child struct {
	*exec.Cmd
	lines  *bufio.Scanner
	stdin  io.Closer
	stderr *strings.Builder
}

func startChild(t testing.TB, mode, dir, arg string) *child {
	t.Helper()
	c := &child{Cmd: exec.Command(os.Args[0]), stderr: new(strings.Builder)}
	c.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+dir, childArg+"="+arg)
	c.Stderr = c.stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.stdin, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(out)
	return c
}

// read returns up to n lines, all remaining ones if n < 0.
func (c *child) read(n int) []string {
	var lines []string
	for n != len(lines) && c.lines.Scan() {
		lines = append(lines, c.lines.Text())
	}
	return lines
}

// noise returns n bytes that do not compress, the same ones for the same seed.
func noise(n int, seed byte) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(b)
	return b
}

// sample returns the key and value with a number. Values differ in size and half of
// them compress.
func sample(n int) (Key, []byte) {
	random := rand.New(rand.NewPCG(uint64(n), 1))
	size := random.IntN(1 << random.IntN(16))
	value := fmt.Appendf(nil, "value %d\n", n)
	if n%2 == 0 {
		value = append(value, strings.Repeat(fmt.Sprintf("line %d\n", n), size/8)...)
	} else {
		value = append(value, noise(size, byte(n))...)
	}
	return Key{Kind: "kind" + strconv.Itoa(n%3), Parts: []string{"n", strconv.Itoa(n)}}, value
}

// fatalWarn is for tests without expected warnings.
func fatalWarn(t testing.TB) func(string) {
	return func(text string) {
		t.Helper()
		t.Errorf("unexpected warning: %s", text)
	}
}

// warnings collects them.
type warnings struct {
	mu   sync.Mutex
	said []string
}

func (w *warnings) warn(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, text)
}

// fill makes a closed cache with n samples and returns its file.
func fill(t testing.TB, dir string, n int) string {
	t.Helper()
	c := Open(t.Context(), dir, Options{Warn: fatalWarn(t)})
	for i := range n {
		key, value := sample(i)
		c.Put(t.Context(), key, value)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, cacheFormat.name)
}

// execSQL runs a statement on a file without going through the package.
func execSQL(t testing.TB, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// amount reads a number from the environment, for longer runs.
func amount(name string, normal int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return normal
}

func mustNot(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
