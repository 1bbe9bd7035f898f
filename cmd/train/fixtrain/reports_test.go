package fixtrain

import (
	"testing"

	"git-agent/gitext/gittest"
)

// The subject of a fix is the report, and the functions that it changes are right; commits about documents, tests and
// other things are no fixes of bugs.
func TestReportRows(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const first, second = "def add(a, b):\n    return a + b\n\n\n", "def halve(total):\n    return total / 2\n"
	h.Commit("add sums", gittest.Files{"src/sums.py": first + second, "src/dates.py": "def today():\n    return 1\n"})
	h.Commit("Fix a typo of halve in the docs", gittest.Files{"src/sums.py": first + "# halved\n" + second})
	h.Commit("Fix halve of an odd total (#12)", gittest.Files{"src/sums.py": first + "# halved\n" + "def halve(total):\n    return total // 2\n"})
	h.Commit("Fix the tests of halve", gittest.Files{"src/dates.py": "def today():\n    return 2\n"})
	h.Commit("New dates", gittest.Files{"src/dates.py": "def today():\n    return 3\n"})
	rows, err := reportRows(t.Context(), h.Open(), "some/sums", 4)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	r := rows[0]
	if r.State != noTests || len(r.Files) != 1 || r.Files[0] != "src/sums.py" {
		t.Errorf("row of %v in the state %s", r.Files, r.State)
	}
	right := 0
	for i, f := range r.Functions {
		if r.Right[i] {
			right++
			if f.Path != "src/sums.py" || f.Lines.Start != 6 {
				t.Errorf("right is %s:%d", f.Path, f.Lines.Start)
			}
		}
	}
	if right != 1 {
		t.Errorf("%d functions of %d are right", right, len(r.Functions))
	}
}

func TestSpread(t *testing.T) {
	for _, n := range []int{1, 7, 100, 7919} {
		seen := map[int]bool{}
		for i := range n {
			seen[spread(i, n)] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d numbers", len(seen), n)
		}
	}
}
