package localize

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Functions with uncommitted changes come first, but not those that the failing test does not execute. The others of
// the file have their own age: in json-c, the functions that were changed were not among the first twenty, and others of
// the same file were called changed.
func TestUncommittedChangesComeFirst(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	old := strings.Replace(sum, "len(list)", "1", 1)
	h.Commit("old", gittest.Files{"sum.go": old, "sum_test.go": sumTest})
	for range 40 {
		h.Commit("later", gittest.Files{"later.go": "package sum\n"})
	}
	const text = "it has changes that are not committed"
	reproduced := fix.Reproduction{Failing: []string{"TestSum"}}
	for name, c := range map[string]struct {
		text    string // of sum.go, or of a new file
		path    string
		covered *fix.Spectrum
		first   string
		changed string // the functions that are called changed
	}{
		"a line is changed":  {text: strings.Replace(old, "return 1", "return 2", 1), first: "Product", changed: "Product"},
		"a line is removed":  {text: strings.Replace(old, "\tif list == nil {\n\t\treturn 0\n\t}\n", "", 1), first: "Product", changed: "Product"},
		"lines between them": {text: strings.Replace(old, "func Product", "// Product multiplies.\n\nfunc Product", 1), first: "Sum"},
		"a line before it":   {text: strings.Replace(old, "const Base", "var unused int\n\nconst Base", 1), first: "Sum"},
		"no end of line":     {text: strings.TrimSuffix(strings.Replace(old, "const Base", "var unused int\n\nconst Base", 1), "\n"), first: "Sum"},
		"a new file":         {text: "package sum\n\nfunc other() int {\n\treturn 1\n}\n", path: "new.go", first: "other", changed: "other"},
		"not executed": {
			text: strings.Replace(old, "return 1", "return 2", 1), first: "add",
			covered: &fix.Spectrum{Failing: 1, Passing: 1, Files: map[string][]fix.LineHits{"sum.go": {{Line: 18, Failing: 1}}}},
		},
	} {
		if c.path == "" {
			c.path = "sum.go"
		}
		tree := fix.Tree{Commit: h.Head(), Over: []gitext.Overlay{{Path: c.path, Mode: 0o100644, Content: []byte(c.text)}}}
		l := localize(t, h, Input{Problem: fix.Problem{Tree: tree}, Reproduction: reproduced, Spectrum: c.covered})
		var changed []string
		for _, loc := range l.Locations {
			if slices.ContainsFunc(loc.Grounds, func(g fix.Ground) bool { return g.Text == text }) {
				changed = append(changed, loc.Function)
			}
		}
		if got := strings.Join(changed, " "); l.Locations[0].Function != c.first || got != c.changed {
			t.Errorf("%s: %s; changed %q, want %q", name, names(l), got, c.changed)
		}
	}
}
