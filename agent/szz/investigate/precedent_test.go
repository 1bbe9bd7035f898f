package investigate

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestFindPrecedent(t *testing.T) {
	// The check distinguishes a commit that wrote the faulty part of a line from one that
	// moved it, or changed another part of it.
	t.Parallel()
	const line = "\tint max = compute_limit(n, FLAG_OLD);"
	base := strings.Replace(szztest.Program, "\tint max = 10;", line, 1)
	for name, test := range map[string]struct {
		accused, fixed string // the line after the accused commit, and after the fix
		lines          int    // precedents; 0 for none
	}{
		"wrote the fault":         {"\tint max = compute_limit(n, FLAG_BAD);", "\tint max = compute_limit(n, FLAG_OLD);", 0},
		"changed signs elsewhere": {"\tint max = (compute_limit(n, FLAG_OLD));", "\tint max = (compute_limit(n, FLAG_NEW));", 1},
		"changed a name as well":  {"\tint most = compute_limit(n, FLAG_OLD);", "\tint most = compute_limit(n, FLAG_NEW);", 0},
		"the fix drops the line":  {"\tint max = (compute_limit(n, FLAG_OLD));", "", 0},
		"what was missing before": {"\tint max = (compute_limit(n, FLAG_OLD));", "\tint max = (compute_limit(n, FLAG_OLD | FLAG_MORE));", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory(t)
			h.Commit("empty", gittest.Files{"README": "x\n"})
			origin := h.Commit("start the program", gittest.Files{"p.c": base})
			accused := h.Commit("change a line", gittest.Files{"p.c": strings.Replace(base, line, test.accused, 1)})
			fix := h.Commit("mend it", gittest.Files{"p.c": strings.Replace(base, line, test.fixed, 1)})
			d, err := newInvestigation(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.findPrecedent(context.Background(), accused)
			if err != nil || (p == nil) != (test.lines == 0) {
				t.Fatalf("got %+v, %v", p, err)
			}
			if p != nil && (p.lines != test.lines || p.examples[0].owner.OID != origin || p.examples[0].at != 5) {
				t.Errorf("got %+v", p)
			}
		})
	}
}

func TestFindPrecedentAtTheBoundary(t *testing.T) {
	// The author of a line at the beginning of a shallow clone is not known.
	t.Parallel()
	h, _, mover, fix := movedHistory(t)
	for depth, known := range map[int]bool{5: true, 4: false} {
		repo := h.Shallow(depth)
		fc, err := szz.NewContext(t.Context(), repo, fix, szz.ContextOptions{NoAnnotations: true})
		if err != nil {
			t.Fatal(err)
		}
		d, err := newInvestigation(t.Context(), repo, fc, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.findPrecedent(t.Context(), mover)
		if err != nil || p == nil || (p.examples[0].owner.OID != "") != known {
			t.Errorf("depth %d: %+v, %v", depth, p, err)
		}
	}
}

func TestFindPrecedentOfGhost(t *testing.T) {
	// If the fix only adds lines, the check takes those next to the addition.
	t.Parallel()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"README": "x\n"})
	text := strings.Replace(szztest.Program, "max = 10", "max = min_of(n, 10)", 1)
	origin := h.Commit("start the program", gittest.Files{"p.c": text})
	mover := h.Commit("join files", gittest.Files{"p.c": gittest.Gone, "lib/all.c": strings.Repeat("/* moved */\n", 40) + text})
	fix := h.Commit("survive negative numbers", gittest.Files{"lib/all.c": strings.Repeat("/* moved */\n", 40) + strings.Replace(text, "\tif (n > max)", "\tif (n < 0)\n\t\treturn 0;\n\tif (n > max)", 1)})
	d, err := newInvestigation(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for oid, want := range map[gitext.OID]bool{mover: true, origin: false} {
		p, err := d.findPrecedent(context.Background(), oid)
		if err != nil || (p != nil) != want {
			t.Errorf("%s: %+v, %v", oid, p, err)
		}
	}
}

func TestFindPrecedentOfRename(t *testing.T) {
	// A commit that renames a function everywhere is not to blame for its calls. One
	// that replaces it in one place may be.
	t.Parallel()
	text := strings.Replace(szztest.Program, "\tint max = 10;", strings.Repeat("\ttell(io.write(n, FLAG_A));\n\n", 5), 1)
	for name, test := range map[string]struct {
		times int
		want  bool
	}{"everywhere": {5, true}, "once": {1, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHistory(t)
			h.Commit("start the program", gittest.Files{"p.c": text})
			after := strings.Replace(text, "io.write", "file.write", test.times)
			accused := h.Commit("rename io", gittest.Files{"p.c": after})
			fix := h.Commit("mend it", gittest.Files{"p.c": strings.Replace(after, "FLAG_A", "FLAG_B", 1)})
			d, err := newInvestigation(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.findPrecedent(context.Background(), accused)
			if err != nil || (p != nil) != test.want {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
}

func TestChanges(t *testing.T) {
	// The changed parts of a line are given with the tokens beside them.
	for _, test := range []struct {
		old, now string
		want     [][]string
	}{
		{"f(a, OLD)", "f(a, NEW)", [][]string{{",", "OLD", ")"}}},
		{"if (a)", "if (a && b)", [][]string{{"a", ")"}}},
		{"x = y;", "x = y;", nil},
		{"OLD", "NEW", [][]string{{"OLD"}}},
		{"return n", "return n;", [][]string{{"n"}}},
	} {
		if got := changes(lexemes([]byte(test.old)), lexemes([]byte(test.now))); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q -> %q: %q, want %q", test.old, test.now, got, test.want)
		}
	}
}
