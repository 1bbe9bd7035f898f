package testcmd

import (
	"os"
	"path/filepath"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A command of glom named the python of a virtual environment that the sandbox hides, and the answer was to install
// python.
func TestCureOfAHiddenProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := filepath.Join(dir, "venv")
	if err := os.MkdirAll(filepath.Join(env, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"venv/pyvenv.cfg", "venv/bin/python", "tool"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h := gittest.New(t)
	tree := fix.Tree{Commit: h.Commit("c", gittest.Files{"README": "\n"})}
	const hides = " is on this machine; if the sandbox hides it from the command, git config --global --add agent.sandboxRead "
	for line, want := range map[string]string{
		"sh: 1: " + env + "/bin/python: not found":                  env + "/bin/python" + hides + quote(env) + " makes it visible",
		"bash: line 1: " + dir + "/tool: No such file or directory": dir + "/tool" + hides + quote(dir+"/tool") + " makes it visible",
		"sh: 1: " + dir + "/other: not found":                       "install other, or name another command with --test",
		"sh: 1: .venv/bin/python: not found":                        "there is no .venv/bin/python; commands start at the top of the work tree",
		"bash: line 1: ../tool: No such file or directory":          "there is no ../tool; commands start at the top of the work tree",
		"sh: 1: " + env + ": not found":                             "install venv, or name another command with --test",
	} {
		got, err := CureOf(t.Context(), h.Open(), tree, fix.Reproduction{Command: "x", Lacks: fix.LackProgram, Lacking: line})
		if err != nil || got.Text() != want {
			t.Errorf("%s: %+v, %v, want %q", line, got, err, want)
		}
	}
}
