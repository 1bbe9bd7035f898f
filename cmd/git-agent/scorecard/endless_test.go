//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A model that always calls one more tool, and a test command that exhausts all resources, are
// ended: no process is left, and the user's files are unchanged.

// endlessModels never finish a repair.
func endlessModels() []hostileServer {
	call := func(name, tool string, args func(n int) string) hostileServer {
		return says(name, func(q ask) string { return callBody(q, "", fcall{fmt.Sprint("c", q.n), tool, args(q.n)}) })
	}
	const all = "0123456789"
	return []hostileServer{
		call("reads for ever", "cat", func(n int) string { return fmt.Sprintf(`{"path":"a.c","start":%d}`, n%2+1) }),
		call("runs commands for ever", "bash", func(n int) string { return fmt.Sprintf(`{"command":"echo %d"}`, n) }),
		call("waits for ever", "bash", func(int) string { return `{"command":"trap '' TERM; sleep 100000 & wait; sleep 100000"}` }),
		call("prints for ever", "bash", func(int) string { return `{"command":"yes ` + all + `"}` }),
		call("leaves processes", "bash", func(int) string { return `{"command":"setsid sleep 100000 & setsid sleep 100000 & echo"}` }),
		call("tests for ever", "test", func(int) string { return `{}` }),
		call("edits back and forth", "edit", func(n int) string {
			return fmt.Sprintf(`{"path":"a.c","old":"int b = %d;","new":"int b = %d;"}`, 2+n%2*7, 9-n%2*7)
		}),
		call("makes files for ever", "create", func(n int) string { return fmt.Sprintf(`{"path":"new%d.c","text":"int x;\n"}`, n) }),
		call("claims success for ever", "finish", func(int) string { return `{"status":"success","explanation":"x"}` }),
		says("thinks for ever", func(q ask) string { return sayBody(q, "let me think", "") }),
	}
}

// repairs are the commands that let a model repair.
var repairs = [][]string{
	{"fix", "--engine=agent", "--no-coverage", "--test=grep -q 'int a = 2' a.c"},
	{"crash", "--fix", "--repro=grep -q 'int a = 2' a.c", "report"},
}

const repairReport = "ERROR: AddressSanitizer: SEGV\n    #0 0x1 in a a.c:1:3\n"

func TestEndlessModel(t *testing.T) {
	t.Parallel()
	master := newHome(t)
	bugRepository(t, master)
	type vector struct {
		hostileServer
		repair []string
	}
	var vectors []vector
	for _, v := range endlessModels() {
		for _, r := range repairs {
			vectors = append(vectors, vector{v, r})
		}
	}
	for _, v := range sample(vectors, 3) {
		name := v.repair[0] + " with a model that " + v.name
		t.Run(name, func(t *testing.T) {
			got := &hearing{}
			addr := v.listen(t, got)
			env := []string{"GIT_AGENT_BASE_URL=http://" + addr + "/v1", "GIT_AGENT_MODEL=m1", "GIT_AGENT_API_KEY=" + attackKey,
				"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=agent.price", "GIT_CONFIG_VALUE_0=1/1", "GIT_CONFIG_KEY_1=agent.wire", "GIT_CONFIG_VALUE_1=chat"}
			limits := []string{"--wall-time=8s", fmt.Sprintf("--max-cost=%g", serverCost)}
			if v.repair[0] == "fix" {
				limits = append(limits, "--test-timeout=5s", "--time=1s")
			}
			why := repairIn(t, master, got, env, slices.Insert(slices.Clone(v.repair), 1, limits...))
			switch {
			case why != "":
			case got.asked == 0:
				why = "the model was not asked"
			case float64(got.sent)*10/36 > serverTokens*1.15:
				why = fmt.Sprintf("it sent %d bytes", got.sent)
			case leaked(got.stdout+got.stderr) != "":
				why = "the key is shown"
			}
			if why != "" {
				broke(t, server, name, "%s\nexit code %d after %s\n%.1500s\n%.1500s", why, got.code, got.took, got.stdout, got.stderr)
				return
			}
			held(server)
		})
	}
}

// repairIn runs a repair in a copy of the repository and returns its leftovers or the broken
// promise.
func repairIn(t *testing.T, master home, got *hearing, env, args []string) string {
	t.Helper()
	h := newHome(t)
	repo, tmp := filepath.Join(string(h), "r"), filepath.Join(string(h), "tmp")
	if err := os.CopyFS(repo, os.DirFS(filepath.Join(string(master), "r"))); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(repo, "report"), []byte(repairReport), 0o600); err != nil {
		t.Fatal(err)
	}
	h.git(t, repo, "update-index", "-q", "--refresh")
	before := h.git(t, repo, "status", "--porcelain", "--ignored") + h.git(t, repo, "for-each-ref")
	got.outcome = h.run(t, command{dir: repo, limit: 4 * time.Minute, env: append(env, "TMPDIR="+tmp)}, args...)
	left, _ := filepath.Glob(filepath.Join(tmp, "*", "*"))
	left = slices.DeleteFunc(left, func(path string) bool { return filepath.Base(path) == "lock" })
	s := &stage{home: h}
	switch {
	case got.late:
		return "it does not end"
	case !slices.Contains(append(exitCodes, 4), got.code):
		return "the exit code is in no manual"
	case strings.Contains(got.stderr, "panic:") || strings.Contains(got.stderr, "goroutine "):
		return "it panics"
	case got.peak > 2*memoryBound:
		return fmt.Sprintf("a process took %d MiB", got.peak>>20)
	case h.git(t, repo, "status", "--porcelain", "--ignored")+h.git(t, repo, "for-each-ref") != before:
		return "the repository has changed"
	case len(left) > 0:
		return fmt.Sprintf("it left %q", left)
	case len(s.processes()) > 0:
		return fmt.Sprint("it left the processes ", s.processes())
	}
	return ""
}

// commandBombs are test commands that exhaust all resources.
var commandBombs = map[string]string{
	"processes":                   `i=0; while [ $i -lt 200 ]; do i=$((i+1)); (trap "" TERM; sleep 100000) & done; wait`,
	"processes that leave":        `i=0; while [ $i -lt 100 ]; do i=$((i+1)); setsid sleep 100000 & done; false`,
	"disk":                        `yes 0123456789 >big`,
	"disk by many":                `for i in 1 2 3 4; do yes 0123456789 >big$i & done; wait`,
	"disk of a hidden file":       `exec 9>big; rm big; yes 0123456789 >&9`,
	"files":                       `i=0; while :; do i=$((i+1)); : >f$i; done`,
	"directories in each other":   `i=0; while mkdir d && cd d; do i=$((i+1)); [ $i -lt 20000 ] || exit 1; done; exit 1`,
	"closed directories":          `mkdir -p a/b/c; : >a/b/c/f; chmod 0 a/b/c a/b a; false`,
	"output":                      `yes 0123456789`,
	"output without a line break": `tr '\0' x </dev/zero`,
	"descriptors":                 `i=10; while eval "exec $i</dev/null"; do i=$((i+1)); done; false`,
	"links in a circle":           `ln -s . a; ln -s a b; mkfifo p; ln -s /dev/zero z; false`,
	"time":                        `while :; do :; done`,
	"memory":                      `head -c 3000000000 /dev/zero | tail -c 2900000000 | wc -c; false`,
	"the scratch itself":          `rm -rf "$PWD"/* "$PWD"/.git "$HOME"/*; mv "$PWD" "$PWD.moved"; false`,
	"a stop of all":               `kill -STOP -1; kill -STOP 0; false`,
}

func TestCommandBombs(t *testing.T) {
	master := newHome(t)
	bugRepository(t, master)
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range commandBombs {
			if !yield(name) {
				return
			}
		}
	})
	for _, level := range []string{"bwrap", "landlock"} {
		for _, name := range sample(names, 2) {
			t.Run(level+"/"+name, func(t *testing.T) {
				got := &hearing{}
				args := []string{"fix", "--engine=offline", "--sandbox=" + level, "--no-coverage", "--time=2s", "--tries=2", "--disk=64m", "--test-timeout=6s", "--test=" + commandBombs[name]}
				why := repairIn(t, master, got, nil, args)
				vector := fmt.Sprintf("bomb of %s at %s", name, level)
				switch {
				case strings.Contains(got.stderr, "does not work on this system"):
					skipped(t, sandboxes, vector, got.stderr)
				case why != "":
					broke(t, sandboxes, vector, "%s\nexit code %d after %s\n%.1500s\n%.1500s", why, got.code, got.took, got.stdout, got.stderr)
				default:
					held(sandboxes)
				}
			})
		}
	}
}
