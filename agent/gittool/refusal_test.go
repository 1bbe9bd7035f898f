package gittool

import "testing"

// A refusal suggests another call.
func TestRefusalsSayWhatToDo(t *testing.T) {
	f := newFixture(t)
	f.write("old/gone.c", "int gone;\n")
	f.write("keep.c", "int a;\nint b;\n")
	f.commit("zero", "add")
	f.git("rm", "-q", "old/gone.c")
	f.commit("one", "remove")
	f.write("keep.c", "int a;\nint c;\n")
	f.commit("two", "change")
	box := f.toolbox(Scope{Tip: f.oid["two"]}, Options{})
	removed := f.oid["one"].Short()
	for _, c := range []struct{ tool, args, want string }{
		{"git_blame", `{"path":"old/gone.c"}`, removed + " of 2020-02-01 removed or renamed it; ask for it at " + removed + "^"},
		{"git_grep", `{"pattern":"gone","path":"old"}`, removed + " of 2020-02-01 removed or renamed it"},
		{"git_blame", `{"path":"never.c"}`, `"never.c" is not in`},
		{"git_blame", `{"path":"keep.c","start":9}`, "start is 9, and may be 1 to 2"},
		{"git_grep", `{"pattern":"a(","regex":true}`, "put a backslash before each of"},
	} {
		expects(t, f.answer(box, c.tool, c.args), c.want)
	}
}
