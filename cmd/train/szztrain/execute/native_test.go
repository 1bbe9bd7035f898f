package execute

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// culpritIn commits versions of a project, of which the last fixes the first one's
// behaviour again, and searches the culprit of the fix.
func culpritIn(t *testing.T, given commands, versions ...gittest.Files) (*executedCase, []gitext.OID) {
	t.Helper()
	h := gittest.New(t)
	var commits []gitext.OID
	for i, files := range versions {
		subject := "c"
		if i == len(versions)-1 {
			subject = "fix it"
		}
		commits = append(commits, h.Commit(subject, files))
	}
	repo := h.Open()
	fixes, err := fixesWithTests(t.Context(), repo, "")
	if err != nil || len(fixes) != 1 || fixes[0].commit.OID != commits[len(commits)-1] {
		t.Fatalf("fixes with tests: %+v, %v", fixes, err)
	}
	space, err := trial.Open(t.Context(), repo, trial.Options{Timeout: 5 * time.Minute, Env: []string{"CLASSPATH"}})
	if err != nil {
		t.Skip(err) // no sandbox works here
	}
	t.Cleanup(space.Close)
	m := &miner{name: "o/r", repo: repo, space: space, bounds: bounds{runs: 60, given: given}}
	c, err := (&trialOfFix{miner: m, candidateFix: fixes[0]}).find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c, commits
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
}

// isRegression checks that the culprit is the second of the commits, by a test.
func isRegression(t *testing.T, c *executedCase, commits []gitext.OID, test string) {
	t.Helper()
	if c.BICs[0] != commits[1] || c.Proof.Kind != kindRegression || c.Proof.LastGood != commits[0] || !slices.Equal(c.Proof.Tests, []string{test}) {
		t.Errorf("%+v, commits %v", c, commits)
	}
}

// The tests of Rust are often inside of the source file that a fix changes. The newest test calls
// a function added by the culprit, so the whole file cannot be judged before the culprit.
func TestRustCulprit(t *testing.T) {
	needs(t, "cargo")
	if out, err := exec.Command("cargo", "--version").CombinedOutput(); err != nil { // rustup's, with another home
		t.Skipf("cargo: %v: %s", err, out)
	}
	lib := func(half, rest string) gittest.Files {
		return gittest.Files{"src/lib.rs": "pub fn half(n: u32) -> u32 {\n    " + half + "\n}\n" + rest}
	}
	first := lib("n / 2", "")
	first["Cargo.toml"] = "[package]\nname = \"r\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"
	const newer = "pub fn twice(n: u32) -> u32 {\n    n * 2\n}\n"
	c, commits := culpritIn(t, commands{}, first, lib("n / 3", newer), lib("n / 3 // why", newer), lib("n / 2", newer+`
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles() {
        assert_eq!(twice(2), 4);
    }

    #[test]
    fn halves() {
        assert_eq!(half(4), 2);
    }
}
`))
	isRegression(t, c, commits, "tests::halves")
}

// Tests of Java need only the classes that they name.
func TestJavaCulprit(t *testing.T) {
	needs(t, "javac")
	jars, _ := filepath.Glob(strings.TrimSuffix(os.Getenv("CLASSPATH"), "*") + "junit-platform-launcher-*.jar")
	if len(jars) == 0 {
		t.Skip("CLASSPATH names no folder with JUnit and its launcher")
	}
	source := func(half string) gittest.Files {
		return gittest.Files{"src/main/java/o/Half.java": "package o;\n\npublic class Half {\n    public static int of(int n) {\n        return " + half + ";\n    }\n}\n"}
	}
	fixed := source("n / 2")
	fixed["src/main/java/o/Twice.java"] = "package o;\n\npublic class Twice {\n    public static int of(int n) {\n        return n * 2;\n    }\n}\n"
	fixed["src/test/java/o/HalfTest.java"] = `package o;

import static org.junit.Assert.assertEquals;
import org.junit.Test;

public class HalfTest {
    @Test
    public void doubles() {
        assertEquals(4, Twice.of(2));
    }

    @Test
    public void halves() {
        assertEquals(2, Half.of(4));
    }
}
`
	old := source("n / 3")
	old["src/main/java/o/Twice.java"] = fixed["src/main/java/o/Twice.java"]
	c, commits := culpritIn(t, commands{}, source("n / 2"), old, source("n / 3 + 0"), fixed)
	isRegression(t, c, commits, "o.HalfTest.halves")
}

// The class of a test file is named below the root of the tests, which has several forms.
func TestJavaClass(t *testing.T) {
	for file, want := range map[string]string{
		"src/test/java/o/HalfTest.java":     "o.HalfTest",
		"core/src/test/java/HalfTest.java":  "HalfTest",
		"src/test/o/HalfTest.java":          "o.HalfTest",
		"javatests/com/o/HalfTest.java":     "com.o.HalfTest",
		"java/com/o/Half.java":              "",
		"src/test/java/o/package-info.java": "",
		"src/test/resources/half.txt":       "",
	} {
		if got := javaClass(file); got != want {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// A commit whose module had another name, or none, gets go.mod and go.sum of the fix: the tests
// import the module by the name that it has there.
func TestRenamedModule(t *testing.T) {
	h := gittest.New(t)
	const mod, sum = "module example.com/half/v2\n\ngo 1.20\n", "example.com/other v1.0.0 h1:x\n"
	none := h.Commit("none", gittest.Files{"half.go": "package half\n"})
	old := h.Commit("old", gittest.Files{"go.mod": "module example.com/old\n\ngo 1.20\n"})
	renamed := h.Commit("renamed", gittest.Files{"go.mod": mod})
	fixed := h.Commit("fixed", gittest.Files{"go.sum": sum})
	repo := h.Open()
	fix, err := repo.Commit(t.Context(), fixed)
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{repo: repo, language: "Go"}
	s.fix.commit = fix
	for commit, want := range map[gitext.OID]int{none: 2, old: 2, renamed: 0, fixed: 0} {
		over, err := s.manifests(t.Context(), commit)
		if err != nil || len(over) != want {
			t.Errorf("%s: %+v, %v; want %d files", commit, over, err, want)
		}
		for _, o := range over {
			text, err := repo.BlobAt(t.Context(), fixed, o.Path, 1<<20)
			if err != nil || string(text) != map[string]string{"go.mod": mod, "go.sum": sum}[o.Path] {
				t.Errorf("%s is not the fix's: %q, %v", o.Path, text, err)
			}
		}
	}
}

// The user gives the commands that build and run the tests of a project in C.
func TestGivenCommands(t *testing.T) {
	needs(t, "cc")
	source := func(half string) gittest.Files {
		return gittest.Files{"half.c": "int half(int n) { return " + half + "; }\n"}
	}
	fixed := source("n / 2")
	fixed["tests/half.c"] = `#include <stdio.h>
int half(int n);
int main(void) {
	int got = half(4);
	printf("%s 1 - halves\n", got == 2 ? "ok" : "not ok");
	return got != 2;
}
`
	given := commands{language: "C", build: "mkdir -p .executed && cc -o .executed/t half.c $TESTS", test: ".executed/t"}
	c, commits := culpritIn(t, given, source("n / 2"), source("n / 3"), source("n / 3 + 0"), fixed)
	isRegression(t, c, commits, "halves")
	if p := c.Proof; p.Build != "TESTS=tests/half.c; "+given.build || p.Command != "ONLY=halves; TESTS=tests/half.c; "+given.test {
		t.Errorf("%+v", p)
	}
}

// A test program of Rust runs with the features that it requires.
func TestRustFeatures(t *testing.T) {
	h := gittest.New(t)
	fixed := h.Commit("fix", gittest.Files{"Cargo.toml": `[package]
name = "a"

[[test]]
name = "plain"

[[test]]
name = "serde-de"
required-features = ["serialize", "x/y"]
path = "tests/serde-de.rs"

[[test]]
name = "async"
required-features = ["tokio"]

[features]
`})
	repo := h.Open()
	commit, err := repo.Commit(t.Context(), fixed)
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{repo: repo, module: ".", fix: candidateFix{commit: commit}}
	for targets, want := range map[string]string{
		" --test plain":                 " --test plain",
		" --lib --test serde-de":        " --lib --test serde-de --features serialize,x/y",
		" --test async --test serde-de": " --test async --test serde-de --features serialize,x/y,tokio",
		" --tests":                      " --tests",
	} {
		if got, err := s.withFeatures(t.Context(), targets); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", targets, got, err, want)
		}
	}
}
