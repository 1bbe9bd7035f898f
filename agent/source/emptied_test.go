package source

import (
	"slices"
	"strings"
	"testing"
)

func TestEmptyTests(t *testing.T) {
	// Tests that use what does not exist are emptied, and imports removed. What other tests may use stays, and is refused.
	t.Parallel()
	const (
		goText   = "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc TestOne(t *testing.T) {\n\tuse(One())\n}\n\nfunc helper() {\n\tuse(Two())\n}\n"
		rustText = "#[test]\nfn one() {\n    use_it(one());\n}\n\n#[test]\nfn two() {\n    two();\n}\n"
		javaText = "import a.One;\n\nclass T {\n  @Test\n  public void one() {\n    use(new One());\n  }\n\n  void helper() {\n    use(new Two());\n  }\n}\n"
	)
	for _, c := range []struct {
		path, text string
		around     []int
		names      string
		gone       string
	}{
		{"a_test.go", goText, []int{4, 8}, "TestOne", "\t\"fmt\"\n|\tuse(One())\n"},
		{"a_test.go", goText, []int{8, 12}, "", ""},
		{"a_test.go", goText, []int{99}, "", ""},
		{"src/lib.rs", rustText, []int{3}, "one", "    use_it(one());\n"},
		{"T.java", javaText, []int{1, 6}, "one", "import a.One;\n|    use(new One());\n"},
		{"T.java", javaText, []int{10}, "", ""},
	} {
		got, names, ok := EmptyTests(c.path, []byte(c.text), c.around)
		want := c.text
		for _, line := range strings.Split(c.gone, "|") {
			want = strings.Replace(want, line, strings.Repeat("\n", strings.Count(line, "\n")), 1)
		}
		if ok != (c.names != "") || ok && (string(got) != want || !slices.Equal(names, []string{c.names})) {
			t.Errorf("%s %v: %q %t:\n%s", c.path, c.around, names, ok, got)
		}
	}
}
