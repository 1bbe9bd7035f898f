package verify

import (
	"strings"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

func TestATestBesideOneOfALaterFunction(t *testing.T) {
	// A test of the fix that uses what an older commit does not have keeps its neighbours from being compiled there: they run
	// without its body.
	t.Parallel()
	if _, err := sandbox.Program("go"); err != nil {
		t.Skip("go is not installed")
	}
	const (
		module = "module example.org/price\n\ngo 1.21\n"
		good   = "package price\n\nfunc Gross(n int) int { return n + 1 }\n"
		bad    = "package price\n\nfunc Gross(n int) int { return n }\n"
		net    = "\nfunc Net(n int) int { return n }\n"
		tests  = "package price\n\nimport \"testing\"\n\nfunc TestGross(t *testing.T) {\n\tif Gross(1) != 2 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n\n" +
			"func TestNet(t *testing.T) {\n\tif Net(1) != 1 {\n\t\tt.Error(Net(1))\n\t}\n}\n"
	)
	h := newHistory(t)
	h.Commit("add", gittest.Files{"go.mod": module, "price.go": good})
	culprit := h.Commit("simplify", gittest.Files{"price.go": bad})
	h.Commit("net", gittest.Files{"price.go": bad + net})
	fix := h.Commit("fix", gittest.Files{"price.go": good + net, "price_test.go": tests})
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Command: "go test ."}}, culprit)
	wantStatuses(t, v, err, "simplify confirmed")
	if got := strings.Join(v.Notes, "\n"); !strings.Contains(got, "at 2 commits without the tests that cannot be built there") {
		t.Errorf("notes: %s", got)
	}

	// It is left out, too, where it uses something that has another type there.
	const wide = "\nfunc Net(n int) int64 { return int64(n) }\n"
	h.Commit("add again", gittest.Files{"price.go": good + net})
	again := h.Commit("simplify anew", gittest.Files{"price.go": bad + net})
	h.Commit("widen", gittest.Files{"price.go": bad + wide})
	typed := strings.Replace(tests, "t.Error(Net(1))", "var n int64 = Net(1)\n\t\tt.Error(n)", 1)
	fix = h.Commit("fix once more", gittest.Files{"price.go": good + wide, "price_test.go": typed})
	v, err = h.verify(t.Context(), fix, Options{Options: trial.Options{Command: "go test ."}}, again)
	wantStatuses(t, v, err, "simplify anew confirmed")

	// The failing test itself is never left out.
	h.Commit("simplify again", gittest.Files{"price.go": bad + net})
	fix = h.Commit("fix again", gittest.Files{"price.go": good + net, "price_test.go": strings.Replace(tests, "Gross(1) != 2", "Gross(Net(1)) != 2", 1)})
	v, err = h.verify(t.Context(), fix, Options{Options: trial.Options{Command: "go test ."}}, culprit)
	wantStatuses(t, v, err, "simplify unclear")
}
