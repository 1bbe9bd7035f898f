package gitext

import (
	"strings"
	"testing"
)

func FuzzAlternates(f *testing.F) {
	for _, list := range []string{"/a:/b", `"/a:b":/c`, "/with space", `"/quo\"te"`, "::"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, in string) {
		dirs := splitAlternates(in)
		if again := splitAlternates(joinAlternates(dirs)); strings.Join(again, "\n") != strings.Join(dirs, "\n") {
			t.Errorf("%q became %q", in, again)
		}
	})
}
