package source

import "bytes"

var (
	// testHeading matches the heading of a test that returns nothing, or a mark above it: of Go, Java and Kotlin, Rust,
	// and .NET.
	testHeading = Lazy(`(?m)^\s*func (?:\([^)]*\) )?(?:Test|Benchmark|Fuzz|Example)\w*\(|^\s*@(?:\w+\.)*\w*Test\b|\bpublic void test\w*\(` +
		`|^\s*#\[(?:\w+::)*(?:test|bench|rstest)\b|^\s*\[(?:Fact|Theory|Test\w*)\b`)
	// importLine matches an import of one name on a line of its own.
	importLine = Lazy(`^\s*(?:import\s+(?:static\s+)?[\w.*]+\s*;?|use [\w:]+;|(?:import\s+)?(?:[\w.]+\s+)?"[^"]+")\s*$`)
)

// marksAbove is the number of lines above a function that may mark it as a test.
const marksAbove = 2

// EmptyTests returns a file of tests in which the tests around some lines, from 1, have empty bodies, and their names. Imports
// on these lines are removed. All other lines keep their places. ok is false if one of the lines belongs to something else: what
// other tests use is then not known.
func EmptyTests(filePath string, text []byte, around []int) (emptied []byte, names []string, ok bool) {
	lines := SplitLines(text)
	functions := Functions(filePath, lines)
	for _, at := range around {
		if at < 1 || at > len(lines) {
			return nil, nil, false
		}
		if importLine().Match(lines[at-1]) {
			lines[at-1] = nil
			continue
		}
		f, found := outermost(functions, at)
		if !found || !isEmptiable(lines, f) {
			return nil, nil, false
		}
		for i := f.Body; i < f.End-1; i++ {
			lines[i] = nil
		}
		names = append(names, f.Name)
	}
	return append(bytes.Join(lines, []byte("\n")), '\n'), names, true
}

// outermost returns the widest function around a line.
func outermost(functions []Function, line int) (widest Function, found bool) {
	for _, f := range functions {
		if f.Start <= line && line <= f.End && (!found || f.End-f.Start > widest.End-widest.Start) {
			widest, found = f, true
		}
	}
	return widest, found
}

// isEmptiable reports whether a function is a test whose body has lines of its own.
func isEmptiable(lines [][]byte, f Function) bool {
	heading := bytes.Join(lines[max(0, f.Start-1-marksAbove):f.Body], []byte("\n"))
	return f.Name != "" && testHeading().Match(heading) &&
		bytes.HasSuffix(bytes.TrimSpace(lines[f.Body-1]), []byte("{")) && bytes.Equal(bytes.TrimSpace(lines[f.End-1]), []byte("}"))
}
