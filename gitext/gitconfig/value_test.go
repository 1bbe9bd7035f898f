package gitconfig

import "testing"

func TestParseSize(t *testing.T) {
	// Sizes are git's.
	for text, want := range map[string]int64{"5": 5, "2k": 2048, "3M": 3 << 20, "1g": 1 << 30, "": -1, "x": -1, "-1": -1, "9999999999g": -1, "k": -1} {
		got, ok := ParseSize(text)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("local\x00file:x\x00agent.a\nvalue\x00global\x00file:y\x00agent.b\x00")
	f.Fuzz(func(t *testing.T, in string) { Parse(in) })
}
