package quote

import (
	"strings"
	"testing"
)

func FuzzQuotePath(f *testing.F) {
	for _, p := range []string{"plain.c", "with space.c", "quo\"te", "back\\slash", "tab\there", "new\nline", "non-utf8-\xff\xfe", "bell\a", "del\x7f", `"\303\274\t"`} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if got, err := Unquote(Path(in)); !strings.HasPrefix(in, `"`) && (err != nil || got != in) {
			t.Errorf("%q became %q, %v", in, got, err)
		}
		Unquote(in)
	})
}
