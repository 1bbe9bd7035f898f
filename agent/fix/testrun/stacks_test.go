package testrun

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A failed test of Go has no stack: what it prints is in the places of the output. The output is that of
// letsencrypt/boulder, b4c13ce6c7d9.
func TestFailedTestOfGoIsNoStack(t *testing.T) {
	t.Parallel()
	const failed = "--- FAIL: TestNewOrderAuthzReuseDisabled (0.24s)\n    ra_test.go:2477: \"reused-valid-authz\" == \"reused-valid-authz\"\nFAIL\n"
	if stacks := Stacks([]byte(failed)); len(stacks) > 0 {
		t.Errorf("%+v", stacks)
	}
	const panicked = failed + "panic: no such thing\n\ngoroutine 7 [running]:\nmain.f(0x1)\n\t/src/main.go:3 +0x1d\n"
	if stacks := Stacks([]byte(panicked)); len(stacks) != 1 || stacks[0].Frames[0].File != "/src/main.go" {
		t.Errorf("%+v", stacks)
	}
}

func TestStacks(t *testing.T) {
	// Stack traces inside the output of a test tool are found, with their places.
	t.Parallel()
	a, err := txtar.ParseFile("testlog/testdata/go_plain.txtar")
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	for _, s := range Stacks(a.Files[0].Data) {
		for _, f := range s.Frames {
			places[fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)] = true
		}
	}
	if !places["s_test.go:3"] || !places["b_test.go:3"] {
		t.Errorf("places %v", places)
	}
	if got := Stacks([]byte("nothing\n")); got != nil {
		t.Errorf("got %+v", got)
	}
}
