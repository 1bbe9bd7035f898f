package trial

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// open creates a workspace that is closed at the end of the test. Closing it must
// leave no files behind.
func open(t *testing.T, h *gittest.History, opt Options) *Workspace {
	t.Helper()
	opt.Scratch = filepath.Join(t.TempDir(), "scratch")
	if opt.Sandbox == "" {
		opt.Sandbox = sandbox.None
	}
	w, err := Open(t.Context(), h.Open(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Close()
		if left, _ := filepath.Glob(filepath.Join(opt.Scratch, "*-*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return w
}

func TestRunReportsTheOutcome(t *testing.T) {
	// The exit code decides between passes, fails and unknown. The command sees
	// the files of the commit and the files laid over them.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"said": "exit 3\n"})
	w := open(t, h, Options{Command: ". ./said", Timeout: 2 * time.Second})
	for said, want := range map[string]Result{
		"":                  {Outcome: Fails, How: "fails (exit 3)"},
		"exit 0":            {Outcome: Passes, How: "passes"},
		"exit 125":          {Outcome: Unknown, How: "said that it cannot tell (exit 125)"},
		"no-such-program":   {Outcome: Unknown, How: "found no program to run (exit 127)"},
		"./said":            {Outcome: Unknown, How: "found a program that it may not execute (exit 126)"},
		"kill -9 $$":        {Outcome: Unknown, How: "was killed (exit 137)"},
		"echo a; sleep 100": {Outcome: Unknown, How: "ran into its time limit of 2s", Output: []byte("a\n")},
	} {
		var over []gitext.Overlay
		if said != "" {
			over = []gitext.Overlay{{Path: "said", Mode: 0o100644, Content: []byte(said + "\n")}}
		}
		got, err := w.Run(t.Context(), commit, over)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != want.Outcome || got.How != want.How || want.Output != nil && string(got.Output) != string(want.Output) {
			t.Errorf("%q: %d, it %s, %q", said, got.Outcome, got.How, got.Output)
		}
	}
	if w.Runs() != 7 || w.Level() != sandbox.None {
		t.Errorf("%d runs at level %s", w.Runs(), w.Level())
	}
}

func TestOffline(t *testing.T) {
	// Without a network, npm and Cargo are told so. With one, they ask as they always do.
	t.Parallel()
	for _, c := range []struct {
		level   sandbox.Level
		network bool
		want    []string
	}{
		{sandbox.Bwrap, false, []string{"npm_config_fetch_retries=0", "CARGO_NET_OFFLINE=true", "PIP_RETRIES=0", "UV_OFFLINE=1"}},
		{sandbox.Bwrap, true, nil},
		{sandbox.None, false, nil},
	} {
		w := &Workspace{level: c.level, opt: Options{Network: c.network}}
		if got := w.offline(); !slices.Equal(got, c.want) {
			t.Errorf("level %s, network %t: %q, want %q", c.level, c.network, got, c.want)
		}
	}
}

func TestPnpmRunsAsItIsWithoutANetwork(t *testing.T) {
	// Without a network, pnpm cannot download the version that package.json names. npm warns of the variable
	// that says so, and does not get it.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("c", gittest.Files{"a": "a\n"})
	w := open(t, h, Options{Command: "true"})
	for _, c := range []struct {
		level   sandbox.Level
		command string
		want    bool
	}{
		{sandbox.Bwrap, "pnpm exec vitest run", true},
		{sandbox.Bwrap, "npx vitest run", false},
		{sandbox.None, "pnpm exec vitest run", false},
	} {
		w.level = c.level
		set, err := w.variables(c.command)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{"npm_config_manage_package_manager_versions=false", "COREPACK_ROOT=/"} {
			if got := slices.Contains(set, v); got != c.want {
				t.Errorf("%q at level %s: %q", c.command, c.level, set)
			}
		}
	}
}

func TestRunKeepsUntrackedFilesOnly(t *testing.T) {
	// Files that a build leaves in the work tree are kept for the next run. Files
	// that were laid over and files in TMPDIR are removed.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "a\n"})
	w := open(t, h, Options{Command: `ls >&2; test -e built && test ! -e over && test ! -e "$TMPDIR/x" && exit 0; touch built "$TMPDIR/x"; exit 1`})
	over := []gitext.Overlay{{Path: "over", Mode: 0o100644, Content: []byte("x\n")}}
	first, err := w.Run(t.Context(), commit, over)
	if err != nil || first.Outcome != Fails {
		t.Fatalf("first: it %s, %v\n%s", first.How, err, first.Output)
	}
	second, err := w.Run(t.Context(), commit, nil)
	if err != nil || second.Outcome != Passes {
		t.Errorf("second: it %s, %v\n%s", second.How, err, second.Output)
	}
}

func TestRunEndsAtMaxRuns(t *testing.T) {
	// A run beyond the limit returns ErrMaxRuns and is not counted.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "a\n"})
	var said []string
	w := open(t, h, Options{Command: "exit 0", MaxRuns: 1, OnEvent: func(e agent.Event) { said = append(said, e.(agent.Progress).Text) }})
	_, err := w.Run(t.Context(), commit, nil)
	_, again := w.Run(t.Context(), commit, nil)
	if err != nil || !errors.Is(again, ErrMaxRuns) || w.Runs() != 1 {
		t.Errorf("%v, then %v, after %d runs", err, again, w.Runs())
	}
	if want := []string{"run 1: check out " + commit.Short(), "run 1: the command at " + commit.Short()}; !slices.Equal(said, want) {
		t.Errorf("progress %q", said)
	}
}

func TestRunOfACommitThatIsNotThere(t *testing.T) {
	// A commit that cannot be checked out is an outcome, not an error.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("c", gittest.Files{"a": "a\n"})
	got, err := open(t, h, Options{Command: "exit 0"}).Run(t.Context(), gitext.OID(strings.Repeat("1", 40)), nil)
	if err != nil || got.Outcome != Unknown || !strings.HasPrefix(got.How, "was not run (") {
		t.Errorf("it %s, %v", got.How, err)
	}
}

func TestFailureRecurs(t *testing.T) {
	// A failure recurs if a third of its own lines recur. Times, addresses and
	// line numbers in them do not matter.
	failing := Result{Output: []byte("build ok\na.c:12: want 3 at 0xff12\n2 of 7 failed\n")}
	failure := FailureOf(failing, []byte("build ok\n7 of 7 passed\n"))
	for out, want := range map[string]bool{
		"build ok\na.c:14: want 5 at 0x1\n1 of 9 failed\n": true,
		"9 of 9 failed\n":          true,
		"build ok\n":               false,
		"a.c:3: syntax error\n":    false,
		"":                         false,
		"  a.c:12: want 3 at 0x\n": false,
	} {
		if got := failure.Recurs(Result{Output: []byte(out)}); got != want {
			t.Errorf("%q: %v", out, got)
		}
	}
	if !FailureOf(Result{}, nil).Recurs(Result{Output: []byte("x\n")}) {
		t.Error("a failure without lines does not recur on exit code alone")
	}
}

func TestRunReadsNoStaleBytecode(t *testing.T) {
	// Two versions of a Python module that have the same size, checked out within a second, are
	// both seen.
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3")
	}
	h := gittest.New(t)
	var commits []gitext.OID
	for _, sum := range []string{"1 + 1", "1 - 1"} {
		commits = append(commits, h.Commit(sum, gittest.Files{"calc.py": "two = " + sum + "\n"}))
	}
	w := open(t, h, Options{Command: "python3 -c 'import calc; assert calc.two == 2'"})
	for range 3 {
		for i, want := range []Outcome{Passes, Fails} {
			if got, err := w.Run(t.Context(), commits[i], nil); err != nil || got.Outcome != want {
				t.Fatalf("commit %d: %+v, %v", i, got, err)
			}
		}
	}
}

func TestMavenOptionsAreAdded(t *testing.T) {
	// Options of one command stand behind the usual ones, or behind the user's.
	for _, env := range [][]string{nil, {"MAVEN_OPTS"}} {
		t.Setenv("MAVEN_OPTS", "-Dmine")
		h := gittest.New(t)
		w := open(t, h, Options{Env: env})
		if err := w.Prepare(t.Context(), h.Commit("c", gittest.Files{"a": "a\n"}), nil); err != nil {
			t.Fatal(err)
		}
		res, err := w.Exec(t.Context(), `echo "$MAVEN_OPTS"`, ExecOptions{Maven: "-Dtell"})
		got := strings.TrimSpace(string(res.Output))
		if err != nil || !strings.HasSuffix(got, " -Dtell") || strings.Contains(got, "-Dmine") == (env == nil) || strings.Contains(got, "SerialGC") != (env == nil) {
			t.Errorf("passing on %q: %q, %v", env, got, err)
		}
	}
}
