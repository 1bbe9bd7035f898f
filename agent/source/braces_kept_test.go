package source

import (
	"bytes"
	"strings"
	"testing"
)

func TestBracesOfAChangedFile(t *testing.T) {
	// The braces of a file are kept for the next line. Another line in its place is noticed.
	t.Parallel()
	lines := bytes.Split([]byte("void f(void)\n{\n\ta();\n}\n\nvoid g(void)\n{\n\tb();\n}\n"), []byte("\n"))
	for range 2 {
		if e, ok := FunctionAround("a.c", lines, 3); !ok || e.End != 4 {
			t.Errorf("%+v, %v", e, ok)
		}
	}
	lines[3] = []byte("\tif (c) {\n")
	if e, _ := FunctionAround("a.c", lines, 3); e.End == 4 {
		t.Errorf("after a change: %+v", e)
	}
}

// BenchmarkFunctionAround looks for the functions around many lines of one file of 20,000 lines.
func BenchmarkFunctionAround(b *testing.B) {
	lines := bytes.Split([]byte(strings.Repeat("int f(int a)\n{\n\tif (a) {\n\t\tg(a);\n\t}\n\treturn a;\n}\n\n", 2500)), []byte("\n"))
	for i := 0; b.Loop(); i++ {
		FunctionAround("a.c", lines, 1+i*997%len(lines))
	}
}
