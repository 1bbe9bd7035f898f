//go:build linux

package scorecard

import (
	"bufio"
	"bytes"
	"fmt"
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

// The remote of a partial clone is asked only with --fetch. The remote gets no key of the model's
// server, and can neither block the program nor exhaust the machine.

// A hostileRemote is a web server instead of a git remote. answer writes to a connection after
// its request was read.
type hostileRemote struct {
	name   string
	answer func(c net.Conn)
	slow   bool // it takes up to a minute to give up
}

// gitHead begins an answer of git's protocol.
const gitHead = "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nConnection: close\r\n\r\n"

// packet frames a line of git's protocol.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// writes answers with a text.
func writes(text string) func(net.Conn) {
	return func(c net.Conn) { c.Write([]byte(text)) }
}

func hostileRemotes() []hostileRemote {
	advert := gitHead + packet("# service=git-upload-pack\n") + "0000"
	tip := strings.Repeat("a", 40) + " HEAD\x00side-band-64k ofs-delta filter allow-tip-sha1-in-want allow-reachable-sha1-in-want object-format=sha1\n"
	return []hostileRemote{
		{name: "asks for a password", answer: writes("HTTP/1.1 401 no\r\nWWW-Authenticate: Basic realm=\"x\x1b[31m\"\r\nContent-Length: 0\r\n\r\n")},
		{name: "leads in a circle", answer: writes("HTTP/1.1 302 x\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")},
		{name: "leads to a file", answer: writes("HTTP/1.1 302 x\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")},
		{name: "fails", answer: writes("HTTP/1.1 500 \x1b]0;evil\x07\r\nContent-Length: 0\r\n\r\n")},
		{name: "closes the connection", answer: func(net.Conn) {}},
		{name: "speaks another protocol", answer: writes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>\x1b[2J")},
		{name: "reports an error with controls", answer: writes(advert + packet("ERR \x1b]0;evil\x07\x1b[2J gone\n"))},
		{name: "breaks off", answer: writes(gitHead + "00")},
		{name: "has an impossible length", answer: writes(gitHead + "fffe" + strings.Repeat("x", 100))},
		{name: "promises objects and sends others", answer: writes(advert + packet(tip) + "0000")},
		{name: "lists branches without end", slow: true, answer: func(c net.Conn) {
			c.Write([]byte(advert + packet(tip)))
			for i := 0; ; i += 1000 {
				var b strings.Builder
				for j := range 1000 {
					b.WriteString(packet(fmt.Sprintf("%040x refs/heads/%08x%s\n", i+j+1, i+j, strings.Repeat("x", 200))))
				}
				if _, err := c.Write([]byte(b.String())); err != nil {
					return
				}
			}
		}},
		{name: "sends a head without end", answer: func(c net.Conn) {
			for {
				if _, err := c.Write(bytes.Repeat([]byte("X-Evil: "+strings.Repeat("x", 4000)+"\r\n"), 100)); err != nil {
					return
				}
			}
		}},
		{name: "never answers", slow: true, answer: func(c net.Conn) { c.Read(make([]byte, 1)) }},
	}
}

// TestHostileRemote asks each remote for a clone's missing objects.
func TestHostileRemote(t *testing.T) {
	t.Parallel()
	master := newHome(t)
	bugRepository(t, master)
	h := string(master)
	master.git(t, filepath.Join(h, "r"), "config", "uploadpack.allowFilter", "true")
	master.git(t, h, "clone", "-q", "--no-local", "--filter=blob:none", "--no-checkout", "file://"+filepath.Join(h, "r"), "partial")
	for _, v := range sample(hostileRemotes(), 6) {
		if v.slow && !*full {
			continue
		}
		t.Run(v.name, func(t *testing.T) { v.try(t, master) })
	}
}

// try runs the program against the remote and records whether it kept all promises.
func (v hostileRemote) try(t *testing.T, master home) {
	t.Helper()
	h := newHome(t)
	repo := filepath.Join(string(h), "partial")
	if err := os.CopyFS(repo, os.DirFS(filepath.Join(string(master), "partial"))); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked bytes.Buffer
	addr := listenRaw(t, func(c net.Conn, r *http.Request) {
		mu.Lock()
		r.Write(&asked)
		mu.Unlock()
		v.answer(c)
	})
	h.git(t, repo, "config", "remote.origin.url", "http://"+addr+"/r")
	got := h.run(t, command{dir: repo, limit: 3 * time.Minute, env: []string{"GIT_AGENT_API_KEY=" + attackKey, "OPENAI_API_KEY=" + attackKey}}, "szz", "--fetch", "--algorithm=b", "HEAD")
	mu.Lock()
	defer mu.Unlock()
	text := got.stdout + got.stderr
	problem := ""
	switch {
	case asked.Len() == 0:
		problem = "the remote was not asked"
	case got.late:
		problem = "it does not end"
	case !slices.Contains(append(exitCodes, 4), got.code) || got.code == 0:
		problem = "it does not say that objects are missing"
	case got.peak > 2*memoryBound+memoryBound/2: // the bound of git's own memory is 2 GiB
		problem = fmt.Sprintf("a process took %d MiB", got.peak>>20)
	case rawControl(text) >= 0:
		problem = fmt.Sprintf("a raw control: %.60q", text[rawControl(text):])
	case leaked(asked.String()) != "" || leaked(text) != "":
		problem = "the key is sent or shown"
	case strings.Contains(text, "panic:"):
		problem = "it panics"
	case !strings.Contains(got.stderr, "error: git fetch: "):
		problem = "it does not say why the fetch failed"
	}
	if problem != "" {
		broke(t, server, "remote that "+v.name, "%s\nexit code %d after %s\n%.2000s\n%.2000s", problem, got.code, got.took, got.stdout, got.stderr)
		return
	}
	held(server)
}

// listenRaw calls answer with each connection, after its first request was read, until the
// test ends. It returns the address.
func listenRaw(t *testing.T, answer func(net.Conn, *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(4 * time.Minute))
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					answer(c, r)
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); work.Wait() })
	return l.Addr().String()
}
