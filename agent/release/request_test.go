package release

import (
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestRequestOf(t *testing.T) {
	// The forms of forges and mailing lists are read; a number that a message only mentions is not.
	t.Parallel()
	const id = "I0123456789abcdef0123456789abcdef01234567"
	for message, want := range map[string]string{
		"Merge pull request #12 from a/b\n\nFix it":                                                    "pull-request #12 ",
		"net: count frames (#345)\n\n* fix\n":                                                          "pull-request #345 ",
		"Merged in fix (pull request #7)\n":                                                            "pull-request #7 ",
		"Auto merge of #99 - a:b, r=c\n":                                                               "pull-request #99 ",
		"Merge branch 'x' into 'main'\n\nFix\n\nSee merge request group/sub/project!56\n":              "merge-request group/sub/project!56 ",
		"x\n\ny\n\nPart-of: <https://gitlab.freedesktop.org/mesa/mesa/-/merge_requests/1234>\n":        "merge-request mesa/mesa!1234 https://gitlab.freedesktop.org/mesa/mesa/-/merge_requests/1234",
		"x\n\ny\n\nPR-URL: https://github.com/nodejs/node/pull/5\nReviewed-By: A <a@x>\n":              "pull-request #5 https://github.com/nodejs/node/pull/5",
		"x\n\ny\n\nChange-Id: " + id + "\nReviewed-on: https://go-review.googlesource.com/c/go/+/78\n": "change 78 https://go-review.googlesource.com/c/go/+/78",
		"x\n\ny\n\nChange-Id: " + id + "\n":                                                            "change " + id + " ",
		"x\n\ny\n\nDifferential Revision: https://reviews.llvm.org/D123\nReviewed-by: A <a@x>\n":       "change D123 https://reviews.llvm.org/D123",
		"x\n\ny\n\nLink: https://lore.kernel.org/r/20240101.1@x.org\nSigned-off-by: A <a@x>\n":         "mail 20240101.1@x.org https://lore.kernel.org/r/20240101.1@x.org",
		"x\n\ny\n\nLink: https://github.com/a/b/pull/5\n":                                              "",
		"fix #12\n\nCloses #12, see !5.\n":                                                             "",
		"net: (#12) count\n":                                                                           "",
	} {
		got := ""
		if r, ok := RequestOf(message); ok {
			got = r.Kind + " " + r.Name + " " + r.URL
		}
		if got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

func TestBroughtBy(t *testing.T) {
	// The innermost merge with a number on the way into the first parents is found; one that brought
	// the main branch into a side branch is not on the way.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("begin", gittest.Files{"a": "1"})
	h.Git("checkout", "-q", "-b", "side")
	bad := h.Commit("side: one", gittest.Files{"b": "1"})
	h.Git("checkout", "-q", "main")
	direct := h.Commit("main: direct", gittest.Files{"a": "2"})
	h.Git("checkout", "-q", "side")
	h.Git("merge", "-q", "--no-ff", "-m", "Merge pull request #1 from o/main", "main")
	h.Git("checkout", "-q", "-b", "next", "main")
	h.Git("merge", "-q", "--no-ff", "-m", "Merge pull request #2 from o/side", "side")
	inner := h.Head()
	h.Git("checkout", "-q", "main")
	h.Git("merge", "-q", "--no-ff", "-m", "Merge branch 'next'\n\nSee merge request g/p!3", "next")
	h.Commit("main: later", gittest.Files{"a": "3"})
	repo := h.Open()
	into := func(oid gitext.OID) (Request, bool) {
		t.Helper()
		c, err := repo.Commit(t.Context(), oid)
		if err != nil {
			t.Fatal(err)
		}
		r, ok, err := BroughtBy(t.Context(), repo, c, h.Head())
		if err != nil {
			t.Fatal(err)
		}
		return r, ok
	}
	if r, ok := into(bad); !ok || r.Name != "#2" || r.Merge != inner {
		t.Errorf("%+v, %v", r, ok)
	}
	if r, ok := into(direct); ok {
		t.Errorf("a commit of the main branch came with %+v", r)
	}
	h.Git("checkout", "-q", "--orphan", "other")
	if r, ok := into(h.Commit("elsewhere", gittest.Files{"c": "1"})); ok {
		t.Errorf("the tip came with %+v", r)
	}
	if r, ok := into(bad); ok {
		t.Errorf("a commit of another history came with %+v", r)
	}
}
