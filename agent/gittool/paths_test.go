package gittool

import (
	"reflect"
	"testing"
)

func TestNearNames(t *testing.T) {
	// Moved files come first, then other endings, then longer names, then typing errors;
	// short names match nothing by chance.
	files := []string{"src/calc.c", "old/lib/calc.c", "lib/calc.h", "lib/Calc.C", "lib/calculator.c", "lib/clac.c", "lib/x.c", "doc/readme"}
	tests := []struct {
		want string
		near []string
	}{
		{"lib/calc.c", []string{"old/lib/calc.c", "src/calc.c", "lib/Calc.C", "lib/calc.h", "lib/clac.c"}},
		{"doc/README", []string{"doc/readme"}},
		{"lib/y.c", nil},
		{"", nil},
	}
	for _, test := range tests {
		if got := nearNames(test.want, files); !reflect.DeepEqual(got, test.near) {
			t.Errorf("nearNames(%q) = %q, want %q", test.want, got, test.near)
		}
	}
}

func TestCleanPath(t *testing.T) {
	// Paths are relative to the top, and none leads outside.
	tests := []struct {
		in   string
		want []string
	}{
		{"lib/a.c", []string{"lib/a.c"}},
		{"./lib//a.c/", []string{"lib/a.c"}},
		{"/lib/a.c", []string{"lib/a.c"}},
		{"a/lib/a.c", []string{"a/lib/a.c", "lib/a.c"}},
		{"b/x", []string{"b/x", "x"}},
		{`lib\a.c`, []string{`lib\a.c`, "lib/a.c"}},
		{`sp ace/caf\xe9.py`, []string{`sp ace/caf\xe9.py`, "sp ace/caf/xe9.py", "sp ace/caf\xe9.py"}}, // as git_show names it
		{"--output=x", []string{"--output=x"}},
		{":(glob)*", []string{":(glob)*"}},
		{".", []string{""}},
		{"x/../y", []string{"y"}},
	}
	for _, test := range tests {
		if got, err := cleanPath(test.in); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("cleanPath(%q) = %q, %v; want %q", test.in, got, err, test.want)
		}
	}
	for _, in := range []string{"../x", "x/../../y", "/../x", "a\nb"} {
		if got, err := cleanPath(in); err == nil {
			t.Errorf("cleanPath(%q) = %q, want an error", in, got)
		}
	}
}
