package offline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

const goSource = `package p

type T[K any] struct{ n int }

func (t *T[K]) Add(a, b int, more ...int) (sum int, err error) {
	for _, m := range more {
		sum += m
	}
	return sum + a + b + t.n, nil
}

func Max[K int | string](a, b K) K {
	if a > b {
		return a
	}
	return b
}

func (T[K]) Print(string, ...any) { println("x") }

func init() { println("y") }

var X = Max(1, 2)
`

// combine replaces a text of the source by others and combines the results.
func combine(t *testing.T, changes ...[2]string) (*variantProgram, []int) {
	t.Helper()
	variants := map[int]variant{}
	for i, c := range changes {
		if strings.Count(goSource, c[0]) != 1 {
			t.Fatalf("%q is there %d times", c[0], strings.Count(goSource, c[0]))
		}
		variants[i+1] = variant{"d/p.go", []byte(strings.Replace(goSource, c[0], c[1], 1))}
	}
	return combineVariants(func(string) ([]byte, bool) { return []byte(goSource), true }, variants)
}

func TestCombineCompiles(t *testing.T) {
	// Methods, type parameters, results with names, parameters without names and with
	// dots: the program has correct types, and its dispatchers call each variant.
	p, rejected := combine(t, [2]string{"sum += m", "sum -= m"}, [2]string{"a > b", "a < b"}, [2]string{`"x"`, `"z"`}, [2]string{"+ t.n, nil", "+ t.n + 1, nil"})
	if len(rejected) > 0 || len(p.Files) != 2 {
		t.Fatalf("rejected %v, %d files", rejected, len(p.Files))
	}
	set := token.NewFileSet()
	var files []*ast.File
	for name, content := range p.Files {
		if strings.HasSuffix(name, chooserName) {
			content = []byte("package p\nvar gitAgentVariant int\n") // without imports, which take long to read
		}
		f, err := parser.ParseFile(set, name, content, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, content)
		}
		files = append(files, f)
	}
	var conf types.Config
	if _, err := conf.Check("p", set, files, nil); err != nil {
		t.Errorf("%v\n%s", err, p.Files["d/p.go"])
	}
	text := string(p.Files["d/p.go"])
	for _, call := range []string{"return zzr.Add__zz4(zz0, zz1, zz2...)", "return Max__zz2[K](zz0, zz1)", "\t\tzzr.Print__zz3(zz0, zz1...)", "return zzr.Add__zz0("} {
		if !strings.Contains(text, call) {
			t.Errorf("%q is missing in\n%s", call, text)
		}
	}
}

func TestCombineRejects(t *testing.T) {
	// A change of a heading, of a declaration outside of functions, and of init cannot be
	// chosen at run time.
	_, rejected := combine(t, [2]string{"a, b int, more", "b, a int, more"}, [2]string{"Max(1, 2)", "Max(1, 3)"}, [2]string{`"y"`, `"z"`}, [2]string{`"x"`, `"z"`})
	if len(rejected) != 3 || rejected[2] != 3 {
		t.Errorf("rejected %v", rejected)
	}
}

func TestVariantAt(t *testing.T) {
	// Each line of a variant's function leads back to it, and no other line does.
	p, _ := combine(t, [2]string{"sum += m", "sum -= m"}, [2]string{"a > b", "a < b"})
	for i, line := range strings.Split(string(p.Files["d/p.go"]), "\n") {
		want := 0
		switch {
		case strings.Contains(line, "sum -= m"):
			want = 1
		case strings.Contains(line, "a < b"):
			want = 2
		case strings.Contains(line, "sum += m"), strings.Contains(line, "a > b"), strings.Contains(line, "switch"):
		default:
			continue
		}
		if got := p.variantAt("./p.go", i+1); got != want {
			t.Errorf("line %d, %q, is of variant %d, want %d", i+1, line, got, want)
		}
	}
}
