package localize

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// If no test passes, execution by the failing test is no evidence for a function.
func TestNoPassingTest(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"p.go":      program("Parse:", "Start:", "Log:"),
		"p_test.go": program("TestFails: Parse"),
	})
	in := Input{
		Reproduction: fix.Reproduction{Failing: []string{"TestFails"}},
		Spectrum: &fix.Spectrum{Failing: 1, Files: map[string][]fix.LineHits{
			"p.go": {{Line: 4, Failing: 1}, {Line: 8, Failing: 1}, {Line: 12, Failing: 1}},
		}},
	}
	if got := strings.TrimSpace(names(localize(t, h, in))); got != "Parse" {
		t.Errorf("no passing test: %s", got)
	}
	in.Spectrum.Passing = 2
	if got := names(localize(t, h, in)); !strings.Contains(got, "Log") {
		t.Errorf("passing tests: %s", got)
	}
}

// Helpers of tests are no suspects, and neither are the calls that a module makes when it
// is loaded, if something that they call is in the stack.
func TestHelpersAndModules(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"internal/testutil/u.go": program("Check:"),
		"app.py":                 "import conf\n\ndef load():\n    return 1 / 0\n",
		"main.py":                "from app import load\n\nload()\n",
	})
	l := localize(t, h, Input{Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{
		{File: "internal/testutil/u.go", Line: 4, Function: "Check"}, {File: "app.py", Line: 4, Function: "load"}, {File: "main.py", Line: 3, Function: "<module>"},
	}}}})
	if got := strings.TrimSpace(names(l)); got != "load" {
		t.Errorf("suspects: %q", got)
	}
}

// The build script and the binaries beside a library of Rust are no suspects by their words,
// because its tests run neither; without a library they are.
func TestProgramsBesideALibrary(t *testing.T) {
	t.Parallel()
	files := gittest.Files{
		"Cargo.toml":    "[package]\nname = \"p\"\n",
		"build.rs":      "fn generate_headings() {\n    let options = heading();\n}\n",
		"src/main.rs":   "pub fn main() {\n    let options = heading_options();\n}\n",
		"src/parse.rs":  "pub fn parse_block() {\n    let options = heading();\n}\n",
		"tests/html.rs": "#[test]\nfn heading_test() {\n    let options = heading();\n}\n",
	}
	in := Input{Reproduction: fix.Reproduction{Failing: []string{"heading_test"}}}
	h := gittest.New(t)
	h.Commit("p", files)
	if got := names(localize(t, h, in)); !strings.Contains(got, "main") {
		t.Errorf("without a library: %s", got)
	}
	files["src/lib.rs"] = "pub mod parse;\n"
	h = gittest.New(t)
	h.Commit("p", files)
	if got := names(localize(t, h, in)); !strings.Contains(got, "parse_block") || strings.Contains(got, "main") || strings.Contains(got, "generate") {
		t.Errorf("with a library: %s", got)
	}
}
