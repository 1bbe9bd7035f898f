package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMapBack(t *testing.T) {
	// Equal lines of both texts are matched in order, without regard to space around them;
	// changed and ambiguous lines are not.
	t.Parallel()
	for _, c := range []struct{ old, text, want string }{
		{"a b c", "a b c", "1 2 3"},
		{"a b c", "a x c", "1 0 3"},
		{"a b c", "x a b y c z", "0 1 2 0 3 0"},
		{"a b c d", "d a b c", "0 1 2 3"},
		{"a b", "", ""},
		{"", "a b", "0 0"},
		{"a } b } c", "a } x } c", "1 2 0 4 5"},
		{"a z z z b", "a z z q z b", "1 2 3 0 4 5"},
		{"p a q b r", "x a y b z", "0 2 0 4 0"},
	} {
		lines := func(s string) (out [][]byte) {
			for _, w := range strings.Fields(s) {
				out = append(out, []byte("  "+w+"\r"))
			}
			return out
		}
		got := strings.Trim(fmt.Sprint(mapBack(lines(c.old), lines(c.text))), "[]")
		if got != c.want {
			t.Errorf("%q from %q: %s, want %s", c.text, c.old, got, c.want)
		}
	}
}

func TestMapBackMatchesEqualLinesInOrder(t *testing.T) {
	// Whatever the texts, matched lines are equal and ascend.
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func() (out [][]byte) {
		for range r.IntN(60) {
			out = append(out, []byte{byte('a' + r.IntN(20))})
		}
		return out
	}
	for range 2000 {
		old, text := random(), random()
		to := mapBack(old, text)
		last := 0
		for i, at := range to {
			if at == 0 {
				continue
			}
			if at <= last || !slices.Equal(old[at-1], text[i]) {
				t.Fatalf("%q to %q: %v", old, text, to)
			}
			last = at
		}
	}
}
