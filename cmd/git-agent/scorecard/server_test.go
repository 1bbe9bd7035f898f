//go:build linux

package scorecard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A hostileServer answers the program's requests on a loopback port like an attacker
// who controls the model's server.
type hostileServer struct {
	name string
	// reply answers a request. If raw is set, it takes over the connection after
	// the first request instead.
	reply func(w http.ResponseWriter, q ask)
	raw   func(c net.Conn)
	wire  string // "" means all wire formats
	scale int    // factor by which the limits may be exceeded because the server lies; 0 for none
	url   func(addr string) string
	judge func(t *testing.T, got *hearing) string // checks a promise besides those of all servers; may be nil
}

// An ask is one request from the program.
type ask struct {
	wire   string
	n      int // from 1
	body   []byte
	header http.Header
}

// A hearing is the result of a run against a hostile server.
type hearing struct {
	outcome
	sent   int64 // total size of request bodies, in bytes
	asked  int
	header []http.Header
}

// A run may cost a dime, and a dollar buys a million tokens.
const (
	serverCost   = 0.10
	serverTokens = serverCost * 1e6
	serverMemory = 1 << 30
)

// attackKey is the API key that the server gets. It must not appear anywhere else. It is
// concatenated, so that no secret scanner reports it.
var attackKey = "sk-" + "hostile-Zq7RmT2vXw9LbN4cKd8HfJ3sPg6Y"

// exitCodes are the exit codes in the manual.
var exitCodes = []int{0, 1, 2, 3, 128, 129, 130}

// TestHostileServer runs the built program against each server.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	master := newHome(t)
	bugRepository(t, master)
	var vectors []hostileServer
	for _, v := range slices.Concat(statusServers(), bodyServers(), replyServers(), echoServers(), wireServers()) {
		wires := []string{"chat", "responses", "messages"}
		if v.wire != "" {
			wires = []string{v.wire}
		}
		for _, wire := range wires {
			one := v
			one.wire, one.name = wire, wire+": "+v.name
			vectors = append(vectors, one)
		}
	}
	var mu sync.Mutex
	var peak int64
	var worst string
	slots := make(chan struct{}, 3)
	t.Run("group", func(t *testing.T) {
		for _, v := range sample(vectors, 5) {
			t.Run(v.name, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				got := v.try(t, master)
				mu.Lock()
				defer mu.Unlock()
				if got.peak > peak {
					peak, worst = got.peak, v.name
				}
			})
		}
	})
	note(server, "peak memory %d MiB (%s)", peak>>20, worst)
}

// bugRepository creates a repository whose last commit fixes a bug of the first.
func bugRepository(t *testing.T, h home) {
	t.Helper()
	dir := filepath.Join(string(h), "r")
	h.git(t, string(h), "init", "-q", dir)
	for i, text := range []string{"int a = 1;\nint b = 1;\n", "int a = 2;\nint b = 1;\n", "int a = 2;\nint b = 2;\n", "int a = 1;\nint b = 2;\n"} {
		if err := os.WriteFile(filepath.Join(dir, "a.c"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		h.git(t, dir, "add", "-A")
		h.git(t, dir, "commit", "-q", "--no-verify", "--no-gpg-sign", "-m", fmt.Sprintf("change %d", i))
	}
}

// try runs the program against the server and records whether it kept all promises.
func (v hostileServer) try(t *testing.T, master home) *hearing {
	t.Helper()
	h := newHome(t)
	if err := os.CopyFS(filepath.Join(string(h), "r"), os.DirFS(filepath.Join(string(master), "r"))); err != nil {
		t.Fatal(err)
	}
	before := filesBelow(t, string(h))
	got := &hearing{}
	addr := v.listen(t, got)
	base := "http://" + addr + "/v1"
	if v.url != nil {
		base = v.url(addr)
	}
	events := filepath.Join(string(h), "events.jsonl")
	c := command{dir: filepath.Join(string(h), "r"), limit: 3 * time.Minute, env: []string{
		"GIT_AGENT_BASE_URL=" + base, "GIT_AGENT_MODEL=m1", "GIT_AGENT_API_KEY=" + attackKey,
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=agent.price", "GIT_CONFIG_VALUE_0=1/1", "GIT_CONFIG_KEY_1=agent.wire", "GIT_CONFIG_VALUE_1=" + v.wire,
	}}
	got.outcome = h.run(t, c, "szz", "--engine=agent", "--no-annotations", "--json", "--wall-time=4s", fmt.Sprintf("--max-cost=%g", serverCost), "--events="+events, "HEAD")
	if problem := v.broken(t, h, c, got, before); problem != "" {
		broke(t, server, v.name, "%s\nexit code %d after %s\n%.2000s\n%.2000s", problem, got.code, got.took, got.stdout, got.stderr)
	} else {
		held(server)
	}
	return got
}

// broken returns the promise that was broken, or "".
func (v hostileServer) broken(t *testing.T, h home, c command, got *hearing, before map[string]int64) string {
	t.Helper()
	most := int64(serverTokens * 1.15) // leaves room for the escapes of JSON
	if v.scale > 0 {
		most *= int64(v.scale)
	}
	switch {
	case got.late:
		return "it does not end"
	case got.took > 4*time.Second+2*time.Minute:
		return "it takes longer than its wall time and a last word"
	case !slices.Contains(exitCodes, got.code):
		return "the exit code is in no manual"
	case got.peak > serverMemory:
		return fmt.Sprintf("it took %d MiB", got.peak>>20)
	case got.sent*10/36 > most:
		return fmt.Sprintf("it sent %d bytes, about %d tokens of %d", got.sent, got.sent*10/36, int64(serverTokens))
	case strings.Contains(got.stderr, "panic:") || strings.Contains(got.stderr, "goroutine "):
		return "it panics"
	}
	texts := map[string]string{"stdout": got.stdout, "stderr": got.stderr}
	for path := range filesBelow(t, string(h)) {
		if _, was := before[path]; was || path == "events.jsonl" || ours(path) {
			data, err := os.ReadFile(filepath.Join(string(h), path))
			if err == nil {
				texts[path] = string(data)
			}
			continue
		}
		return "it wrote " + path
	}
	for _, format := range []string{"atif", "otel", "steps", "html"} {
		out := h.run(t, c, "trace", "export", "--format="+format)
		texts["export of "+format] = out.stdout + out.stderr
		if !slices.Contains(exitCodes, out.code) || out.code == 0 && format != "html" && format != "steps" && !json.Valid([]byte(out.stdout)) {
			return fmt.Sprintf("the export as %s exits with %d, or is no JSON: %.300s", format, out.code, out.stderr)
		}
	}
	show := h.run(t, c, "trace", "show")
	texts["trace show"] = show.stdout + show.stderr
	for where, text := range texts {
		if form := leaked(text); form != "" {
			return fmt.Sprintf("the key is in %s, %s", where, form)
		}
		printed := where == "stdout" || where == "stderr" || strings.HasPrefix(where, "export") || where == "trace show"
		if i := strings.IndexFunc(text, isControl); printed && i >= 0 {
			return fmt.Sprintf("%s holds control characters: %.60q", where, text[max(0, i-20):])
		}
	}
	if v.judge != nil {
		return v.judge(t, got)
	}
	return ""
}

// isControl reports whether a terminal acts on r.
func isControl(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// ours reports whether a path is in a place where the program stores data.
func ours(path string) bool {
	for _, place := range []string{"r/.git/agent/", ".cache/", ".local/", ".config/"} {
		if strings.HasPrefix(path, place) {
			return true
		}
	}
	return false
}

// filesBelow lists the files below a directory with their sizes.
func filesBelow(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	files := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // the file has been removed meanwhile
		}
		rel, err := filepath.Rel(dir, path)
		if info, infoErr := d.Info(); err == nil && infoErr == nil {
			files[rel] = info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// listen serves the vector until the test ends and returns the address.
func (v hostileServer) listen(t *testing.T, got *hearing) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if v.raw != nil {
		var work sync.WaitGroup
		work.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				work.Go(func() {
					defer c.Close()
					c.SetDeadline(time.Now().Add(time.Minute))
					if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
						v.raw(c)
					}
				})
			}
		})
		t.Cleanup(func() { l.Close(); work.Wait() })
		return l.Addr().String()
	}
	var mu sync.Mutex
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		if _, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, 64<<20)); err != nil {
			return
		}
		mu.Lock()
		got.sent += int64(body.Len())
		got.asked++
		got.header = append(got.header, r.Header.Clone())
		n := got.asked
		mu.Unlock()
		wire := "chat"
		for _, other := range []string{"responses", "messages"} {
			if strings.HasSuffix(r.URL.Path, "/"+other) {
				wire = other
			}
		}
		v.reply(w, ask{wire, n, body.Bytes(), r.Header})
	})}
	served := make(chan struct{})
	go func() { defer close(served); _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close(); <-served })
	return l.Addr().String()
}
