package verify

import (
	"testing"

	"git-agent/gitext/gittest"
)

func TestUnitTestsAreLaidOver(t *testing.T) {
	// The unit test that a fix adds to a source file of Rust shows the bug in other versions of the code.
	t.Parallel()
	h := newHistory(t)
	file := func(code, test string) gittest.Files {
		return gittest.Files{"src/a.rs": "fn a() { " + code + " }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn " + test + "() {}\n}\n"}
	}
	good := h.Commit("good", file("one()", "old_test"))
	bad := h.Commit("bad", file("BAD()", "old_test"))
	h.Commit("later", gittest.Files{"README": "later\n"})
	fix := h.Commit("fix", file("two()", "new_test"))
	opt := Options{}
	opt.Command = "grep -q old_test src/a.rs && exit 125; if grep -q BAD src/a.rs && grep -q new_test src/a.rs; then echo new_test failed; exit 1; fi"
	v, err := h.verify(t.Context(), fix, opt, bad, good)
	wantStatuses(t, v, err, "bad confirmed, good untried")
	wantNote(t, v, "with 1 test file of the fix laid over")
}
