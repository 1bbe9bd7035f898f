package source

import (
	"bytes"
	"path"
)

var (
	rustTestMark  = Lazy(`^\s*#\[(?:cfg\((?:all\()?test\b|(?:\w+::)*(?:test|bench|rstest|test_case|quickcheck)\s*[\](])`)
	rustTestFile  = Lazy(`(?:^|/)(?:[^/]*_)?tests?\.rs$`)
	rustAttribute = Lazy(`^\s*(?:#!?\[|//|$)`)
)

// HasUnitTests reports whether source files of a file's language hold tests beside the code, which UnitTests finds.
func HasUnitTests(filePath string) bool { return path.Ext(filePath) == ".rs" }

// UnitTests returns a function that reports whether a line, from 1, of a file belongs to tests
// within a source file: to an item of Rust behind #[cfg(test)] or #[test]. An item ends with the
// bracket that is indented like its attribute.
func UnitTests(filePath string, lines [][]byte) func(line int) bool {
	test := map[int]bool{}
	if HasUnitTests(filePath) {
		for i := 0; i < len(lines); i++ {
			if !rustTestMark().Match(lines[i]) {
				continue
			}
			end := rustItemEnd(lines, i)
			for ; i <= end; i++ {
				test[i+1] = true
			}
			i--
		}
	}
	return func(line int) bool { return test[line] }
}

// WithUnitTests returns a source file of Rust with the unit tests of another version of it instead of
// its own. Only items that are not indented count: what is within an item stays with it. ok is false for
// another language, and if the other version has no such item.
func WithUnitTests(filePath string, text, testsOf []byte) (with []byte, ok bool) {
	rest, _ := splitUnitTests(filePath, text)
	_, tests := splitUnitTests(filePath, testsOf)
	if len(tests) == 0 {
		return nil, false
	}
	if n := len(rest); n > 0 && rest[n-1] != '\n' {
		rest = append(rest, '\n')
	}
	return append(rest, tests...), true
}

// OnlyUnitTestsDiffer reports whether two versions of a source file of Rust differ in nothing but their unit
// tests, and blank lines.
func OnlyUnitTestsDiffer(filePath string, a, b []byte) bool {
	restA, testsA := splitUnitTests(filePath, a)
	restB, testsB := splitUnitTests(filePath, b)
	return bytes.Equal(withoutBlank(restA), withoutBlank(restB)) && !bytes.Equal(testsA, testsB)
}

// UnitTestsDiffer reports whether two versions of a source file of Rust have other unit tests.
func UnitTestsDiffer(filePath string, a, b []byte) bool {
	_, testsA := splitUnitTests(filePath, a)
	_, testsB := splitUnitTests(filePath, b)
	return !bytes.Equal(testsA, testsB)
}

func withoutBlank(text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, line...)
		}
	}
	return out
}

// splitUnitTests divides a file into its test items that are not indented, and the rest. A module of tests, such as
// date/tests.rs, has no rest: its tests need its imports.
func splitUnitTests(filePath string, text []byte) (rest, tests []byte) {
	if rustTestFile().MatchString(filePath) {
		return nil, text
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if path.Ext(filePath) != ".rs" {
		return text, nil
	}
	for i := 0; i < len(lines); i++ {
		if Indent(lines[i]) > 0 || !rustTestMark().Match(lines[i]) {
			rest = append(rest, lines[i]...)
			continue
		}
		end := rustItemEnd(lines, i)
		tests = append(tests, bytes.Join(lines[i:end+1], nil)...)
		i = end
	}
	return rest, tests
}

// rustItemEnd returns the index of the last line of the item behind an attribute.
func rustItemEnd(lines [][]byte, attribute int) int {
	at := attribute + 1
	for at < len(lines) && rustAttribute().Match(lines[at]) {
		at++
	}
	indent := Indent(lines[attribute])
	for i := at; i < len(lines); i++ {
		trimmed := bytes.TrimSpace(lines[i])
		switch {
		case i == at && bytes.HasSuffix(trimmed, []byte(";")), i == at && bytes.HasSuffix(trimmed, []byte("}")) && !bytes.HasSuffix(trimmed, []byte("{}")):
			return i
		case Indent(lines[i]) <= indent && bytes.HasPrefix(trimmed, []byte("}")):
			return i
		case Indent(lines[i]) <= indent && bytes.HasPrefix(trimmed, []byte("]")) && bytes.HasSuffix(trimmed, []byte(";")):
			return i // a static or a constant
		}
	}
	return len(lines) - 1
}
