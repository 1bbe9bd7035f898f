package coverage

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// profileTree returns a tree with the sources in testdata under the names that the
// profiles in testdata have.
func profileTree(t *testing.T) *tree {
	t.Helper()
	dir := t.TempDir()
	names := map[string]string{"in/shape.go": "shape.go.txt", "lib/shape.js": "shape.js.txt"}
	var paths []string
	for p, from := range names {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, p)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), fixture(t, from), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	tr := newTree(dir, append(paths, "src/shape.c", "src/shape.h"), false)
	return tr
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// onlyLines fails the test unless exactly these lines of one file were executed.
func onlyLines(t *testing.T, got executed, path string, want ...int) {
	t.Helper()
	lines := slices.Sorted(maps.Keys(got[path]))
	if len(got) != 1 || !slices.Equal(lines, want) {
		t.Errorf("executed %v, want %s %v", got, path, want)
	}
}

func TestReadGoProfile(t *testing.T) {
	// Blocks that ran give their lines, at the path that the package's directory has.
	t.Parallel()
	tr := profileTree(t)
	modules := readGoModules([]byte(tr.dir+" example.org/shape\n/elsewhere example.org/shape/in\n"), tr)
	onlyLines(t, readGoProfile(fixture(t, "go.cover"), modules.dir, tr), "in/shape.go", 4, 5, 6, 7, 11, 16, 17, 18, 19, 22)
	if got := readGoProfile(fixture(t, "go.cover"), goModules{}.dir, tr); len(got) > 0 {
		t.Errorf("a package outside of the tree has lines: %v", got)
	}
}

func TestReadV8Profile(t *testing.T) {
	// The profile is one that node 20 wrote. Offsets count UTF-16 units. A block that
	// did not run is a hole in its function, and a line with only brackets in it does
	// not count.
	t.Parallel()
	tr := profileTree(t)
	profile := []byte(strings.ReplaceAll(string(fixture(t, "v8.json")), "/w/", tr.dir+"/"))
	got := newV8Reader(tr).readV8Profile(profile)
	code := codeLines("lib/shape.js", fixture(t, "shape.js.txt"))
	maps.DeleteFunc(got["lib/shape.js"], func(n int, _ bool) bool { return !code(n) })
	// Line 17 is the definition of never, whose body (18) did not run; 22 and 25 begin
	// methods that ran, 27 is the branch that did not; 28 is only brackets and else.
	onlyLines(t, got, "lib/shape.js", 2, 4, 5, 6, 7, 11, 12, 14, 17, 21, 22, 23, 25, 26, 29, 34, 35, 36, 37, 38)
}

func TestReadGcov(t *testing.T) {
	// The report is one that gcov 12 printed. A test file does not count.
	t.Parallel()
	tr := profileTree(t)
	got := readGcov([]byte(strings.ReplaceAll(string(fixture(t, "gcov.json")), "/w", tr.dir)), tr)
	onlyLines(t, got, "src/shape.c", 3, 5, 6)
}

func TestReadNodeProfile(t *testing.T) {
	// Pieces of a test belong together. A test without a name holds other tests only.
	// A script whose text is not the file's does not count, and one whose text begins
	// later in the script is moved.
	t.Parallel()
	tr := profileTree(t)
	ran := func(id, from, to string) string {
		return `[{"scriptId":"` + id + `","url":"file://` + tr.dir + `/lib/shape.js","functions":[{"ranges":[{"startOffset":` + from + `,"endOffset":` + to + `,"count":1}]}]}]`
	}
	runs := newV8Reader(tr).readNodeProfile([]byte(strings.Join([]string{
		`{"test":0,"result":` + ran("1", "0", "30") + `}`,
		`{"test":2,"result":` + ran("1", "111", "120") + `}`,
		`{"test":3,"result":` + ran("2", "111", "120") + `}`,
		`{"test":3,"name":"inner","ok":false}`,
		`{"test":2,"result":` + ran("3", "150", "160") + `}`,
		`{"test":2,"name":"a","ok":true}`,
		`{"test":4,"name":"","ok":true}`,
		`{"script":"2","other":true}`,
		`{"script":"3","shift":24}`,
		`{"test":0,"name":"","ok":false}`,
	}, "\n")))
	if len(runs) != 3 || !runs[0].failed || runs[1].failed || !runs[2].failed || runs[1].name != "a" {
		t.Fatalf("runs %+v", runs)
	}
	onlyLines(t, runs[1].lines, "lib/shape.js", 6, 7)
	if len(runs[2].lines) > 0 {
		t.Errorf("lines of a translated script: %v", runs[2].lines)
	}
}

// hostile are inputs that no tool writes.
var hostile = []string{
	"", "\x00", "{", "[]", "null", "0", `{"result":3}`, `{"result":[{"url":"file://%zz","functions":[{}]}]}`,
	`{"test":-1,"name":"x","ok":false}`, "mode: set\nx:1.1,2.2 1 1\n:\n::1,2 1\na.go:9.9,1.1 1 1\n",
	"example.org/shape/in/../../../etc/passwd:1.1,2.2 1 1\nexample.org/shape/in/shape.go:1.1,99999999999999999999.1 1 1\n",
	"example.org/shape/in/shape.go:-5.1,2.1 1 1\nexample.org/shape/in/shape.go:1.1,900000000.1 1 1\n",
	`{"files":[{"file":"/","lines":[{"line_number":-1,"count":1}]},{"file":"","lines":null}],"current_working_directory":"\u0000"}`,
}

// FuzzProfiles checks that no profile makes a parser panic, name a file outside of the
// tree, or count a line that no file can have.
func FuzzProfiles(f *testing.F) {
	for _, name := range []string{"go.cover", "v8.json", "gcov.json"} {
		f.Add(fixture(f, name))
	}
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	f.Add([]byte(`{"result":[{"url":"file:///w/lib/shape.js","functions":[{"ranges":[{"startOffset":5,"endOffset":9,"count":1},{"startOffset":7,"endOffset":2147483647,"count":0},{"startOffset":-3,"endOffset":4,"count":9}]}]}]}`))
	tr := newTree("/w", []string{"in/shape.go", "lib/shape.js", "src/shape.c"}, false)
	f.Fuzz(func(t *testing.T, profile []byte) {
		all := []executed{
			readGoProfile(profile, goModules{{path: "example.org/shape", dir: "."}}.dir, tr),
			newV8Reader(tr).readV8Profile(profile),
			readGcov(profile, tr),
		}
		for _, run := range newV8Reader(tr).readNodeProfile(profile) {
			all = append(all, run.lines)
		}
		for _, test := range readPythonTests(profile) {
			all = append(all, test.executed(tr))
		}
		for _, lines := range all {
			for p, numbers := range lines {
				for n := range numbers {
					if !tr.tracked[p] || n < 1 || n > maxLine {
						t.Errorf("line %d of %q", n, p)
					}
				}
			}
		}
	})
}

func TestExecutedRangesOfAnyShape(t *testing.T) {
	// Ranges that overlap without one holding the other, which V8 does not report,
	// still give pieces in order that do not overlap.
	t.Parallel()
	v := v8Script{Functions: []v8Function{{Ranges: []v8Range{
		{0, 10, 1}, {2, 5, 0}, {4, 8, 2}, {8, 20, 1}, {20, 18, 1}, {-4, -2, 1}, {30, 31, 1},
	}}}}
	var got [][2]int
	v.executedRanges(func(from, to int) { got = append(got, [2]int{from, to}) })
	at := 0
	for _, piece := range got {
		if piece[0] < at || piece[1] <= piece[0] {
			t.Fatalf("pieces %v", got)
		}
		at = piece[1]
	}
	if want := [][2]int{{0, 2}, {4, 5}, {5, 8}, {8, 10}, {30, 31}}; !slices.Equal(got, want) {
		t.Errorf("pieces %v, want %v", got, want)
	}
}
