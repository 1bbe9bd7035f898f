package szz

import (
	"context"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A message names its culprit by a quoted subject or by the number of a pull request.
// Numbers of reports, subjects of two commits and other quoted texts name none, and a
// blind reading of a fix shows no name.
func TestMentions(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	h.Commit("tidy the counter again", gittest.Files{"b.c": "1\n"})
	h.Commit("tidy the counter again", gittest.Files{"b.c": "2\n"})
	bad := h.Commit("net: widen the counter (#31)", gittest.Files{"a.c": "long a;\n"})
	more := map[string]string{}
	titled := h.Commit("net: rework the queue", gittest.Files{"b.c": "3\n"})
	for name, message := range map[string]string{
		"near":    "x: count to twelve (#12)",
		"far":     "x: count to one hundred (#123)",
		"bors":    "Auto merge of #77 - somebody:branch, r=other",
		"gitlab":  "Merge branch 'a' into 'main'\n\nSee merge request group/project!45",
		"jira":    "WIDE-12: widen the table",
		"closes":  "widen the other table\n\nCloses: WIDE-13",
		"phab":    "widen a third table\n\nDifferential Revision: https://reviews.example.org/D4711",
		"svn":     "widen a fourth table\n\ngit-svn-id: svn://example.org/trunk@98765 0000",
		"gerrit":  "widen a fifth table\n\nChange-Id: I0123456789012345678901234567890123456789",
		"twice":   "WIDE-14: one half",
		"twice 2": "WIDE-14: other half",
	} {
		more[name] = string(h.Commit(message, gittest.Files{"b.c": name + "\n"}))
	}
	h.Git("commit", "-q", "--no-gpg-sign", "--allow-empty", "--author=Grace Hopper <g@example.org>", "--date=2019-07-21T12:00:00Z", "-m", "tidy the counter again")
	grace := h.Git("rev-parse", "HEAD")
	last := grace
	for message, want := range map[string]string{
		"A regression introduced by #12.":                                     more["near"],
		"A regression introduced by #77.":                                     more["bors"],
		"A regression introduced by !45.":                                     more["gitlab"],
		"The crash was introduced in WIDE-12.":                                more["jira"],
		"A regression from ticket WIDE-13.":                                   more["closes"],
		"The bug was introduced in D4711.":                                    more["phab"],
		"A bug introduced in r98765.":                                         more["svn"],
		"A bug introduced by I0123456789012345678901234567890123456789.":      more["gerrit"],
		"A regression introduced in WIDE-14.":                                 "",
		"The crash was introduced in WIDE-12.\n\nCloses: WIDE-12":             "",
		"WIDE-12 tells more of this crash.":                                   "",
		"A bug introduced by UTF-8.":                                          "",
		"Commit \"tidy the counter again\" by Grace Hopper broke the reader.": grace,
		"Commit \"tidy the counter again\" (2019-07-21) broke the reader.":    grace,
		"Fix a regression introduced by #31":                                  string(bad),
		"It is broken since PR #31.":                                          string(bad),
		"Commit \"net: rework\nthe queue\" broke the reader.":                 string(titled),
		"The crash was caused by commit \"net: rework the queue\".":           string(titled),
		"Fixes #31":                              "",
		"A regression that was reported in #31.": "",
		"Commit \"tidy the counter again\" broke the reader.":                "",
		"The helper relies on commit \"net: rework the queue\", introduced.": "",
	} {
		fix := h.Commit("fix a\n\n"+message, gittest.Files{"a.c": "int a;\n"})
		v, err := Settle(context.Background(), h.Open(), h.context(fix, ContextOptions{}), "rank")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if v != nil && len(v.Suspects) > 0 {
			got = string(v.Suspects[0].Commit.OID)
		}
		if got != want {
			t.Errorf("%q: named %q, want %q", message, got, want)
		}
		blind := h.context(fix, ContextOptions{NoAnnotations: true})
		if names := mentions(blind.Message); want != "" && len(names) > 0 {
			t.Errorf("%q leaks %v", message, names)
		}
		h.Git("reset", "-q", "--hard", last)
	}
}

// The commits in a merge speak for it even if they blame a number.
func TestBroughtMentions(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	bad := h.Commit("widen (#12)", gittest.Files{"a.c": "long a;\n"})
	h.Git("checkout", "-q", "-b", "topic")
	h.Commit("narrow again\n\nA regression introduced by #12.", gittest.Files{"a.c": "int a;\n"})
	h.Git("checkout", "-q", "-")
	h.Commit("other", gittest.Files{"b.c": "1\n"})
	h.Git("merge", "-q", "--no-ff", "--no-gpg-sign", "-m", "Merge topic", "topic")
	merge := gitext.OID(h.Git("rev-parse", "HEAD"))
	fc := h.context(merge, ContextOptions{})
	if len(fc.Annotations) != 1 || fc.Annotations[0].Commit != bad || fc.Annotations[0].In == merge {
		t.Errorf("the merge has the annotations %v", fc.Annotations)
	}
}
