package fixtrain

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// The fix of one bug is a small edit, and that of the other one is none. The first one is found at its
// place, and a candidate with another description, too.
func TestGenerated(t *testing.T) {
	h := gittest.New(t)
	text := "fn f(list: &[u8]) -> usize {\n    let n = list.len() - 1;\n    if n > 3 {\n        return 3;\n    }\n    n\n}\n"
	base := h.Commit("base", gittest.Files{"src/lib.rs": text})
	edit := h.Commit("edit", gittest.Files{"src/lib.rs": strings.Replace(text, "list.len() - 1", "list.len()", 1)})
	other := h.Commit("other", gittest.Files{"src/lib.rs": strings.Replace(text, "list.len() - 1", "list.iter().filter(|x| known(x)).count()", 1)})
	dir := t.TempDir()
	if err := os.Symlink(h.Dir, filepath.Join(dir, "o+r")); err != nil {
		t.Fatal(err)
	}
	cases := filepath.Join(dir, "cases.jsonl")
	line := func(id, fix string) string {
		return `{"id":"` + id + `","repo":"o/r","base":"` + string(base) + `","fix":"` + fix +
			`","test_files":[],"src_files":["src/lib.rs"],"test_cmd":"cargo test"}` + "\n"
	}
	if err := os.WriteFile(cases, []byte(line("edit", string(edit))+line("other", string(other))), 0o666); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []string {
		var out bytes.Buffer
		if err := generated(t.Context(), append(args, "-repos", dir, cases), &out); err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(out.String()), "\n")
	}
	lines := run()
	if len(lines) != 2 || !strings.Contains(lines[0], "mutation leaves out - 1") || !strings.HasPrefix(lines[1], "other") || strings.Fields(lines[1])[1] != "-" {
		t.Errorf("found\n%s", strings.Join(lines, "\n"))
	}
	lines = run("-like", "the operator > by <")
	if len(lines) != 2 || !strings.Contains(lines[1], "replaces the operator > by <") {
		t.Errorf("found by its description\n%s", strings.Join(lines, "\n"))
	}
}
