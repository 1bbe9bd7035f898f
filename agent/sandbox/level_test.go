//go:build linux

package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAutoNeverIsNone(t *testing.T) {
	// If neither level works, a request for the best one returns an error with the reason for
	// each, and no command runs.
	t.Setenv("PATH", t.TempDir()) // no bubblewrap
	_, err := probeLevel(t.Context(), Bwrap)
	if err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("error %v", err)
	}
	st := Isolation{Level: Landlock, how: variant{}}
	if _, err := isolationOf(st, Result{Output: []byte("bwrap: No permissions to create new namespace\n")}); err == nil || !strings.Contains(err.Error(), "does not start here: No permissions") {
		t.Errorf("error %v", err)
	}
	text := (&Unavailable{Auto, []string{"bwrap: a", "landlock: b"}}).Error()
	if text != "nothing confines commands on this system: bwrap: a; landlock: b" {
		t.Error(text)
	}
}

func TestSelfTestFindsAHole(t *testing.T) {
	// A sandbox that confines nothing fails its self-test, and the error names the reached
	// things.
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	_, err := selfTest(t.Context(), Isolation{Level: None})
	if err == nil || !strings.Contains(err.Error(), "a command reached") || !strings.Contains(err.Error(), "secret") {
		t.Errorf("error %v", err)
	}
	// Trying has changed nothing, though root could have.
	if mounts, _ := os.ReadFile("/proc/self/mounts"); strings.Contains(string(mounts), tmp) {
		t.Error("a mount was left behind")
	}
	// A fake bubblewrap fails its self-test, too.
	dir := t.TempDir()
	shim := "#!/bin/sh\nwhile [ \"$1\" != --chdir ]; do shift; done\ncd \"$2\"; shift 2\nexec \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(shim), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	if _, err := probeLevel(t.Context(), Bwrap); err == nil || !strings.Contains(err.Error(), "self-test failed") {
		t.Errorf("error %v", err)
	}
}

// Commands see the directories of PATH. If one of them holds the temporary directory, they see this, too, and
// the error says what to change.
func TestSelfTestBelowAFolderOfPath(t *testing.T) {
	above := t.TempDir()
	t.Setenv("TMPDIR", above)
	t.Setenv("PATH", os.Getenv("PATH")+":"+above)
	for _, level := range []Level{Bwrap, Landlock} {
		_, err := probeLevel(t.Context(), level)
		if err == nil {
			t.Errorf("%s hides the temporary directory below %s", level, above)
		} else if strings.Contains(err.Error(), "self-test failed") && !strings.Contains(err.Error(), "commands see "+above+", because PATH") {
			t.Errorf("%s: error %v", level, err)
		}
	}
}

// A program in a directory of the home directory that PATH does not name, such as a build in a
// checkout, is shown to its own check. bubblewrap was refused there, because the directory around the
// program "was reached".
func TestSelfTestOfAProgramBelowHome(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	working := levels(t)
	t.Setenv("TMPDIR", t.TempDir()) // what is below it is shown
	t.Setenv("HOME", filepath.Dir(filepath.Dir(exe)))
	for _, level := range working {
		if level == None {
			continue
		}
		if _, err := probeLevel(t.Context(), level); err != nil {
			t.Errorf("%s: %v", level, err)
		}
	}
}

func TestLandlockWithoutNamespaces(t *testing.T) {
	// Landlock holds also where the kernel allows no namespaces, and tells its
	// limits then.
	if landlockABI() < lowestABI {
		t.Skip("the kernel has no landlock")
	}
	st, err := selfTest(t.Context(), Isolation{Level: Landlock})
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Limits) == 0 || !strings.Contains(st.Limits[0], "modes") {
		t.Errorf("limits %q", st.Limits)
	}
}

func TestUnavailableIsRecognised(t *testing.T) {
	// The error of a level that does not work can be told from others.
	var unavailable *Unavailable
	if _, err := Probe(t.Context(), "strong"); err == nil || errors.As(err, &unavailable) {
		t.Errorf("error %v", err)
	}
}

func TestVisible(t *testing.T) {
	// Only toolchains of the home directory are visible, by name, and none of its parents.
	// Writable paths come after their parents. The packages behind npm's global programs are
	// beside the directory on PATH, and so are those of an environment of Python that is not activated.
	home := t.TempDir()
	for _, dir := range []string{".cargo/bin", ".cargo/registry", ".ssh", ".config/gh", "go/pkg/mod", "tools/bin", "tools/lib/node_modules", "scratch/tree", "named/file",
		"env/bin", "env/lib/python3.11/site-packages", "env/secrets", "conda/bin", "conda/lib/python3.12", "conda/conda-meta", "conda/etc"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(home, "env/pyvenv.cfg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	path := []string{"relative", "/", home, filepath.Dir(home), home + "/tools/bin", home + "/env/bin", home + "/conda/bin", home + "/absent"}
	env := map[string]string{"PATH": strings.Join(path, ":"), "CARGO_HOME": home + "/.cargo"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	var got []string
	for _, g := range visiblePaths(lookup, home, Spec{Dir: home + "/scratch/tree", Readable: []string{home + "/named", home + "/named/file"}}) {
		if rel, ok := strings.CutPrefix(g.path, home); ok {
			if g.write {
				rel += " (written)"
			}
			got = append(got, rel)
		} else if holds(g.path, home) {
			t.Errorf("%s holds the home directory", g.path)
		}
	}
	want := []string{"/.cargo/bin", "/.cargo/registry", "/conda/bin", "/conda/conda-meta", "/conda/lib",
		"/env/bin", "/env/lib/python3.11", "/env/pyvenv.cfg", "/go/pkg/mod", "/named", "/scratch/tree (written)", "/tools/bin", "/tools/lib/node_modules"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestCheckGrant(t *testing.T) {
	// What holds the home directory, or is not there, cannot be granted.
	home := t.TempDir()
	t.Setenv("HOME", home)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(home), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", home, filepath.Dir(home), link, "relative", "/absent"} {
		if CheckGrant(path) == nil {
			t.Errorf("%q was granted", path)
		}
	}
	if err := CheckGrant(t.TempDir()); err != nil {
		t.Error(err)
	}
}

func TestRunEndsWhatLeavesTheGroup(t *testing.T) {
	t.Parallel()
	// A process in a separate session ends with the command, at every level, even if it ignores
	// signals.
	for _, level := range levels(t) {
		dir := t.TempDir()
		res := mustRun(t, Spec{Dir: dir, Sandbox: level, Command: `setsid sh -c 'trap "" TERM; echo $$ >pid; sleep 1000; sleep 1000' & while ! test -s pid; do :; done; echo done`})
		if res.Exit != 0 || res.Stayed != 0 || string(res.Output) != "done\n" {
			t.Errorf("%s: %+v, output %q", level, res, res.Output)
		}
		if level != Bwrap { // where its number is one of another namespace, which is gone
			mustBeGone(t, dir)
		}
	}
}

func TestHomeIsMadeAnew(t *testing.T) {
	// What a command does to its home directory does not reach the next one: a
	// link in it would be followed when toolchains are mounted there.
	outside := t.TempDir()
	for _, level := range levels(t) {
		if level == None {
			continue
		}
		dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
		if err := os.Mkdir(cache, 0o700); err != nil {
			t.Fatal(err)
		}
		s := Spec{Dir: dir, Cache: cache, Sandbox: level, Command: `cd "$HOME" && rm -rf .cargo; ln -s ` + outside + ` .cargo; ln -s ` + outside + ` go; echo x >kept`}
		mustRun(t, s)
		s.Command = `test ! -e "$HOME/kept" && echo new`
		if res := mustRun(t, s); string(res.Output) != "new\n" {
			t.Errorf("%s: output %q", level, res.Output)
		}
		if entries, _ := os.ReadDir(outside); len(entries) != 0 {
			t.Errorf("%s: %v was made outside", level, entries)
		}
	}
}

// These measure the cost of starting a command, and of the self-test.
func BenchmarkStart(b *testing.B) {
	for _, level := range levels(b) {
		b.Run(string(level), func(b *testing.B) {
			s := Spec{Dir: b.TempDir(), Command: ":", Sandbox: level, Timeout: time.Minute}
			for b.Loop() {
				if res, err := Run(b.Context(), s); err != nil || res.Exit != 0 {
					b.Fatal(res, err)
				}
			}
		})
	}
	for _, st := range []Isolation{{Level: Bwrap, how: variant{userNS: true, noNestedNS: true}}, {Level: Landlock, how: variant{isolated: true}}} {
		b.Run("selftest/"+string(st.Level), func(b *testing.B) {
			for b.Loop() {
				if _, err := selfTest(b.Context(), st); err != nil {
					b.Skip(err)
				}
			}
		})
	}
}

// The user's directory for builds of Cargo is passed on only if a command can write it.
func TestCargoTargetDir(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir  string
		kept bool
	}{{"/mnt/target", false}, {"/var/builds/target", true}, {"/var/buildsite", false}, {"target-dir", true}} {
		lookup := func(name string) (string, bool) {
			if name == "CARGO_TARGET_DIR" {
				return c.dir, true
			}
			return "", false
		}
		env, err := environ(lookup, nil, Spec{Dir: "/var/tree", Writable: []string{"/var/builds"}}, Landlock)
		if kept := slices.Contains(env, "CARGO_TARGET_DIR="+c.dir); err != nil || kept != c.kept {
			t.Errorf("%s: %v, %v", c.dir, kept, err)
		}
	}
}

// A version of a tool that the user chose for the shell, as with pyenv shell, is that of the commands: another Python has other packages.
func TestChosenVersionsArePassedOn(t *testing.T) {
	t.Parallel()
	chosen := []string{"PYENV_VERSION", "RBENV_VERSION", "NODENV_VERSION", "RUSTUP_TOOLCHAIN"}
	lookup := func(name string) (string, bool) { return "3.12.1", slices.Contains(chosen, name) }
	env, err := environ(lookup, nil, Spec{Dir: "/var/tree"}, Landlock)
	for _, name := range chosen {
		if !slices.Contains(env, name+"=3.12.1") {
			t.Errorf("%s is not passed on: %q, %v", name, env, err)
		}
	}
}

func TestDescribe(t *testing.T) {
	// A command with --network is not said to have none.
	t.Parallel()
	st := Isolation{Level: Bwrap, Limits: []string{"modes"}}
	const rest = "only the scratch work tree can be written, the home directory is hidden but for toolchains; not held here: modes"
	if got := st.Describe(true); got != "bubblewrap: "+rest {
		t.Error(got)
	}
	if got := st.String(); got != "bubblewrap: no network, "+rest {
		t.Error(got)
	}
}
