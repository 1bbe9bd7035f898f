//go:build linux

package scorecard

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These limits hold for a repository that demands more than the machine has. The
// user's setting bounds git, so that the figures do not depend on the machine. The
// kernel enforces a hard bound on the whole tree of processes, so that a regression
// cannot take the machine down.
const (
	gitMemory  = 512 << 20
	gitMost    = gitMemory + 300<<20 // resident memory; it includes packs that git maps, which gitMemory does not
	ownMost    = 1536 << 20
	hardMemory = 3 << 30
	bombTime   = 3 * time.Minute // a minute is enough on an idle machine
)

// A blast is the result of running the program on a bomb.
type blast struct {
	outcome
	own int64 // peak memory of git-agent itself
	git int64 // peak memory of the largest of its children
}

// explode runs the program under the hard bound and measures its memory.
func (p *pit) explode(args ...string) blast {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bombTime)
	defer cancel()
	limited := append([]string{"-c", `ulimit -d ` + strconv.Itoa(hardMemory>>10) + `; exec "$@"`, "sh", program}, args...)
	cmd := exec.CommandContext(ctx, "sh", limited...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, p.home.environ("GIT_ADVICE=0"), strings.NewReader(p.stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	peaks, ended := make(chan [2]int64), make(chan struct{})
	go func() { peaks <- watchMemory(cmd.Process.Pid, ended) }()
	_ = cmd.Wait() // the outcome contains the error
	close(ended)
	peak := <-peaks
	b := blast{own: peak[0], git: peak[1]}
	b.outcome = outcome{stdout: out.String(), stderr: errs.String(), code: cmd.ProcessState.ExitCode(), late: ctx.Err() != nil, took: time.Since(began)}
	b.peak = max(b.own, b.git)
	return b
}

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s+([0-9]+) kB`)

// peakOf returns the peak memory of a process, or 0 if it has another name. The check
// is needed because a child has the name and the memory of its parent until it
// executes git.
func peakOf(pid, name string) int64 {
	status, _ := os.ReadFile("/proc/" + pid + "/status")
	if !bytes.HasPrefix(status, []byte("Name:\t"+name+"\n")) {
		return 0
	}
	if m := highWater.FindSubmatch(status); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n << 10
	}
	return 0
}

// watchMemory returns the peak memory of a process and of the largest of its
// children. It samples running processes, because the kernel's figure for a process
// that has ended includes the memory of the test, which started it.
func watchMemory(pid int, ended <-chan struct{}) [2]int64 {
	var peak [2]int64
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		peak[0] = max(peak[0], peakOf(strconv.Itoa(pid), "git-agent"))
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, thread := range threads {
			children, _ := os.ReadFile(thread) // the process may have ended
			for child := range strings.FieldsSeq(string(children)) {
				peak[1] = max(peak[1], peakOf(child, "git"))
			}
		}
		select {
		case <-ended:
			return peak
		case <-tick.C:
		}
	}
}

// broken returns the promise that a blast broke, or "". The promises are an end in
// time, bounded memory, and an answer or one clear error.
func (b blast) broken() string {
	fatals := strings.Count("\n"+b.stderr, "\nfatal: ")
	switch {
	case b.late:
		return fmt.Sprintf("no end after %v", bombTime)
	case b.code < 0:
		return fmt.Sprintf("a signal ended it: %.300s", b.stderr)
	case strings.Contains(b.stderr, "goroutine ") || strings.Contains(b.stderr, "panic:"):
		return fmt.Sprintf("it panicked: %.500s", b.stderr)
	case b.git > gitMost:
		return fmt.Sprintf("a git had %d MB", b.git>>20)
	case b.own > ownMost:
		return fmt.Sprintf("git-agent had %d MB", b.own>>20)
	case b.code == 128 && fatals != 1 && !strings.Contains(b.stderr, "error: "):
		return fmt.Sprintf("%d errors instead of one: %.500s", fatals, b.stderr)
	case b.code != 128 && b.stdout == "":
		return fmt.Sprintf("exit %d without an answer: %.300s", b.code, b.stderr)
	}
	return ""
}

// A question is one way to make the program read a repository with a bomb.
type question struct {
	name  string
	args  []string
	stdin string
}

func tool(name, args string) question {
	return question{name: name, args: []string{"tool", "--no-cache", name, args}}
}

func szzQuestion(args ...string) question {
	return question{name: strings.Join(append([]string{"szz"}, args...), " "), args: append([]string{"szz", "--no-cache"}, args...)}
}

// probes are the verbs that read a repository. Those that read most come first.
func (p *pit) questions() []question {
	list := []question{
		szzQuestion(), szzQuestion("--algorithm=ma"), tool("git_show", `{"commit":"HEAD~1","stat":true}`), szzQuestion("--algorithm=b", "--json"),
		tool("git_grep", `{"pattern":"comp[a-z]+_total","regex":true}`), tool("git_log_search", `{"pattern":"a_value / 0"}`),
		tool("git_blame", `{"path":"a.c","moves":"files"}`), p.mcp("szz", `{"algorithm":"rank"}`), p.eval(),
	}
	if *full {
		for _, algorithm := range []string{"ag", "l", "r", "ra"} {
			list = append(list, szzQuestion("--algorithm="+algorithm))
		}
		list = append(list, szzQuestion("HEAD~1..HEAD"), szzQuestion("HEAD~1"), tool("git_show", `{"commit":"HEAD"}`), tool("git_show", `{"commit":"HEAD~1","path":"a.c"}`),
			tool("git_log_search", `{"pattern":"a_val[a-z]* /","mode":"G","order":"oldest"}`), tool("git_log_function", `{"path":"a.c","function":"compute_total"}`),
			tool("git_blame", `{"path":"b.c"}`), tool("git_grep", `{"pattern":"nowhere","path":"bomb"}`), p.mcp("git_show", `{"commit":"HEAD"}`))
	}
	return list
}

// mcp runs an MCP session with one call.
func (p *pit) mcp(name, args string) question {
	return question{name: "mcp " + name, args: []string{"mcp", "--no-cache"}, stdin: strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`,
	}, "\n") + "\n"}
}

// eval evaluates one case, whose fix is HEAD. The repository is found in the folder
// above it.
func (p *pit) eval() question {
	cases := filepath.Join(filepath.Dir(p.dir), "cases.jsonl")
	line := fmt.Sprintf(`{"id":"one","repo":"bomb/repo","fix":%q,"bics":[%q]}`+"\n", p.fix, p.start)
	if err := os.WriteFile(cases, []byte(line), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return question{name: "eval", args: []string{"eval", "szz", "--repos=" + filepath.Dir(filepath.Dir(p.dir)), cases}}
}

func TestBombs(t *testing.T) {
	// Every verb ends in time and in bounded memory, with an answer or one clear
	// error, whatever the repository contains.
	for _, b := range sample(bombs, 3) {
		t.Run(strings.ReplaceAll(b.name, " ", "_"), func(t *testing.T) {
			p := newPit(t)
			b.arm(p)
			list := p.questions()
			if !*full {
				list = list[:2]
			}
			worst, own, slowest := int64(0), int64(0), time.Duration(0)
			for _, one := range list {
				p.stdin = one.stdin
				got := p.explode(one.args...)
				worst, own, slowest = max(worst, got.git), max(own, got.own), max(slowest, got.took)
				if why := got.broken(); why != "" {
					broke(t, repositories, b.name+": "+one.name, "%s", why)
				} else {
					held(repositories)
				}
				t.Logf("%-45s exit %3d, %5d MB of git, %5d MB of ours, %v", one.name, got.code, got.git>>20, got.own>>20, got.took.Round(10*time.Millisecond))
			}
			note(repositories, "%-32s %5d MB the largest git, %5d MB of ours, %6.1f s the longest", b.name, worst>>20, own>>20, slowest.Seconds())
		})
	}
}

func TestHostileExpressions(t *testing.T) {
	// An MCP client cannot make git compile a costly pattern, nor make it search
	// for a revision.
	p := newPit(t)
	p.finish("")
	calls := [][2]string{}
	for _, pattern := range []string{"a{1,32767}", "a{1,32767}{1,32767}", "(a{100}){100}", "((((a+)+)+)+)+", `(a*)*\\1`, strings.Repeat("(", 500)} {
		calls = append(calls, [2]string{"git_grep", `{"regex":true,"pattern":"` + pattern + `"}`}, [2]string{"git_log_search", `{"mode":"G","pattern":"` + pattern + `"}`})
	}
	for _, rev := range []string{":/a{1,32767}", "HEAD^{/a{1,32767}}", "HEAD^{/start}", ":/start", "HEAD@{1}", "@{-1}", "HEAD~1..HEAD", "HEAD:a.c", "--all"} {
		calls = append(calls, [2]string{"szz", `{"revision":"` + rev + `"}`}, [2]string{"git_show", `{"commit":"` + rev + `"}`})
	}
	for _, call := range sample(calls, 8) {
		one := p.mcp(call[0], call[1])
		p.stdin = one.stdin
		got := p.explode(one.args...)
		switch {
		case got.late || got.code != 0 || got.peak > 200<<20:
			broke(t, repositories, "mcp "+strings.Join(call[:], " "), "exit %d, %d MB, %v: %.300s", got.code, got.peak>>20, got.took, got.stderr)
		case !strings.Contains(got.stdout, `"isError":true`):
			broke(t, repositories, "mcp "+strings.Join(call[:], " "), "it is answered: %.300s", got.stdout)
		default:
			held(repositories)
		}
	}
}

func TestBatchGoesOn(t *testing.T) {
	// A fix that cannot be read completely affects only its own part of a batch.
	p := newPit(t)
	big := strings.Repeat("int line_of_a_large_file;\n", 9<<20/26)
	p.commit("big", "100644 blob "+p.object("blob", big)+"\tb.c\n"+p.source(0))
	first := p.commit("first fix", "100644 blob "+p.object("blob", big+"int more;\n")+"\tb.c\n"+p.source(1))
	second := p.commit("second fix", "100644 blob "+p.object("blob", big)+"\tb.c\n"+p.source(2))
	p.point(second)
	p.stdin = first + "\n" + second + "\n"
	got := p.explode("szz", "--no-cache", "--stdin", "--json")
	lines := strings.Count(got.stdout, "\n")
	if why := got.broken(); why != "" || lines < 2 || !strings.Contains(got.stdout, "are not read") || !strings.Contains(got.stdout, `"start"`) {
		broke(t, repositories, "a large file in a batch", "%s: exit %d, %d answers: %s\n%.2000s", why, got.code, lines, got.stderr, got.stdout)
		return
	}
	held(repositories)
}
