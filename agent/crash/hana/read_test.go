package hana

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana/hanatest"
)

// The lines of this dump are quoted or expected by SAP's parser
// (SAP-archive/crash-similarity-inspector), its editor mode, GoogleCloudPlatform/ops-agent and
// SAP's community blogs. No complete dump is public.
const quoted = `[BUILD]  Build information: (2021-11-04 13:13:25 025 Local)
------------------------------
Version         : 2.00.059.00.1636021983
Build host      : host
Branch          : fa/hana2sp05
Git hash        : 8a4bd8b0f4d0d0c1e0a5b6c7d8e9f00112233445
[OK]
--
[CRASH_EXTINFO]  Extended crash information: (2021-11-04 13:13:25 025 Local)
----> Dump of siginfo contents <----
 si_code: 1 (SEGV_MAPERR), faulting address: 0x3d
 signal number: 11
[OK]
--
[CRASH_STACK]  Stacktrace of crash: (2021-11-04 13:13:25 025 Local)
----> Pending exceptions (possible root cause) <----
exception  1: no.2110017  (Basis/IO/Stream/impl/NetworkChannel.cpp:2989)
    System error: SO_ERROR has pending error for socket. rc=104: Connection reset by peer
exception throw location:
  1: 0x00007f1937d9095c in Stream::NetworkChannelBase::raise()+0x558 at NetworkChannel.cpp:2989 (libhdbbasis.so)
  2: 0x00007f1937d9095c in .LTHUNK27.lto_priv.2256+0x558 (libhdbbasis.so)
exception type information:
 - 0: public virtual ltt::exception@0x00007f1937d9095c

exception  2: no.1000002  (ltt/impl/memory.cpp:63)
    Allocation failed
exception throw location:
  1: 0x00007fcf4008b935 in Executor::X2OldLock::calculate(Executor::X2Statistics&)+0x4a1 at X2OldLock.cpp:609 (

----> Symbolic stack backtrace <----
-----------------------------------------
 0: ptime::Transaction::commit(bool, ltt::vector<A in B at C> const&) const + 0x1a3
     Module: /usr/sap/HDB/exe/libhdbrskernel.so
     SFrame: IP: 0x00007fa8d8dea92e FP: 0x00007f81d6c11d30
     Source: ptime/session/Transaction.cpp:1234
-----------------------------------------
 1: unsigned long TRexUtils::(anonymous namespace)::run<int>(int) + 0x10
     Symbol: _ZN9TRexUtils3runEv
-----------------------------------------
 2: _ZN5ptime9Statement7executeEv + 0x99
     Source: Statement.cpp:88
[OK]
--
[STACK_SHORT]  Short stacks of threads: (2021-11-04 13:13:25 025 Local)
1817914258[thr=73928]: JobWrk11358 at
 1: 0x00007fd226e07659 in syscall+0x15 (libc.so.6)
 2: 0x00007fd255fcd6ba in TRexUtils::Parallel::__parallelFor::ForJob<ltt::vector_iterator<X at Y> >::runEx()+0x86 at ValueArrayColumn.cpp:56 (libhdbcs.so)
--
1393088[thr=10203]: SqlExecutor is inactive
--
[OK]
`

func read(t *testing.T, text string) *crash.Report {
	t.Helper()
	r, err := Read(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// show writes the content of a report, a line for each fact.
func show(r *crash.Report) string {
	var b strings.Builder
	if r.Build != (crash.Build{}) {
		fmt.Fprintf(&b, "build %s %s %s\n", r.Build.Commit, r.Build.Version, r.Build.Branch)
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "problem %s|%d|%s|%v|%s\n", p.Kind, p.Signal, p.Address, p.Null, p.Message)
	}
	for _, s := range r.Stacks {
		fmt.Fprintf(&b, "stack %s|%s|%d\n", s.Kind, s.Thread, s.Problem)
		for _, f := range s.Frames {
			fmt.Fprintf(&b, "  %s|%s:%d|%s\n", f.Symbol, f.File, f.Line, f.Module)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	return b.String()
}

const quotedShown = `build 8a4bd8b0f4d0d0c1e0a5b6c7d8e9f00112233445 2.00.059.00.1636021983 fa/hana2sp05
problem SIGSEGV|11|0x3d|true|code 1 (SEGV_MAPERR)
problem exception 2110017|0||false|System error: SO_ERROR has pending error for socket. rc=104: Connection reset by peer
problem exception 1000002|0||false|Allocation failed
stack pending exception||1
  Stream::NetworkChannelBase::raise()|Basis/IO/Stream/impl/NetworkChannel.cpp:2989|libhdbbasis.so
  .LTHUNK27.lto_priv.2256|:0|libhdbbasis.so
stack pending exception||2
  |ltt/impl/memory.cpp:63|
  Executor::X2OldLock::calculate(Executor::X2Statistics&)|X2OldLock.cpp:609|
stack crash||0
  ptime::Transaction::commit(bool, ltt::vector<A in B at C> const&) const|ptime/session/Transaction.cpp:1234|/usr/sap/HDB/exe/libhdbrskernel.so
  unsigned long TRexUtils::(anonymous namespace)::run<int>(int)|:0|
  _ZN5ptime9Statement7executeEv|Statement.cpp:88|
stack other thread|73928 JobWrk11358|-1
  syscall|:0|libc.so.6
  TRexUtils::Parallel::__parallelFor::ForJob<ltt::vector_iterator<X at Y> >::runEx()|ValueArrayColumn.cpp:56|libhdbcs.so
`

func TestRead(t *testing.T) {
	if got := show(read(t, quoted)); got != quotedShown {
		t.Errorf("got\n%s\nwant\n%s", got, quotedShown)
	}
}

func TestReadWindowsLines(t *testing.T) {
	if got := show(read(t, strings.ReplaceAll(quoted, "\n", "\r\n"))); got != quotedShown {
		t.Errorf("got\n%s", got)
	}
}

func TestReadAnyOrder(t *testing.T) {
	var parts []string
	for _, p := range strings.SplitAfter(quoted, "[OK]\n") {
		parts = append([]string{p}, parts...)
	}
	if got := show(read(t, strings.Join(parts, ""))); got != quotedShown {
		t.Errorf("got\n%s", got)
	}
}

// TestReadCut cuts the dump at every byte: the facts before the cut stay, and nothing fails.
func TestReadCut(t *testing.T) {
	for n := range len(quoted) {
		r := read(t, quoted[:n])
		for i, s := range r.Stacks {
			if s.Problem >= len(r.Problems) || len(s.Frames) == 0 {
				t.Fatalf("cut at %d: stack %d is wrong: %+v", n, i, s)
			}
		}
	}
	cut := quoted[:strings.Index(quoted, "     Source: ptime")]
	r := read(t, cut)
	if len(r.Stacks) != 3 || r.Stacks[2].Frames[0].Module == "" || !strings.Contains(strings.Join(r.Notes, " "), "cut off within section CRASH_STACK") {
		t.Errorf("%s", show(r))
	}
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("broken disk")
	if _, err := Read(io.MultiReader(strings.NewReader(quoted), iotest.ErrReader(broken)), ""); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	var recursive *RecursiveError
	_, err := Read(strings.NewReader(quoted), `C:\dumps\indexserver_host.30003.crashdump.20211104-131325.057892.recursive.trc`)
	if !errors.As(err, &recursive) || !strings.Contains(err.Error(), "while dumping") {
		t.Errorf("got %v", err)
	}
}

func TestRuntimeDump(t *testing.T) {
	const threads = "[STACK_SHORT]  Short stacks: (2021-11-04 13:13:25 025 Local)\n7[thr=8]: Worker at\n 1: 0x01 in f+0x1 at A.cpp:3 (x.so)\n[OK]\n"
	for _, c := range []struct{ name, want string }{
		{"indexserver_host.30003.rtedump.20211104-131325.057892.oom.trc", "lack of memory"},
		{"indexserver_host.30003.rtedump.20211104-131325.057892.savepoint_blocked.trc", "savepoint was blocked"},
		{"indexserver_host_30003_runtimedump_20211104.trc", "did not crash"},
	} {
		r, err := Read(strings.NewReader(threads), c.name)
		if err != nil || len(r.Stacks) != 1 || r.Stacks[0].Kind != crash.StackThread || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], c.want) {
			t.Errorf("%s: %v %+v", c.name, err, r)
		}
	}
	r := read(t, threads+"[MEMORY_OOM]  Memory: (2021-11-04 13:13:25 025 Local)\nx\n[OK]\n")
	if !strings.Contains(r.Notes[0], "lack of memory") {
		t.Errorf("%v", r.Notes)
	}
}

func TestDummyCommit(t *testing.T) {
	for hash, want := range map[string]string{
		strings.Repeat("0", 40):                    "placeholder",
		strings.Repeat("f", 40):                    "placeholder",
		"not available":                            "names no commit",
		"8a4bd8b0f4d0d0c1e0a5b6c7d8e9f00112233445": "",
	} {
		r := read(t, "[BUILD]  Build: (Local)\nGit hash : "+hash+"\n[OK]\n")
		notes := strings.Join(r.Notes, "\n")
		if (r.Build.Commit != "") != (want == "") || !strings.Contains(notes, want) {
			t.Errorf("%s: commit %q, notes %q", hash, r.Build.Commit, notes)
		}
	}
}

func TestFacts(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"signal: 11 (SIGSEGV), code: 1, address: 0x0", "SIGSEGV|11|0x0|true"},
		{"Signal = SIGSEGV\nFaulting address = 0x00007f00deadbeef", "SIGSEGV|11|0x00007f00deadbeef|false"},
		{"Exit signal: 6\nfaulting address: 0x0", "SIGABRT|6||false"},
		{"signo: 7\nsi_addr: 0x1000", "SIGBUS|7|0x1000|false"},
		{"signal name: SIGFPE", "SIGFPE|8||false"},
		{"hostname: signal\nOS: Linux", ""},
	} {
		r := read(t, "[CRASH_SHORTINFO]  Short: (Local)\n"+c.text+"\n[OK]\n")
		got := ""
		for _, p := range r.Problems {
			got = fmt.Sprintf("%s|%d|%s|%v", p.Kind, p.Signal, p.Address, p.Null)
		}
		if got != c.want {
			t.Errorf("%q: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestLatin1(t *testing.T) {
	r := read(t, "[CRASH_STACK]  Stack: (Local)\nexception  1: no.1  (A.cpp:1)\n    Verbindung abgebrochen f\xfcr \xe4\xf6\n[OK]\n")
	if len(r.Problems) != 1 || r.Problems[0].Message != "Verbindung abgebrochen für äö" {
		t.Errorf("%+v", r.Problems)
	}
}

func TestReadSection(t *testing.T) {
	data := []byte(quoted)
	r := read(t, quoted)
	var names []string
	for _, s := range r.Sections {
		names = append(names, s.Name)
		text, more, err := ReadSection(bytes.NewReader(data), s, 1<<20)
		if err != nil || more || !strings.HasPrefix(text, "["+s.Name+"]") || !strings.HasSuffix(text, "[OK]\n") {
			t.Errorf("%s: %v %v %q", s.Name, err, more, text)
		}
		if lines := strings.Count(quoted[:s.Start], "\n") + 1; lines != s.Line {
			t.Errorf("%s: line %d, want %d", s.Name, s.Line, lines)
		}
	}
	if got := strings.Join(names, " "); got != "BUILD CRASH_EXTINFO CRASH_STACK STACK_SHORT" {
		t.Errorf("sections %s", got)
	}
	text, more, err := ReadSection(bytes.NewReader(data), Find(r.Sections, "crash_stack")[0], 200)
	if err != nil || !more || len(text) > 200 || !strings.HasSuffix(text, "\n") {
		t.Errorf("%v %v %q", err, more, text)
	}
	if _, _, err := ReadSection(bytes.NewReader(data), crash.Section{Start: 9, End: 3}, 10); err == nil {
		t.Error("impossible offsets were read")
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		quoted:                            true,
		"head\n[CRASH_STACK]\n":           true,
		"[INFO] building\n[OK] done\n":    false,
		"[ERROR]  Failed to run\n":        false,
		"[UNHEARD_OF]  x: (2021 Local)\n": true,
		"[123456.7] x Local\n":            false,
	} {
		if got := Looks([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Call stacks in SAP notes have neither addresses nor offsets.
func TestBareFrames(t *testing.T) {
	r := read(t, "[CRASH_STACK]  x: (Local)\n0: ptime::Transaction::Transaction\n1: ptime::Session::begin at ptime/Session.cpp\n2: main + 0x12\n")
	want := "stack crash||-1\n  ptime::Transaction::Transaction|:0|\n  ptime::Session::begin|ptime/Session.cpp:0|\n  main|:0|\n"
	if got := show(r); !strings.HasPrefix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestTraceLine(t *testing.T) {
	l, ok := ParseTraceLine("[7893]{200068}[20/40637286] 2021-11-04 13:13:25.025767 w FileIO           FileSystem.cpp(00085) : cannot open")
	if !ok || l.Place.File != "FileSystem.cpp" || l.Place.Line != 85 || l.Severity != 'w' || l.Message != "cannot open" {
		t.Errorf("%v %+v", ok, l)
	}
	if _, ok := ParseTraceLine("[12345]{-1}[-1/-1] 2021-11-04 13:13:25.025767 e Basis"); ok {
		t.Error("a line without a place was read")
	}
}

func TestGenerated(t *testing.T) {
	for _, o := range []hanatest.Options{{}, {Size: 1 << 20, Seed: 3}, {Size: 1 << 20, CRLF: true}, {Size: 1 << 18, Runtime: true}} {
		data, err := io.ReadAll(hanatest.New(o))
		if err != nil {
			t.Fatal(err)
		}
		again, _ := io.ReadAll(iotest.OneByteReader(io.LimitReader(hanatest.New(o), 5000)))
		if !bytes.Equal(data[:5000], again) {
			t.Error("the same options give other bytes")
		}
		r := read(t, string(data))
		if len(r.Sections) < 44 || len(r.Stacks) < 30 {
			t.Errorf("%+v: %d sections, %d stacks", o, len(r.Sections), len(r.Stacks))
		}
		if o.Runtime {
			continue
		}
		if len(r.Sections) < 50 || len(r.Stacks[2].Frames) != hanatest.Frames || len(r.Stacks[0].Frames) != 8 || r.Build.Commit == "" || !r.Problems[0].Null {
			t.Errorf("%+v: %d sections, %s", o, len(r.Sections), show(r)[:2000])
		}
	}
}
