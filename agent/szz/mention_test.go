package szz

import (
	"context"
	"testing"

	"git-agent/gitext/gittest"
)

// A message names its culprit by a quoted subject or by the number of a pull request.
// Numbers of reports, subjects that two commits have and other quoted texts name none,
// and a fix that is read blind shows no name.
func TestMentions(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	h.Commit("tidy the counter again", gittest.Files{"b.c": "1\n"})
	h.Commit("tidy the counter again", gittest.Files{"b.c": "2\n"})
	bad := h.Commit("net: widen the counter (#31)", gittest.Files{"a.c": "long a;\n"})
	titled := h.Commit("net: rework the queue", gittest.Files{"b.c": "3\n"})
	for message, want := range map[string]string{
		"Fix a regression introduced by #31":                        string(bad),
		"It is broken since PR #31.":                                string(bad),
		"Commit \"net: rework\nthe queue\" broke the reader.":       string(titled),
		"The crash was caused by commit \"net: rework the queue\".": string(titled),
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
		if names := mentions(blind.Message); len(names) > 0 {
			t.Errorf("%q leaks %v", message, names)
		}
		h.Git("reset", "-q", "--hard", string(titled))
	}
}
