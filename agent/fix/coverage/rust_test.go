package coverage

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

const rustSource = `pub fn area(kind: &str, n: i32) -> i32 {
    if kind == "square" {
        return n * n;
    }
    if kind == "line" {
        return n - 1; // wrong
    }
    never()
}

fn never() -> i32 {
    0
}
`

const rustTests = `#[test]
fn square() {
    assert_eq!(shape::area("square", 3), 9);
}

#[test]
fn line() {
    assert_eq!(shape::area("line", 1), 1);
}
`

func TestRustMeasuresEachTest(t *testing.T) {
	// The failing test and the passing one count apart, through cargo and llvm-cov.
	t.Parallel()
	needProgram(t, "cargo", "rustc")
	root, err := exec.Command("rustc", "--print", "sysroot").Output()
	tools, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "lib/rustlib/*/bin/llvm-cov"))
	if err != nil || len(tools) == 0 {
		t.Skip("llvm-tools are not installed")
	}
	sp, note := measured(t, gittest.Files{"Cargo.toml": "[package]\nname = \"shape\"\nversion = \"0.1.0\"\n", "src/lib.rs": rustSource, "tests/shape.rs": rustTests},
		fix.Problem{Test: "cargo test --offline"}, fix.Reproduction{Failing: []string{"line"}})
	if sp == nil || sp.Failing != 1 || sp.Passing != 1 {
		t.Fatalf("%+v, %s", sp, note)
	}
	got := map[int][2]int{}
	for _, h := range sp.Files["src/lib.rs"] {
		got[h.Line] = [2]int{h.Failing, h.Passing}
	}
	if got[6] != [2]int{1, 0} || got[3] != [2]int{0, 1} || got[2] != [2]int{1, 1} || got[12] != [2]int{} {
		t.Errorf("%v", got)
	}
}

func TestReadLcov(t *testing.T) {
	// A trace of llvm-cov export, with a file outside of the tree and a line that did not run.
	t.Parallel()
	tr := newTree("/w", []string{"src/lib.rs", "tests/a.rs"}, false)
	got := readLcov([]byte("SF:/w/src/lib.rs\nFN:1,_R\nDA:1,2\nDA:2,0\nDA:3,1\nLF:3\nend_of_record\nSF:/other/x.rs\nDA:1,1\nend_of_record\nSF:/w/tests/a.rs\nDA:1,1\nend_of_record\n"), tr)
	if len(got) != 1 || len(got["src/lib.rs"]) != 2 || !got["src/lib.rs"][1] || !got["src/lib.rs"][3] {
		t.Errorf("%v", got)
	}
}

// The end of a build of itertools that was cut off is a warning, and one that fails ends with notes.
func TestRustNothing(t *testing.T) {
	t.Parallel()
	const warning = "warning: using `.clone()` on a double reference, which returns `&I`\n    = note: `#[warn(suspicious_double_ref_op)]` on by default\n"
	for _, c := range []struct {
		late         bool
		output, want string
	}{
		{true, warning, "The build of the tests with LLVM's counters did not end."},
		{false, "error[E0599]: no method named `x`\n --> src/lib.rs:1:1\nerror: could not compile `itertools` (lib) due to 1 previous error\nwarning: build failed, waiting for other jobs to finish...\n",
			"Cargo started no program that has the failing tests (error: could not compile `itertools` (lib) due to 1 previous error)."},
		{false, "no such thing\n", "Cargo started no program that has the failing tests (no such thing)."},
	} {
		if got := rustNothing(c.late, []byte(c.output)); got != c.want {
			t.Errorf("%v: %q; want %q", c.late, got, c.want)
		}
	}
}
