package prior

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// A focus is what is known of the failing test.
type focus struct {
	files  []string        // the test's files, in order
	stems  map[string]bool // names of the files that these test, by convention
	names  map[string]bool // identifiers of the failing test, in lower case
	dirs   map[string]bool // directories of the test's files and of those that they test
	code   source.Bag      // identifiers of the failing test, or of its files if it is not known
	narrow source.Bag      // identifiers of the lines of the test that are new or that the output names
	name   source.Bag      // words of the names of the test and of its files
	words  source.Bag      // words of its name, its text, the command and the output
	output source.Bag      // identifiers of the output that are not in the test
	frames []place         // places that the output names, outside of tests
	named  map[string]bool // files that the output names, outside of tests
}

// A place is a line of a file of the failing commit.
type place struct {
	file string
	line int
}

// These bound what is read of a test.
const (
	mostTestFiles = 8
	maxTestFile   = 1 << 20
	maxOutput     = 256 << 10
)

// readFocus finds the failing test in the evidence.
func readFocus(ctx context.Context, repo *gitext.Repo, t *tree, ev Evidence) (*focus, error) {
	f := &focus{
		stems: map[string]bool{}, dirs: map[string]bool{}, code: source.Bag{}, narrow: source.Bag{}, name: source.Bag{}, words: source.Bag{},
		output: source.Bag{}, named: map[string]bool{},
	}
	text := ev.Command + "\n" + string(ends(ev.Output, maxOutput))
	f.files = testFiles(t, ev, text)
	for _, p := range f.files {
		f.stems[testedStem(p)] = true
		for _, dir := range testedDirs(p) {
			f.dirs[dir] = true
		}
		now, err := blob(ctx, repo, t, p)
		if err != nil {
			return nil, err
		}
		laid := ev.Laid[p]
		if laid == nil {
			laid, now = now, nil
		}
		f.read(p, laid, now, text)
	}
	if len(f.name) == 0 {
		f.name.AddWords(ev.Command)
	}
	f.names = map[string]bool{}
	for w := range f.code {
		f.names[strings.ToLower(w)] = true
	}
	f.readText(t, ev, text)
	return f, nil
}

// blob reads a file of the failing commit; nil if it is not there or cannot be read.
func blob(ctx context.Context, repo *gitext.Repo, t *tree, p string) ([]byte, error) {
	e, ok := t.files[p]
	if !ok {
		return nil, nil
	}
	text, err := repo.Blob(ctx, e.OID, maxTestFile)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return text, nil // a partial clone may lack it, or it is too large
}

// ends returns the first and the last n bytes of a text.
func ends(text []byte, n int) []byte {
	if len(text) <= 2*n {
		return text
	}
	return slices.Concat(text[:n], []byte("\n"), text[len(text)-n:])
}

// testFiles returns the files of the failing test: the laid ones, else those that the command or
// the output names, else the few opened ones.
func testFiles(t *tree, ev Evidence, text string) []string {
	files := slices.Sorted(maps.Keys(ev.Laid))
	if len(files) == 0 {
		for _, word := range strings.FieldsFunc(text, notPathByte) {
			for _, p := range t.named(pathOf(t, word)) {
				if source.IsTestOf(p, ev.Command) && !slices.Contains(files, p) {
					files = append(files, p)
				}
			}
			if len(files) == mostTestFiles {
				break
			}
		}
	}
	if len(files) == 0 {
		for p := range ev.Opened {
			if source.FileKindOf(p) == source.TestFile && t.files[p].OID != "" && codeExt(p) {
				files = append(files, p)
			}
		}
		slices.Sort(files)
		if len(files) > mostTestFiles {
			return nil
		}
	}
	return files[:min(len(files), mostTestFiles)]
}

// codeExt reports whether a file of a test may be its code, and not its data.
func codeExt(p string) bool {
	switch path.Ext(p) {
	case "", ".txt", ".json", ".yml", ".yaml", ".toml", ".xml", ".html", ".md", ".out", ".golden", ".pyc":
		return false
	}
	return true
}

// notPathByte splits a text into words that may be paths or names of classes.
func notPathByte(r rune) bool {
	return !(r == '/' || r == '.' || r == '-' || r == '_' || r == '\\' || r > 127 ||
		r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
}

// pathOf returns a word as a path: "a.b.CTest" is a class in the file a/b/CTest.java.
func pathOf(t *tree, word string) string {
	word = strings.Trim(word, ".")
	if t.byBase[path.Base(word)] != nil || strings.Contains(word, "/") {
		return word
	}
	if file := strings.ReplaceAll(word, ".", "/") + ".java"; t.byBase[path.Base(file)] != nil {
		return file
	}
	return word
}

// testMarks are the parts of a test file's name that say so.
var testMarks = source.Lazy(`(?i)^(?:tests?[_.-]?)|(?:[_.-]?(?:integration)?(?:unit)?(?:tests?|spec|testcase))+$`)

// testedStem returns the name of the file that a test file tests by convention, in lower case:
// "foo" for foo_test.go, test_foo.py, FooTest.java and foo.spec.js.
func testedStem(p string) string {
	stem := stemOf(p)
	return testMarks().ReplaceAllString(stem, "")
}

// stemOf returns the stem of a file in lower case, because test files and messages spell it in
// either case.
func stemOf(p string) string { return strings.ToLower(source.Stem(p)) }

// testedDirs returns the directories in which a test's subject may be: its own, and those in
// which "test" is replaced by what usual layouts have for sources.
func testedDirs(p string) []string {
	dir := path.Dir(p)
	dirs := []string{dir}
	for _, pair := range [][2]string{{"src/test/java", "src/main/java"}, {"src/test", "src/main"}, {"src/test", "src"}, {"test", "src"}, {"tests", "src"}, {"test", "lib"}, {"tests", "lib"}} {
		if i := strings.Index("/"+dir+"/", "/"+pair[0]+"/"); i >= 0 {
			dirs = append(dirs, dir[:i]+pair[1]+dir[i+len(pair[0]):])
		}
	}
	return dirs
}

// read adds the text of a test file. Counted are the functions that the command or the output
// name, and the lines that are new or that the output names; if there are none, the whole file.
func (f *focus) read(p string, text, now []byte, named string) {
	if !codeExt(p) {
		return
	}
	lines := source.SplitLines(text)
	f.name.AddWords(testedStem(p))
	exact := make([]bool, len(lines))
	mark(exact, newLines(lines, now), 0)
	mark(exact, namedLines(p, named), 3)
	wide := slices.Clone(exact)
	for _, fn := range source.Functions(p, lines) {
		inside := wide[fn.Start-1 : min(fn.End, len(lines))]
		isNamed := len(fn.Name) > 4 && source.WordIndex(named, fn.Name) >= 0
		if isNamed || slices.Contains(inside, true) {
			f.name.AddWords(fn.Name)
		}
		for i := range inside {
			inside[i] = inside[i] || isNamed
		}
	}
	if !slices.Contains(exact, true) {
		exact = wide
	}
	whole := !slices.Contains(wide, true)
	for i, line := range lines {
		if whole || wide[i] {
			f.code.AddCode(line)
			f.words.AddWords(string(line))
		}
		if whole || exact[i] {
			f.narrow.AddCode(line)
		}
	}
}

// mark sets the lines with some numbers, and those around them.
func mark(lines []bool, numbers []int, around int) {
	for _, n := range numbers {
		for i := max(n-around, 1); i <= min(n+around, len(lines)); i++ {
			lines[i-1] = true
		}
	}
}

// newLines returns the numbers of the lines that the failing commit's own file lacks.
func newLines(lines [][]byte, now []byte) []int {
	if now == nil {
		return nil
	}
	known := map[string]bool{}
	for _, line := range source.SplitLines(now) {
		known[string(bytes.TrimSpace(line))] = true
	}
	var out []int
	for i, line := range lines {
		if line = bytes.TrimSpace(line); len(line) > 2 && !known[string(line)] {
			out = append(out, i+1)
		}
	}
	return out
}

// namedLines returns the lines of a file that an output names.
func namedLines(p, output string) []int {
	var out []int
	for _, m := range framePattern().FindAllStringSubmatch(output, 2000) {
		if path.Base(strings.ReplaceAll(m[1], `\`, "/")) == path.Base(p) {
			n, _ := strconv.Atoi(m[2])
			out = append(out, n)
		}
	}
	return out
}

// framePattern matches a file with a line, as most languages print them.
var framePattern = source.Lazy(`([\w./\\@+-]+\.\w{1,6})["']?(?::|, line |\()(\d{1,6})`)

// readText adds the command and the output.
func (f *focus) readText(t *tree, ev Evidence, text string) {
	f.words.AddWords(source.FirstBytes(text, 20000))
	for line := range strings.Lines(text[min(len(ev.Command), len(text)):]) {
		f.output.AddCode([]byte(line))
	}
	for w := range f.code {
		delete(f.output, w)
	}
	seen := map[place]bool{}
	for _, m := range framePattern().FindAllStringSubmatch(text, 2000) {
		paths := t.named(m[1])
		if len(paths) > 3 {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		for _, p := range paths {
			at := place{p, line}
			if source.FileKindOf(p) != source.SourceFile || seen[at] || slices.Contains(f.files, p) {
				continue
			}
			seen[at] = true
			f.frames = append(f.frames, at)
			f.named[p] = true
		}
	}
}
