package gitdir

import (
	"strings"
	"testing"
)

func FuzzAlternates(f *testing.F) {
	for _, list := range []string{"/a:/b", `"/a:b":/c`, "/with space", `"/quo\"te"`, "::"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, in string) {
		dirs := SplitAlternates(in)
		if again := SplitAlternates(JoinAlternates(dirs)); strings.Join(again, "\n") != strings.Join(dirs, "\n") {
			t.Errorf("%q became %q", in, again)
		}
	})
}
