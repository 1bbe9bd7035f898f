package investigate

import (
	"context"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext/gittest"
)

func TestOriginText(t *testing.T) {
	// A name that the fix adds leads to the oldest line with it in other files, even
	// of another language. Tests and widely used names lead nowhere.
	t.Parallel()
	h := newHistory(t)
	build := gittest.Files{"build.mk2": "headers = first_part\n", "p.c": szztest.Program}
	h.Commit("start the program", build)
	culprit := h.Commit("split the header", gittest.Files{"second_part.h": "int second_part(void);\n", "tests/a.c": "second_part();\n"})
	h.Commit("use it", gittest.Files{"q.c": "int q(void) { return second_part(); }\n"})
	fix := h.Commit("install the other header, too", gittest.Files{"build.mk2": "headers = first_part second_part\n"})
	d, err := newInvestigation(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{Switches: szz.Switches{NoCandidates: true}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.originText(context.Background())
	want := "second_part at second_part.h:1, the oldest line in 2 files, by " + culprit.Short()
	if err != nil || !strings.HasPrefix(text, want) || strings.Count(text, "\n") != 1 {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOriginsEndAtTheBoundary(t *testing.T) {
	// In a shallow clone the authors of the oldest lines are not known: the boundary
	// commit of the clone is not named as one.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"build.mk2": "headers = first_part\n"})
	split := h.Commit("split the header", gittest.Files{"second_part.h": "int second_part(void);\n"})
	h.Commit("use it", gittest.Files{"q.c": "int q(void) { return second_part(); }\n"})
	fix := h.Commit("install the other header, too", gittest.Files{"build.mk2": "headers = first_part second_part\n"})
	for depth, want := range map[int]string{4: "second_part at second_part.h:1, the oldest line in 2 files, by " + split.Short(), 3: ""} {
		repo := h.Shallow(depth)
		fc, err := szz.NewContext(t.Context(), repo, fix, szz.ContextOptions{NoAnnotations: true})
		if err != nil {
			t.Fatal(err)
		}
		d, err := newInvestigation(t.Context(), repo, fc, Options{Switches: szz.Switches{NoCandidates: true}})
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.originText(t.Context())
		if err != nil || !strings.HasPrefix(text, want) || want == "" && text != "" {
			t.Errorf("depth %d: %q, %v", depth, text, err)
		}
	}
}

func TestOriginsWithIndex(t *testing.T) {
	// With an index, the prompt names the commits that changed lines with a name in other
	// files, although none of these lines exists any more, and the commit that removed a
	// name everywhere.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"use.c": szztest.Program, "pace.h": "int pace_limit(int rate);\n", "old.c": "int old(void) { return pace_limit(1) + spare_pace; }\n"})
	culprit := h.Commit("old: in another unit", gittest.Files{"old.c": "int old(void) { return pace_limit(1000); }\n"})
	h.Commit("drop old", gittest.Files{"old.c": ""})
	fix := h.Commit("limit as before", gittest.Files{"use.c": strings.Replace(szztest.Program, "max = 10", "max = pace_limit(10) + spare_pace", 1)})
	index := szztest.TextIndex{
		"pace_limit": {{OID: culprit, Path: "old.c", OldPath: "old.c", Removed: 1, Added: 1, Place: 3}, {OID: culprit, Path: "use.c", OldPath: "use.c", Added: 1, Place: 3}},
		"spare_pace": {{OID: culprit, Path: "old.c", OldPath: "old.c", Removed: 1, Place: 3}},
	}
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true, Index: true})
	d, err := newInvestigation(t.Context(), h.OpenWith(index), fc, Options{Switches: szz.Switches{NoCandidates: true}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.originText(t.Context())
	for _, want := range []string{"   lines with pace_limit changed (-1 +1) in old.c by " + culprit.Short(), "spare_pace: in no other file; taken out by " + culprit.Short()} {
		if err != nil || !strings.Contains(text, want) || strings.Contains(text, "use.c by") {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
	}
}
