package investigate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// added returns a hunk of n added lines, "1" to "n".
func added(n int) *gitext.Hunk {
	h := &gitext.Hunk{NewStart: 1, NewLines: n}
	for i := range n {
		h.Lines = append(h.Lines, gitext.PatchLine{Op: '+', New: i + 1, Text: fmt.Append(nil, i+1)})
	}
	return h
}

func TestTakeNearest(t *testing.T) {
	// The lines nearest to the fix are shown in order, from any hunk. Lines between them
	// are counted, and short gaps are filled.
	t.Parallel()
	inf := math.Inf(1)
	file := &gitext.FileChange{Status: 'M', OldPath: "a.c", NewPath: "a.c"}
	for _, c := range []struct {
		name  string
		far   [][]float64 // by hunk
		room  int
		shown string
	}{
		{"all fit", [][]float64{{0, inf, inf}}, 500, "+1 +2 +3"},
		{"far ones are left out", [][]float64{{0, inf, inf, inf, inf, inf, inf, inf}, {inf, inf}}, 500, "+1 +2 +3 +4 +5 +6 +7 +8"},
		{"the second hunk matters", [][]float64{{inf, inf}, {inf, 0, inf}}, 500, "+1 +2 +3"},
		{"little room, two places", [][]float64{{inf, inf, inf, inf, inf, inf, 0, inf, inf, inf, inf, inf, inf, 1, inf, inf, inf}}, 72, "(5 lines) +6 +7 +8 (5 lines) +14 (3 lines)"},
		{"nothing is near", [][]float64{{inf, inf, inf, inf, inf, inf, inf, inf}}, 55, "+1 +2 +3 (5 lines)"},
	} {
		var parts []*patchPart
		for _, far := range c.far {
			far = slices.Clone(far)
			spread(far)
			parts = append(parts, &patchPart{file: file, hunk: added(len(far)), far: far, shown: make([]bool, len(far)), moved: make([]movedAround, len(far))})
		}
		showNearest(parts, c.room)
		var got []string
		for _, p := range parts {
			if slices.Contains(p.shown, true) {
				var b strings.Builder
				p.write(&b, "")
				got = append(got, strings.Split(strings.TrimSpace(b.String()), "\n")[1:]...)
			}
		}
		if s := strings.Join(got, " "); s != c.shown {
			t.Errorf("%s: %s, want %s", c.name, s, c.shown)
		}
	}
}

func TestExcerptPrefersNames(t *testing.T) {
	// In the excerpt of a large commit, the lines with a name that the fix changes come
	// before the many lines around the one beside the fix.
	t.Parallel()
	h := newHistory(t)
	body := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintf(&b, "\tstep(%d); /* one of many steps */\n", i)
		}
		return b.String()
	}
	h.Commit("empty", gittest.Files{"README": "x\n"})
	before := "int run(void)\n{\n" + body(0, 100) + "\tdrain_queue(slow_path);\n" + body(100, 200) + "\tfinish();\n" + body(200, 300) + "}\n"
	bad := h.Commit("start the program", gittest.Files{"p.c": before})
	fix := h.Commit("finish well", gittest.Files{"p.c": strings.Replace(before, "finish();", "finish(slow_path);", 1)})
	_, s := h.detect(fix, Options{}, accuse(string(bad)))
	_, excerpt, _ := strings.Cut(s.asked[0].Messages[1].Text, "# What these changed")
	if !strings.Contains(excerpt, "drain_queue(slow_path)") || !strings.Contains(excerpt, "finish();") {
		t.Errorf("the excerpt shows %s", excerpt)
	}
}

func TestExcerptLeavesOutDocuments(t *testing.T) {
	// A candidate's changes of documents are named but not shown, although the fix
	// changes them too and they have its names. A fix of documents only shows them.
	t.Parallel()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"NEWS": "old news\n"})
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program, "NEWS": "limit() returns a large_maximum.\nold news\n", "doc/p.rst": "large_maximum\n"})
	fixed := strings.Replace(szztest.Program, "max = 10", "max = large_maximum", 1)
	both := h.Commit("limit: another number", gittest.Files{"p.c": fixed, "NEWS": "limit() returns large_maximum.\nold news\n"})
	_, excerpt, _ := strings.Cut(h.firstMessage(both), "# What these changed")
	if strings.Contains(excerpt, "returns a") || !strings.Contains(excerpt, "(not shown, documents: NEWS, doc/p.rst)\n") || !strings.Contains(excerpt, "+\tint max = 10;") {
		t.Errorf("%s", excerpt)
	}
	news := h.Commit("NEWS: correct", gittest.Files{"NEWS": "limit() returns small_maximum.\nold news\n"})
	if _, excerpt, _ := strings.Cut(h.firstMessage(news), "# What these changed"); !strings.Contains(excerpt, "+limit() returns") {
		t.Errorf("%s", excerpt)
	}
}

func TestQuotedLineIsShownInItsPlace(t *testing.T) {
	// The section of names quotes a later change of a definition. The candidate's own
	// hunk shows that line, too, for any number of other changes.
	t.Parallel()
	h := newHistory(t)
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, "\tint known_%d = find_known(n, %d);\n", i, i)
	}
	define := func(check string) string {
		return "int set_controllers(int n)\n{\n" + body.String() + check + "\treturn make_new(n);\n}\n"
	}
	h.Commit("start", gittest.Files{"p.c": szztest.Program})
	h.Commit("set controllers", gittest.Files{"conn.c": define("")})
	now := strings.Replace(szztest.Program, "max = 10", "max = 12", 1)
	h.Commit("limit: compare versions", gittest.Files{
		"p.c":    strings.Replace(now, "\tint max", "\tstart_limit(\"with a long explanation of what it does and why\");\n\tint max", 1),
		"conn.c": define("\tif (n && same(n))\n\t\treturn the_long_way_to_find_another_known_number(n);\n"),
		"more.c": "int limit_all(int max)\n{\n" + strings.Repeat("\tlimit(max); /* limit by max */\n", 60) + "}\n",
	})
	d := h.investigate(h.Commit("limit: do not substitute\n\nset_controllers() saw another number.", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 0", 1)}))
	names, err := d.originText(t.Context())
	if err != nil || !strings.Contains(names, "the_long_way_to_find") {
		t.Fatalf("names: %s, %v", names, err)
	}
	if text, err := d.excerptText(t.Context()); err != nil || !strings.Contains(text, "+\t\treturn the_long_way_to_find") {
		t.Errorf("excerpts: %s, %v", text, err)
	}
}
