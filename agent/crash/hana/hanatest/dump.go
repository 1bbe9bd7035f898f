// Package hanatest makes dumps in the format of SAP HANA, of any size, for tests and benchmarks.
// The contents are invented; only the format is real. The same options give the same bytes.
package hanatest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

// Options describe a dump.
type Options struct {
	Size    int64 // approximate bytes; the minimum is some 20 kB
	Seed    uint64
	Runtime bool   // a runtime dump: no section is about a crash
	Commit  string // commit in BUILD; "" for an invented one
	CRLF    bool   // lines end as on Windows
}

// Frames is the number of frames in the backtrace of a dump by New.
const Frames = 24

// New returns a reader of a dump. Its memory does not depend on the size.
func New(o Options) io.Reader {
	g := &generator{Options: o, rnd: rand.New(rand.NewPCG(o.Seed, 42))}
	g.fixed()
	fixed := int64(0)
	for _, p := range g.parts {
		fixed += p.size
	}
	g.fill(max(o.Size-fixed, 0))
	return &reader{parts: g.parts}
}

// A part is a text that is repeated, cut at a line end, up to a number of bytes.
type part struct {
	text string
	size int64
}

type generator struct {
	Options
	rnd   *rand.Rand
	parts []part
}

const stamp = "(2021-11-04 13:13:25 025 Local)"

// section adds a section with a fixed body.
func (g *generator) section(name, title, body string) {
	g.add(fmt.Sprintf("[%s]  %s: %s\n%s[OK]\n--\n", name, title, stamp, body))
}

func (g *generator) add(text string) {
	if g.CRLF {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	g.parts = append(g.parts, part{text, int64(len(text))})
}

// fixed adds the sections that are as large as in small dumps.
func (g *generator) fixed() {
	commit := g.Commit
	if commit == "" {
		commit = fmt.Sprintf("%016x%016x%08x", g.rnd.Uint64(), g.rnd.Uint64(), g.rnd.Uint32())
	}
	g.section("BUILD", "Build information", "Version         : 2.00.059.00.1636021983\nBuild host      : buildhost\n"+
		"Build time      : 2021-11-04 10:00:00\nPlatform        : linuxx86_64\nCompiler        : gcc (GCC) 10.2.1\nMaketype        : rel\n"+
		"Branch          : fa/hana2sp05\nGit hash        : "+commit+"\nGit mergetime   : 2021-11-03 22:00:00\nWeekstone       : 2021.45.0\n")
	g.section("SYSTEMINFO", "System information", "Host            : hostname\nOS              : Linux\n")
	if g.Runtime {
		return
	}
	g.section("CRASH_SHORTINFO", "Short crash information", "----> Short crash information <----\nSignal: 11\nThread: 73928\n")
	g.section("CRASH_EXTINFO", "Extended crash information", "----> Dump of siginfo contents <----\nsigno: 11 (SIGSEGV)\ncode: 1 (SEGV_MAPERR)\n"+
		"faulting address: 0x000000000000003d\n----> System <----\nhostname: host, OS: Linux, processor: x86_64\n")
	g.section("CRASH_CONTEXT", "Context of crash", "no context\n")
	g.section("CRASH_STACK", "Stacktrace of crash", g.crashStack())
	g.section("CRASH_REGISTERS", "Registers of crash", "rax: 0x0\nrip: 0x7f1937d9095c\n")
}

// crashStack makes two pending exceptions and a backtrace.
func (g *generator) crashStack() string {
	var b strings.Builder
	b.WriteString("----> Pending exceptions (possible root cause) <----\n")
	for e := 1; e <= 2; e++ {
		fmt.Fprintf(
			&b,
			"exception  %d: no.%d  (Basis/IO/Stream/impl/Channel%d.cpp:%d)\n    System error: generic stream error\n",
			e,
			2110000+e,
			e,
			100*e,
		)
		fmt.Fprintf(&b, "exception throw location:\n")
		fmt.Fprintf(
			&b,
			"  1: 0x00007f1937d9095c in Stream::Channel%d::raise(ltt::string const&)+0x558 at Channel%d.cpp:%d (libhdbbasis.so)\n",
			e,
			e,
			100*e,
		)
		for i := 2; i < 9; i++ {
			b.WriteString(" " + g.shortFrame(i))
		}
		b.WriteString("\n")
	}
	b.WriteString("----> Symbolic stack backtrace <----\n")
	for i := range Frames {
		fmt.Fprintf(
			&b,
			"-----------------------------------------\n%2d: %s(ltt::vector<int, ltt::allocator> const&, bool) const + 0x%x\n",
			i,
			g.function(),
			g.rnd.IntN(4000),
		)
		fmt.Fprintf(
			&b,
			"     Symbol: _ZN3fooEv\n     SFrame: IP: 0x00007f193%08x FP: 0x00007f81d6c11d30 SP: 0x00007f81d6c11810\n     Params: 0x%x, 0x1\n",
			g.rnd.Uint32(),
			g.rnd.Uint32(),
		)
		fmt.Fprintf(&b, "     Source: component%d/impl/File%d.cpp:%d\n     Module: /usr/sap/HDB/exe/libhdbcs.so\n", i, i, 10+i)
	}
	b.WriteString("-----------------------------------------\n")
	return b.String()
}

func (g *generator) function() string {
	kinds := []string{
		"ptime::Transaction::step%d",
		"TRexUtils::Parallel::Job<ltt::pair<int, A in B> >::run%d",
		"(anonymous namespace)::work%d",
		"Executor::X2::calculate%d",
	}
	return fmt.Sprintf(kinds[g.rnd.IntN(len(kinds))], g.rnd.IntN(1000))
}

func (g *generator) shortFrame(i int) string {
	return fmt.Sprintf(
		"%2d: 0x00007f%010x in %s()+0x%x at File%d.cpp:%d (libhdbcs.so)\n",
		i,
		g.rnd.Uint64()&0xffffffffff,
		g.function(),
		g.rnd.IntN(4000),
		g.rnd.IntN(5000),
		1+g.rnd.IntN(3000),
	)
}

// fillers are the sections that make dumps large, with their shares of the size.
var fillers = []struct {
	name  string
	share int // of 1000
	line  string
}{
	{"STACK_SHORT", 10, ""},
	{"STACK_FULL", 180, ""},
	{"MEMORY_ACCOUNTING", 220, "  Pool/RowEngine/Allocator/%d    %12d bytes in %d blocks\n"},
	{"IPMM_MEMORY", 60, "  block %d at 0x%012x size %d\n"},
	{"MEMMAP", 80, "7f%08x-7f%08x r-xp 00000000 08:01 %d /usr/sap/HDB/exe/libhdbcs.so\n"},
	{"STATISTICS", 100, "statement %d: executions %d rows %d SELECT * FROM \"T\"\n"},
	{"INDEXMANAGER", 90, "  [%d] index %d attribute [%d] loaded\n"},
	{"SYMBOL_CACHE", 90, "0x%012x _ZN5ptime11Transaction6commitEb %d %d\n"},
	{"EXECUTOR", 70, "  operator %d state %d cost %d\n"},
}

// fillerNames are sections of a few lines, which give a dump over fifty sections.
const fillerNames = `MODULES CPUINFO LIMITS MOUNTINFO SCHEDINFO PROCSTAT EXCEPTIONS XSENGINE JAVASCRIPT CRYPTO MDC SAVEPOINT_SHAREDLOCK_OWNERS
PRE_RESTART_SWVERSION RESOURCE_CONTAINER OS_MEMORY IMPLICIT_MEMORY_BOOKING REGISTERED_STACK_OBJECTS DISASSEMBLY REGISTER_OBJECTS THREADS
INDEXMANAGER_STATE INDEXMANAGER_WAITGRAPH DDLCONTEXTSTORE ENCRYPTION DATABASE_HISTORY SERVICE_THREAD_SAMPLES PROCESS_INFO UNLOAD_HISTORY
PLAN_CACHE LOCK_OBJECTS NETWORK_CHANNELS BACKUP_STATE JOB_EXECUTOR TABLE_REPLICATION PERSISTENCE LOG_REPLAY VERSION_GC ROWSTORE_PAGES`

// fill adds the other sections, of about size bytes in total.
func (g *generator) fill(size int64) {
	for _, name := range strings.Fields(fillerNames) {
		g.section(name, "Section "+strings.ToLower(name), g.lines("  entry %d: value %d of %d\n", 400))
	}
	for _, f := range fillers {
		g.add(fmt.Sprintf("[%s]  Section %s: %s\n", f.name, strings.ToLower(f.name), stamp))
		text := ""
		switch {
		case f.line != "":
			text = g.lines(f.line, 64<<10)
		case f.name == "STACK_SHORT":
			text = g.threads()
		default:
			text = strings.ReplaceAll(g.threads(), " (libhdbcs.so)\n", " (libhdbcs.so)\n     Regs: rax=0x0 rbx=0x7f81d6c11d30 rcx=0x1\n")
		}
		g.add(text)
		g.parts[len(g.parts)-1].size = max(int64(len(g.parts[len(g.parts)-1].text)), size*int64(f.share)/1000)
		g.add("[OK]\n--\n")
	}
}

// lines makes about size bytes of lines with three numbers each.
func (g *generator) lines(format string, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, format, g.rnd.IntN(1<<20), g.rnd.IntN(1<<30), g.rnd.IntN(1<<16))
	}
	return b.String()
}

// threads makes the stacks of some threads.
func (g *generator) threads() string {
	var b strings.Builder
	for t := range 40 {
		id := 1393088 + t
		if t%5 == 4 {
			fmt.Fprintf(&b, "%d[thr=%d]: SqlExecutor is inactive\n--\n", id, 10203+t)
			continue
		}
		fmt.Fprintf(&b, "%d[thr=%d]: JobWrk%d at\n 1: 0x00007fd226e07659 in syscall+0x15 (libc.so.6)\n", id, 10203+t, t)
		for i := 2; i < 12; i++ {
			b.WriteString(g.shortFrame(i))
		}
		b.WriteString("--\n")
	}
	return b.String()
}

// A reader returns the bytes of the parts in sequence.
type reader struct {
	parts []part
	at    int   // within the text of the first part
	done  int64 // bytes of the first part already returned
}

func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.parts) > 0 {
		first := r.parts[0]
		k := copy(p[n:], first.text[r.at:])
		n, r.at, r.done = n+k, r.at+k, r.done+int64(k)
		if r.at < len(first.text) {
			break // p is full
		}
		r.at = 0
		if r.done >= first.size {
			r.parts, r.done = r.parts[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}
