package trial

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// cargoProject returns the files of a project that needs a crate of another repository, which this
// makes. Its build script and its test leave traces.
func cargoProject(t *testing.T) gittest.Files {
	t.Helper()
	if err := exec.Command("cargo", "--version").Run(); err != nil { // rustup's cargo needs its home
		t.Skipf("cargo does not run: %v", err)
	}
	if os.Getenv("GIT_DEFAULT_HASH") == "sha256" {
		t.Skip("Cargo cannot read repositories with SHA-256")
	}
	dep := gittest.New(t)
	id := dep.Commit("dep", gittest.Files{
		"Cargo.toml": "[package]\nname = \"plus\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
		"src/lib.rs": "pub fn plus(a: i32, b: i32) -> i32 {\n    a + b\n}\n",
	})
	source := "git+file://" + dep.Dir + "#" + string(id)
	return gittest.Files{
		"Cargo.toml": "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nplus = { git = \"file://" + dep.Dir + "\" }\n",
		"Cargo.lock": "version = 3\n\n[[package]]\nname = \"plus\"\nversion = \"0.1.0\"\nsource = \"" + source + "\"\n\n" +
			"[[package]]\nname = \"sum\"\nversion = \"0.1.0\"\ndependencies = [\n \"plus\",\n]\n",
		"build.rs":           "fn main() {\n    panic!(\"the build script runs\");\n}\n",
		"src/lib.rs":         "pub fn sum(a: i32, b: i32) -> i32 {\n    plus::plus(a, b)\n}\n",
		"tests/t.rs":         "#[test]\nfn adds() {\n    assert_eq!(sum::sum(1, 2), 3);\n}\n",
		".cargo/config.toml": "[build]\nrustc-wrapper = \"./evil.sh\"\n", "evil.sh": "#!/bin/sh\nexit 1\n",
	}
}

// The crates that a project needs are compiled once, and nothing of the project runs for it. The
// project itself is built from its own files by each command, and what a command leaves among the
// crates is gone after Fresh.
func TestCompileCrates(t *testing.T) {
	t.Setenv("CARGO_HOME", t.TempDir())
	files := cargoProject(t)
	h := gittest.New(t)
	commit := h.Commit("sum", files)
	h.Write(gittest.Files{".cargo/config.toml": ""})
	fetch := exec.Command("cargo", "fetch", "--locked")
	fetch.Dir = h.Dir
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, level := range append(levels(t), sandbox.None) {
		if level == sandbox.Landlock { // Cargo wants to write in the checkout of a crate from git
			continue
		}
		opt := Options{Sandbox: level, Compiled: filepath.Join(t.TempDir(), "compiled")}
		w := open(t, h, opt)
		opt.Crates = compileCrates(t, w, commit)
		if opt.Crates == "" {
			t.Fatalf("%s: no crates", level)
		}
		showsCrates(t, w, commit)
		showsCrates(t, open(t, h, opt), commit)
		if name := compileCrates(t, w, commit); name != opt.Crates {
			t.Errorf("%s: once more: %q; want %q", level, name, opt.Crates)
		}
	}
}

func compileCrates(t *testing.T, w *Workspace, commit gitext.OID) string {
	t.Helper()
	if err := w.Prepare(t.Context(), commit, nil); err != nil {
		t.Fatal(err)
	}
	name, err := w.CompileCrates(t.Context(), commit, nil, CrateBuild{Command: "cargo test --no-run"}, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// showsCrates checks that a workspace's commands use the crates, and each time the original ones.
func showsCrates(t *testing.T, w *Workspace, commit gitext.OID) {
	t.Helper()
	over := []gitext.Overlay{{Path: "build.rs", Mode: 0o100644, Content: []byte("fn main() {}\n")}, {Path: ".cargo/config.toml"}}
	const test = "cargo test --offline --test t"
	for _, command := range []string{test, `cd "$CARGO_TARGET_DIR/debug" && for f in deps/libplus*; do echo forged >"$f"; done && rm -r .fingerprint/sum-*`, test} {
		if err := w.Prepare(t.Context(), commit, over); err != nil {
			t.Fatal(err)
		}
		res, err := w.Exec(t.Context(), command, ExecOptions{})
		if err != nil || res.Outcome != Passes {
			t.Fatalf("%s: %s %s, %v\n%s", w.Level(), command, res.How, err, res.Output)
		}
		out := string(res.Output)
		if command != test {
			if err := w.Fresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		} else if strings.Contains(out, "Compiling plus") || !strings.Contains(out, "Compiling sum") || !strings.Contains(out, "test adds ... ok") {
			t.Errorf("%s: with the crates:\n%s", w.Level(), out)
		}
	}
}

// Only the compiler of the crates reads Options.CratesOnly: the test is built with what was compiled
// of it, and cannot read the sources. The crate has the name of the project, of which it is a release.
func TestCratesOnly(t *testing.T) {
	if _, err := sandbox.Probe(t.Context(), sandbox.Bwrap); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	t.Setenv("CARGO_HOME", home)
	files := cargoProject(t)
	files["Cargo.toml"] = strings.NewReplacer(`name = "sum"`, `name = "plus"`, `plus = {`, `older = { package = "plus", `, `version = "0.1.0"`, `version = "0.2.0"`).Replace(files["Cargo.toml"])
	files["Cargo.lock"] = strings.NewReplacer(`name = "sum"`+"\n"+`version = "0.1.0"`, `name = "plus"`+"\n"+`version = "0.2.0"`, ` "plus",`, ` "plus 0.1.0",`).Replace(files["Cargo.lock"])
	files["src/lib.rs"] = strings.ReplaceAll(files["src/lib.rs"], "plus::", "older::")
	files["tests/t.rs"] = strings.ReplaceAll(files["tests/t.rs"], "sum::", "plus::")
	files[".cargo/config.toml"] = ""
	delete(files, "build.rs")
	h := gittest.New(t)
	commit := h.Commit("sum", files)
	fetch := exec.Command("cargo", "fetch", "--locked")
	fetch.Dir = h.Dir
	if out, err := fetch.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sources, err := filepath.Glob(filepath.Join(home, "git/checkouts/*/*/src/lib.rs"))
	if err != nil || len(sources) != 1 {
		t.Fatal(sources, err)
	}
	opt := Options{Sandbox: sandbox.Bwrap, Compiled: filepath.Join(t.TempDir(), "compiled"), CratesOnly: []sandbox.Cover{{Path: sources[0]}}}
	w := open(t, h, opt)
	if compileCrates(t, w, commit) == "" {
		t.Fatal("no crates")
	}
	res, err := w.Exec(t.Context(), "cargo test --offline --test t && ! grep -r pub "+home+"/git/checkouts", ExecOptions{})
	if out := string(res.Output); err != nil || res.Outcome != Passes || strings.Count(out, "Compiling plus") != 1 || !strings.Contains(out, "Compiling plus v0.2.0") {
		t.Errorf("%s, %v\n%s", res.How, err, out)
	}
}

// Of a build, only what is of a crate from elsewhere stays: crates with a source in the lock file.
// If the project has one of the same name, the sources decide, and for a run of a build script what
// it said.
func TestPruneCrates(t *testing.T) {
	t.Parallel()
	b := crateBuild{dir: t.TempDir(), output: t.TempDir()}
	lock := `version = 3

[[package]]
name = "itertools"
version = "0.8.1"

[[package]]
name = "either"
version = "1.5.3"
source = "registry+https://example.com/index"

[[package]]
name = "serde-derive"
version = "1.0.0"
source = "git+https://example.com/serde#1"

[[package]]
name = "itertools"
version = "0.7.0"
source = "registry+https://example.com/index"
`
	files := map[string][]byte{"Cargo.lock": []byte(lock)}
	if err := layFiles(b.dir, files); err != nil {
		t.Fatal(err)
	}
	made := map[string][]byte{}
	for _, p := range strings.Fields(`debug/.fingerprint/either-01/lib-either debug/.fingerprint/itertools-02/lib-itertools debug/.fingerprint/itertools-03/lib
		debug/.fingerprint/serde-derive-04/run-build-script debug/.fingerprint/other-05/lib debug/deps/libeither-01.rlib debug/deps/either-01.d
		debug/deps/libitertools-02.rlib debug/deps/test_std-02 debug/deps/libserde_derive-04.so debug/build/serde-derive-04/output debug/build/itertools-03/out/x
		debug/incremental/x/y debug/libitertools.rlib x/release/.fingerprint/either-06/lib x/release/deps/test-07 x/release/.fingerprint/t-07/t`) {
		made[p] = []byte("x")
	}
	for p, text := range map[string]string{
		"debug/.fingerprint/itertools-11/lib-itertools": "x", "debug/deps/itertools-11.d": "/t/itertools-11.d: /c/itertools-0.7.0/src/lib.rs /c/x.rs\n",
		"debug/.fingerprint/itertools-12/lib-itertools": "x", "debug/deps/itertools-12.d": "/t/itertools-12.d: src/lib.rs\n",
		"debug/.fingerprint/itertools-13/lib-itertools": "x", "debug/deps/itertools-13.d": "/t/itertools-13.d: " + b.dir + "/src/lib.rs\n",
		"debug/.fingerprint/itertools-14/run-build-script-build-script-build.json": `{"local":[{"RerunIfChanged":{"paths":["build.rs"]}}]}`,
		"debug/.fingerprint/itertools-15/run-build-script-build-script-build.json": `{"local":[{"Precalculated":"1.5s (src/lib.rs)"}]}`,
		"debug/.fingerprint/itertools-16/build-script-build-script-build":          "x", "debug/build/itertools-16/build_script_build-16.d": "/t/b: /c/itertools-0.7.0/build.rs\n",
	} {
		made[p] = []byte(text)
	}
	if err := layFiles(b.output, made); err != nil {
		t.Fatal(err)
	}
	kept, err := b.prune()
	if err != nil || kept != 6 {
		t.Errorf("%d kept, %v", kept, err)
	}
	for p := range made {
		if _, err := os.Stat(filepath.Join(b.output, p)); err != nil {
			delete(made, p)
		}
	}
	want := strings.Fields(`debug/.fingerprint/either-01/lib-either debug/.fingerprint/serde-derive-04/run-build-script debug/build/serde-derive-04/output
		debug/deps/either-01.d debug/deps/libeither-01.rlib debug/deps/libserde_derive-04.so x/release/.fingerprint/either-06/lib
		debug/.fingerprint/itertools-11/lib-itertools debug/deps/itertools-11.d debug/.fingerprint/itertools-14/run-build-script-build-script-build.json
		debug/.fingerprint/itertools-16/build-script-build-script-build debug/build/itertools-16/build_script_build-16.d`)
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(made)); !slices.Equal(got, want) {
		t.Errorf("there are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A skeleton has the programs that Cargo finds without a list in the manifest, and a toolchain only
// by its name.
func TestSkeleton(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{
		"Cargo.toml": "[workspace]\nmembers = [\"a\", \"b\"]\n", "a/Cargo.toml": "[package]\nname = \"a\"\n", "a/src/lib.rs": "evil!();\n", "a/build.rs": "evil\n",
		"b/Cargo.toml": "[package]\nname = \"b\"\n\n[[bench]]\nname = \"x\"\n", "b/src/main.rs": "evil\n", "a/tests/t.rs": "x\n", "b/benches/x.rs": "x\n", "a/examples/e.rs": "x\n",
		".cargo/config.toml": "[build]\n", "rust-toolchain.toml": "[toolchain]\npath = \"./evil\"\n", "a/rust-toolchain": "1.80\n", "README": "x\n",
	})
	w := open(t, h, Options{Locks: []Lock{{Path: "Cargo.lock", Content: []byte("version = 3\n")}}})
	if err := w.Prepare(t.Context(), commit, nil); err != nil {
		t.Fatal(err)
	}
	files, err := w.skeleton(t.Context(), commit, nil, CrateBuild{})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`Cargo.lock Cargo.toml a/Cargo.toml a/build.rs a/rust-toolchain a/src/lib.rs a/tests/zz_git_agent.rs b/Cargo.toml b/benches/x.rs b/src/main.rs b/tests/zz_git_agent.rs`)
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("the files %q\nwant %q", got, want)
	}
	for p, text := range files {
		if filepath.Ext(p) == ".rs" && string(text) != emptyProgram {
			t.Errorf("%s is %q", p, text)
		}
	}
	for p, text := range map[string]string{
		".cargo/config.toml": "[build]\nrustflags = [\"-C\", \"target-cpu=native\"]\n",
		"a/tests/cli.rs":     "let mut c = Command::new(\"./target/debug/tool\");\n",
	} {
		over := []gitext.Overlay{{Path: p, Mode: 0o100644, Content: []byte(text)}}
		if err := w.Prepare(t.Context(), commit, over); err != nil {
			t.Fatal(err)
		}
		if files, err := w.skeleton(t.Context(), commit, over, CrateBuild{}); err != nil || needsCrates(files) {
			t.Errorf("with %s: %d files, %v", p, len(files), err)
		}
	}
	over := []gitext.Overlay{{Path: "a/tests/cli.rs", Mode: 0o100644, Content: []byte("let path = \"../target/debug/deps\";\n")}}
	if err := w.Prepare(t.Context(), commit, over); err != nil {
		t.Fatal(err)
	}
	for _, test := range []string{"t", "cli"} { // one of json's tests, which its test command leaves out, looks for output
		files, err := w.skeleton(t.Context(), commit, over, CrateBuild{Chosen: true, Tests: []string{test}})
		if none := len(files) == 0; err != nil || none != (test == "cli") {
			t.Errorf("for the test %s alone: %d files, %v", test, len(files), err)
		}
	}
}
