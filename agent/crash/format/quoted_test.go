package format

import "testing"

func init() { samples = append(samples, quotedSamples...) }

func TestQuotedSamples(t *testing.T) { testSamples(t, quotedSamples) }

var quotedSamples = []sample{
	{
		name: "a stack of Go in the text of a logger",
		from: "golangci/golangci-lint#4242",
		text: `level=error msg="Panic: interfacer: package \"merge\" (isInitialPkg: true): runtime error: invalid memory address or nil pointer dereference: goroutine 26581 [running]:\nruntime/debug.Stack()\n\t/usr/local/go/src/runtime/debug/stack.go:24 +0x5e\ngithub.com/golangci/golangci-lint/pkg/golinters/goanalysis.(*action).analyzeSafe.func1()\n\t/go/pkg/mod/github.com/golangci/golangci-lint@v1.56.2/pkg/golinters/goanalysis/runner_action.go:108 +0x27c\npanic({0x16346c0?, 0x220b230?})\n\t/usr/local/go/src/runtime/panic.go:914 +0x21f\n"
`,
		want: `! panic null
go crash [26581] of 0
  runtime/debug.Stack /usr/local/go/src/runtime/debug/stack.go:24 (runtime/debug)
  github.com/golangci/golangci-lint/pkg/golinters/goanalysis.(*action).analyzeSafe /go/pkg/mod/github.com/golangci/golangci-lint@v1.56.2/pkg/golinters/goanalysis/runner_action.go:108 (github.com/golangci/golangci-lint/pkg/golinters/goanalysis)
  panic /usr/local/go/src/runtime/panic.go:914
`,
	},
	{
		name: "a stack of Java in a string",
		from: "FasterXML/jackson-databind#2985",
		text: ` "java.lang.NullPointerException\n\tat java.lang.Class.isAssignableFrom(Native Method)\n\tat com.fasterxml.jackson.databind.type.SimpleType._narrow(SimpleType.java:132)\n\tat com.fasterxml.jackson.databind.JavaType.forcedNarrowBy(JavaType.java:214)"
`,
		want: `! java.lang.NullPointerException
java crash of 0
  java.lang.Class.isAssignableFrom (java.lang)
  com.fasterxml.jackson.databind.type.SimpleType._narrow com/fasterxml/jackson/databind/type/SimpleType.java:132 (com.fasterxml.jackson.databind.type)
  com.fasterxml.jackson.databind.JavaType.forcedNarrowBy com/fasterxml/jackson/databind/JavaType.java:214 (com.fasterxml.jackson.databind)
`,
	},
	{
		name: "the stack of a panic in Delve",
		from: "go-delve/delve#1927",
		text: `Internal debugger error: runtime error: index out of range
runtime.gopanic (0x402d884)
     /opt/buildAgent/work/4c3e/go/src/runtime/panic.go:522
encoding/binary.littleEndian.Uint64 (0x434f2c5)
     /opt/buildAgent/work/4c3e/go/src/encoding/binary/binary.go:76
github.com/go-delve/delve/pkg/proc/gdbserial.(*gdbRegisters).PC (0x434f2a4)
     /opt/buildAgent/work/4c3e/pkg/proc/gdbserial/gdbserver.go:1665
`,
		want: `! panic
go crash of 0
  runtime.gopanic /opt/buildAgent/work/4c3e/go/src/runtime/panic.go:522 (runtime)
  encoding/binary.littleEndian.Uint64 /opt/buildAgent/work/4c3e/go/src/encoding/binary/binary.go:76 (encoding/binary)
  github.com/go-delve/delve/pkg/proc/gdbserial.(*gdbRegisters).PC /opt/buildAgent/work/4c3e/pkg/proc/gdbserial/gdbserver.go:1665 (github.com/go-delve/delve/pkg/proc/gdbserial)
`,
	},
	{
		name: "a recovered panic in a line of a log",
		from: "go-delve/delve#3700",
		text: `2024-08-23T21:37:05+03:00 error layer=dap recovered panic: runtime error: invalid memory address or nil pointer dereference
goroutine 18 [running]:
github.com/go-delve/delve/pkg/proc.fakeFunctionEntryScope(0xc00088a0f0?, 0x16ad320?)
	D:/go/pkg/mod/github.com/go-delve/delve@v1.23.0/pkg/proc/fncall.go:979 +0x2d
`,
		want: `! panic null
go crash [18] of 0
  github.com/go-delve/delve/pkg/proc.fakeFunctionEntryScope D:/go/pkg/mod/github.com/go-delve/delve@v1.23.0/pkg/proc/fncall.go:979 (github.com/go-delve/delve/pkg/proc)
`,
	},
	{
		name: "a panic without its goroutine",
		from: "mikefarah/yq#2460",
		text: `runtime error: index out of range [0] with length 0
panic({0x1162cc0?, 0xc00120d218?})
	/usr/local/go/src/runtime/panic.go:783 +0x132
github.com/mikefarah/yq/v4/pkg/yqlib.(*yamlDecoder).Decode(0xc0003431f0)
	/go/pkg/mod/github.com/mikefarah/yq/v4@v4.45.1/pkg/yqlib/decoder_yaml.go:136 +0x388
`,
		want: `! panic
go crash of 0
  panic /usr/local/go/src/runtime/panic.go:783
  github.com/mikefarah/yq/v4/pkg/yqlib.(*yamlDecoder).Decode /go/pkg/mod/github.com/mikefarah/yq/v4@v4.45.1/pkg/yqlib/decoder_yaml.go:136 (github.com/mikefarah/yq/v4/pkg/yqlib)
`,
	},
	{
		name: "a panic as miette prints it",
		from: "nushell/nushell#13118",
		text: `Error:   × Main thread panicked.
  ├─▶ at crates/nu-protocol/src/engine/engine_state.rs:1050:14
  ╰─▶ internal error: missing span
  help: set the ` + "`RUST_BACKTRACE=1`" + ` environment variable to display a backtrace.
`,
		want: `! panic
rust crash of 0
   crates/nu-protocol/src/engine/engine_state.rs:1050
`,
	},
	{
		name: "a panic as miette prints it for zellij, with the threads that asked for what",
		from: "zellij-org/zellij#1590",
		text: `Error occurred in server:

  × Thread 'screen' panicked.
  ├─▶ Originating Thread(s)
  │   	1. ipc_server: AttachClient
  │   	2. screen_thread: AddClient
  │
  ├─▶ At zellij-server/src/screen.rs:664:14
  ╰─▶ called ` + "`Option::unwrap()` on a `None`" + ` value
  help: If you are seeing this message, it means that something went wrong.
`,
		want: `! panic
rust crash [screen] of 0
   zellij-server/src/screen.rs:664
`,
	},
	{
		name: "a traceback with paths of Windows that the logger did not escape",
		from: "Tribler/tribler#1803",
		text: `ERROR 1450111680.90 GuiDBHandler:253 'Traceback (most recent call last):\n File "Tribler\Main\tribler_main.pyo", line 669, in loadSessionCheckpoint\n File "Tribler\Core\network\LaunchManyCore.pyo", line 508, in resume_download\nAttributeError: \'NoneType\' object has no attribute \'get\'\n'
`,
		want: `! AttributeError
python crash of 0
  resume_download Tribler/Core/network/LaunchManyCore.pyo:508
  loadSessionCheckpoint Tribler/Main/tribler_main.pyo:669
`,
	},
	{
		name: "a stack of the C library with the places that addr2line tells",
		from: "swaywm/sway#489",
		text: `Backtrace: /usr/bin/sway(error_handler+0x2f) [0x41b25f]
/build/sway/common/log.c:151
Backtrace: /usr/lib/libc.so.6(+0x33680) [0x7f64050cf680]
Backtrace: /usr/bin/sway(swayc_parent_by_type+0x58) [0x4110f8]
/build/sway/sway/container.c:474 (discriminator 1)
Backtrace: /usr/bin/sway() [0x4144bd]
/build/sway/sway/handlers.c:260
Backtrace: /usr/lib/libwlc.so.0(+0x1e27f) [0x7f6405fdc27f]
`,
		want: `libc crash of -1
  error_handler /build/sway/common/log.c:151 (/usr/bin/sway)
   (/usr/lib/libc.so.6)
  swayc_parent_by_type /build/sway/sway/container.c:474 (/usr/bin/sway)
   /build/sway/sway/handlers.c:260 (/usr/bin/sway)
   (/usr/lib/libwlc.so.0)
`,
	},
	{
		name: "a panic that ruff caught, with the first frame behind the heading",
		from: "astral-sh/ruff#10099",
		text: `panicked at crates/ruff_python_trivia/src/textwrap.rs:172:52:
byte index 18446744073709551612 is out of bounds
Backtrace:    0: ruff::panic::catch_unwind::{{closure}}
   1: std::panicking::rust_panic_with_hook
   8: ruff_python_trivia::textwrap::dedent_to
`,
		want: `! panic
rust crash of 0
   crates/ruff_python_trivia/src/textwrap.rs:172
rust crash of 0
  ruff::panic::catch_unwind
  std::panicking::rust_panic_with_hook
  ruff_python_trivia::textwrap::dedent_to
`,
	},
	{
		name: "a panic that ruff caught, in one line",
		from: "astral-sh/ruff#23596",
		text: "panic: Panicked at crates/ruff_python_semantic/src/definition.rs:285:26 when checking `/srv/u/service.py`: `index out of bounds: the len is 0`\n",
		want: `! panic
rust crash of 0
   crates/ruff_python_semantic/src/definition.rs:285
`,
	},
	{
		name: "a traceback in a window of tmux, with a file that Markdown made bold",
		from: "beetbox/beets#3252, beetbox/beets#873",
		text: `Traceback (most recent call last):                         │··············
  File "/srv/beets/ui/**init**.py", line 957, in main      │··············
    _raw_main(args)                                        │··············
KeyError: 'title'                                          │··············
`,
		want: `! KeyError
python crash of 0
  main /srv/beets/ui/__init__.py:957
`,
	},
	{
		name: "an error of PHP below a title with the beginning of another one",
		from: "vimeo/psalm#623",
		text: `# PHP Fatal error: Uncaught TypeError: Argument 3 passed to isContainedBy() must be an instance of Union, null given,

PHP Fatal error:  Uncaught Psalm\Exception\TreeException: Cannot parse generic type in /var/www/src/Psalm/Type/ParseTree.php:104
Stack trace:
#0 /var/www/src/Psalm/Type.php(61): Psalm\Type\ParseTree::createFromTokens(Array)
`,
		want: `! Psalm\Exception\TreeException
php crash of 0
  Psalm\Type\ParseTree::createFromTokens /var/www/src/Psalm/Type/ParseTree.php:104
   /var/www/src/Psalm/Type.php:61
`,
	},
	{
		name: "an error of a bundler without the name of its class",
		from: "rollup/rollup#5733",
		text: `error during build:
Cannot read properties of null (reading 'start')
    at ConditionalExpression.render (file:///srv/node_modules/rollup/dist/es/shared/node-entry.js:9100:90)
    at CallExpression.render (file:///srv/node_modules/rollup/dist/es/shared/node-entry.js:8300:28)
`,
		want: `! TypeError
javascript crash of 0
  ConditionalExpression.render /srv/node_modules/rollup/dist/es/shared/node-entry.js:9100
  CallExpression.render /srv/node_modules/rollup/dist/es/shared/node-entry.js:8300
`,
	},
	{
		name: "a stack of Wine's debugger",
		from: "OpenRCT2/OpenRCT2#979, with the frame of main.c as Wine prints one with a place",
		text: `Unhandled exception: page fault on write access to 0xf9e8f9ec in 32-bit code (0x7bc4e79e).
Register dump:
 CS:0023 SS:002b DS:002b ES:002b FS:0063 GS:006b
Backtrace:
=>0 0x7bc4e79e in ntdll (+0x3e79e) (0x0032f6c4)
  1 0x7bc4f121 RtlFreeHeap+0x90() in ntdll (0x0032f758)
  2 0x7020b0d8 in openrct2 (+0xb0d7) (0x0032f934)
  3 0x00404a3f main+0x2f(argc=1) [Z:\srv\main.c:34] in openrct2 (0x0033fd80)
Modules:
`,
		want: `! page fault write 0xf9e8f9ec
windows crash of 0
   (ntdll)
  RtlFreeHeap (ntdll)
   (openrct2)
  main Z:\srv\main.c:34 (openrct2)
`,
	},
	{
		name: "a stack of .NET with offsets in the code of methods",
		from: "icsharpcode/ILSpy#1455",
		text: `Error decompiling Conversions.ClassifyPredefinedConversion
 ---> System.NullReferenceException: Object reference not set to an instance of an object.
   at ICSharpCode.Decompiler.IL.SwitchTransform.Match(InstructionCollection` + "`1" + ` instructions, Int32 i, SwitchInstruction& newSwitch) in offset 288
   at ICSharpCode.Decompiler.CSharp.CSharpDecompiler.DecompileBody(IMethod method, EntityDeclaration entityDecl) in offset 584
`,
		want: `! System.NullReferenceException null
dotnet crash of 0
  ICSharpCode.Decompiler.IL.SwitchTransform.Match
  ICSharpCode.Decompiler.CSharp.CSharpDecompiler.DecompileBody
`,
	},
	{
		name: "a panic whose title has no place",
		from: "mthom/scryer-prolog#816",
		text: `# thread 'main' panicked at 'internal error: entered unreachable code'

All our tests are working fine with rebis-dev, except for one

thread 'main' panicked at 'internal error: entered unreachable code', src/indexing.rs:570:29
note: run with RUST_BACKTRACE=1 environment variable to display a backtrace
`,
		want: `! panic
rust crash [main] of 0
   src/indexing.rs:570
`,
	},
	{
		name: "a panic whose title ends within the message",
		from: "mthom/scryer-prolog#1233",
		text: `# thread 'main' panicked at 'index out of bounds when trying to load Logtalk

$ scryerlgt
thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 4', src/machine/machine_state_impl.rs:1830:33
`,
		want: `! panic
rust crash [main] of 0
   src/machine/machine_state_impl.rs:1830
`,
	},
	{
		name: "an exception of .NET as a field of a log",
		from: "JamesNK/Newtonsoft.Json#2507",
		text: `ex=System.NullReferenceException: Object reference not set to an instance of an object.
 at System.Collections.Generic.Dictionary` + "`2" + `.TryInsert(TKey key, TValue value, InsertionBehavior behavior)
 at Newtonsoft.Json.Serialization.CamelCasePropertyNamesContractResolver.ResolveContract(Type type)
`,
		want: `! System.NullReferenceException null
dotnet crash of 0
  System.Collections.Generic.Dictionary.TryInsert
  Newtonsoft.Json.Serialization.CamelCasePropertyNamesContractResolver.ResolveContract
`,
	},
	{
		name: "a panic whose path a terminal wrapped",
		from: "nushell/nushell#3999",
		text: `thread 'main' panicked at 'index out of bounds: the len is 0 but the index is 0', crates\nu-
engine\src\shell\shell_manager.rs:88:9
`,
		want: `! panic
rust crash [main] of 0
   crates\nu-engine\src\shell\shell_manager.rs:88
`,
	},
	{
		name: "a stack of Java in one line",
		from: "nbadal/ktlint-intellij-plugin#696",
		text: `An error occurred in a rule. com.pinterest.ktlint.rule.engine.api.KtLintRuleException: Rule 'standard:multiline-if-else' throws exception in file ' ' at position (1:1) Rule maintainer: KtLint at com.pinterest.ktlint.rule.engine.internal.RuleExecutionContext.executeRule(RuleExecutionContext.kt:75) at com.pinterest.ktlint.rule.engine.internal.CodeFormatter.executeRule(CodeFormatter.kt:138) at java.base/java.lang.Thread.run(Thread.java:840) Caused by: java.lang.IllegalStateException: no at com.pinterest.ktlint.Rule.visit(Rule.kt:3) ... 12 more
`,
		want: `! com.pinterest.ktlint.rule.engine.api.KtLintRuleException
! java.lang.IllegalStateException
java crash of 0
  com.pinterest.ktlint.rule.engine.internal.RuleExecutionContext.executeRule com/pinterest/ktlint/rule/engine/internal/RuleExecutionContext.kt:75 (com.pinterest.ktlint.rule.engine.internal)
  com.pinterest.ktlint.rule.engine.internal.CodeFormatter.executeRule com/pinterest/ktlint/rule/engine/internal/CodeFormatter.kt:138 (com.pinterest.ktlint.rule.engine.internal)
  java.lang.Thread.run java/lang/Thread.java:840 (java.base)
java cause of 1
  com.pinterest.ktlint.Rule.visit com/pinterest/ktlint/Rule.kt:3 (com.pinterest.ktlint)
`,
	},
	{
		name: "exceptions in the short form of Gradle",
		from: "ImFlog/schema-registry-plugin#213",
		text: `TestContainersUtils > initializationError FAILED
    java.lang.ExceptionInInitializerError at NativeConstructorAccessorImpl.java:-2
        Caused by: org.testcontainers.containers.ContainerLaunchException at GenericContainer.java:351
            Caused by: org.rnorth.ducttape.RetryCountExceededException at Unreliables.java:88
`,
		want: `! java.lang.ExceptionInInitializerError
! org.testcontainers.containers.ContainerLaunchException
! org.rnorth.ducttape.RetryCountExceededException
java crash of 0
   NativeConstructorAccessorImpl.java:0
java cause of 1
   GenericContainer.java:351
java cause of 2
   Unreliables.java:88
`,
	},
	{
		name: "a panic of Go in one line",
		from: "etcd-io/etcd#17154",
		text: `DEFAULT 2023-12-16T11:46:09.619866958Z panic: runtime error: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation code=0x1 addr=0x20 pc=0xc1a07e] goroutine 1 [running]: go.etcd.io/etcd/etcdserver.NewServer.func2(0xc000452de0, 0xc000451ca0) go.etcd.io/etcd/etcdserver/server.go:345 +0x3e panic(0xed6ba0, 0xc0003261f0) /usr/local/go/src/runtime/panic.go:971 +0x499 go.uber.org/zap.(*Logger).Panic(0xc000114c60, 0x1, 0x1) /ws/go/pkg/mod/go.uber.org/zap@v1.10.0/logger.go:225 +0x85 go.etcd.io/etcd/etcdserver.NewServer(0x7ffd9ebad365, 0x11, ...) go.etcd.io/etcd/etcdserver/server.go:473 +0x3ab3
`,
		want: `! panic 0x20 null
go crash [1] of 0
  go.etcd.io/etcd/etcdserver.NewServer go.etcd.io/etcd/etcdserver/server.go:345 (go.etcd.io/etcd/etcdserver)
  panic /usr/local/go/src/runtime/panic.go:971
  go.uber.org/zap.(*Logger).Panic /ws/go/pkg/mod/go.uber.org/zap@v1.10.0/logger.go:225 (go.uber.org/zap)
  go.etcd.io/etcd/etcdserver.NewServer go.etcd.io/etcd/etcdserver/server.go:473 (go.etcd.io/etcd/etcdserver)
`,
	},
}
