package format

import "testing"

func init() { samples = append(samples, minidumpSamples...) }

func TestMinidumpSamples(t *testing.T) { testSamples(t, minidumpSamples) }

var minidumpSamples = []sample{
	{
		name: "minidump_stackwalk",
		from: "google/breakpad src/processor/testdata/minidump2.stackwalk.out",
		text: "Operating system: Windows NT\n" +
			"                  5.1.2600 Service Pack 2\n" +
			"CPU: x86\n" +
			"     GenuineIntel family 6 model 13 stepping 8\n" +
			"     1 CPU\n" +
			"\n" +
			"GPU: UNKNOWN\n" +
			"\n" +
			"Crash reason:  EXCEPTION_ACCESS_VIOLATION_WRITE\n" +
			"Crash address: 0x45\n" +
			"Crash parameters:\n" +
			"    value: 0x0000000000000001  description: \n" +
			"    value: 0x0000000000000045  description: \n" +
			"Process uptime: 0 seconds\n" +
			"\n" +
			"Thread 0 (crashed)\n" +
			" 0  test_app.exe!`anonymous namespace'::CrashFunction [test_app.cc : 58 + 0x3]\n" +
			"    eip = 0x0040429e   esp = 0x0012fe84   ebp = 0x0012fe88   ebx = 0x7c80abc1\n" +
			"    esi = 0x00000002   edi = 0x00000a28   eax = 0x00000045   ecx = 0x0012fe94\n" +
			"    edx = 0x0042bc58   efl = 0x00010246\n" +
			"    Found by: given as instruction pointer in context\n" +
			" 1  test_app.exe!main [test_app.cc : 65 + 0x5]\n",
		want: "! EXCEPTION_ACCESS_VIOLATION_WRITE write 0x45 null\n" +
			"minidump crash [0] of 0\n" +
			"  `anonymous namespace'::CrashFunction test_app.cc:58 (test_app.exe)\n" +
			"  main test_app.cc:65 (test_app.exe)\n",
	},
	{
		name: "minidump_stackwalk -m",
		from: "google/breakpad src/processor/testdata/minidump2.stackwalk.machine_readable.out",
		text: "Crash|EXCEPTION_ACCESS_VIOLATION_WRITE|0x45|0\n" +
			"Module|ntdll.dll|5.1.2600.2180|ntdll.pdb|36515FB5D04345E491F672FA2E2878C02|0x7c900000|0x7c9affff|0\n" +
			"\n" +
			"0|0|test_app.exe|`anonymous namespace'::CrashFunction|c:\\test_app.cc|58|0x3\n" +
			"0|1|test_app.exe|main|c:\\test_app.cc|65|0x5\n" +
			"0|2|test_app.exe|__tmainCRTStartup|f:\\sp\\vctools\\crt_bld\\self_x86\\crt\\src\\crt0.c|327|0x12\n" +
			"0|3|kernel32.dll|BaseProcessStart|||0x23\n",
		want: "! EXCEPTION_ACCESS_VIOLATION_WRITE write 0x45 null\n" +
			"minidump crash [0] of 0\n" +
			"  `anonymous namespace'::CrashFunction c:\\test_app.cc:58 (test_app.exe)\n" +
			"  main c:\\test_app.cc:65 (test_app.exe)\n" +
			"  __tmainCRTStartup f:\\sp\\vctools\\crt_bld\\self_x86\\crt\\src\\crt0.c:327 (test_app.exe)\n" +
			"  BaseProcessStart (kernel32.dll)\n",
	},
	{
		name: "Mozilla, a thread that did not crash",
		from: "rust-minidump/rust-minidump#157",
		text: `Thread 19
 0  libsystem_kernel.dylib!mach_msg_trap + 0xa
    rax = 0x000000000100001f   rdx = 0x0000000000000000
    rip = 0x00007fff205c3e7e
    Found by: given as instruction pointer in context
 1  XUL!ReceivePort::WaitForMessage(MachReceiveMessage*, unsigned int) [mach_ipc_mac.mm:9519a923633720f5848a217f23790e15885dec5c : 237 + 0xf]
    rbp = 0x000070000de10ef0   rsp = 0x000070000de10ee0
    rip = 0x000000010635d16a
    Found by: previous frame's frame pointer
 2  XUL!mozilla::ipc::PortServerThread(void*) [SharedMemoryBasic_mach.mm:9519a923633720f5848a217f23790e15885dec5c : 344 + 0xd]
`,
		want: `minidump other thread [19] of -1
  mach_msg_trap (libsystem_kernel.dylib)
  ReceivePort::WaitForMessage mach_ipc_mac.mm:237 (XUL)
  mozilla::ipc::PortServerThread SharedMemoryBasic_mach.mm:344 (XUL)
`,
	},
	{
		name: "without symbols",
		from: "ariya/phantomjs#12600",
		text: `Crash reason:  SIGSEGV
Crash address: 0x194

Thread 0 (crashed)
 0  phantomjs + 0x464386
    eip = 0x084ac386   esp = 0xbfd96dc8   ebp = 0xbfd96dc8   ebx = 0x0a4f62bc
    Found by: given as instruction pointer in context
 1  phantomjs + 0x461733
    eip = 0x084a9734   esp = 0xbfd96dd0   ebp = 0xbfd96e48
    Found by: previous frame's frame pointer
`,
		want: `! SIGSEGV 0x194 null
minidump crash [0] of 0
   (phantomjs)
   (phantomjs)
`,
	},
	{
		name: "Electron",
		from: "electron/electron#3241 and electron/electron#25805",
		text: "Crash reason:  EXCEPTION_ACCESS_VIOLATION_READ\n" +
			"Crash address: 0xfffffffffffffffc\n" +
			"Assertion: Unknown assertion type 0x00000000\n" +
			"Process uptime: not available\n" +
			"\n" +
			"Thread 0 (crashed)\n" +
			" 0  node.dll!v8::internal::StackFrame::ComputeType(v8::internal::StackFrameIteratorBase const *,v8::internal::StackFrame::State *) [frames.cc : 413 + 0x6]\n" +
			"    eip = 0x6053a59a   esp = 0x00296458   ebp = 0x0029645c   ebx = 0x002965e8\n" +
			"    Found by: given as instruction pointer in context\n" +
			" 1  node.dll!v8::internal::StackFrame::GetCallerState(v8::internal::StackFrame::State *) [frames.cc : 462 + 0xb]\n" +
			"    Found by: call frame info\n" +
			" 8  electron.exe!static unsigned long base::`anonymous namespace'::ThreadFunc(void *) [platform_thread_win.cc : 110 + 0x8]\n",
		want: "! EXCEPTION_ACCESS_VIOLATION_READ read 0xfffffffffffffffc\n" +
			"minidump crash [0] of 0\n" +
			"  v8::internal::StackFrame::ComputeType frames.cc:413 (node.dll)\n" +
			"  v8::internal::StackFrame::GetCallerState frames.cc:462 (node.dll)\n" +
			"  base::`anonymous namespace'::ThreadFunc platform_thread_win.cc:110 (electron.exe)\n",
	},
	{
		name: "minidump-stackwalk --json",
		from: "rust-minidump/rust-minidump#170, in the frame of its schema",
		text: `{
  "crash_info": {"type": "EXCEPTION_ACCESS_VIOLATION_READ", "address": "0x0000000000000045", "crashing_thread": 0, "assertion": null},
  "crashing_thread": {"threads_index": 0, "frames": [
        {
          "frame": 22,
          "function": "MiniDumpWriteDump",
          "function_offset": "0x000000000000027a",
          "line": null,
          "file": null,
          "missing_symbols": false,
          "module": "C:\\Windows\\System32\\dbgcore.dll",
          "module_offset": "0x0000000000006cfa",
          "offset": "0x00007ff856d86cfa",
          "trust": "cfi"
        },
        {
          "file": "hg:hg.mozilla.org/mozilla-central:toolkit/crashreporter/breakpad-client/windows/handler/exception_handler.cc:486d7a9aaa0facf75fcdff1c98d724a215453a5e",
          "frame": 23,
          "function": "google_breakpad::ExceptionHandler::WriteMinidumpWithExceptionForProcess(unsigned long, _EXCEPTION_POINTERS*, MDRawAssertionInfo*, void*, bool)",
          "function_offset": "0x00000000000001d4",
          "line": 1033,
          "missing_symbols": false,
          "module": "C:\\Program Files\\Firefox Nightly\\xul.dll",
          "trust": "cfi"
        }
  ]},
  "threads": [{"thread_name": null, "frames": []}, {"thread_name": "IPC I/O", "frames": [{"function": "f", "file": null, "line": null, "module": "ntdll.dll"}]}]
}
`,
		want: `! EXCEPTION_ACCESS_VIOLATION_READ read 0x0000000000000045 null
minidump crash [0] of 0
  MiniDumpWriteDump (C:\Windows\System32\dbgcore.dll)
  google_breakpad::ExceptionHandler::WriteMinidumpWithExceptionForProcess toolkit/crashreporter/breakpad-client/windows/handler/exception_handler.cc:1033 (C:\Program Files\Firefox Nightly\xul.dll)
minidump other thread [1 IPC I/O] of 0
  f (ntdll.dll)
`,
	},
}
