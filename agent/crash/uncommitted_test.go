package crash

import "testing"

// Lines of the work tree are found in HEAD, unless they are changed or new.
func TestCommittedLines(t *testing.T) {
	t.Parallel()
	w := WorkFile{Hunks: []WorkHunk{{2, 0, 3, 2}, {5, 2, 8, 1}, {9, 3, 10, 0}}}
	// HEAD:      1 2     3 4 5 6 7 8 9 10 11 12 13; git diff -U0: @@ -2,0 +3,2 @@, @@ -5,2 +8 @@, @@ -9,3 +10,0 @@
	for line, want := range map[int]int{1: 1, 2: 2, 3: 0, 4: 0, 5: 3, 7: 5, 8: 0, 9: 8, 10: 9, 11: 13, 12: 14} {
		if got := w.Committed(line); got != want {
			t.Errorf("line %d of the work tree is line %d of HEAD, want %d", line, got, want)
		}
	}
	if (WorkFile{New: true}).Committed(1) != 0 {
		t.Error("a new file has a committed line")
	}
}
