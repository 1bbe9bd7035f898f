package investigate

import (
	"bytes"
	"testing"
)

// The imports of a file are one line, without texts that only look like imports.
func TestImportsOf(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"a.go", "package a\n\nimport (\n\t\"fmt\"\n\tx \"m/y\"\n)\n\nfunc f() {\n\tg(\n\t\t\"text\")\n}\n", "imports: fmt, m/y"},
		{"a.go", "package a\n\nimport \"os\"\n", "imports: os"},
		{"a.py", "import os\nfrom a import b\nx = 'import c'\n", "imports: import os, from a import b"},
		{"a.js", "'use strict';\nvar u = require('./utils');\nf(1);\n", "imports: var u = require('./utils');"},
		{"a.c", "#include <a.h>\n", ""},
	} {
		if got := importsOf(c[0], bytes.Split([]byte(c[1]), []byte("\n"))); got != c[2] {
			t.Errorf("%s: %q, want %q", c[0], got, c[2])
		}
	}
}
