package culprit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/stat"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, line string
		want       source.LineKind
	}{
		{"a.c", "\t/* x */", source.LineComment},
		{"a.c", " * x", source.LineComment},
		{"a.c", "*x = 1;", source.LineCode},
		{"a.c", "#define X", source.LineCode},
		{"a.c", "#include <x.h>", source.LineImport},
		{"a.py", "# x", source.LineComment},
		{"a.tcl", "# x", source.LineComment},
		{"a.el", " ;; x", source.LineComment},
		{"a.c", "; x()", source.LineCode},
		{"a.c", "\t} })", source.LineBrace},
		{"a.c", " \t", source.LineBlank},
		{"a.go", "\tx()", source.LineCode},
	} {
		if got := kindOf(c.file, []byte(c.line)); got != c.want {
			t.Errorf("%s %q: %v, want %v", c.file, c.line, got, c.want)
		}
	}
}

// linesOf returns a region whose lines begin at 1 and are owned by single letters.
func regionOf(frame int, lines ...string) *region {
	r := &region{path: "a.c", Extent: source.Extent{Start: 1, Body: 1, End: len(lines)}, weight: 1}
	if frame > 0 {
		r.places = []place{{line: frame, at: frame, weight: 1}}
	}
	for i, l := range lines {
		r.lines = append(r.lines, suspect.OwnedLine{Line: i + 1, Text: []byte(l[1:]), Owner: gitext.OID(l[:1]), Kind: kindOf("a.c", []byte(l[1:]))})
	}
	return r
}

// A region is called like the function that its heading names, and not like another one: an inner
// function of meson's, and a function that netty's class has no more.
func TestNamesOfRegions(t *testing.T) {
	t.Parallel()
	meson := source.SplitLines([]byte("def get_commands_data(root):\n    def parse_cmd(cmd):\n        assert cmd\n        return cmd\n\n    for cmd in root:\n        parse_cmd(cmd)\n"))
	netty := source.SplitLines([]byte("public class HttpObjectAggregator\n        extends MessageAggregator {\n    private static final Logger logger = x;\n    private static final Response CONTINUE =\n            new Response();\n}\n"))
	for _, test := range []struct {
		path     string
		lines    [][]byte
		function string
		at       []int
		want     string
	}{
		{"tools/regenerate_docs.py", meson, "get_commands_data", []int{7}, "get_commands_data()"},
		{"tools/regenerate_docs.py", meson, "parse_cmd", []int{3}, "tools/regenerate_docs.py:1-7"},
		{"a/HttpObjectAggregator.java", netty, "io.netty.handler.codec.http.HttpObjectAggregator.decode", []int{4}, "a/HttpObjectAggregator.java:1-6"},
	} {
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash}}}
		var places []place
		for i, at := range test.at {
			report.Stacks[0].Frames = append(report.Stacks[0].Frames, crash.Frame{Function: test.function, Path: test.path, Line: at})
			places = append(places, place{ref: crash.FrameRef{Frame: i}, line: at, at: at, weight: 1})
		}
		if got := regionsIn(test.path, test.lines, places, report); len(got) != 1 || got[0].named() != test.want {
			t.Errorf("%s: %q, want %s", test.function, got[0].named(), test.want)
		}
	}
}

func gatheringOf(r *region) *gathering {
	g := &gathering{regions: []*region{r}, byOID: map[gitext.OID]*candidate{}}
	g.takeOwners()
	return g
}

func TestTakeOwners(t *testing.T) {
	// The shares of all owners add up to one. The owner of the frame's line has it exactly, and
	// lines closer to the frame weigh more.
	t.Parallel()
	g := gatheringOf(regionOf(5, "aint f(struct s *s)", "a{", "bint size = read_size();", "clog_it();", "ause(size);", "d/* none */", "a}"))
	share, around := 0.0, 0.0
	for _, c := range g.byOID {
		h := c.hits[0]
		share, around = share+h.share, around+h.around
	}
	for name, sum := range map[string]float64{"share": share, "around": around} {
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: the sum is %v", name, sum)
		}
	}
	hit := func(oid string) *hit { return g.byOID[gitext.OID(oid)].hits[0] }
	if hit("a").exact == nil || hit("b").exact != nil {
		t.Errorf("%+v, %+v", hit("a"), hit("b"))
	}
	if hit("c").around <= hit("d").around || hit("c").between != 1 {
		t.Errorf("b %+v, c %+v, d %+v", hit("b"), hit("c"), hit("d"))
	}
	if lines := hit("a").closest(); lines[0].Line != 5 {
		t.Errorf("%+v", lines)
	}
}

func TestPlaces(t *testing.T) {
	// Only lines of code count as code: at the line of a frame, next to it, and in all.
	t.Parallel()
	g := gatheringOf(regionOf(5, "eint f(struct s *s)", "a{", "bint size = read_size();", "clog_it();", "ause(size);", "d/* none */", "a}"))
	for oid, want := range map[string][4]float64{ // line, line_code, near, lines
		"a": {1, 1, 1, 1}, "b": {0, 0, 1, 1}, "c": {0, 0, 1, 1}, "d": {0, 0, 0, 0}, "e": {0, 0, 0, 1},
	} {
		f := g.byOID[gitext.OID(oid)].places()
		got := [4]float64{f["line"], f["line_code"], f["near"], math.Round(math.Expm1(f["lines"]))}
		if got != want {
			t.Errorf("%s: %v, want %v", oid, got, want)
		}
	}
	g = gatheringOf(regionOf(2, "aint f(void)", "b{", "ag();", "a}"))
	if f := g.byOID["b"].places(); f["line"] != 1 || f["line_code"] != 0 || f["near"] != 0 {
		t.Errorf("a frame at a brace: %v", f)
	}
}

func TestTakeOwnersWithoutAFrame(t *testing.T) {
	// If only the function is known, no line is close to a frame.
	t.Parallel()
	r := regionOf(0, "aint f(void)", "a{", "bg();", "a}")
	r.places = []place{{at: 1, weight: 1}}
	g := gatheringOf(r)
	for oid, c := range g.byOID {
		if h := c.hits[0]; h.exact != nil || h.nearest != nil || h.share <= 0 {
			t.Errorf("%s: %+v", oid, h)
		}
	}
	if !g.noLines() {
		t.Error("the report has lines")
	}
}

func TestRegionsIn(t *testing.T) {
	// Frames in one function share a region. For a line outside of functions, the region is the
	// lines around it.
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{{Function: "f", Path: "a.c", Line: 3}, {Function: "f", Path: "a.c", Line: 4}, {Path: "a.c", Line: 7}, {Path: "a.c", Line: 99}, {Function: "abort", Path: "a.c", Line: 3}}}}}
	places := placesOf(report, map[string]float64{"a.c": 0.5})["a.c"]
	if len(places) != 4 || places[0].weight != 0.5 || places[1].weight != 0.4 {
		t.Fatalf("%+v", places)
	}
	var lines [][]byte
	for _, l := range []string{"int f(void)", "{", "\ta();", "\tb();", "}", "", "int x;"} {
		lines = append(lines, []byte(l))
	}
	regions := regionsIn("a.c", lines, places, report)
	if len(regions) != 1 || len(regions[0].places) != 3 || regions[0].Start != 1 || regions[0].End != 7 {
		t.Errorf("%+v", regions)
	}
	if far := narrowed(source.Extent{Start: 1, End: 9000}, 5000); far.Start != 4400 || far.End != 5600 {
		t.Errorf("%+v", far)
	}
}

func TestModelFits(t *testing.T) {
	// The committed model has a weight for each feature, and no others.
	t.Parallel()
	for name, weights := range map[string]map[string]float64{"lines": committed().Lines, "functions": committed().Functions} {
		for _, f := range append(slices.Clone(featureNames), stat.NoneWeight) {
			if _, ok := weights[f]; !ok {
				t.Errorf("%s: no weight of %s", name, f)
			}
		}
		for _, f := range featureNames {
			if signalNames[f] == "" {
				t.Errorf("%s has no name for a reader", f)
			}
		}
		if len(weights) != len(featureNames)+1 {
			t.Errorf("%s: %d weights, %d features", name, len(weights), len(featureNames))
		}
	}
	if committed().Made.Cases == 0 || committed().Calibration.Raw <= 0 {
		t.Errorf("%+v", committed())
	}
}

// Many frames on few lines cost little more than one frame on each line. Otherwise this test
// would exceed its time limit.
func TestRegionsOfManyFrames(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{{}}}
	var lines [][]byte
	for depth := range 800 {
		lines = append(lines, []byte(strings.Repeat(" ", depth)+"int f(int a) {"))
	}
	var places []place
	for i := range 100_000 {
		report.Stacks[0].Frames = append(report.Stacks[0].Frames, crash.Frame{Path: "a.c", Line: 700, Function: "f"})
		places = append(places, place{ref: crash.FrameRef{Frame: i}, line: 700 + i%5, at: 700 + i%5, weight: 1})
	}
	got := regionsIn("a.c", lines, places, report)
	if len(got) != 1 || len(got[0].places) > maxRepeated {
		t.Errorf("%d regions, %d places", len(got), len(got[0].places))
	}
}
