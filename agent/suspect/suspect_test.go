package suspect

import "testing"

func TestSaysRefactor(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]bool{
		"net/enic: refactor Tx mbuf recycling":                  true,
		"isisd: split northbound callbacks into multiple files": true,
		"lib: Move range handling":                              true,
		"bpf: support packet data load instructions":            false,
		"isisd: add ASLA support":                               false,
	} {
		if got := SaysRefactor().MatchString(subject); got != want {
			t.Errorf("%q: %v", subject, got)
		}
	}
}
