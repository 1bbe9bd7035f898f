package format

import (
	"strings"
	"testing"
)

// The classes are those of CASR's docs/classes.md. The first lines of reports are as the tools
// print them.
func TestSeverity(t *testing.T) {
	const frame = "    #0 0x4c5d7e in real /srv/src/real.c:3:7\n"
	const gdb = "#0  raise () from /lib/libc.so.6\n#1  abort () from /lib/libc.so.6\n"
	for text, want := range map[string]string{
		"==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602 at pc 0x4c5\nWRITE of size 4 at 0x602 thread T0\n" + frame:                                                                                "EXPLOITABLE heap-use-after-free(write)",
		"==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x4c5\nREAD of size 4 at 0x602 thread T0\n" + frame:                                                                                "NOT_EXPLOITABLE heap-buffer-overflow(read)",
		"==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x4c5\n" + frame:                                                                                                                   "PROBABLY_EXPLOITABLE heap-buffer-overflow",
		"==1==ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in thread T0:\n" + frame:                                                                                                              "NOT_EXPLOITABLE double-free",
		"==1==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x602000000010 in thread T0\n" + frame:                                                                                   "NOT_EXPLOITABLE bad-free",
		"==1==ERROR: AddressSanitizer: alloc-dealloc-mismatch (operator new [] vs free) on 0x602000000010\n" + frame:                                                                                                  "NOT_EXPLOITABLE alloc-dealloc-mismatch",
		"==1==ERROR: AddressSanitizer: memcpy-param-overlap: memory ranges [0x602,0x603) and [0x602, 0x604) overlap\n" + frame:                                                                                        "EXPLOITABLE param-overlap",
		"==1==ERROR: AddressSanitizer: negative-size-param: (size=-1)\n" + frame:                                                                                                                                      "PROBABLY_EXPLOITABLE negative-size-param",
		"==1==ERROR: AddressSanitizer: requested allocation size 0xffff exceeds maximum supported size of 0x10000000000\n" + frame:                                                                                    "NOT_EXPLOITABLE allocation-size-too-big",
		"==1==ERROR: AddressSanitizer: stack-overflow on address 0x7ffc (pc 0x4c5 bp 0x1 sp 0x2 T0)\n" + frame:                                                                                                        "NOT_EXPLOITABLE StackOverflow",
		"==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x4c5 bp 0x1 sp 0x2 T0)\n==1==The signal is caused by a READ memory access.\n==1==Hint: address points to the zero page.\n" + frame: "NOT_EXPLOITABLE SourceAvNearNull",
		"==1==ERROR: AddressSanitizer: SEGV on unknown address 0x7f4141414141 (pc 0x4c5 bp 0x1 sp 0x2 T0)\n==1==The signal is caused by a WRITE memory access.\n" + frame:                                             "EXPLOITABLE DestAv",
		"==1==ERROR: AddressSanitizer: SEGV on unknown address 0x7f4141414141 (pc 0x4c5 bp 0x1 sp 0x2 T0)\n" + frame:                                                                                                  "NOT_EXPLOITABLE AccessViolation",
		"==1==ERROR: LeakSanitizer: detected memory leaks\nDirect leak of 16 byte(s) in 1 object(s) allocated from:\n" + frame:                                                                                        "NOT_EXPLOITABLE memory-leaks",
		"==1==ERROR: libFuzzer: out-of-memory (used: 2049Mb; limit: 2048Mb)\n" + frame:                                                                                                                                "",
		"Program terminated with signal SIGABRT, Aborted.\n" + gdb:                                                                                                                                                    "NOT_EXPLOITABLE AbortSignal",
		"Program terminated with signal SIGABRT, Aborted.\n" + gdb + "#2  __libc_message () from /lib/libc.so.6\n#3  malloc_printerr () from /lib/libc.so.6\n":                                                        "PROBABLY_EXPLOITABLE HeapError",
		"Program terminated with signal SIGABRT, Aborted.\n" + gdb + "#2  __fortify_fail () from /lib/libc.so.6\n#3  __stack_chk_fail () from /lib/libc.so.6\n":                                                       "PROBABLY_EXPLOITABLE StackGuard",
		"Program terminated with signal SIGABRT, Aborted.\n" + gdb + "#2  __fortify_fail () from /lib/libc.so.6\n#3  __strcpy_chk () from /lib/libc.so.6\n":                                                           "NOT_EXPLOITABLE SafeFunctionCheck",
		"Program terminated with signal SIGFPE, Arithmetic exception.\n#0  real () at src/real.c:3\n":                                                                                                                 "NOT_EXPLOITABLE FPE",
		"Program terminated with signal SIGILL, Illegal instruction.\n#0  real () at src/real.c:3\n":                                                                                                                  "PROBABLY_EXPLOITABLE BadInstruction",
		"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:4 +0x1\n":  "",
		"Traceback (most recent call last):\n  File \"x.py\", line 3, in run\n    y()\nValueError: no\n":                                                                                                              "",
	} {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		if r.Severity != nil {
			got = r.Severity.Class + " " + r.Severity.Kind
		}
		if got != want {
			t.Errorf("%s\n%q, want %q", text, got, want)
		}
	}
}
