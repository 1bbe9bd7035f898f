package format

import (
	"errors"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
	"git-agent/agent/crash/hana/hanatest"
)

// The lines are quoted from SAP's blogs (community.sap.com ba-p/13398899 and ba-p/13439601) and
// GoogleCloudPlatform/ops-agent apps/saphana.go.
var hanaSamples = []sample{
	{
		name: "a backtrace in a ticket",
		text: "The indexserver crashed again:\n\n> ----> Symbolic stack backtrace <----\n> -----------------------------------------\n" +
			">  0: void TRexUtils::(anonymous namespace)::run<ltt::pair<int, A in B> >(int) const + 0x1a3\n>      Source: TRexUtils/Parallel.cpp:56\n" +
			">  1: ptime::Transaction::commit(bool) + 0x10\n>      Module: libhdbrskernel.so\n",
		want: "hana crash of -1\n  TRexUtils::(anonymous namespace)::run TRexUtils/Parallel.cpp:56\n  ptime::Transaction::commit (libhdbrskernel.so)\n",
	},
	{
		name: "a pending exception in a trace file",
		text: "[7893]{200068}[20/40637286] 2021-11-04 13:13:25.025767 e FileIO           FileSystem.cpp(00085) : cannot open file\n" +
			"[7893]{200068}[20/40637286] 2021-11-04 13:13:25.025768 e FileIO           FileSystem.cpp(00085) : cannot open file\n" +
			"[7893]{-1}[-1/-1] 2021-11-04 13:13:25.025769 i Basis            Basis.cpp(00001) : all is well\n" +
			"exception  1: no.2110017  (Basis/IO/Stream/impl/NetworkChannel.cpp:2989)\n    System error\nexception throw location:\n" +
			" 1: 0x00007fcf4008b935 in Executor::X2OldLock::calculate(Executor::X2Statistics&)+0x4a1 at X2OldLock.cpp:609 (\n",
		want: "! trace error\n! exception 2110017\nhana crash of 0\n   FileSystem.cpp:85\nhana pending exception of 1\n" +
			"   Basis/IO/Stream/impl/NetworkChannel.cpp:2989\n  Executor::X2OldLock::calculate X2OldLock.cpp:609\n",
	},
	{
		name: "short stacks",
		text: "1817914258[thr=73928]: JobWrk11358 at\n 1: 0x00007fd226e07659 in syscall+0x15 (libc.so.6)\n" +
			" 2: 0x00007fd255fcd6ba in TRexUtils::Parallel::__parallelFor::ForJob<ltt::vector_iterator<X at Y> >::runEx()+0x86 at ValueArrayColumn.cpp:56 (libhdbcs.so)\n" +
			" 3: 0x00007f1937d9095c in unsigned long foo<int>(int).lto_priv.2256+0x558 (libhdbbasis.so)\n",
		want: "hana other thread [73928 JobWrk11358] of -1\n  syscall (libc.so.6)\n" +
			"  TRexUtils::Parallel::__parallelFor::ForJob::runEx ValueArrayColumn.cpp:56 (libhdbcs.so)\n  foo (libhdbbasis.so)\n",
	},
	{
		name: "a section that is quoted",
		text: "> > [CRASH_STACK]  Stacktrace of crash: (2021-11-04 13:13:25 025 Local)\n> >  0: ptime::Transaction::commit(bool) + 0x10\n> >      Source: Transaction.cpp:12\n" +
			"> >  1: main + 0x10\n> > [OK]\n> > 2: no frame\n",
		want: "hana crash of -1\n  ptime::Transaction::commit Transaction.cpp:12\n  main\n",
	},
	{
		name: "a bare stack",
		text: "The call stack of the note is:\n0: ptime::Transaction::Transaction\n1: ptime::Session::begin at ptime/Session.cpp\n2: ptime::run\n",
		want: "hana crash of -1\n  ptime::Transaction::Transaction\n  ptime::Session::begin ptime/Session.cpp:0\n  ptime::run\n",
	},
}

func init() { samples = append(samples, hanaSamples...) }

func TestHANASamples(t *testing.T) { testSamples(t, hanaSamples) }

func TestHANADump(t *testing.T) {
	r, err := Read(hanatest.New(hanatest.Options{Size: 1 << 20, Commit: "8a4bd8b0f4d0d0c1e0a5b6c7d8e9f00112233445"}))
	if err != nil {
		t.Fatal(err)
	}
	first := r.Stacks[0]
	if first.Kind != crash.StackException || first.Frames[0].Function != "Stream::Channel1::raise" || first.Frames[0].File != "Basis/IO/Stream/impl/Channel1.cpp" {
		t.Errorf("%s", brief(r))
	}
	main := r.Stacks[r.Main()]
	if len(main.Frames) != hanatest.Frames || r.Build.Commit != "8a4bd8b0f4d0d0c1e0a5b6c7d8e9f00112233445" || len(r.Sections) < 50 {
		t.Errorf("%s", brief(r))
	}
	for _, f := range main.Frames {
		if f.Function == "" || strings.ContainsAny(f.Function, "<+ ") && !strings.Contains(f.Function, "(anonymous namespace)") {
			t.Errorf("function %q of %q", f.Function, f.Raw)
		}
	}
}

func TestRecursiveDumpIsRefused(t *testing.T) {
	var recursive *hana.RecursiveError
	dump := hanatest.New(hanatest.Options{})
	if _, err := ReadNamed(dump, "indexserver_h.30003.crashdump.20211104-131325.057892.recursive.trc"); !errors.As(err, &recursive) {
		t.Errorf("got %v", err)
	}
}
