package format

import (
	"strings"
	"testing"
)

func init() { samples = append(samples, kindSamples...) }

func TestKindSamples(t *testing.T) { testSamples(t, kindSamples) }

var kindSamples = []sample{
	{
		name: "what kb and kv of WinDbg print, and the record of the exception",
		from: "made up in the forms of WinDbg",
		text: `ExceptionAddress: 00007ff7a1c2d3f4 (openrct2!OpenRCT2::Drawing::ImageImporter::Import+0x0000000000000084)
   ExceptionCode: c0000005 (Access violation)
Attempt to read from address 0000000000000018

0:000> kb
 # RetAddr               : Args to Child                                                           : Call Site
00 00007ff7` + "`a1c2e111     : 00000000`00000000 000000e4`0d1ff4a0 00000000`00000001 00007ff7`a1c2e111" + ` : openrct2!OpenRCT2::Drawing::ImageImporter::Import+0x84 [D:\a\src\ImageImporter.cpp @ 58] 
01 (Inline Function)     : --------` + "`-------- --------`-------- --------`-------- --------`--------" + ` : openrct2!invoke_main+0x22
0:000> kv
ChildEBP RetAddr  Args to Child              
0012f9e4 0040126b 00000000 00000001 00000002 foo!Window::draw+0x1c (FPO: [Non-Fpo]) (CONV: thiscall) [c:\src\window.cpp @ 45]
0012fa10 00401300 00000000 00000001 00000002 foo!App::run+0x3b (FPO: [0,0,0])
`,
		want: `! Access violation read 0x0000000000000018 null
windows crash of 0
  OpenRCT2::Drawing::ImageImporter::Import D:\a\src\ImageImporter.cpp:58 (openrct2)
  invoke_main (openrct2)
  Window::draw c:\src\window.cpp:45 (foo)
  App::run (foo)
`,
	},
	{
		name: "stacks of .NET Framework in Chinese, Japanese, Korean and Italian",
		from: "the words of the language packs of .NET Framework 4.8; the methods are made up",
		text: `未经处理的异常:  System.NullReferenceException: 未将对象引用设置到对象的实例。
   在 XLToolbox.Export.Exporter.Run(String name) 位置 C:\Users\d\Export\Exporter.cs:行号 121
   在 XLToolbox.Main() 位置 C:\Users\d\Main.cs:行号 12

System.ArgumentException: 値が有効な範囲にありません。
   場所 XLToolbox.Export.Exporter.Run(String name) 場所 C:\Users\d\Export\Exporter.cs:行 121

System.ArgumentException: 값이 예상 범위를 벗어났습니다.
   위치: XLToolbox.Export.Exporter.Run(String name) 파일 C:\Users\d\Export\Exporter.cs:줄 121

System.ArgumentException: Valore non compreso nell'intervallo previsto.
   in XLToolbox.Export.Exporter.Run(String name) in C:\Users\d\Export\Exporter.cs:riga 121
`,
		want: `! System.NullReferenceException null
! System.ArgumentException
! System.ArgumentException
! System.ArgumentException
dotnet crash of 0
  XLToolbox.Export.Exporter.Run C:\Users\d\Export\Exporter.cs:121
  XLToolbox.Main C:\Users\d\Main.cs:12
dotnet crash of 1
  XLToolbox.Export.Exporter.Run C:\Users\d\Export\Exporter.cs:121
dotnet crash of 2
  XLToolbox.Export.Exporter.Run C:\Users\d\Export\Exporter.cs:121
dotnet crash of 3
  XLToolbox.Export.Exporter.Run C:\Users\d\Export\Exporter.cs:121
`,
	},
	{
		name: "a crash of the compiler of Nim, and a stack with whole paths",
		from: "nim-lang/Nim#5751, 17704",
		text: `Traceback (most recent call last)
nim.nim(121)             nim
sem.nim(508)             semStmtAndGenerateGenerics
semexprs.nim(2387)       semExpr
SIGSEGV: Illegal storage access. (Attempt to read from nil?)

Hint: used config file '/etc/nim.cfg' [Conf]
a.nim(3, 5) Error: undeclared identifier: 'x'

/mnt/sda3/Nim/compiler/nim.nim(118) nim
/mnt/sda3/Nim/compiler/semstmts.nim(2308) semStmt
/mnt/sda3/Nim/lib/system/fatal.nim(49) sysFatal
Error: unhandled exception: index out of bounds, the container is empty [IndexError]
`,
		want: `! SIGSEGV read null
! IndexError
nim crash of 0
  semExpr semexprs.nim:2387
  semStmtAndGenerateGenerics sem.nim:508
  nim nim.nim:121
nim crash of 1
  sysFatal /mnt/sda3/Nim/lib/system/fatal.nim:49
  semStmt /mnt/sda3/Nim/compiler/semstmts.nim:2308
  nim /mnt/sda3/Nim/compiler/nim.nim:118
`,
	},
	{
		name: "errors of Go that zap logged with their stacks",
		from: "kube-logging/logging-operator#734 and kubernetes-sigs/controller-runtime#2313, shortened",
		text: `{
  "level": "error",
  "msg": "Reconciler error",
  "error": "current config is invalid",
  "errorVerbose": "current config is invalid\ngithub.com/banzaicloud/logging-operator/pkg/resources/fluentd.(*Reconciler).Reconcile\n\t/workspace/pkg/resources/fluentd/fluentd.go:108\nruntime.goexit\n\t/usr/local/go/src/runtime/asm_amd64.s:1357",
  "stacktrace": "github.com/go-logr/zapr.(*zapLogger).Error\n\t/go/pkg/mod/github.com/go-logr/zapr@v0.1.0/zapr.go:128"
}

1.6836474195594983e+09  ERROR   Reconciler error        {"controller": "repository", "error": "401 \"Bad\" credentials []"}
sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Start.func2.2
        /build/vendor/sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go:234
`,
		want: `! error
! error
! error
go crash of 0
  github.com/banzaicloud/logging-operator/pkg/resources/fluentd.(*Reconciler).Reconcile /workspace/pkg/resources/fluentd/fluentd.go:108 (github.com/banzaicloud/logging-operator/pkg/resources/fluentd)
go crash of 1
  github.com/go-logr/zapr.(*zapLogger).Error /go/pkg/mod/github.com/go-logr/zapr@v0.1.0/zapr.go:128 (github.com/go-logr/zapr)
go crash of 2
  sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller).Start /build/vendor/sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go:234 (sigs.k8s.io/controller-runtime/pkg/internal/controller)
`,
	},
	{
		name: "an error of Go that was logged before a panic is not the crash",
		from: "made up from the one before",
		text: `failed to get repo: 401 Bad credentials
main.run
	/go/src/app/server/main.go:12
panic: boom

goroutine 1 [running]:
main.main()
	/go/src/app/main.go:30 +0x12
`,
		want: `! panic
go crash [1] of 0
  main.main /go/src/app/main.go:30 (main)
`,
	},
	{
		name: "colors whose escape character was lost, and the times of Buildkite",
		from: "made up in the form of logs that are copied from GitHub Actions, and of those of Buildkite",
		text: "2024-03-01T12:00:03.1234567Z [1m[31mTraceback (most recent call last):[0m\n" +
			"2024-03-01T12:00:03.1234567Z   File \"/ci/src/foo.py\", line 12, in bar\n" +
			"2024-03-01T12:00:03.1234567Z     raise ValueError(x[1])\n" +
			"2024-03-01T12:00:03.1234567Z [31mValueError: no[0m\n\n" +
			"\x1b_bk;t=1709290803123\aTraceback (most recent call last):\n" +
			"\x1b_bk;t=1709290803124\a  File \"/ci/src/foo.py\", line 13, in bar\n" +
			"\x1b_bk;t=1709290803124\a    raise KeyError(x)\n" +
			"\x1b_bk;t=1709290803124\a\u241b[31mKeyError: no\\u001b[0m\n",
		want: `! ValueError
! KeyError
python crash of 0
  bar /ci/src/foo.py:12
python crash of 1
  bar /ci/src/foo.py:13
`,
	},
	{
		name: "stacks of Next.js, on its page and in the console, and one of Firefox's console",
		from: "the forms of vercel/next.js#71444 and 81867; the files are of gothinkster/react-redux-realworld-example-app",
		text: `TypeError: Cannot read properties of undefined (reading 'map')
    at ArticleList (webpack-internal:///(app-pages-browser)/./src/components/ArticleList.js:22:18)
    at Home (rsc://React/Server/webpack-internal:///(rsc)/./src/components/Home/index.js?12:12:5)
    at b (webpack://my-app/./src/components/App.js:10:3)
    at Page (/ci/src/app/(shop)/page.tsx:12:3)

text without a stack

Unhandled Runtime Error
TypeError: Cannot read properties of undefined (reading 'slice')

Source
src/components/Article.js (22:18) @ slice

  21 |   return (
> 22 |     props.articles.slice(a => {
     |                   ^
Call Stack
ArticleList
src/components/Home.js (12:5)
Page src/app/page.js (4:16)

TypeError: t is undefined
    render ArticleList.js:22
    kf react-dom.production.min.js:167

read notes.js:12
`,
		want: `! TypeError
! TypeError
! TypeError
javascript crash of 0
  ArticleList src/components/ArticleList.js:22
  Home src/components/Home/index.js:12
  b src/components/App.js:10
  Page /ci/src/app/(shop)/page.tsx:12
javascript crash of 1
   src/components/Article.js:22
  ArticleList src/components/Home.js:12
  Page src/app/page.js:4
javascript crash of 2
  render ArticleList.js:22
  kf react-dom.production.min.js:167
`,
	},
	{
		name: "links to lines of files at a commit",
		from: "the forms of GitHub and GitLab; the lines are of tmux/tmux",
		text: `It ends. The code at https://github.com/tmux/tmux/blob/566ab9aa286f6d0468d2d5196367eb6d3c658270/window.c#L122-L130 does not check for NULL,
and [here](https://gitlab.com/group/tmux/-/blob/566ab9aa286f6d0468d2d5196367eb6d3c658270/compat/a%20b.c?plain=1#L12).
See https://github.com/openbsd/src/blob/566ab9aa286f6d0468d2d5196367eb6d3c658270/usr.bin/tmux/window.c#L4
and https://github.com/tmux/tmux/blob/master/tmux.c#L5
`,
		want: `link crash of -1
   window.c:122
link crash of -1
   compat/a b.c:12
`,
	},
	{
		name: "errors of scripts of Vim",
		from: "airblade/vim-gitgutter#464, kshenoy/vim-signature#154, vim-fuzzbox/fuzzbox.vim#144, shortened",
		text: `Error detected while processing function gitgutter#init_buffer:                               
line    3:                                                                                     
E121: Undefined variable: v:t_string                                                           
E15: Invalid expression: type(p) != v:t_string || empty(p)
Error detected while processing BufEnter Autocommands for "*"..function signature#sign#Refresh[22]..signature#sign#Place[30]..<SNR>158_RefreshLine:
line   15:
E119: Not enough arguments for function: gitgutter#hunk#hunks
Error detected while processing /u/.vim/pack/git/start/fuzzbox.vim/after/plugin/fuzzbox.vim:
line   39:
E121: Undefined variable: g:fuzzbox_devicons_glyph_func
Error in the line:
E12: no
`,
		want: `! E121
! E119
! E121
vim crash of 0
  gitgutter#init_buffer autoload/gitgutter.vim:0
vim crash of 1
  s:RefreshLine
  signature#sign#Place autoload/signature/sign.vim:0
  signature#sign#Refresh autoload/signature/sign.vim:0
vim crash of 2
   /u/.vim/pack/git/start/fuzzbox.vim/after/plugin/fuzzbox.vim:39
`,
	},
	{
		name: "errors of MATLAB and Octave",
		from: "davidvarga/MBeautifier#21, 99, shortened, and the form of Octave",
		text: "Index exceeds matrix dimensions.\n" + `
Error in MBeautify/performFormatting>processContainer (line 559)
    indexes = find([containerBorderIndexes{:, 2}] == maxDepth, 2);

Error in MBeautify.beautify (line 18)
formattedSource = MBeautify.performFormatting(codeToFormat, settingConf);
` + "```" + `
Error using MBeautifier.MIndenter/performIndenting (line 133)
Cell contents indices must be greater than 0
Error in run (line 3)
error: 'x' undefined
error: called from
    rdsamp at line 121 column 5
    main>helper at line 5 column 1
`,
		want: `! error
! error
! error
matlab crash of 0
  processContainer MBeautify.m:559
  beautify MBeautify.m:18
matlab crash of 1
  performIndenting +MBeautifier/MIndenter.m:133
  run run.m:3
matlab crash of 2
  rdsamp rdsamp.m:121
  helper main.m:5
`,
	},
	{
		name: "errors of bash and dash",
		from: "nvm-sh/nvm#1553, 1587, 340",
		text: `MACOS  10.12.5 (16F73)
-bash: /u/.nvm/nvm.sh: line 587: syntax error near unexpected token ` + "`}'" + `
-bash: /u/.nvm/nvm.sh: line 587: ` + "`}'" + `
> "/u/.nvm/nvm.sh: line 2669: PROVIDED_VERSION: unbound variable
.nvm/nvm.sh: 24: .nvm/nvm.sh: Bad substitution
bash: line 3: foo: command not found
src/main.c: 24: error: x undeclared
`,
		want: `! error
! error
! error
shell crash of 0
   /u/.nvm/nvm.sh:587
shell crash of 1
   /u/.nvm/nvm.sh:2669
shell crash of 2
   .nvm/nvm.sh:24
`,
	},
	{
		name: "stacks of the package of Dart for stacks",
		from: "dart-lang/test#555, flutter/flutter#104212, shortened",
		text: `NoSuchMethodError: The method 'foo' was called on null.
  dart:async/future_impl.dart 22                                _Completer.completeError
  package:app/src/y.dart 22:7                                   Foo.baz.<fn>
  test/frontend/matcher/throws_test.dart 192:8                  main.<fn>.<fn>.<fn>
  ===== asynchronous gap ===========================
  ../packages/stack_trace/src/stack_zone_specification.dart.js 212:16                  [_run]
  ../dart-sdk/lib/async/zone.dart 1399:47                                              <fn>
`,
		want: `! NoSuchMethodError
dart crash of 0
  _Completer.completeError dart:async/future_impl.dart:22
  Foo.baz package:app/src/y.dart:22
  main test/frontend/matcher/throws_test.dart:192
  _run ../packages/stack_trace/src/stack_zone_specification.dart.js:212
   ../dart-sdk/lib/async/zone.dart:1399
`,
	},
	{
		name: "a title of App Center, whose stack is empty",
		from: "predictive-technology-laboratory/sensus#527, with another file",
		text: `# Fix System.NullReferenceException in C:\agent\src\Sensus.Shared\SensusServiceHelper.cs line 169

### Version 15.7.0(1529693233) ###
`,
		want: `! System.NullReferenceException
dotnet crash of 0
   C:\agent\src\Sensus.Shared\SensusServiceHelper.cs:169
`,
	},
	{
		name: "the XML of Valgrind",
		from: "made up in the form that its manual describes",
		text: `<error>
  <kind>InvalidRead</kind>
  <what>Invalid read of size 4</what>
  <stack>
    <frame>
      <ip>0x108645</ip>
      <obj>/u/a.out</obj>
      <fn>ns::foo&lt;int&gt;(int*)</fn>
      <dir>/u/src</dir>
      <file>foo.c</file>
      <line>12</line>
    </frame>
    <frame>
      <ip>0x108665</ip>
      <obj>/u/a.out</obj>
      <fn>main</fn>
      <dir>/u/src</dir>
      <file>main.c</file>
      <line>30</line>
    </frame>
  </stack>
  <auxwhat>Address 0x522d040 is 0 bytes inside a block of size 4 free'd</auxwhat>
  <stack>
    <frame>
      <ip>0x4C30D3B</ip>
      <obj>/usr/lib/valgrind/vgpreload_memcheck-amd64-linux.so</obj>
      <fn>free</fn>
    </frame>
  </stack>
</error>
<error>
  <kind>Leak_DefinitelyLost</kind>
  <xwhat>
    <text>8 bytes in 1 blocks are definitely lost in loss record 1 of 1</text>
  </xwhat>
  <stack>
    <frame>
      <ip>0x1</ip>
      <obj>/u/a.out</obj>
      <fn>make</fn>
    </frame>
  </stack>
</error>
`,
		want: `! invalid read read 0x522d040
! memory leak
valgrind crash of 0
  ns::foo /u/src/foo.c:12
  main /u/src/main.c:30
valgrind freed by of 0
  free (/usr/lib/valgrind/vgpreload_memcheck-amd64-linux.so)
valgrind crash of 1
  make (/u/a.out)
`,
	},
	{
		name: "the fault of a program in the journal, above its stack",
		from: "made up in the forms of Linux and systemd-coredump",
		text: `May 01 10:00:00 host kernel: sway[12345]: segfault at 18 ip 00005581c0a1b2c3 sp 00007ffc12345678 error 6 in sway[5581c0a00000+40000] likely on CPU 3
May 01 10:00:01 host systemd-coredump[12400]: [🡕] Process 12345 (sway) of user 1000 dumped core.

                                              Stack trace of thread 12345:
                                              #0  0x00005581c0a1b2c3 container_get_siblings (sway + 0x2b2c3)
`,
		want: `! SIGSEGV write 0x18 null
coredump crash [12345] of 0
  container_get_siblings (sway)
`,
	},
	{
		name: "the fault of a program alone",
		from: "made up in the form of Linux",
		text: "[  123.456789] sway[12345]: segfault at 7f0018 ip 00005581c0a1b2c3 sp 00007ffc12345678 error 15 in sway[2b2c3,5581c0a00000+40000]\n",
		want: `! SIGSEGV execute 0x7f0018
coredump crash of 0
   (sway)
`,
	},
}

// A link is no place of a report with a stack. Its commit is the version if the report names none.
func TestLinkedCommit(t *testing.T) {
	t.Parallel()
	const id = "566ab9aa286f6d0468d2d5196367eb6d3c658270"
	const link = "https://github.com/tmux/tmux/blob/" + id + "/window.c#L122\n"
	for text, want := range map[string]string{
		link:                           "tmux " + id,
		"Version: 3.0\n" + link:        "version 3.0",
		"tmux 3.0a\n" + link:           "tmux 3.0a",
		link + "\nValueError: no\n":    "tmux " + id,
		link + "Python 3.8.1 is here.": "Python 3.8.1,tmux " + id,
	} {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range r.Mentions {
			got = append(got, m.Name+" "+m.Version)
		}
		if strings.Join(got, ",") != want || len(r.Stacks) != 1 {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	r, err := Read(strings.NewReader(link + "panic: no\n\ngoroutine 1 [running]:\nmain.run(0x1)\n\t/src/app/run.go:12 +0x1d\n"))
	if err != nil || len(r.Stacks) != 1 || r.Stacks[0].Format != "go" {
		t.Error(r, err)
	}
}

// The JSON has the members that the documentation of each service names.
func TestJSONFrames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{
			"Sentry", `{"release": "org.app@0.25.1+990", "timestamp": "2023-05-01T10:00:00Z", "exception": {"values": [
{"type": "IOException", "value": "inner", "stacktrace": {"frames": [{"filename": "Loader.java", "module": "org.app.Loader", "function": "load", "lineno": 20}]}},
{"type": "NullPointerException", "value": "boo", "stacktrace": {"frames": [
  {"filename": "Thread.java", "module": "java.lang.Thread", "function": "run", "lineno": 800},
  {"filename": "MainActivity.java", "module": "org.app.MainActivity", "function": "onCreate", "lineno": 120}]}}]}}`,
			`build 0.25.1
! NullPointerException null
! IOException
java crash of 0
  org.app.MainActivity.onCreate org/app/MainActivity.java:120 (org.app)
  java.lang.Thread.run java/lang/Thread.java:800 (java.lang)
java cause of 1
  org.app.Loader.load org/app/Loader.java:20 (org.app)
`,
		},
		{
			"Bugsnag", `{"events": [{"exceptions": [{"errorClass": "TypeError", "message": "no", "stacktrace": [
{"file": "src/index.js", "method": "run", "lineNumber": 12, "columnNumber": 5}, {"file": "src/main.js", "method": "main", "lineNumber": 3}]}], "app": {"version": "1.0.1"}}]}`,
			"build 1.0.1\n! TypeError\njavascript crash of 0\n  run src/index.js:12\n  main src/main.js:3\n",
		},
		{
			"Rollbar", `{"data": {"body": {"trace": {"frames": [{"filename": "/app/manage.py", "lineno": 22, "method": "main"},
{"filename": "/app/views.py", "lineno": 41, "method": "index", "code": "raise ValueError('x')"}], "exception": {"class": "ValueError", "message": "x"}}},
"code_version": "3da541559918a808c2402bba5012f6c60b27661c"}}`,
			"build 3da541559918a808c2402bba5012f6c60b27661c\n! ValueError\npython crash of 0\n  index /app/views.py:41\n  main /app/manage.py:22\n",
		},
		{
			"structlog", `{"event": "start", "level": "info"}
{"event": "boom", "exception": [{"exc_type": "ValueError", "exc_value": "x", "frames": [{"filename": "/app/main.py", "lineno": 5, "name": "<module>", "line": ""},
{"filename": "/app/foo.py", "lineno": 12, "name": "bar", "line": "raise ValueError('x')"}]}]}`,
			"! ValueError\npython crash of 0\n  bar /app/foo.py:12\n   /app/main.py:5\n",
		},
		{
			"Log4j", `[{"level": "ERROR", "thrown": {"message": "boo", "name": "java.lang.IllegalStateException", "extendedStackTrace": [
{"class": "com.x.Foo$Bar", "method": "run", "file": "Foo.java", "line": 12}]}}]`,
			"! java.lang.IllegalStateException\njava crash of 0\n  com.x.Foo.Bar.run com/x/Foo.java:12 (com.x)\n",
		},
		{
			"Elastic APM", `{"error": {"exception": {"type": "Error", "message": "no", "stacktrace": [{"filename": "lib/a.js", "function": "f", "line": {"number": 7}}]}}}`,
			"! Error\njavascript crash of 0\n  f lib/a.js:7\n",
		},
		{
			"zerolog", `{"level": "error", "stack": [{"func": "inner", "line": "20", "source": "errors.go"}], "error": "no"}
{"stack": [{"function": "main.a", "file": "./main.go", "lino": 23}], "error": "raw error"}`, // the latter of rs/zerolog#720
			"! error\n! error\ngo crash of 0\n  inner errors.go:20\ngo other thread of 1\n  main.a ./main.go:23\n",
		},
		{"a reader's text", `{"stack": [{"function": "f", "line": 3, "source": "a b"}]}`, ""},
		{"a linter", `[{"file": "a.sh", "line": 3, "message": "no"}]`, ""},
		{"what is no frame", `{"frames": [{"width": 3}], "stack": [1, {"file": "a.c", "line": 2}], "trace": [{"file": 3, "line": -1}]}`, ""},
	} {
		r, err := Read(strings.NewReader(test.text))
		got := ""
		if err == nil {
			got = brief(r)
		}
		if got != test.want {
			t.Errorf("%s: %v, got\n%s", test.name, err, got)
		}
	}
}
