package fixlike

import (
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// fixOf returns a fix of one file from the lines of a hunk, which begin with '+', '-'
// or a space.
func fixOf(subject, path string, status byte, lines ...string) *szz.FixContext {
	h := gitext.Hunk{}
	for _, l := range lines {
		h.Lines = append(h.Lines, gitext.PatchLine{Op: l[0], Text: []byte(l[1:])})
	}
	return &szz.FixContext{Message: subject, Patch: &gitext.Patch{
		Files: []gitext.FileChange{{Status: status, OldPath: path, NewPath: path, Hunks: []gitext.Hunk{h}}},
	}}
}

func TestWeightsFitTheFeatures(t *testing.T) {
	// Each feature has its weight, in the same order, and the constant comes last.
	t.Parallel()
	var names []string
	for _, w := range weights {
		names = append(names, w.name)
	}
	if want := append(Names(), "constant"); !slices.Equal(names, want) {
		t.Errorf("weights of %q, features %q", names, want)
	}
	if x := Vector(fixOf("a", "a.c", 'M', "-a", "+b")); len(x) != len(Names()) {
		t.Errorf("%d values for %d features", len(x), len(Names()))
	}
}

func TestJudgeTellsFixesFromOthers(t *testing.T) {
	// Ordinary fixes look like fixes. Documentation, releases, reformatted code and new
	// files do not, and the reason is given.
	t.Parallel()
	for _, c := range []struct {
		fix *szz.FixContext
		why string // "" if it looks like a fix
	}{
		{fixOf("parser: fix a crash on an empty line", "src/parser.c", 'M', "-\tif (n > 1)", "+\tif (n > 0)"), ""},
		{fixOf("do not free the buffer twice", "src/buffer.c", 'M', "-\tfree(b);"), ""},
		{fixOf("", "src/parser.c", 'M', "-\tif (n > 1)", "+\tif (n > 0)"), ""},
		{fixOf("docs: describe the options", "doc/options.md", 'M', "-Some options.", "+All the options,", "+one by one."), "it changes no source code, its subject speaks of documentation"},
		{fixOf("release 1.2.4", "version.txt", 'M', "-1.2.3", "+1.2.4"), "it changes no source code, it changes only numbers"},
		{fixOf("clean up the indentation", "src/a.c", 'M', slices.Repeat([]string{"-  a();", "+    a();"}, 10)...), "it changes white space, its subject speaks of style"},
		{fixOf("shell completion for zsh", "contrib/completion.txt", 'A', "+#compdef a", "+_a"), "it changes no source code, it removes no line"},
	} {
		j := Judge(c.fix)
		if got := strings.Join(j.Why, ", "); got != c.why || (j.Probability < doubtful) != (c.why != "") {
			t.Errorf("%q: %.2f, %q; want %q", c.fix.Message, j.Probability, got, c.why)
		}
	}
}

func TestTemper(t *testing.T) {
	// A commit that does not look like a fix gets a note, and its suspects are less
	// probable, in the same order. The probabilities of a model, of an annotation and of
	// a variant without probabilities stay; an annotation gets no note.
	t.Parallel()
	doc := fixOf("docs: describe the options", "doc/options.md", 'M', "-Some options.", "+All the options.")
	for algorithm, want := range map[string]struct{ note, lower bool }{
		"rank": {true, true}, "agent": {true, false}, "b": {true, false}, "annotation": {false, false},
	} {
		v := &szz.Answer{Algorithm: algorithm}
		for _, p := range []float64{0.8, 0.2} {
			v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{Probability: p}})
		}
		v.Owner = &szz.Suspect{Suspect: suspect.Suspect{Probability: 0.1}}
		Temper(doc, v)
		if want.lower != (v.Owner.Probability < 0.1) {
			t.Errorf("%s: the owner of the lines has %v", algorithm, v.Owner.Probability)
		}
		p := min(1, Judge(doc).Probability/ordinaryFix)
		if want.lower != (v.Suspects[0].Probability < 0.6) || want.lower && math.Abs(v.Suspects[1].Probability-0.2*p) > 1e-9 {
			t.Errorf("%s: %v, %v", algorithm, v.Suspects[0].Probability, v.Suspects[1].Probability)
		}
		if got := strings.Contains(strings.Join(v.Notes, "\n"), "does not look like a fix"); got != want.note {
			t.Errorf("%s: notes %q", algorithm, v.Notes)
		}
	}
}

func TestAFixKeepsItsProbability(t *testing.T) {
	// The suspects of an ordinary fix lose less than five points of a hundred.
	t.Parallel()
	v := &szz.Answer{Algorithm: "rank", Suspects: []szz.Suspect{{Suspect: suspect.Suspect{Probability: 0.9}}}}
	Temper(fixOf("parser: fix a crash on an empty line", "src/parser.c", 'M', "-\tif (n > 1)", "+\tif (n > 0)"), v)
	if p := v.Suspects[0].Probability; p < 0.86 || p > 0.9 || len(v.Notes) > 0 {
		t.Errorf("%v, notes %q", p, v.Notes)
	}
}

func TestMergeHasNoSubject(t *testing.T) {
	// The subject of a merge has the name of its branch, and is no feature.
	t.Parallel()
	merge := fixOf("Merge branch 'doc-fixes' into release-1.2", "src/a.c", 'M', "-a", "+b")
	merge.Commit.Parents = []gitext.OID{"1", "2"}
	if got := Vector(merge); !slices.Equal(got, WithoutMessage(got)) {
		t.Errorf("features of the subject: %v", got)
	}
}

func FuzzVector(f *testing.F) {
	// No subject and no line makes it panic, and every feature is a finite number.
	f.Add("fix \xff", "a\x00.c", "\xff\xfe 1")
	f.Fuzz(func(t *testing.T, subject, path, line string) {
		for i, x := range Vector(fixOf(subject, path, 'M', "-"+line, "+", "+"+line+"1")) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s is %v", Names()[i], x)
			}
		}
	})
}

func TestVectorReadsTheFirstLines(t *testing.T) {
	// From a hunk of a million lines, only the bounded number is counted.
	t.Parallel()
	c := count(fixOf("", "a.c", 'M', slices.Repeat([]string{"-a", "+b"}, 500_000)...).Patch)
	if n := c.added + c.removed; n < maxLines || n > maxLines+1 {
		t.Errorf("%v lines", n)
	}
}

func TestLikely(t *testing.T) {
	// A commit of a history is a fix only if its subject says so; a patch that was not read is none
	// that changes nothing.
	t.Parallel()
	for subject, want := range map[string]bool{
		"net: fix a crash when the peer is gone": true, "Fix use after free in the parser": true, "net: add jumbo frames": false,
		"Rename the parser": false, "doc: fix typos": false, "net: count the frames": false,
	} {
		if got := Likely(gitext.Commit{Message: subject, Parents: []gitext.OID{"1"}}, nil); got != want {
			t.Errorf("%q: %v", subject, got)
		}
		fc := fixOf(subject, "src/a.c", 'M', "-a = first_of(list);", "+a = list ? first_of(list) : none;")
		if got := Likely(gitext.Commit{Message: subject, Parents: []gitext.OID{"1"}}, fc.Patch); got != want && !strings.HasPrefix(subject, "doc") {
			t.Errorf("%q with a patch: %v", subject, got)
		}
	}
}
