package localize

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A call of another package's function is no call of a function here of the same name:
// neither one of a package that is imported from elsewhere, nor one of the project's
// other packages, nor one of the test tool.
func TestCallsOfOtherPackages(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"go.mod":      "module example.com/p\n",
		"base/b.go":   "package base\n\nfunc Add() {\n\tx := 1\n}\n",
		"router/r.go": "package router\n\nfunc Add() {\n\tx := 1\n}\n\nfunc Run() {\n\tx := 1\n}\n\nfunc Join() {\n\tx := 1\n}\n\nfunc Close() {\n\tx := 1\n}\n",
		"router/r_test.go": `package router

import (
	"path"
	"testing"

	"example.com/p/base"
)

func TestFails(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		base.Add()
		path.Join()
		Close()
	})
}
`,
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"TestFails"}}})
	for _, at := range l.Locations {
		called := false
		for _, g := range at.Grounds {
			called = called || strings.Contains(g.Text, "calls it")
		}
		place := at.Path + " " + at.Function
		if want := place == "base/b.go Add" || place == "router/r.go Close"; called != want {
			t.Errorf("%s: called is %v: %+v", place, called, at.Grounds)
		}
	}
}

// What a file imports from elsewhere is known in each language.
func TestImports(t *testing.T) {
	t.Parallel()
	p := project{modules: map[string]string{"git.x/m": "", "git.x/m/v2": "v2"}, name: "own", roots: map[string]bool{"mine": true}}
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "package a\n\nimport (\n\t\"net/http\"\n\tyaml \"gopkg.in/yaml.v3\"\n\t\"git.x/m/sub/deep\"\n\t\"git.x/m\"\n)\n", "deep=sub/deep http=foreign m= yaml=foreign"},
		{"a.py", "import os\nimport numpy as np\nimport mine.x\nfrom typing import List as L, Any\nfrom mine import Add\n", "Any=foreign L=foreign np=foreign os=foreign"},
		{"a.js", "var path = require('path');\nconst { a, b: c } = require('x');\nimport d, { e } from 'y'\nvar own = require('own');\nvar f = require('./f');\n", "a=foreign c=foreign d=foreign e=foreign path=foreign"},
	} {
		var lines [][]byte
		for l := range strings.SplitSeq(strings.TrimSuffix(c.text, "\n"), "\n") {
			lines = append(lines, []byte(l))
		}
		var got []string
		found := p.importsOf(&file{path: c.path, lines: lines})
		for _, name := range slices.Sorted(maps.Keys(found)) {
			got = append(got, name+"="+strings.TrimPrefix(found[name], "\x00"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v", c.path, got)
		}
	}
}
