package investigate

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/agent/suspect"
	"git-agent/gitext"
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

// The dump of shadow memory does not displace more informative lines; the text after it is
// shown.
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

// All stacks of the report are shown, the main one first, with the kind of failure. The
// suspected commits are shown only with history.
func TestCrashText(t *testing.T) {
	t.Parallel()
	report := &crash.Report{
		Problems: []crash.Problem{{Kind: "heap-use-after-free", Access: "read", Detail: "of size 1; 4 bytes inside of 16-byte region", Address: "0x10"}},
		Stacks: []crash.Stack{
			{Kind: crash.StackThread, Thread: "T7", Frames: []crash.Frame{{Function: "wait_for", Path: "src/wait.c", Line: 7}}},
			{Kind: crash.StackAlloc, Frames: []crash.Frame{{Function: "grow", Path: "src/pool.c", Line: 3}}},
			{Kind: crash.StackCrash, Frames: []crash.Frame{{Function: "decode", Path: "src/index.c", Line: 991}, {Function: "main"}}},
			{Kind: crash.StackFree, Frames: []crash.Frame{{Raw: "#0 free", Function: "free"}, {Function: "shrink", Path: "src/pool.c", Line: 30}}},
		},
	}
	suspects := []suspect.Suspect{{Commit: gitext.Commit{OID: "1234567890123456789012345678901234567890"}, Reason: "it wrote the line"}}
	files := []crash.File{{Path: "src/index.c"}, {Path: "src/index.h", Related: true}}
	w := &work{in: Input{Problem: fix.Problem{Crash: report, Files: files, Suspects: suspects}}}
	got := w.crashText(true)
	at := 0
	for _, want := range []string{
		"heap-use-after-free, read of size 1 at address 0x10, 4 bytes inside of 16-byte region\n",
		"## crash\n#0 decode() src/index.c:991\n", "## freed by\n", "#1 shrink() src/pool.c:30\n",
		"## allocated by\n#0 grow() src/pool.c:3\n", "## other thread, thread T7\n#0 wait_for() src/wait.c:7\n", "suspected file 1: src/index.c", "suspected file 2: src/index.h", "suspected commit: 123456789012 ",
	} {
		i := strings.Index(got[at:], want)
		if i < 0 {
			t.Fatalf("no %q after %d characters of\n%s", want, at, got)
		}
		at += i
	}
	if without := w.crashText(false); strings.Contains(without, "suspected commit") || strings.Contains(without, "index.h") || !strings.HasPrefix(got, without) {
		t.Errorf("without history:\n%s", without)
	}
}
