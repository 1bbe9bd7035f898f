package engine

import (
	"strings"
	"testing"

	"git-agent/agent/bisect"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestATestBesideOneOfALaterFunction(t *testing.T) {
	// A test that uses what an old commit does not have keeps its neighbours from being compiled there: they run without its
	// body. The failing test itself is never emptied, and the failure is then not called older or newer.
	t.Parallel()
	if _, err := sandbox.Program("go"); err != nil {
		t.Skip("go is not installed")
	}
	const (
		module = "module example.org/price\n\ngo 1.21\n"
		good   = "package price\n\nfunc Gross(n int) int { return n + 1 }\n"
		bad    = "package price\n\nfunc Gross(n int) int { return n }\n"
		net    = "\nfunc Net(n int) int { return n }\n"
		tests  = "package price\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestGross(t *testing.T) {\n\tif Gross(1) != 2 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n\n" +
			"func TestNet(t *testing.T) {\n\tif Net(1) != 1 {\n\t\tt.Error(fmt.Sprint(Net(1)))\n\t}\n}\n"
	)
	h := gittest.New(t)
	h.Commit("add", gittest.Files{"go.mod": module, "price.go": good})
	h.Commit("note", gittest.Files{"README": "note\n"})
	culprit := h.Commit("simplify", gittest.Files{"price.go": bad})
	h.Commit("more", gittest.Files{"README": "more\n"})
	adds := h.Commit("net", gittest.Files{"price.go": bad + net})
	h.Commit("most", gittest.Files{"README": "most\n"})
	lay := func(text string) []gitext.Overlay {
		return []gitext.Overlay{{Path: "price_test.go", Mode: 0o100644, Content: []byte(text)}}
	}
	got := answer(t, h, Question{Test: "go test .", Over: lay(tests)})
	if got.Status != bisect.Proved || got.First != culprit || got.GitAgrees() ||
		!strings.Contains(got.Culprit.Confirmation.Detail, "passes without the tests that cannot be built there (such as TestNet)") {
		t.Errorf("%s at %s: %+v", got.Status, got.First, got.Runs)
	}
	got = answer(t, h, Question{Test: "go test .", Over: lay(strings.Replace(tests, "Gross(1) != 2", "Gross(Net(1)) != 2", 1))})
	if got.Status != bisect.Always || got.First != adds {
		t.Errorf("%s at %s: %+v", got.Status, got.First, got.Runs)
	}
}
