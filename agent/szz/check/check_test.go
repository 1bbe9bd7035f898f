package check

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestTrailers(t *testing.T) {
	// Trailers that name a commit are found anywhere in a message, in the forms that people write.
	for message, want := range map[string]string{
		"a\n\nFixes: 0123456789ab (\"x: y z\")\nCc: b\n\nSigned-off-by: c\n": "0123456789ab|x: y z|",
		"a\n\nFixes: 0123456789ab (x: y z)\n":                                "0123456789ab|x: y z|",
		"a\n\nfixes: commit 0123456 \"x (y) z\"\n":                           "0123456|x (y) z|",
		"a\n\nFixes: 0123456789ab (\"x: y\n z\")\n":                          "0123456789ab|x: y z|folded",
		"a\n\nFixes: 0123456789ab\n - http://example.com/results/1\n":        "0123456789ab||",
		"a\n\nFixes: 0123456789ab\n  https://example.com/results/1\n":        "0123456789ab||",
		"a\n\nFixes: 0123456789ab\n - No autobuilder failures (yet)\n":       "0123456789ab||",
		"a\n\nFixes: 0123456789ab (\"x: y\nz\")\n":                           "0123456789ab|x: y z|folded",
		"a\n\nFixes: 0123456789ab.\n":                                        "0123456789ab||",
		"a\n\nFixes: 0123456789ab - http://x/y\n":                            "0123456789ab||",
		"a\n\nFixes: 0123456789ab\n":                                         "0123456789ab||",
		"a\n\nFixes: 0123456789ab (\"say \"hi\" twice\")\n":                  "0123456789ab|say \"hi\" twice|",
		"a\n\nFixes: #123\nFixes: 12345678\nFixes: https://x/y\n":            "",
		"Fixes: 0123456789ab\n":                                              "",
		"a\n\nwhich Fixes: 0123456789ab\n":                                   "",
	} {
		var got []string
		for _, n := range Trailers(message) {
			got = append(got, fmt.Sprintf("%s|%s|%s", n.ID, n.Subject, map[bool]string{true: "folded"}[n.Folded || n.Open]))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}

func TestCheck(t *testing.T) {
	// Each kind of problem is found, with the trailer that should be there where it is known, and a
	// right trailer has none.
	t.Parallel()
	h := gittest.New(t)
	n := 0
	commit := func(message string) gitext.OID { n++; return h.Commit(message, gittest.Files{"f": fmt.Sprint(n)}) }
	first := commit("lib: add the first thing")
	second := commit("lib: add the second thing")
	h.Git("checkout", "-q", "-b", "side")
	side := commit("lib: only on the side")
	h.Git("checkout", "-q", "main")
	h.Git("merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", string(second), "side~1")
	h.Git("checkout", "-q", "-b", "other", string(first))
	h.Write(gittest.Files{"g": "1"})
	h.Git("add", "g")
	h.Git("commit", "-q", "-m", "lib: beside")
	h.Git("checkout", "-q", "main")
	h.Git("merge", "-q", "--no-ff", "-m", "merge other", "other")
	merge := h.Head()
	id := func(oid gitext.OID) string { return string(oid[:12]) }
	c := &Checker{Repo: h.Open(), Habit: Habit{Long: true, Quoted: true}}
	for _, tt := range []struct {
		trailer string
		want    Problem
		write   string
	}{
		{fmt.Sprintf("Fixes: %s (\"lib: add the first thing\")", id(first)), "", ""},
		{fmt.Sprintf("Fixes: %s (\"lib: add the FIRST  thing.\")", id(first)), "", ""},
		{fmt.Sprintf("Fixes: %s (\"lib: add the first\")", id(first)), "", ""},
		{"Fixes: 0123456789ab (\"lib: add the first thing\")", Unknown, id(first)},
		{"Fixes: 0123456789ab (\"lib: nobody wrote this\")", Unknown, ""},
		{fmt.Sprintf("Fixes: %s (\"lib: add the first thing\")", id(second)), Subject, id(first)},
		{fmt.Sprintf("Fixes: %s (\"lib: only on the side\")", id(side)), Outside, ""},
		{fmt.Sprintf("Fixes: %s (\"merge other\")", id(merge)), Merge, ""},
		{fmt.Sprintf("Fixes: %s (\"lib: add the first thing\")", first[:8]), Short, id(first)},
		{fmt.Sprintf("Fixes: %s", id(first)), NoSubject, id(first)},
		{fmt.Sprintf("Fixes: %s (\"lib: add the\n first thing\")", id(first)), Folded, id(first)},
		{"commit 0123456789abcdef upstream.\n\nFixes: 0123456789ab (\"lib: add the first thing\")", "", ""},
		{"Fixes: #12", "", ""},
	} {
		fix, err := c.Repo.Commit(t.Context(), commit("fix\n\n"+tt.trailer+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		found, err := c.Check(t.Context(), []gitext.Commit{fix})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case tt.want == "" && len(found) > 0:
			t.Errorf("%q: %+v", tt.trailer, found)
		case tt.want != "" && (len(found) != 1 || found[0].Problem != tt.want || !strings.Contains(found[0].Write, tt.write) || tt.write == "" && found[0].Write != ""):
			t.Errorf("%q: %+v", tt.trailer, found)
		}
	}
}

func TestReadHabit(t *testing.T) {
	// The form is demanded only of a project that writes it.
	t.Parallel()
	for _, form := range []string{"%s (\"%s\")", "%s"} {
		h := gittest.New(t)
		last := h.Commit("lib: begin", gittest.Files{"f": "0"})
		for i := range 11 {
			subject := strings.TrimSpace(h.Git("log", "-1", "--format=%s"))
			trailer := strings.TrimSuffix(fmt.Sprintf("Fixes: "+form, last[:12], subject), fmt.Sprintf("%%!(EXTRA string=%s)", subject))
			last = h.Commit(fmt.Sprintf("lib: fix %d\n\n%s", i, trailer), gittest.Files{"f": fmt.Sprint(i)})
		}
		got, err := ReadHabit(t.Context(), h.Open(), last)
		if want := (Habit{11, true, strings.Contains(form, "(")}); err != nil || got != want {
			t.Errorf("%s: %+v, %v", form, got, err)
		}
	}
}
