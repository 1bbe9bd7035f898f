package engine

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// text returns sums as "name fixes" or "name fixes: culprits/commits".
func text(sums []Sum) string {
	var list []string
	for _, s := range sums {
		switch {
		case s.Commits > 0:
			list = append(list, fmt.Sprintf("%s %d: %d/%d", s.Name, s.Fixes, s.Culprits, s.Commits))
		case s.Fixes > 0:
			list = append(list, fmt.Sprintf("%s %d", s.Name, s.Fixes))
		}
	}
	return strings.Join(list, ", ")
}

func TestOverview(t *testing.T) {
	// Each fix counts once by the directory of its source, by age, by the first tag with its culprit,
	// and by the tools that the culprit names.
	t.Parallel()
	h := szztest.New(t)
	old := h.Commit("net: begin", gittest.Files{"net/tcp/a.c": "int a;\n", "doc/x.md": "x\n"})
	h.Git("tag", "v1.0")
	tool := h.Commit("net: count\n\nAssisted-by: Tool One <tool@x>\nCo-authored-by: B <b@x>\nassisted-by: Tool One\n", gittest.Files{"net/tcp/a.c": "long a;\n"})
	h.Commit("net: more\n\nAssisted-by: Tool One\n", gittest.Files{"doc/x.md": "y\n"})
	h.Git("tag", "v2.0")
	h.Time += 40 * 24 * 3600
	one := h.Commit("net: fix a leak", gittest.Files{"net/tcp/a.c": "short a;\n", "doc/x.md": "z\n", "doc/y.md": "z\n"})
	two := h.Commit("net: fix a crash", gittest.Files{"net/tcp/a.c": "char a;\n", "net/udp/b.c": "char b;\n", "net/tcp/c.c": "int c;\n"})
	again := h.Commit("net: fix another crash", gittest.Files{"net/tcp/a.c": "int *a;\n"})
	three := h.Commit("doc: fix a crash of the reader", gittest.Files{"doc/x.md": "w\n"})
	repo := h.Open()
	var fixes []tracedFix
	for _, pair := range [][2]gitext.OID{{one, tool}, {two, old}, {again, tool}, {three, two}} {
		both, err := repo.Commits(t.Context(), pair[:])
		if err != nil {
			t.Fatal(err)
		}
		fixes = append(fixes, tracedFix{both[0], both[1]})
	}
	o, err := overviewOf(t.Context(), repo, h.Head(), fixes)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want string }{
		{text(o.Directories), "net/tcp 3, doc 1"},
		{text(o.Ages), "a day 1, 3 months 3"},
		{text(o.Releases), "v1.0 1, v2.0 2, no tag yet 1"},
		{text(o.Tools), "Assisted-by: Tool One 2: 1/2, Co-authored-by: B 2: 1/1"},
		{fmt.Sprint(o.Traced, o.Culprits, o.Days), "4 3 40"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s, want %s", tt.got, tt.want)
		}
	}
	if o, err = overviewOf(t.Context(), repo, h.Head(), nil); err != nil || o.Traced != 0 || len(o.Ages) > 0 {
		t.Errorf("without fixes: %+v, %v", o, err)
	}
}

func TestCountedCulprit(t *testing.T) {
	// An improbable suspect is not counted; one that the message names is.
	t.Parallel()
	answer := func(algorithm string, p float64) *szz.Answer {
		return &szz.Answer{Algorithm: algorithm, Suspects: []szz.Suspect{{Suspect: suspect.Suspect{Probability: p}}}}
	}
	for _, tt := range []struct {
		v    *szz.Answer
		want bool
	}{{answer("rank", 0.49), false}, {answer("rank", 0.5), true}, {answer("annotation", 0), true}, {&szz.Answer{Algorithm: "annotation"}, false}} {
		if _, ok := countedCulprit(tt.v); ok != tt.want {
			t.Errorf("%+v: %v", tt.v, ok)
		}
	}
}

func TestIsFix(t *testing.T) {
	// Commits count as fixes by a trailer or by their subject.
	t.Parallel()
	for message, want := range map[string]bool{
		"net: fix a crash when the peer is gone":                       true,
		"net: use the new table\n\nFixes: 0123456789ab (\"net: x\")\n": true,
		"net: add support for jumbo frames":                            false,
		"doc: fix typos":                                               false,
		"release 1.2.3":                                                false,
	} {
		if got := countsAsFix(gitext.Commit{Message: message, Parents: []gitext.OID{"1"}}); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
	if countsAsFix(gitext.Commit{Message: "net: fix a crash"}) {
		t.Error("a root commit fixes nothing")
	}
}
