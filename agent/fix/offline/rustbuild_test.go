package offline

import (
	"os/exec"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const rustShape = `//! Shapes.
macro_rules! twice {
    ($e:expr) => {{ fn two() -> i32 { 2 } $e * two() }};
}

const fn zero() -> i32 { 0 }

pub fn area(kind: &str, n: i32) -> i32 {
    let _ = ('{', "}
", r#"a "}" b"#);
    if kind == "square" {
        return n * n;
    }
    if kind == "line" && n < 1 {
        return n;
    }
    zero() + twice!(0)
}

#[cfg(test)]
mod tests {
    use super::area;

    #[test]
    fn square() {
        assert_eq!(area("square", 3), 9);
    }

    #[test]
    fn line() {
        assert_eq!(area("line", 1), 1);
    }
}
`

// Candidates for Rust share a build, those that do not compile apart, and only those that pass are
// tried as patches.
func TestRustCandidatesShareABuild(t *testing.T) {
	t.Parallel()
	if err := exec.Command("cargo", "--version").Run(); err != nil { // rustup's cargo needs its home
		t.Skipf("cargo does not run: %v", err)
	}
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{
		"Cargo.toml": "[package]\nname = \"shape\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "Cargo.lock": "version = 3\n\n[[package]]\nname = \"shape\"\nversion = \"0.1.0\"\n",
		"src/lib.rs": rustShape,
	})
	start := strings.Count(rustShape[:strings.Index(rustShape, "pub fn area")], "\n") + 1
	found, err := Repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "cargo test --offline --lib"},
		Localization: &fix.Localization{Locations: []fix.Location{{
			Path: "src/lib.rs", Function: "area", Lines: gitext.LineRange{Start: start, End: start + 10},
		}}},
		Trial: options(t), Jobs: 1, Budget: Budget{Tries: 90, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	alone := aloneIn(found)
	if len(found.Trials) < 10 || alone > len(found.Trials)/4 || found.Trials[0].Verdict != fix.Plausible {
		t.Errorf("%d of %d candidates had a build of their own: %+v", alone, len(found.Trials), found.Trials[0])
	}
}

// A function of Rust with variants chooses its body. The original one stays at its line, and a
// constant function and one that a macro makes have none.
func TestRustVariants(t *testing.T) {
	t.Parallel()
	change := func(old, text string) variant {
		if !strings.Contains(rustShape, old) {
			t.Fatalf("%q is not in the file", old)
		}
		return variant{"src/lib.rs", []byte(strings.Replace(rustShape, old, text, 1))}
	}
	p, rejected := rustBuild{}.combine(func(string) ([]byte, bool) { return []byte(rustShape), true }, map[int]variant{
		1: change("n < 1", "n < 2"), 2: change("n * n", "n +\n n"), 3: change("{ 0 }", "{ 1 }"), 4: change("{ 2 }", "{ 3 }"), 5: change("//! S", "//! s"),
	})
	if want := []int{3, 4, 5}; len(rejected) != len(want) || rejected[0] != 3 || rejected[1] != 4 || rejected[2] != 5 {
		t.Errorf("rejected %v, not %v", rejected, want)
	}
	lines := strings.Split(string(p.Files["src/lib.rs"]), "\n")
	for i, l := range strings.Split(rustShape, "\n")[:14] {
		if lines[i] != l && !strings.HasPrefix(l, "pub fn area") {
			t.Errorf("line %d is %q, not %q", i+1, lines[i], l)
		}
	}
	for i, l := range lines {
		want := 0
		switch {
		case strings.Contains(l, "n < 2"):
			want = 1
		case strings.Contains(l, "return n +"), strings.TrimSpace(l) == "n;":
			want = 2
		}
		if want > 0 && p.variantAt("lib.rs", i+1) != want {
			t.Errorf("line %d, %q, is of variant %d", i+1, l, p.variantAt("lib.rs", i+1))
		}
	}
}
