package localize

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A function that the failed assertion calls has this as a ground. Functions with a text of the
// command's output are found by this text, even if the test does not call them.
func TestAssertedAndPrinted(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"go.mod": "module example.com/p\n",
		"p.go": `package p

import "fmt"

func Parse(s string) string {
	return s
}

func Print(s string) string {
	return s
}

func usage(name string) string {
	return fmt.Sprintf("unknown topic %q: see the help for %s", name, name)
}
`,
		"p_test.go": `package p

import "testing"

func TestFails(t *testing.T) {
	Print("a")
	x := Print("b")
	Print("c")
	Print("d")
	Print("e")
	if got := Parse(x); got != "" {
		t.Errorf("got %s", got)
	}
}
`,
	})
	l := localize(t, h, Input{
		Places:       []Place{{"p_test.go", 12}},
		Reproduction: fix.Reproduction{Failing: []string{"TestFails"}, Output: []byte("--- FAIL: TestFails\n    p_test.go:12: got unknown topic \"x\": see the help for x\n")},
	})
	for name, want := range map[string]string{
		"Parse": "the failed assertion names it", "usage": `the output has its text "see the help for"`,
	} {
		i := slices.IndexFunc(l.Locations, func(at fix.Location) bool { return at.Function == name })
		if i < 0 || !slices.ContainsFunc(l.Locations[i].Grounds, func(g fix.Ground) bool { return strings.HasPrefix(g.Text, want) }) {
			t.Errorf("%s lacks %q: %+v", name, want, l.Locations)
		}
	}
	if first := l.Locations[0].Function; first != "usage" {
		t.Errorf("%s is first", first)
	}
}

// The constant parts of a printed text are found between the placeholders.
func TestLiterals(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`return fmt.Errorf("no such thing: %q in %s", a, b)`: "no such thing",
		"x = `a-long-word ${name} and more`;":                "a-long-word|and more",
		`s := "short"`:                                       "",
		`raise ValueError(f"bad value {x!r} for key")`:       "bad value|for key",
		`// "a comment says nothing"`:                        "",
		`text.append("] -> [").append(x);`:                   "", // Maven prints "[ERROR] -> [Help 1]"
		`it's open`:                                          "",
	} {
		if got := strings.Join(literals([]byte(line)), "|"); got != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// A text that is the package of the failing test is in the output however the test fails (zxing
// before 7f129804).
func TestNameOfTheTestIsNoLiteral(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"web/src/main/java/com/google/zxing/web/DecodeServlet.java": "package com.google.zxing.web;\nclass DecodeServlet {\n    void init(int config) {\n        Logger logger = Logger.getLogger(\"com.google.zxing\");\n    }\n" +
			"    void deny(int config) {\n        throw new IllegalStateException(\"the crop does not fit\");\n    }\n}\n",
		"core/src/test/java/com/google/zxing/CropTest.java": "package com.google.zxing;\nclass CropTest {\n    @Test\n    void testCrop() {\n        SOURCE.crop(1);\n    }\n}\n",
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{
		Failing: []string{"com.google.zxing.CropTest.testCrop"},
		Output:  []byte("[ERROR] com.google.zxing.CropTest.testCrop -- Time elapsed: 0.1 s <<< ERROR!\njava.lang.IllegalStateException: the crop does not fit\n"),
	}})
	for name, want := range map[string]bool{"init": false, "deny": true} {
		i := slices.IndexFunc(l.Locations, func(at fix.Location) bool { return at.Function == name })
		got := i >= 0 && slices.ContainsFunc(l.Locations[i].Grounds, func(g fix.Ground) bool { return strings.HasPrefix(g.Text, "the output has its text") })
		if got != want {
			t.Errorf("%s: %v in %+v", name, got, l.Locations)
		}
	}
}
