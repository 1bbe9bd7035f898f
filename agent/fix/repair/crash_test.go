package repair

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/fix"
)

// asan is a report of AddressSanitizer with its dump of shadow memory.
const asan = `==48==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffc4df4225f
READ of size 1 at 0x7ffc4df4225f thread T0
    #0 0x5558b8275777 in decode src/index.c:991

SUMMARY: AddressSanitizer: stack-buffer-overflow src/index.c:991 in decode
Shadow bytes around the buggy address:
  0x100009be03f0: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
=>0x100009be0440: 00 00 00 00 00 00 00 f1 f1 f1 f1 f1[f1]04 f2 00
  0x100009be0450: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
Shadow byte legend (one shadow byte represents 8 application bytes):
  Addressable:           00
  Left alloca redzone:     ca
==48==ABORTING
make: *** [check] Error 1
`

// The dump of shadow memory does not take the place of what says more; what comes after
// it is shown.
func TestOutputWithoutShadowMemory(t *testing.T) {
	t.Parallel()
	got := new(work).outputText([]byte(asan))
	if strings.Contains(got, "hadow") || strings.Contains(got, "redzone") {
		t.Errorf("shadow memory is shown:\n%s", got)
	}
	for _, want := range []string{"READ of size 1", "SUMMARY: ", "==48==ABORTING", "Error 1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// Frames of which nothing is known are left out; the others keep their numbers.
func TestCrashTextWithoutUnknownFrames(t *testing.T) {
	t.Parallel()
	w := &work{in: Input{Problem: fix.Problem{Crash: &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
		{Function: "decode", Path: "src/index.c", Line: 991}, {Module: "/lib/libc.so.6"}, {Function: "main"},
	}}}}}}}
	if got, want := w.crashText(true), "#0 decode src/index.c:991\n#2 main"; got != want && got != want+" " {
		t.Errorf("crash text %q, want %q", got, want)
	}
}
