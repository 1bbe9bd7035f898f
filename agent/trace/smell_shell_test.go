package trace

import (
	"slices"
	"testing"

	"git-agent/agent"
)

// The deed of a shell command is guessed from its words.
func TestShellDeed(t *testing.T) {
	for _, tt := range []struct {
		command string
		deed    agent.Deed
		file    string
	}{
		{"grep -rn 'a; b > c' src", agent.DeedSearch, ""},
		{"find . -name '*.go' | head -20", agent.DeedSearch, ""},
		{"cat src/a.c", agent.DeedRead, "src/a.c"},
		{"sed -n '10,40p' src/a.c", agent.DeedRead, "src/a.c"},
		{"cd src && nl -ba a.c | sed -n 1,5p", agent.DeedRead, "a.c"},
		{"sed -i 's/a - b/a + b/' add.c", agent.DeedEdit, "add.c"},
		{"perl -pi -e 's/x/y/' add.c && sh test/add.sh", agent.DeedEdit, "add.c"},
		{"cat > add.c <<'EOF'\npytest; grep\nEOF", agent.DeedEdit, "add.c"},
		{"python3 - <<'EOF'\nopen('a','w')\nEOF", "", ""},
		{"git apply fix.patch", agent.DeedEdit, ""},
		{"ls 2>/dev/null", agent.DeedSearch, ""},
		{"go test ./...", agent.DeedTest, ""},
		{"CI=1 timeout 60 npm test", agent.DeedTest, ""},
		{"python -m pytest -q tests/test_a.py", agent.DeedTest, ""},
		{"python tests/test_a.py", agent.DeedTest, ""},
		{"sh test/add.sh", agent.DeedTest, ""},
		{"./run_tests.sh | tail -5", agent.DeedTest, ""},
		{"test -f a.c && make check", agent.DeedTest, ""},
		{"make -j2", "", ""},
		{"go build ./...", "", ""},
		{"", "", ""},
	} {
		if deed, file := shellDeed(tt.command); deed != tt.deed || file != tt.file {
			t.Errorf("%q: %q of %q, want %q of %q", tt.command, deed, file, tt.deed, tt.file)
		}
	}
}

// Trajectories that work in a shell have the smells of Passerine, too.
func TestSmellsOfShell(t *testing.T) {
	t.Parallel()
	sh := func(command string) string { return `bash {"command":"` + command + `"} -> exit code 0` }
	for _, tt := range []struct {
		name  string
		turns [][]string
		want  []string
	}{
		{"searches in a row", [][]string{{sh("grep -rn a .")}, {sh("find . -name b")}, {sh("rg c")}}, []string{"consecutive_search", "wide_search_first"}},
		{"edits in a row, no test", [][]string{{sh("cat a.c")}, {sh("sed -i s/a/b/ a.c")}, {sh("sed -i s/b/c/ a.c")}, {sh("sed -i s/c/d/ a.c")}}, []string{"no_test", "consecutive_edits"}},
		{"a tested edit", [][]string{{sh("cat a.c")}, {sh("sed -i s/a/b/ a.c")}, {sh("pytest -q")}}, nil},
		{"read again", [][]string{{sh("cat a.c")}, {sh("cat a.c")}}, []string{"no_op_read"}},
		{"read again after an edit", [][]string{{sh("cat a.c")}, {sh("sed -i s/a/b/ a.c; make test")}, {sh("cat a.c")}, {sh("make test")}}, nil},
	} {
		var got []string
		for _, f := range conversation("fix/agent", tt.turns...).Smells() {
			got = append(got, f.Smell.Name)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
