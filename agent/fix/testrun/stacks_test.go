package testrun

import "testing"

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
