package gittool

import (
	"strings"
	"testing"
	"unicode/utf8"

	"git-agent/agent"
)

func TestClean(t *testing.T) {
	// Characters that move a cursor or are invisible are escaped.
	tests := []struct{ in, want string }{
		{"plain\ttext\nÄß漢", "plain\ttext\nÄß漢"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"a\rb\x00\x7f\u009b", `a\x0db\x00\x7f\u009b`},
		{"\u202eevil\u2066", `\u202eevil\u2066`},
		{"zero\u200bwidth\ufeff", `zero\u200bwidth\ufeff`},
		{"tag\U000e0041", `tag\U000e0041`},
		{"bad \xff byte", `bad \xff byte`},
	}
	for _, test := range tests {
		if got := agent.Clean(test.in); got != test.want {
			t.Errorf("Clean(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestShorten(t *testing.T) {
	// A cut falls between characters and counts the missing ones.
	if got := agent.Shorten("äöü", 3); got != "äöü" {
		t.Errorf("got %q", got)
	}
	if got := agent.Shorten("äöüß!", 3); got != "äöü…(+2)" {
		t.Errorf("got %q", got)
	}
}

func TestAroundShowsTheMatch(t *testing.T) {
	// A long line is cut to the part around the match, with any characters.
	s := strings.Repeat("ä", 100) + "needle" + strings.Repeat("ö", 100)
	got := around(s, strings.Index(s, "needle"), 60)
	if !strings.HasPrefix(got, "(60+)…ä") || !strings.Contains(got, "needle") || !strings.HasSuffix(got, "ö…(+86)") {
		t.Errorf("got %q", got)
	}
	if got := around("short needle", 6, 60); got != "short needle" {
		t.Errorf("got %q", got)
	}
	if got := around("abc", 99, 2); got != "ab…(+1)" {
		t.Errorf("got %q", got)
	}
}

func FuzzAround(f *testing.F) {
	// No position makes it panic, and the result is bounded.
	f.Add("text with a needle", 12, 5)
	f.Fuzz(func(t *testing.T, s string, at, max int) {
		if at < 0 || max < 0 || max > 1000 {
			return
		}
		const marks = 60
		if got := around(agent.Clean(s), at, max); utf8.RuneCountInString(got) > max+marks {
			t.Errorf("%d runes from %q", utf8.RuneCountInString(got), s)
		}
		excerptAt(agent.Clean(s), at)
	})
}
