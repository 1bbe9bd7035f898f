package input

import (
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// faultArguments make gdb print what the crashed thread did: the address that it failed to access,
// its program counter and stack pointer, and the instruction there. A command that fails, as for a
// core of another processor, prints an error and ends nothing.
var faultArguments = []string{
	"-iex", "set disassembly-flavor att",
	"-ex", `printf "fault-code %ld\n", (long) $_siginfo.si_code`,
	"-ex", `printf "fault-address 0x%lx\n", (unsigned long) $_siginfo._sifields._sigfault.si_addr`,
	"-ex", `printf "fault-registers 0x%lx 0x%lx\n", (unsigned long) $pc, (unsigned long) $sp`,
	"-ex", "x/i $pc",
}

var (
	faultCode        = source.Lazy(`(?m)^fault-code (-?\d+)$`)
	faultAddress     = source.Lazy(`(?m)^fault-address (0x[0-9a-f]+)$`)
	faultRegisters   = source.Lazy(`(?m)^fault-registers (0x[0-9a-f]+) (0x[0-9a-f]+)$`)
	faultInstruction = source.Lazy(`(?m)^=> 0x[0-9a-f]+(?: <[^>]*>)?:\s+(\S.*)$`)
)

// Facts of Linux about signals.
const (
	siKernel  = 128     // the code of a fault without an address, such as one that is not canonical
	stackSlop = 1 << 16 // how far below or above the stack pointer a full stack is written
)

// addFault adds to the first signal of a core's report what gdb printed of the failed access.
func addFault(report *crash.Report, output []byte) {
	text := string(output)
	address := faultAddress().FindStringSubmatch(text)
	if len(report.Problems) == 0 || address == nil {
		return
	}
	p := &report.Problems[0]
	if p.Signal != 7 && p.Signal != 11 || p.Access != "" {
		return
	}
	code := faultCode().FindStringSubmatch(text)
	if code == nil || code[1] != strconv.Itoa(siKernel) {
		p.Address, p.Null = address[1], crash.NearNull(address[1])
	}
	var pc, sp uint64
	if m := faultRegisters().FindStringSubmatch(text); m != nil {
		pc, sp = hexNumber(m[1]), hexNumber(m[2])
	}
	at := hexNumber(address[1])
	instruction := faultInstruction().FindStringSubmatch(text)
	switch {
	case p.Address != "" && at == pc:
		p.Access = "execute"
	case instruction != nil:
		p.Access = accessOf(instruction[1])
	}
	full := p.Address != "" && !p.Null && at < sp+stackSlop && sp < at+stackSlop
	if full && (p.Access == "write" || p.Access == "call" || p.Access == "push") {
		p.Access = "push"
	} else if p.Access == "push" {
		p.Access = ""
	}
	crash.Classify(report)
}

func hexNumber(s string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimPrefix(s, "0x"), 16, 64) // 0 if it is none
	return n
}

var (
	x86Prefix = source.Lazy(`^(?:(?:lock|rep[nz]?[ez]?|data16|notrack|bnd|addr32|cs|ds|es|fs|gs|ss) )+`)
	comment   = source.Lazy(`\s+(?:#|//|<).*$`)
	// x86 compares without writing, and these only read their operand.
	x86Reads = source.Lazy(`^(?:(?:cmp|test|bt|mul|imul|div|idiv)[bwlq]?$|v?u?comis|ptest|fi?ld|lods|scas|prefetch)`)
	// ARM: loads and stores of one or two registers, of vectors, and exclusive ones.
	armLoad  = source.Lazy(`^(?:ld[rpnu]|ldx|lda|ldm|ld[1-4]|vld|pop\b)`)
	armStore = source.Lazy(`^(?:st[rpnu]|stx|stl|stm|st[1-4]|vst|push\b)`)
)

// accessOf returns what an instruction does with memory, in the words of crash.Problem.Access, or
// "" if that is not certain. The instruction is in AT&T's syntax, or one of ARM.
func accessOf(instruction string) string {
	text := x86Prefix().ReplaceAllString(comment().ReplaceAllString(instruction, ""), "")
	name, operands, _ := strings.Cut(text, "\t")
	if operands == "" {
		name, operands, _ = strings.Cut(text, " ")
	}
	operands = strings.TrimSpace(operands)
	switch {
	case strings.HasPrefix(name, "call"), name == "blr", name == "blx", name == "bl":
		return "call"
	case strings.HasPrefix(name, "ret"), name == "iret":
		return "return"
	case name == "br", name == "bx", name == "b", strings.HasPrefix(name, "j"):
		return "jump"
	case strings.Contains(operands, "["):
		switch {
		case armLoad().MatchString(name):
			return "read"
		case armStore().MatchString(name):
			return "write"
		}
		return ""
	case strings.HasPrefix(name, "push"):
		return "push"
	case strings.HasPrefix(name, "lea") || strings.HasPrefix(name, "nop") || !strings.Contains(operands, "("):
		return ""
	case x86Reads().MatchString(name):
		return "read"
	}
	return lastOperand(operands)
}

// lastOperand returns "write" if the last operand of an instruction of x86, its destination, is in
// memory, and "read" if only another one is. Both are in memory for copies of strings.
func lastOperand(operands string) string {
	depth, start := 0, 0
	for i := range len(operands) {
		switch operands[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				start = i + 1
			}
		}
	}
	inSource, inDestination := strings.Contains(operands[:start], "("), strings.Contains(operands[start:], "(")
	switch {
	case inSource && inDestination:
		return ""
	case inDestination:
		return "write"
	}
	return "read"
}
