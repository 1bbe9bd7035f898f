package input

import (
	"testing"

	"git-agent/agent/crash"
)

// Instructions as gdb prints them for cores of x86-64 and AArch64.
func TestAccessOf(t *testing.T) {
	for instruction, want := range map[string]string{
		"mov    (%rax),%eax":                           "read",
		"mov    %eax,(%rax)":                           "write",
		"movl   $0x0,0x8(%rax,%rdx,4)":                 "write",
		"addl   $0x1,(%rdi)":                           "write",
		"add    (%rdx),%eax":                           "read",
		"cmpl   $0x0,0x10(%rdi)":                       "read",
		"lock cmpxchg %edx,(%rdi)":                     "write",
		"movdqa (%rdi),%xmm0":                          "read",
		"vmovdqu %ymm0,(%rdi)":                         "write",
		"rep stos %al,%es:(%rdi)":                      "write",
		"rep movsb %ds:(%rsi),%es:(%rdi)":              "",
		"call   *0x18(%rax)":                           "call",
		"callq  0x401020 <puts@plt>":                   "call",
		"jmp    *%rax":                                 "jump",
		"ret":                                          "return",
		"retq":                                         "return",
		"push   %rbp":                                  "push",
		"mov    0x2ee1(%rip),%rax        # 0x4040 <x>": "read",
		"nopw   0x0(%rax,%rax,1)":                      "",
		"ldr\tx0, [x1, #8]":                            "read",
		"str\tw0, [x1]":                                "write",
		"stp\tx29, x30, [sp, #-32]!":                   "write",
		"blr\tx3":                                      "call",
		"br\tx16":                                      "jump",
		"udf\t#0":                                      "",
	} {
		if got := accessOf(instruction); got != want {
			t.Errorf("%s: %q, want %q", instruction, got, want)
		}
	}
}

// What gdb says of the failed access gives the class of CASR.
func TestAddFault(t *testing.T) {
	const registers = "fault-registers 0x401136 0x7ffc00001000\n"
	for name, test := range map[string]struct {
		output, access, kind string
		signal               int
	}{
		"a read of a null pointer":      {"fault-code 1\nfault-address 0x8\n" + registers + "=> 0x401136 <f+4>:\tmov    0x8(%rax),%eax\n", "read", "SourceAvNearNull", 11},
		"a wild write":                  {"fault-code 1\nfault-address 0x41414141\n" + registers + "=> 0x401136 <f+4>:\tmov    %eax,(%rax)\n", "write", "DestAv", 11},
		"a call of nothing":             {"fault-code 1\nfault-address 0x0\nfault-registers 0x0 0x7ffc00001000\n", "execute", "SegFaultOnPcNearNull", 11},
		"an address without a page":     {"fault-code 128\nfault-address 0x0\n" + registers + "=> 0x401136 <f+4>:\tcall   *0x18(%rax)\n", "call", "CallAv", 11},
		"a return":                      {"fault-code 128\nfault-address 0x0\n" + registers + "=> 0x401136 <f+4>:\tret\n", "return", "ReturnAv", 11},
		"a recursion without end":       {"fault-code 1\nfault-address 0x7ffc00000ff8\n" + registers + "=> 0x401136 <f+4>:\tpush   %rbp\n", "push", "StackOverflow", 11},
		"an instruction of an alien":    {"fault-code 1\nfault-address 0x41414141\n" + registers + "=> 0x401136 <f+4>:\t.inst 0x0\n", "", "AccessViolation", 11},
		"a bus error":                   {"fault-code 2\nfault-address 0x7f0000001000\n" + registers + "=> 0x401136 <f+4>:\tmovzbl (%rdi),%eax\n", "read", "SourceAv", 7},
		"a division is not an access":   {"fault-code 1\nfault-address 0x401136\n" + registers + "=> 0x401136 <f+4>:\tidiv   %ecx\n", "", "FPE", 8},
		"gdb cannot read the registers": {"Cannot access memory\n", "", "AccessViolation", 11},
	} {
		report := &crash.Report{Formats: []string{"gdb"}, Problems: []crash.Problem{{Kind: "SIGNAL", Signal: test.signal}}}
		crash.Classify(report)
		addFault(report, []byte(test.output))
		if got := report.Problems[0].Access; got != test.access || report.Severity == nil || report.Severity.Kind != test.kind {
			t.Errorf("%s: access %q, %+v", name, got, report.Severity)
		}
	}
}
