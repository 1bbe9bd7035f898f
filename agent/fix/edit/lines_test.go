package edit

import (
	"strings"
	"testing"
)

// Ranges of lines are replaced, removed, and inserted at any place; line breaks stay as
// they are.
func TestLines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		content    string
		start, end int
		text, want string
		first, to  int
	}{
		{"a\nb\nc\n", 2, 2, "x\ny", "a\nx\ny\nc\n", 2, 3},
		{"a\nb\nc\n", 2, 3, "x\n", "a\nx\n", 2, 2},
		{"a\nb\nc\n", 2, 2, "", "a\nc\n", 2, 1},
		{"a\nb\nc\n", 2, 1, "x", "a\nx\nb\nc\n", 2, 2},
		{"a\nb\nc\n", 4, 3, "x", "a\nb\nc\nx\n", 4, 4},
		{"a\nb", 2, 2, "x", "a\nx", 2, 2},
		{"a\nb", 3, 2, "x", "a\nb\nx", 2, 3},
		{"", 1, 0, "x", "x\n", 1, 1},
		{"a\r\nb\r\n", 2, 2, "x\ny", "a\r\nx\r\ny\r\n", 2, 3},
		{"a\nb\nc\n", 2, 2, "   2|x\n   3|y", "a\nx\ny\nc\n", 2, 3},
	}
	for _, test := range tests {
		res, err := Lines("f", []byte(test.content), test.start, test.end, test.text)
		if err != nil || string(res.Content) != test.want || res.Start != test.first || res.End != test.to {
			t.Errorf("%q %d-%d %q: %q, lines %d-%d, %v", test.content, test.start, test.end, test.text, res.Content, res.Start, res.End, err)
		}
	}
}

func TestLinesRefusesOtherLines(t *testing.T) {
	// Lines outside of the file and edits without effect are refused.
	t.Parallel()
	for _, r := range [][2]int{{0, 1}, {5, 5}, {3, 1}, {2, 4}, {-1, -1}} {
		_, err := Lines("f", []byte("a\nb\nc\n"), r[0], r[1], "x")
		if err == nil || !strings.HasPrefix(err.Error(), "f has 3 lines; start must be") {
			t.Errorf("%v: %v", r, err)
		}
	}
	if _, err := Lines("f", []byte("a\nb\n"), 2, 2, "b"); err == nil || matchError(err).Reason != Same {
		t.Errorf("no change: %v", err)
	}
	if _, err := Lines("f", []byte("a\nb\n"), 2, 2, "# ... existing code ..."); err == nil || matchError(err).Reason != Elided {
		t.Errorf("left out: %v", err)
	}
}

// A whole text keeps the line breaks of the old one, and the result shows the differences.
func TestWhole(t *testing.T) {
	t.Parallel()
	res, err := Whole("f", []byte("a\r\nb\r\nc\r\n"), "a\nx\nc")
	if err != nil || string(res.Content) != "a\r\nx\r\nc\r\n" || res.Start != 2 || res.End != 2 || res.Shown != "   1|a\n   2|x\n   3|c\n" {
		t.Errorf("%q, lines %d-%d, %v\n%s", res.Content, res.Start, res.End, err, res.Shown)
	}
	if res, err = Whole("f", nil, "   1|a\n   2|b"); err != nil || string(res.Content) != "a\nb\n" {
		t.Errorf("%q, %v", res.Content, err)
	}
	if _, err = Whole("f", []byte("a\n"), "a"); err == nil || matchError(err).Reason != Same {
		t.Errorf("no change: %v", err)
	}
	if _, err = Whole("f", []byte("a\nb\n"), "a\n// ... (rest of the file unchanged)\n"); err == nil || matchError(err).Reason != Elided {
		t.Errorf("left out: %v", err)
	}
}

// Show shows the changes of a later step, such as a formatter.
func TestShow(t *testing.T) {
	t.Parallel()
	shown := Show([]byte("a\nb\nc\nd\ne\nf\n"), []byte("a\nb\nc\nx\ny\nd\ne\nf\n"))
	if shown != "   1|a\n   2|b\n   3|c\n   4|x\n   5|y\n   6|d\n   7|e\n   8|f\n" {
		t.Errorf("shown\n%s", shown)
	}
}

// Nearest finds the part that shares rare lines, or else words, and the first difference.
func TestNearest(t *testing.T) {
	t.Parallel()
	lines := Split([]byte(goFile))
	tests := []struct {
		wanted     string
		start, end int
		line, at   int
	}{
		{"func Mul(a, b int) int {\nif a == 0 {\nreturn 1", 11, 13, 3, 13},
		{"if a == 0 {\nreturn 0", 12, 13, 0, 0},
		{"func Adder(a, b int) int {", 4, 4, 1, 4},
		{"return a * c", 15, 15, 1, 15},
	}
	for _, test := range tests {
		near, ok := Nearest(lines, strings.Split(test.wanted, "\n"))
		if !ok || near.Start != test.start || near.End != test.end || near.Line != test.line || near.At != test.at {
			t.Errorf("%q: %+v, %v", test.wanted, near, ok)
		}
	}
	for _, nothing := range []string{"", "zzz", "\n\n"} {
		if near, ok := Nearest(lines, strings.Split(nothing, "\n")); ok {
			t.Errorf("%q: %+v", nothing, near)
		}
	}
}
