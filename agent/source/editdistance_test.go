package source

import "testing"

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 2, 0},
		{"tools", "tools", 0, 0},
		{"tools", "tool", 2, 1},
		{"model", "mdoel", 2, 2},
		{"kitten", "sitting", 9, 3},
		{"", "abc", 3, 3},
		{"", "abc", 2, 3}, // lengths too far apart: limit+1
		{"abcdef", "a", 2, 3},
	} {
		if got := EditDistance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("EditDistance(%q, %q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
	}
}
