//go:build linux

package scorecard

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An mcpSession is an MCP server whose client is a test.
type mcpSession struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	read *bufio.Reader
	errs bytes.Buffer
	busy string // a named pipe on which a call that does not end reports that it began
}

// sessionLimit is the time that a session may take to end. The program promises two
// seconds. The limit is longer for busy machines, and a session that hangs reaches it
// anyway.
const sessionLimit = 20 * time.Second

// newSession starts a server with a git whose git grep never ends.
func newSession(t *testing.T, h home, repo string) *mcpSession {
	t.Helper()
	dir := t.TempDir()
	s := &mcpSession{busy: filepath.Join(dir, "busy")}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ncase \" $* \" in *' grep '*) echo $$ >'" + s.busy + "'; exec sleep 100000;; esac\nexec '" + git + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(s.busy, 0o600); err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(program, "mcp")
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = repo, h.environ("PATH="+dir+":"+os.Getenv("PATH")), &s.errs
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if s.out, err = s.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	s.read = bufio.NewReader(s.out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// say writes to the server. It may block for ever.
func (s *mcpSession) say(text string) { go io.WriteString(s.in, text) }

// begin sends the greeting and starts a call that does not end. It returns the pid of
// the git process of the call.
func (s *mcpSession) begin(t *testing.T) (pid int) {
	t.Helper()
	io.WriteString(s.in, greet(usual)+toolCall("1", "git_grep", `{"pattern":"a"}`))
	text, err := os.ReadFile(s.busy) // blocks until the writer has opened and closed it
	if err == nil {
		pid, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// end waits for the server to end and returns what is wrong with its end, or "".
func (s *mcpSession) end(code int, child int) string {
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(sessionLimit):
		leaveNothing(child)
		return "the session does not end"
	}
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		return fmt.Sprintf("exits with %d, not %d: %s", got, code, &s.errs)
	}
	for begun := time.Now(); child > 0 && syscall.Kill(child, 0) == nil && !zombie(child); {
		if time.Since(begun) > sessionLimit {
			leaveNothing(child)
			return "its git runs on"
		}
	}
	return ""
}

// leaveNothing kills a git process that the program should have ended.
func leaveNothing(child int) {
	if child > 0 {
		syscall.Kill(child, syscall.SIGKILL)
	}
}

// zombie reports whether a process has ended but has not been reaped by init.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// resident returns the resident memory of a process, in bytes.
func resident(pid int) int64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := strings.Fields(string(stat))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// worktime returns the CPU time of a process, in the kernel's clock ticks.
func worktime(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // empty for a process that has ended
	_, rest, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(rest); len(fields) > 12 {
		return fields[11] + " " + fields[12]
	}
	return ""
}

// sessionVectors are clients that misbehave in other ways than by messages.
var sessionVectors = []struct {
	name string
	try  func(t *testing.T, s *mcpSession) string
}{
	{"never reads", func(t *testing.T, s *mcpSession) string {
		return s.flood(t, func(i int) string { return request(fmt.Sprint(i), "tools/list", "{}") })
	}},
	{"never reads, bad lines", func(t *testing.T, s *mcpSession) string {
		return s.flood(t, func(int) string { return "x\n" })
	}},
	{"never reads, cancels", func(t *testing.T, s *mcpSession) string {
		return s.flood(t, func(i int) string {
			return request(fmt.Sprint(i), "tools/list", "{}") + notify("notifications/cancelled", fmt.Sprintf(`{"requestId":%d}`, i))
		})
	}},
	{"never reads, big requests", func(t *testing.T, s *mcpSession) string {
		return s.flood(t, func(i int) string { return request(fmt.Sprint(i), strings.Repeat("m", 900_000), "{}") })
	}},
	{"sends no line break", func(t *testing.T, s *mcpSession) string {
		block := strings.Repeat("x", 1<<20)
		for range 200 {
			if _, err := io.WriteString(s.in, block); err != nil {
				return err.Error()
			}
		}
		if got := resident(s.cmd.Process.Pid); got > frameMemory {
			return fmt.Sprintf("it takes %d MiB", got>>20)
		}
		s.in.Close()
		go io.Copy(io.Discard, s.out)
		return s.end(0, 0)
	}},
	{"closes its end at once", func(t *testing.T, s *mcpSession) string {
		s.in.Close()
		return s.end(0, 0)
	}},
	{"closes both ends at once", func(t *testing.T, s *mcpSession) string {
		s.in.Close()
		s.out.Close()
		return s.end(0, 0)
	}},
	{"ends within a message", func(t *testing.T, s *mcpSession) string {
		io.WriteString(s.in, greet(usual)+`{"jsonrpc":"2.0","id":1,"meth`)
		s.in.Close()
		go io.Copy(io.Discard, s.out)
		return s.end(0, 0)
	}},
	{"is gone while git works", func(t *testing.T, s *mcpSession) string {
		child := s.begin(t)
		s.in.Close()
		s.out.Close()
		return s.end(0, child)
	}},
	{"reads no more while git works", func(t *testing.T, s *mcpSession) string {
		child := s.begin(t)
		s.out.Close()
		s.say(ping)
		return s.end(0, child)
	}},
	{"a signal", func(t *testing.T, s *mcpSession) string {
		io.WriteString(s.in, greet(usual))
		if _, err := s.read.ReadString('\n'); err != nil {
			return err.Error()
		}
		s.cmd.Process.Signal(syscall.SIGTERM)
		return s.end(130, 0)
	}},
	{"a signal while git works", func(t *testing.T, s *mcpSession) string {
		child := s.begin(t)
		s.cmd.Process.Signal(syscall.SIGTERM)
		return s.end(130, child)
	}},
	{"a signal after the input", func(t *testing.T, s *mcpSession) string {
		child := s.begin(t)
		s.in.Close()
		s.cmd.Process.Signal(os.Interrupt)
		return s.end(130, child)
	}},
	{"a signal while nobody reads", func(t *testing.T, s *mcpSession) string {
		if err := s.fill(); err != nil {
			return err.Error()
		}
		s.cmd.Process.Signal(syscall.SIGTERM)
		return s.end(130, 0)
	}},
	{"cancels what git works on", func(t *testing.T, s *mcpSession) string {
		child := s.begin(t)
		io.WriteString(s.in, notify("notifications/cancelled", `{"requestId":1}`)+ping)
		s.in.Close()
		text, _ := io.ReadAll(s.read)
		if strings.Contains(string(text), `"id":1`) || !strings.Contains(string(text), `"id":"last"`) {
			return fmt.Sprintf("answers %s", text)
		}
		return s.end(0, child)
	}},
	{"takes its time to read", func(t *testing.T, s *mcpSession) string {
		const n = 2000
		go func() {
			io.WriteString(s.in, greet(usual)+repeated(n, func(i int) string { return request(fmt.Sprint(i), "tools/list", "{}") })+ping)
			s.in.Close()
		}()
		lines := 0
		for {
			line, err := s.read.ReadSlice('\n')
			if err == nil {
				lines++
			} else if err != bufio.ErrBufferFull {
				break
			}
			_ = line
		}
		if lines != n+2 {
			return fmt.Sprintf("%d answers of %d", lines, n+2)
		}
		return s.end(0, 0)
	}},
}

// flood sends messages until the server reads no more, and checks its memory.
func (s *mcpSession) flood(t *testing.T, one func(i int) string) string {
	t.Helper()
	sent, stop := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(sent)
		if _, err := io.WriteString(s.in, greet(usual)); err != nil {
			return
		}
		for i := 0; ; i++ {
			if _, err := io.WriteString(s.in, one(i)); err != nil {
				return
			}
			select {
			case sent <- i:
			case <-stop:
				return
			}
		}
	}()
	defer close(stop)
	count, most, worked := 0, int64(0), ""
	for quiet := time.NewTimer(time.Second); ; quiet.Reset(time.Second) {
		select {
		case <-sent:
			count++
			most = max(most, resident(s.cmd.Process.Pid))
		case <-quiet.C:
			if now := worktime(s.cmd.Process.Pid); now != worked {
				worked = now // the server is working and will read more later
				continue
			}
			note(frames, "a client that never reads: %d messages taken, %d MiB", count, most>>20)
			s.in.Close()
			s.out.Close()
			return s.end(0, 0)
		}
		if count > 200_000 || most > frameMemory {
			return fmt.Sprintf("it takes %d messages and %d MiB", count, most>>20)
		}
	}
}

// fill sends requests whose answers do not fit into the pipe, and reads one answer.
func (s *mcpSession) fill() error {
	if _, err := io.WriteString(s.in, greet(usual)+repeated(100, func(i int) string { return request(fmt.Sprint(i), "tools/list", "{}") })); err != nil {
		return err
	}
	_, err := s.read.ReadString('\n')
	return err
}

// A session stays small and ends, and no git process outlives it, whatever its client
// does with pipes and signals.
func TestSessions(t *testing.T) {
	h := newHome(t)
	repo := frameRepo(t, h)
	for _, v := range sessionVectors {
		s := newSession(t, h, repo)
		if problem := v.try(t, s); problem != "" {
			broke(t, frames, v.name, "%s", problem)
			s.cmd.Process.Kill()
		} else {
			held(frames)
		}
	}
}
