package input

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
)

// asan is a report of AddressSanitizer with three variable lines, as in
// https://github.com/gpac/gpac/issues.
const asan = `==%[1]d==ERROR: AddressSanitizer: heap-use-after-free on address 0x60b000%[1]d at pc 0x7f11 bp 0x7ffd sp 0x7ffc
READ of size 8 at 0x60b000%[1]d thread T0
    #0 0x7f%[1]d in __interceptor_memcpy (/lib/libasan.so.6+0x%[1]d)
    #1 0x7f%[1]d in xmalloc /src/mem.c:%[2]d
    #2 0x7f%[1]d in gf_node_get_tag /src/scenegraph/base_scenegraph.c:%[2]d:15
    #3 0x7f%[1]d in gf_bifs_dec_field /src/bifs/field_decode.c:%[3]d:7
    #4 0x7f%[1]d in gf_bifs_dec_node /src/bifs/field_decode.c:%[3]d:9
    #5 0x7f%[1]d in main /src/main.c:%[2]d
    #6 0x7f%[1]d in __libc_start_main (/lib/libc.so.6+0x2)

0x60b000 is located 0 bytes inside of 112-byte region
freed by thread T0 here:
    #0 0x7f%[1]d in free (/lib/libasan.so.6+0x1)
    #1 0x7f%[1]d in gf_sg_destroy /src/scenegraph/base_scenegraph.c:%[2]d
`

func signature(t *testing.T, report string) Signature {
	t.Helper()
	r, err := format.Read(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	return SignatureOf(r)
}

// Lines and addresses may shift between versions; interceptors, allocators and main are
// insignificant.
func TestSignatureSurvivesVersions(t *testing.T) {
	a, b := signature(t, fmt.Sprintf(asan, 111, 10, 20)), signature(t, fmt.Sprintf(asan, 9999, 14, 371))
	if want := []string{"gf_node_get_tag", "gf_bifs_dec_field", "gf_bifs_dec_node"}; !slices.Equal(a.Names, want) {
		t.Errorf("names %q, want %q", a.Names, want)
	}
	if a.ID() != b.ID() || len(a.ID()) != 16 {
		t.Errorf("ids %s and %s", a.ID(), b.ID())
	}
}

// A report always has a signature, even if all of its functions are insignificant.
func TestSignatureOfLittle(t *testing.T) {
	for report, want := range map[string]string{
		"#0  abort () at abort.c:79\n#1  0x1 in main () at m.c:3\n":                             "abort main",
		"prog: src/queue.c:41: push: Assertion `n < max' failed.\n":                             "push",
		"java.lang.IllegalStateException: x\n\tat java.util.ArrayList.get(ArrayList.java:12)\n": "java.util.ArrayList.get",
	} {
		if got := strings.Join(signature(t, report).Names, " "); got != want {
			t.Errorf("%q: %q, want %q", report, got, want)
		}
	}
}

// A debugger prints the current frame before the stack that begins with it.
func TestSignatureOfWholeStack(t *testing.T) {
	frame := "#0  0x1 in f (n=0x0) at a.c:4\n4\tint f(struct node *n)\n"
	stack := frame[:len("#0  0x1 in f (n=0x0) at a.c:4\n")] + "#1  0x2 in g () at a.c:9\n#2  0x3 in h () at a.c:12\n"
	got := signature(t, "Program terminated with signal SIGSEGV, Segmentation fault.\n"+frame+stack)
	if want := "f g h"; strings.Join(got.Names, " ") != want {
		t.Errorf("%q, want %q", got.Names, want)
	}
}

func TestKindOf(t *testing.T) {
	for kind, want := range map[string]string{
		"attempting double-free on 0x502000000030 in thread T0:":                   "attempting double-free",
		"memcpy-param-overlap: memory ranges [0x52a000066200,0x52a0) and [0x52a0)": "memcpy-param-overlap",
		"negative-size-param: (size=-1)":                                           "negative-size-param",
		"Heap-buffer-overflow":                                                     "heap-buffer-overflow",
		"Segv on unknown address":                                                  "Segv",
		"SIGSEGV":                                                                  "SIGSEGV",
		"java.lang.NullPointerException":                                           "java.lang.NullPointerException",
		"lock-order-inversion (potential deadlock)":                                "lock-order-inversion",
		"-": "-", "": "", " on ": " on ",
	} {
		if got := KindOf(&crash.Report{Problems: []crash.Problem{{Kind: kind}}}); got != want {
			t.Errorf("%q: %q, want %q", kind, got, want)
		}
	}
	if got := KindOf(&crash.Report{}); got != "" {
		t.Errorf("%q", got)
	}
}

func of(names string) Signature { return Signature{Names: strings.Fields(names)} }

func TestSimilarity(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{"f g h i", "f g h i", true},
		{"f g h i j", "f g h", true},       // a cut-off stack
		{"f g h i j k", "f g i j k", true}, // h was inlined
		{"f", "f", true},
		{"f", "f g h", false},
		{"f g h", "x g h", false}, // the innermost function differs
		{"f g h", "h g f", false},
		{"", "", false},
		{"a b c", "x y z", false},
	} {
		got := similarity(of(tt.a), of(tt.b))
		if (got >= similar) != tt.same || got < 0 || got > 1.0000001 || got != similarity(of(tt.b), of(tt.a)) {
			t.Errorf("%q and %q: %.3f", tt.a, tt.b, got)
		}
	}
}

// The groups do not depend on the order of the reports.
func TestGroupsKnowNoOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var list []Signature
	for range 400 {
		names := make([]string, 1+random.IntN(6))
		for i := range names {
			names[i] = string(rune('a' + random.IntN(5)))
		}
		list = append(list, Signature{Names: names})
	}
	want := contents(list)
	for range 5 {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if got := contents(list); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d groups, then %d", len(want), len(got))
		}
	}
}

// contents returns the signatures of each group as text.
func contents(list []Signature) []string {
	var out []string
	for _, g := range groups(list) {
		var names []string
		for _, m := range g.Members {
			names = append(names, strings.Join(list[m].Names, " "))
		}
		slices.Sort(names)
		out = append(out, strings.Join(g.Signature.Names, " ")+": "+strings.Join(names, ", "))
	}
	return out
}

func TestGroupsBySize(t *testing.T) {
	got := contents([]Signature{of("x y z"), of("f g h"), {}, of("f g h i"), of("f g h"), {}})
	want := []string{"f g h: f g h, f g h, f g h i", ": ", ": ", "x y z: x y z"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Not all reports are compared with all others, even if all of them begin with one function.
// Otherwise this test would exceed its time limit.
func TestGroupsOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var list []Signature
	for range 20000 {
		list = append(list, of(fmt.Sprintf("run f%d g%d h i j", random.IntN(3000), random.IntN(3000))))
	}
	members := 0
	for _, g := range groups(list) {
		members += len(g.Members)
	}
	if members != len(list) {
		t.Errorf("groups have %d of %d reports", members, len(list))
	}
}

func FuzzSignature(f *testing.F) {
	f.Add(fmt.Sprintf(asan, 1, 2, 3))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := format.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		s := SignatureOf(r)
		if len(s.Names) > 0 && similarity(s, s) < 0.999999 {
			t.Errorf("%q is not similar to itself", s.Names)
		}
	})
}
