package offline

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// A new test is in the work tree and not in HEAD. The reports are of new tests of ron and node-semver, run
// by cargo, node and jest.
func TestNewFilesOfTheWorkTree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ path, report string }{
		"cargo": {"tests/610_untracked.rs", `   Compiling ron v0.12.2 (/src/ron)
     Running tests/610_untracked.rs (target/debug/deps/610_untracked-1c495586391367b9)

thread 'escapes_in_the_middle' (18353) panicked at tests/610_untracked.rs:4:5:
assertion ` + "`left == right`" + ` failed
  left: "a\nb"
 right: "a\nb "
stack backtrace:
   0: core::panicking::panic_fmt
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:80:14
   1: _610_untracked::escapes_in_the_middle
             at ./tests/610_untracked.rs:4:5
`},
		"node": {"test/unit/parts.test.js", `✖ parts of a version (2.100617ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  + actual - expected
  
  + 'beta.1'
  - 'beta.2'
          ^
      at TestContext.<anonymous> (/src/node-semver/test/unit/parts.test.js:6:10)
      at Test.runInAsyncScope (node:async_hooks:206:9)
`},
		"jest": {"test/unit/jest.test.js", `  ● has the parts of a version

    expect(received).toBe(expected) // Object.is equality

    Expected: "beta.2"
    Received: "beta.1"

      at Object.toBe (test/unit/jest.test.js:3:54)
`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := gittest.New(t)
			h.Commit("old", gittest.Files{test.path: "old\n"})
			h.Git("rm", "-q", test.path) // a file of the same name was deleted long ago: that is another one
			h.Commit("one", gittest.Files{"src/lib.rs": "pub mod parse;\n", "test/index.js": "require('./x')\n", "tests/a.rs": "fn a() {}\n"})
			h.Write(gittest.Files{test.path: "1\n2\n3\n4\n5\n6\n"})
			repo := h.Open()
			patch, added, _, err := repo.Changed(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			report, err := format.Read(strings.NewReader(test.report))
			if err != nil {
				t.Fatal(err)
			}
			got, err := Rank(t.Context(), repo, crash.Question{Report: report, Work: crash.WorkOf(crash.WorkFiles(patch, added), report)})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Files) == 0 || got.Files[0].Path != test.path || got.CommitFrom != crash.FromHead {
				t.Fatalf("files %+v at the commit from %q, notes %q", got.Files, got.CommitFrom, got.Notes)
			}
			if reasons := strings.Join(got.Files[0].Reasons, "; "); strings.Contains(reasons, "two years") {
				t.Errorf("a new file: %s", reasons)
			}
			if !strings.Contains(strings.Join(got.Notes, "\n"), "is not committed yet") {
				t.Errorf("notes %q", got.Notes)
			}
		})
	}
}
