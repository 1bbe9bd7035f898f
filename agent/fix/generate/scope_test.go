package generate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"git-agent/agent/fix/generate/mutate"
)

const other = `package p

type Route struct {
	handler Handler
	name, Path string
	size int
	next *Route
	err error
}

func (r *Route) Name() string { return r.name }
func (r *Route) Count() int { return r.size }

var ErrFull error
`

const code = `package p

import "net/http"

func (r *Route) Match(req *http.Request, flag bool) (ok bool, n int, to *Route, h http.Header, err error) {
	if flag {
		inner := r.name
		_ = inner
	}
	late := []string{r.Path}
	_ = late
	return r.size > 0, 0, nil, nil, r.err
}

func plain() {}
`

// of reads the function that holds a line of the code.
func of(t *testing.T, text string, line int) mutate.Known {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "other.go", other, 0)
	if err != nil {
		t.Fatal(err)
	}
	return knownAt(set, newImporter(set, nil), []*ast.File{f}, "p.go", []byte(text), line)
}

func TestConditionsFollowTypes(t *testing.T) {
	// Conditions on each value fit its type, members of members included, on the lines where
	// the value is in scope.
	lines := map[string][2]int{}
	for _, c := range of(t, code, 6).Conditions {
		lines[c.Text] = [2]int{c.From, c.To}
	}
	for text, want := range map[string][2]int{
		"flag": {5, 13}, "!flag": {5, 13}, "r != nil": {5, 13}, `r.Path == ""`: {5, 13}, "r.size > 0": {5, 13},
		"r.next.size == 0": {5, 13}, "r.err == ErrFull": {5, 13}, "req == nil": {5, 13},
		"len(late) > 0": {10, 13}, `inner != ""`: {7, 9},
	} {
		if got := lines[text]; got != want {
			t.Errorf("%s is known on the lines %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"len(flag) > 0", "r.size == nil", `flag != ""`} {
		if _, ok := lines[text]; ok {
			t.Errorf("%s makes no sense", text)
		}
	}
}

func TestZeros(t *testing.T) {
	// The zero value of an unknown type is spelled without knowing it.
	if got := of(t, code, 6).Exits; !slices.Equal(got, []string{"return false, 0, nil, *new(http.Header), nil", "return false, 0, nil, *new(http.Header), ErrFull"}) {
		t.Errorf("%q", got)
	}
	if got := of(t, code, 15).Exits; !slices.Equal(got, []string{"return"}) {
		t.Errorf("%q", got)
	}
}

func TestMembersOfTheSameType(t *testing.T) {
	// A field is replaced by fields of its type, and by calls of methods that return it.
	got := map[string][]string{}
	for _, m := range of(t, code, 6).Names {
		if m.Op != mutate.OpMember {
			continue
		}
		name := code[m.Off:m.End]
		got[name] = append(got[name], m.Text)
	}
	if !slices.Equal(got["name"], []string{"Path", "Name()"}) || !slices.Equal(got["size"], []string{"Count()"}) || got["err"] != nil {
		t.Errorf("%v", got)
	}
}

func TestNothingIsKnownOfBrokenCode(t *testing.T) {
	if got := of(t, "package p\nfunc f( {", 2); got.Conditions != nil || got.Exits != nil {
		t.Errorf("%+v", got)
	}
	if got := of(t, code, 14); got.Conditions != nil {
		t.Errorf("a line between functions: %+v", got)
	}
}

func TestCalls(t *testing.T) {
	// Calls of methods and functions get the variables that have the right types, on the
	// lines where these are known.
	const text = `package p

func (r *Route) Set(name string, flag bool) error {
	size := len(name)
	r.name = name
	_ = size
	return nil
}

func check(n int, s string) {}
func lost(x float64) {}
`
	got := map[string]int{}
	for _, c := range of(t, text, 4).Calls {
		got[c.Text] = c.From
	}
	if len(got) != 3 || got["r.Name()"] != 3 || got["r.Count()"] != 3 || got["check(size, name)"] != 4 {
		t.Errorf("%v", got)
	}
}

func TestNamesOfTheSameType(t *testing.T) {
	const text = `package p

func f(a, b string, n int) string {
	late := b
	_ = n
	return late
}
`
	var got []string
	for _, r := range of(t, text, 4).Names {
		if r.Op == mutate.OpVariable {
			got = append(got, text[r.Off:r.End]+">"+r.Text)
		}
	}
	if !slices.Equal(got, []string{"b>a", "late>a", "late>b"}) {
		t.Errorf("%v", got)
	}
}

func TestImportsOfDamagedFiles(t *testing.T) {
	// A malformed file and a missing file of export data have no effect.
	bad := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(bad, []byte("!<arch>\n__.PKGDEF       0           0     0     644     9         `\nunified\x00"), 0o644); err != nil {
		t.Fatal(err)
	}
	i := newImporter(token.NewFileSet(), map[string]string{"a": bad, "b": bad + "none"})
	for _, path := range []string{"a", "b", "c"} {
		if pkg, err := i.Import(path); err == nil {
			t.Errorf("%s: %v", path, pkg)
		}
	}
}

func TestExitsOfFunctionsWithTheSameResults(t *testing.T) {
	const text = `package p

import "errors"

func (r *Route) Peek() (int, error) {
	if r.size == 0 {
		return 0, errors.New("empty")
	}
	if n := r.Count(); n < 0 {
		return n, nil
	}
	return r.size, nil
}

func other() (string, error) { return "", errors.New("no") }

func (r *Route) Pop() (int, error) {
	return 1, nil
}
`
	want := []string{"return 0, nil", `return 0, errors.New("empty")`, "return 0, ErrFull"}
	if got := of(t, text, 18).Exits; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
