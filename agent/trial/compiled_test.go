package trial

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"
)

// cacheVariables are the directories of commands for their caches.
const cacheVariables = `for d in "$XDG_CACHE_HOME" "$GOCACHE" "$CCACHE_DIR" "$HOME" "$TMPDIR"; do test -z "$d" || `

// levels are the sandboxes that work on this machine.
func levels(t *testing.T) (list []sandbox.Level) {
	t.Helper()
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock} {
		if _, err := sandbox.Probe(t.Context(), level); err == nil {
			list = append(list, level)
		}
	}
	if len(list) == 0 {
		t.Skip("no sandbox works here")
	}
	return list
}

// What a command leaves in a cache is read by no command of another workspace, and by none
// of the same one after Fresh.
func TestCachesArePrivate(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "\n"})
	for _, level := range levels(t) {
		opt := Options{Sandbox: level, Compiled: filepath.Join(t.TempDir(), "compiled")}
		leave := cacheVariables + `{ mkdir -p "$d/left" && echo forged >"$d/left/it"; }; done`
		find := cacheVariables + `cat "$d/left/it" 2>/dev/null; done; exit 0`
		first, second := open(t, h, opt), open(t, h, opt)
		for _, w := range []*Workspace{first, second} {
			if err := w.Prepare(t.Context(), commit, nil); err != nil {
				t.Fatal(err)
			}
		}
		run := func(w *Workspace, command string) string {
			res, err := w.Exec(t.Context(), command, ExecOptions{})
			if err != nil || res.Outcome != Passes {
				t.Fatalf("%s: %s %v\n%s", level, res.How, err, res.Output)
			}
			return string(res.Output)
		}
		run(first, leave)
		if got := run(first, find); !strings.Contains(got, "forged") {
			t.Errorf("%s: a workspace has no cache at all", level)
		}
		if got := run(second, find); got != "" {
			t.Errorf("%s: another workspace reads %q", level, got)
		}
		if err := first.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := run(first, find); got != "" {
			t.Errorf("%s: after Fresh the workspace reads %q", level, got)
		}
	}
}

// Only Compile writes the compilers' cache. Other commands can read it, and their changes of
// their own view have no effect on other commands.
func TestCompiledIsReadOnly(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "\n"})
	for _, level := range levels(t) {
		for _, size := range []int{0, 1 << 20} { // small files are copied, others are linked
			w, dir := openCompiling(t, h, level)
			if err := w.Prepare(t.Context(), commit, nil); err != nil {
				t.Fatal(err)
			}
			made := fmt.Sprintf(`mkdir -p "$GOCACHE/ab" && { echo made; yes | head -c %d; } >"$GOCACHE/ab/x-d"`, size)
			if err := w.Compile(t.Context(), made); err != nil {
				t.Fatal(err)
			}
			attackCompiled(t, w, fmt.Sprint(level, ", ", size), dir)
		}
	}
}

func openCompiling(t *testing.T, h *gittest.History, level sandbox.Level) (w *Workspace, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "compiled")
	return open(t, h, Options{Sandbox: level, Compiled: dir}), dir
}

// attackCompiled makes a command forge the compilers' cache in dir.
func attackCompiled(t *testing.T, w *Workspace, what, dir string) {
	t.Helper()
	attack := `head -n 1 "$GOCACHE/ab/x-d"; real=$(readlink "$GOCACHE/ab/x-d" || echo ` + dir + `/content/ab/x-d); chmod u+w "$real" 2>/dev/null; (echo forged >"$real"; mv "$real" "$real.old"; rm -rf "$(dirname "$real")"; ln -s /etc/passwd "$(dirname "$real")/y-d") 2>/dev/null
		rm -f "$GOCACHE/ab/x-d"; echo own >"$GOCACHE/ab/x-d"; cat "$GOCACHE/ab/x-d"`
	res, err := w.Exec(t.Context(), attack, ExecOptions{})
	if err != nil || string(res.Output) != "made\nown\n" {
		t.Errorf("%s: %v %q", what, err, res.Output)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "content", "ab", "x-d")); err != nil || !strings.HasPrefix(string(text), "made\n") {
		t.Errorf("%s: the compilers' cache holds %.20q (%v)", what, text, err)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, "content", "ab")); len(entries) != 1 {
		t.Errorf("%s: the compilers' cache has %d entries", what, len(entries))
	}
	if err := w.Fresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res, err := w.Exec(t.Context(), `head -n 1 "$GOCACHE/ab/x-d"`, ExecOptions{}); err != nil || string(res.Output) != "made\n" {
		t.Errorf("%s: after Fresh %q, %v", what, res.Output, err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "content")); err != nil { // as a user may
		t.Fatal(err)
	}
	if res, err := w.Exec(t.Context(), `ls -A "$GOCACHE"`, ExecOptions{}); err != nil || len(res.Output) > 0 {
		t.Errorf("%s: after the cache was removed: %q, %v", what, res.Output, err)
	}
}

// The result has the files that commands open, without files that they only list.
func TestWatchOpened(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells which files are opened")
	}
	h := gittest.New(t)
	files := gittest.Files{"Makefile": "all:\n", "d/e/read": "x\n", "d/listed": "x\n", "run.sh": "cat d/e/read\n"}
	commit := h.Commit("c", files)
	for _, level := range append(levels(t), sandbox.None) {
		w := open(t, h, Options{Sandbox: level})
		if err := w.Prepare(t.Context(), commit, nil); err != nil {
			t.Fatal(err)
		}
		stop := w.WatchOpened([]string{"Makefile", "d/e/read", "d/listed", "run.sh"})
		if _, err := w.Exec(t.Context(), "sh run.sh; ls -lR; test -f d/listed; echo >new", ExecOptions{}); err != nil {
			t.Fatal(err)
		}
		opened, complete := stop()
		var names []string
		for name := range opened {
			names = append(names, name)
		}
		slices.Sort(names)
		if want := []string{"d/e/read", "new", "run.sh"}; !complete || !slices.Equal(names, want) {
			t.Errorf("%s: opened %q, complete %v; want %q", level, names, complete, want)
		}
	}
}

// After any change of a command's view of the compilers' cache, the next command sees the
// original.
func TestFreshRestoresTheView(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "\n"})
	for _, level := range levels(t) {
		w, _ := openCompiling(t, h, level)
		if err := w.Prepare(t.Context(), commit, nil); err != nil {
			t.Fatal(err)
		}
		if err := w.Compile(t.Context(), `mkdir -p "$GOCACHE/ab" "$GOCACHE/cd"; for d in ab cd; do echo small >"$GOCACHE/$d/s"; yes | head -c 100000 >"$GOCACHE/$d/l"; done`); err != nil {
			t.Fatal(err)
		}
		const look = `cd "$GOCACHE" && find . -print | sort && cat ab/s cd/s && cksum <ab/l && cksum <cd/l && find . -links +1 -type f && ls -A "$XDG_CACHE_HOME"`
		see := func() string {
			res, err := w.Exec(t.Context(), look, ExecOptions{})
			if err != nil || res.Outcome != Passes {
				return fmt.Sprintf("%s %v\n%s", res.How, err, res.Output)
			}
			return string(res.Output)
		}
		before := see()
		for _, deed := range []string{
			`cd "$GOCACHE" && echo large >ab/s`, `cd "$GOCACHE" && printf 'sMall\n' >ab/s`, `cd "$GOCACHE" && rm ab/l && yes no | head -c 100000 >ab/l`, `cd "$GOCACHE" && ln -sf /etc/passwd ab/l`,
			`cd "$GOCACHE" && ln -sf ../cd/s ab/s`, `cd "$GOCACHE" && ln ab/s ab/t; ln ab/s "$XDG_CACHE_HOME/t"`, `cd "$GOCACHE" && rm -r ab && ln -s cd ab`, `cd "$GOCACHE" && rm -r ab && echo x >ab`,
			`cd "$GOCACHE" && mkdir -p ef/gh && echo x >ef/gh/i`, `cd "$GOCACHE" && chmod 000 ab`, `rm -rf "$GOCACHE" && ln -s /etc "$GOCACHE"`, `rm -rf "$GOCACHE" && echo x >"$GOCACHE"`, `chmod 000 "$GOCACHE"`,
			`cd "$GOCACHE" && rm ab/s && mkfifo ab/s`, `cd "$GOCACHE" && rm ab/s && mkdir ab/s`, `echo x >"$XDG_CACHE_HOME/more"`,
		} {
			if _, err := w.Exec(t.Context(), deed, ExecOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := w.Fresh(t.Context()); err != nil {
				t.Errorf("%s: after %s: %v", level, deed, err)
			}
			if after := see(); after != before {
				t.Errorf("%s: after %s\n%s\nwant\n%s", level, deed, after, before)
			}
		}
	}
}
