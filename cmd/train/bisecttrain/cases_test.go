package bisecttrain

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// caseOf makes the case of a fix, and runs the command that prepares its tests at the parent.
func caseOf(t *testing.T, language string, tests, files []string, old, fixed gittest.Files) (*runnable, string) {
	t.Helper()
	root := t.TempDir()
	h := gittest.New(t)
	h.Commit("old", old)
	c := regression{known: known{ID: "c", Repo: "o/r", Fix: h.Commit("fix it", fixed), Langs: []string{language}}}
	c.Proof.Command, c.Proof.Files, c.Proof.Tests, c.Proof.Alone = "true", files, tests, true
	if err := os.Symlink(h.Dir, filepath.Join(root, "o+r")); err != nil {
		t.Fatal(err)
	}
	r, err := runnableOf(t.Context(), root, c)
	if err != nil {
		t.Fatal(err)
	}
	h.Git("checkout", "-q", "HEAD^")
	cmd := exec.Command("sh", "-c", r.Build)
	cmd.Dir = h.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, r.Build)
	}
	return r, h.Dir
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A commit of Go without a go.mod gets that of the fix, which git replaces at another commit.
func TestGoCase(t *testing.T) {
	t.Parallel()
	const test = "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"
	r, dir := caseOf(t, "Go", []string{"m:TestA"}, []string{"a_test.go"},
		gittest.Files{"p.go": "package p\n"}, gittest.Files{"a_test.go": test, "go.mod": "module m\n"})
	if got := read(t, dir, "go.mod"); got != "module m\n" {
		t.Errorf("go.mod: %q", got)
	}
	if got := slices.Sorted(maps.Keys(r.Files)); !slices.Equal(got, []string{"a_test.go"}) {
		t.Errorf("laid: %v", got)
	}
	cmd := exec.Command("git", "checkout", "-q", "main")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the next commit, with its own go.mod: %s", out)
	}
}

// A commit of Rust gets the test module of the fix in its own source file, and no benchmarks.
func TestRustCase(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	module := func(name string) string {
		return "#[cfg(test)]\nmod tests {\n    #[test]\n    fn " + name + "() {\n    }\n}\n"
	}
	old := gittest.Files{
		"src/lib.rs": "pub fn bad() {}\n\n" + module("old"), "src/more.rs": "pub fn more() {}\n",
		"Cargo.toml": "[package]\nname = \"r\"\n\n[[bench]]\nname = \"b\"\n\n[dev-dependencies]\ncriterion = \"0.5\"\nrand = \"0.8\"\n",
		"Cargo.lock": "# lock\n",
	}
	fixed := gittest.Files{"src/lib.rs": "pub fn good() {}\n\n" + module("broke"), "src/more.rs": "pub fn more() {}\n\n" + module("broke")}
	_, dir := caseOf(t, "Rust", []string{"tests::broke"}, []string{"src/lib.rs", "src/more.rs"}, old, fixed)
	for name, code := range map[string]string{"src/lib.rs": "pub fn bad() {}\n\n", "src/more.rs": "pub fn more() {}\n\n"} {
		if got := read(t, dir, name); got != code+module("broke") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if got := read(t, dir, "Cargo.toml"); strings.Contains(got, "bench") || strings.Contains(got, "criterion") || !strings.Contains(got, "rand") {
		t.Errorf("Cargo.toml:\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "Cargo.lock")); err == nil {
		t.Error("the lock is left")
	}
}

// A commit of Java gets the program that runs the tests, and loses the declarations of modules.
func TestJavaCase(t *testing.T) {
	t.Parallel()
	_, dir := caseOf(t, "Java", []string{"o.T.broke"}, []string{"src/test/java/o/T.java"},
		gittest.Files{"src/main/java/module-info.java": "module m {}\n"}, gittest.Files{"src/test/java/o/T.java": "class T {}\n"})
	if !strings.Contains(read(t, dir, ".executed/Tap.java"), "class Tap") {
		t.Error("the program is not there")
	}
	if _, err := os.Stat(filepath.Join(dir, "src/main/java/module-info.java")); err == nil {
		t.Error("the declaration of the module is left")
	}
}
