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

// UnitTests returns a function that reports whether a line, from 1, of a file belongs to tests
// within a source file: to an item of Rust behind #[cfg(test)] or #[test]. An item ends with the
// bracket that is indented like its attribute.
func UnitTests(filePath string, lines [][]byte) func(line int) bool {
	test := map[int]bool{}
	if path.Ext(filePath) == ".rs" {
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
		}
	}
	return len(lines) - 1
}
