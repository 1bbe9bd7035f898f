package gitext

import (
	"strings"
	"testing"
)

func TestStrangersNames(t *testing.T) {
	// An untrusted source can name commits by hash or name, with ^ and ~N, but
	// cannot make git search.
	f := newFixture(t)
	f.write("a", "a\n")
	first := f.commit("one")
	f.write("a", "b\n")
	tip := f.commit("two")
	f.git("branch", "topic/x-1")
	f.git("tag", "-m", "v", "v1.0")
	r := f.open()
	for name, want := range map[string]OID{
		"HEAD": tip, "main": tip, "topic/x-1": tip, "v1.0": tip, "refs/heads/main": tip, "@": tip,
		string(tip): tip, string(tip)[:10]: tip, "HEAD^": first, "HEAD~1": first, "main^1": first, "HEAD~1^0": first,
	} {
		if got, err := r.ResolveName(t.Context(), name); got != want || err != nil {
			t.Errorf("%q: got %s, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", ":/one", ":/(a*)*b", "HEAD^{/one}", "HEAD^{commit}", "HEAD^{}", "HEAD@{1}", "@{u}", "@{-1}", "main@{yesterday}", "HEAD^{/a{1,32767}}",
		"HEAD..main", "main...HEAD", "^HEAD", "HEAD^!", "HEAD^@", "HEAD^-", "HEAD:a", ":0:a", ":a", "--all", "-1", "a b", "a\nb", "HEAD~1..", "x[", "*",
		strings.Repeat("HEAD", 100), strings.Repeat("^", 20), "HEAD" + strings.Repeat("^", 400),
	} {
		if got, err := r.ResolveName(t.Context(), name); err == nil {
			t.Errorf("%.60q is taken for %s", name, got)
		}
	}
}
