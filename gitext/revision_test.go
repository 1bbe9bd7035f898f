package gitext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

func TestResolve(t *testing.T) {
	// Every name of git for a commit is resolved; other names give a clear error with exit code
	// 128.
	f := simple(t)
	f.git("tag", "-a", "-m", "x", "v1", "HEAD~1")
	head, first := f.oid("HEAD"), f.oid("HEAD~1")
	r := f.open()
	for rev, want := range map[string]OID{
		"HEAD": head, "@": head, "main~1": first, "v1": first, ":/first": first, ":/sec": head, "HEAD^{/first}": first,
		string(head): head, string(head[:9]): head, "HEAD@{0}": head, "@{-0}": head,
	} {
		if got, err := r.Resolve(t.Context(), rev); got != want && rev != "@{-0}" {
			t.Errorf("%q: got %s, %v, want %s", rev, got, err, want)
		}
	}
	for _, rev := range []string{"", "nope", "HEAD:f", "HEAD^{tree}", "--all", "-n1", "--git-dir", "HEAD~1..HEAD", "^HEAD", "HEAD\nHEAD", "HEAD\x00", strings.Repeat("0", 40), "HEAD~99", "--output=x"} {
		oid, err := r.Resolve(t.Context(), rev)
		var gitErr *gitcmd.Error
		if err == nil || oid != "" {
			t.Errorf("%q: got %q, want an error", rev, oid)
		} else if errors.As(err, &gitErr) && gitErr.Exit != 128 {
			t.Errorf("%q: exit %d", rev, gitErr.Exit)
		}
	}
}

func TestResolveDespiteFilesNamedLikeRevisions(t *testing.T) {
	// A file named HEAD does not make the name ambiguous.
	f := simple(t)
	f.write("HEAD", "x")
	f.write("main", "x")
	r := f.open()
	for _, rev := range []string{"HEAD", "main", "HEAD~1..HEAD"} {
		if got, err := r.ResolveRevisions(t.Context(), []string{rev}); err != nil || !slices.Equal(got, []OID{f.oid("refs/heads/main")}) {
			t.Errorf("%q: %v, %v", rev, got, err)
		}
	}
}

func TestResolveRevisions(t *testing.T) {
	// Ranges give what git rev-list gives; a lone revision is itself.
	f := newFixture(t)
	f.commit("a")
	f.git("checkout", "-q", "-b", "side")
	f.commit("b")
	f.git("checkout", "-q", "main")
	f.commit("c")
	f.clock += 60
	f.git("merge", "-q", "-m", "m", "side")
	f.git("tag", "-a", "-m", "x", "tag", "HEAD~1")
	f.commit("d")
	r := f.open()
	for _, revs := range [][]string{
		{"HEAD~2..HEAD"}, {"main...side"}, {"^side", "main"}, {"main", "^tag"}, {"HEAD^!"}, {"HEAD~1^!"}, {"HEAD~1^@"}, {"side..main", "main~2..side"}, {"tag..main"}, {"HEAD~1^-1"},
	} {
		got, err := r.ResolveRevisions(t.Context(), revs)
		want := oidLines(f.git(append([]string{"rev-list"}, revs...)...))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v, want %v", revs, got, err, want)
		}
	}
	got, err := r.ResolveRevisions(t.Context(), []string{"side", "HEAD", "side"})
	if want := []OID{f.oid("side"), f.oid("HEAD")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("lone revisions: got %v, %v, want %v", got, err, want)
	}
	got, err = r.ResolveRevisions(t.Context(), []string{"HEAD..HEAD"})
	if err != nil || len(got) != 0 {
		t.Errorf("an empty range: got %v, %v", got, err)
	}
	for _, bad := range []string{"--all", "-n1", "nope..HEAD", "HEAD..nope", "^nope", ""} {
		if got, err := r.ResolveRevisions(t.Context(), []string{bad}); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

func TestIsAncestor(t *testing.T) {
	// Ancestry is git's: a commit contains itself, and a negative answer is no error.
	f := simple(t)
	head, first := f.oid("HEAD"), f.oid("HEAD~1")
	r := f.open()
	for _, c := range []struct {
		a, d OID
		want bool
	}{{first, head, true}, {head, head, true}, {head, first, false}} {
		if got, err := r.IsAncestor(t.Context(), c.a, c.d); got != c.want || err != nil {
			t.Errorf("%s in %s: got %v, %v", c.a, c.d, got, err)
		}
	}
	none := OID(strings.Repeat("1", 40))
	if _, err := r.IsAncestor(t.Context(), none, head); !errors.As(err, new(*MissingObjectError)) {
		t.Errorf("an unknown commit: %v", err)
	}
	if _, err := r.IsAncestor(t.Context(), "--help", head); err == nil {
		t.Error("an option is no commit")
	}
}

func TestConfig(t *testing.T) {
	// The agent's settings come with their scope, and only protected scopes
	// are trusted.
	f := newFixture(t)
	f.git("config", "--global", "agent.model", "m")
	f.git("config", "agent.Acme.BaseUrl", "http://x\ny")
	f.git("config", "--add", "agent.model", "local")
	f.git("config", "other.key", "no")
	r := f.open()
	got, err := r.Config(t.Context())
	if err != nil || len(got) != 2 || len(got["agent.model"]) != 2 || len(got["agent.Acme.baseurl"]) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	if m := got["agent.model"]; !m[0].Trusted() || m[0].Value != "m" || m[1].Trusted() || m[1].Value != "local" {
		t.Errorf("got %v", m)
	}
	if v := got["agent.Acme.baseurl"][0]; v.Scope != "local" || v.Value != "http://x\ny" {
		t.Errorf("got %v", v)
	}
	if got, err := another(t).open().Config(t.Context()); err != nil || len(got) != 1 {
		t.Errorf("global only: %v, %v", got, err)
	}
}

func TestAbbreviated(t *testing.T) {
	// Only commits are found by the beginning of their hash: no branch, no tree, and no word that
	// is not hexadecimal. Several commits with the same beginning are ambiguous.
	f := simple(t)
	head := f.oid("refs/heads/main")
	f.git("branch", "abcdef1")
	r := f.open()
	words := []string{string(head), string(head[:7]), "abcdef1", string(f.oid("main^{tree}"))[:12], "main", "HEAD~1", "x\ny", strings.Repeat("0", 40)}
	got, err := r.Abbreviated(t.Context(), words)
	want := make([]Abbreviated, len(words))
	want[0].OID, want[1].OID = head, head
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	// Two commits of the same tree whose hashes begin alike are found by trying.
	begin := map[string]bool{}
	tree := string(f.oid("main^{tree}"))
	for i := 0; ; i++ {
		oid := strings.TrimSpace(f.git("commit-tree", "-m", fmt.Sprint(i), tree))
		if begin[oid[:4]] {
			got, err := f.open().Abbreviated(t.Context(), []string{oid[:4]})
			if err != nil || got[0] != (Abbreviated{Ambiguous: true}) {
				t.Errorf("%s: got %+v, %v", oid[:4], got, err)
			}
			return
		}
		begin[oid[:4]] = true
	}
}
