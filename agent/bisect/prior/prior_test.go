package prior

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const testText = `from lib.money import parse_amount


def test_parse_amount_of_thousands():
    assert parse_amount("1,000") == 1000
`

// A shop is a history of a small project in Python, whose commit "culprit" breaks parse_amount.
type shop struct {
	*gittest.History
	commits []gitext.OID // newest first
	names   []string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{History: gittest.New(t)}
	s.commit("start", "Start a shop", gittest.Files{
		"lib/money.py":        moneyText("text.replace(\",\", \"\")"),
		"lib/stock.py":        "def count_stock(items):\n    return len(items)\n",
		"tests/test_money.py": testText,
		"tests/test_stock.py": "def test_count():\n    pass\n",
		"README.md":           "A shop.\n",
	})
	for i := range 6 {
		s.commit("stock", fmt.Sprintf("Count shelf %d", i), gittest.Files{"lib/stock.py": fmt.Sprintf("def count_stock(items):\n    return len(items) + %d\n", i)})
		s.commit("readme", fmt.Sprintf("Say more in the README, part %d", i), gittest.Files{"README.md": fmt.Sprintf("A shop with %d shelves.\n", i)})
		if i == 2 {
			s.commit("culprit", "Parse amounts in fewer steps", gittest.Files{"lib/money.py": moneyText("text.strip()")})
		}
		if i == 3 {
			s.commit("format", "Format an amount", gittest.Files{"lib/money.py": moneyText("text.strip()") + "\n\ndef unrelated_printer(sheet):\n    return sheet\n"})
		}
	}
	return s
}

func moneyText(clean string) string {
	return "def parse_amount(text):\n    return int(clean_amount(text))\n\n\ndef clean_amount(text):\n    return " + clean + "\n"
}

func (s *shop) commit(name, message string, f gittest.Files) {
	s.commits = slices.Insert(s.commits, 0, s.Commit(message, f))
	s.names = slices.Insert(s.names, 0, name)
}

// weights returns the weights of the commits but the first one, in which the test passes.
func (s *shop) weights(repo *gitext.Repo, ev Evidence) []float64 {
	s.T.Helper()
	n := len(s.commits) - 1
	w, err := Weights(s.T.Context(), repo, s.commits[0], s.commits[:n], ev)
	if err != nil {
		s.T.Fatal(err)
	}
	sum := 0.0
	for i, x := range w {
		if x < uniform/2/float64(n) {
			s.T.Errorf("%s has the weight %g, which is below its share of what all have alike", s.names[i], x)
		}
		sum += x
	}
	if len(w) != n || math.Abs(sum-1) > 1e-9 {
		s.T.Errorf("%d weights of %d commits sum to %f", len(w), n, sum)
	}
	return w
}

// of returns the greatest weight of the commits with a name.
func (s *shop) of(w []float64, name string) float64 {
	best := 0.0
	for i, x := range w {
		if s.names[i] == name {
			best = max(best, x)
		}
	}
	return best
}

func command() string { return "python3 -m pytest tests/test_money.py::test_parse_amount_of_thousands" }

// With any evidence, the commit that changes what the test calls comes first, and a change of a
// document last.
func TestCulpritIsFirst(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	repo := s.Open()
	output := "tests/test_money.py:5: in test_parse_amount_of_thousands\nlib/money.py:2: in parse_amount\n    return int(clean_amount(text))\nE   ValueError\n"
	opened := map[string]bool{"lib/money.py": true, "tests/test_money.py": true}
	for name, ev := range map[string]Evidence{
		"command": {Command: command()},
		"laid":    {Command: "make check", Laid: map[string][]byte{"tests/test_money.py": []byte(testText)}},
		"output":  {Command: command(), Output: []byte(output)},
		"opened":  {Command: command(), Output: []byte(output), Opened: opened},
	} {
		w := s.weights(repo, ev)
		culprit, other, readme := s.of(w, "culprit"), max(s.of(w, "stock"), s.of(w, "format")), s.of(w, "readme")
		if culprit <= other || other <= readme {
			t.Errorf("%s: culprit %.4f, other code %.4f, documents %.4f", name, culprit, other, readme)
		}
	}
}

// Of two changes of the same file, the one with executed lines is more likely.
func TestExecutedLines(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	repo := s.Open()
	ev := Evidence{Command: "make check"}
	without := s.weights(repo, ev)
	ev.Executed = map[string]map[int]float64{"lib/money.py": {2: 1, 6: 1}}
	with := s.weights(repo, ev)
	ratio := func(w []float64) float64 { return s.of(w, "culprit") / s.of(w, "format") }
	if ratio(with) < 3*ratio(without) || s.of(with, "culprit") <= s.of(with, "stock") {
		t.Errorf("culprit %.4f and %.4f, format %.4f and %.4f", s.of(without, "culprit"), s.of(with, "culprit"), s.of(without, "format"), s.of(with, "format"))
	}
}

// Without a command that says anything, documents are still the least likely.
func TestNoEvidence(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	w := s.weights(s.Open(), Evidence{Command: "make check"})
	if s.of(w, "readme") >= s.of(w, "stock") {
		t.Errorf("documents %.4f, code %.4f", s.of(w, "readme"), s.of(w, "stock"))
	}
}

// A clone without the files' contents gives weights from the names of the files and the messages.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.Git("config", "uploadpack.allowFilter", "true")
	clone := gittest.New(t)
	clone.Dir = t.TempDir()
	clone.Git("clone", "-q", "--no-checkout", "--filter=blob:none", "file://"+s.Dir, ".")
	w := s.weights(clone.Open(), Evidence{Command: command()})
	if s.of(w, "culprit") <= s.of(w, "stock") || s.of(w, "stock") <= s.of(w, "readme") {
		t.Errorf("culprit %.4f, other code %.4f, documents %.4f", s.of(w, "culprit"), s.of(w, "stock"), s.of(w, "readme"))
	}
}

// The weights depend only on their input.
func TestWeightsAreDeterministic(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	repo := s.Open()
	first := s.weights(repo, Evidence{Command: command()})
	for range 5 {
		if again := s.weights(repo, Evidence{Command: command()}); !slices.Equal(first, again) {
			t.Fatalf("%v, then %v", first, again)
		}
	}
}

func TestMix(t *testing.T) {
	// A merge has only its floor.
	t.Parallel()
	w := Mix([]float64{0.5, 0.5, 0.5}, []bool{false, true, false})
	if w[0] != w[2] || w[1] > 0.04 || w[1] <= 0 {
		t.Errorf("%v", w)
	}
	w = Mix([]float64{0, 0}, []bool{true, true})
	if math.Abs(w[0]-0.5) > 1e-9 {
		t.Errorf("only merges: %v", w)
	}
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	x, err := newExamination(t.Context(), s.Open(), s.commits[0], s.commits, Evidence{Opened: map[string]bool{"lib/money.py": true}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.changes {
		yes := x.relevant(&x.changes[i])
		if want := slices.Contains([]string{"start", "culprit", "format"}, s.names[i]); yes != want {
			t.Errorf("%s is relevant: %v", s.names[i], yes)
		}
	}
}

func TestTestedStem(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]string{
		"pkg/decode_test.go":             "decode",
		"tests/test_money.py":            "money",
		"src/test/java/a/RangeTest.java": "range",
		"test/parse.spec.js":             "parse",
		"test/parse.js":                  "parse",
		"a/TestConvexHull.java":          "convexhull",
	} {
		if got := testedStem(p); got != want {
			t.Errorf("%s tests %q, want %q", p, got, want)
		}
	}
}
