package format

import (
	"strings"
	"testing"
)

func init() { samples = append(samples, scriptSamples...) }

func TestScriptSamples(t *testing.T) { testSamples(t, scriptSamples) }

var scriptSamples = []sample{
	{
		name: "backtraces of Emacs Lisp",
		from: "flycheck/flycheck#563 and 1162, shortened, and the form of a test",
		text: "```\n" + `Debugger entered--Lisp error: (void-variable flycheck-irony-executable)
  flycheck-checker-executable(irony)
  (let ((a (quote b))) (flycheck-compile a))
  flycheck-compile(irony)
  call-interactively(flycheck-compile record nil)
  command-execute(flycheck-compile record)
  execute-extended-command(nil "flycheck-compile")
` + "```\nwhat() says f(x)\n" + `Debugger entered--Lisp error: (wrong-type-argument stringp ("a"))
  expand-file-name(nil)
  flycheck-same-files-p("f:/Work/tryouts/stdin" nil)
  #[257 "\300!\203\207\301\207" [flycheck-relevant-error-p exclude] 3 "\n\n(fn ELT)"]([cl-struct-flycheck-error 1])
  mapcar(#[257 "\300!\203\207\301\207" [flycheck-relevant-error-p exclude] 3] ([cl-struct-flycheck-error 1 "
File \"a.py\", line 3, in f
"]))
  flycheck-filter-errors(([cl-struct-flycheck-error 1]) python-flake8)
Test flycheck-run/works backtrace:

  signal(error ("No file"))
  error("No file")
  flycheck-run(nil)
  ert--run-test-internal(#s(ert--test-execution-info :test ...))
Test flycheck-run/works condition:

    (error "No file")
   FAILED  1/2  flycheck-run/works
Error: void-function (my/run)
  mapbacktrace(#f(compiled-function (evald func args flags) #<bytecode -0x1>))
  debug-early-backtrace()
  debug-early(error (void-function my/run))
  my-start()
`,
		want: `! void-variable
! wrong-type-argument
! error
! void-function
elisp crash of 0
  flycheck-checker-executable
  flycheck-compile
elisp crash of 1
  expand-file-name
  flycheck-same-files-p
  flycheck-filter-errors
elisp crash of 2
  flycheck-run
  ert--run-test-internal
elisp crash of 3
  my-start
`,
	},
	{
		name: "stacks of Tcl",
		from: "andreas-kupries/critcl#62 and 132, pawelsalawa/letos#1305, os-fpga/FOEDAG#299, shortened",
		text: `
missing value to go with key
    while executing
"dict exists has $t"
    (procedure "ArgsInprocess" line 45)
    invoked from within
"ArgsInprocess $adefs $aoffset"
    (procedure "::critcl::cproc" line 21)

It fails.
No location to change
    while executing
"at::incrt $name"
    (procedure "critcl::cproc" line 66)
    invoked from within
"critcl::cproc xx {Tcl_Interp* interp} ok {
        return TCL_OK;
    }"
    ("eval" body line 2)
    invoked from within
"eval $TEMPLATE"
    (file "./t.tcl" line 7)
ns::f (line 3)
invalid command name ".busyDialog"
    while executing
"$progress setProgress $percents"
    (object "::MAIN" method "::MainWindow::updateProgress" body line 6)
    invoked from within
"::MAIN updateProgress .busyDialog"
    ("eval" body line 1)
    invoked from within
"eval $state(-progress)  [list $token]"
    (procedure "http::CopyDone" line 7)
    invoked from within
"http::CopyDone ::http::1 8192"
`,
		want: `! error
! error
! error
tcl crash of 0
  ArgsInprocess
  critcl::cproc
tcl crash of 1
  critcl::cproc
   ./t.tcl:7
tcl crash of 2
  MainWindow::updateProgress
  http::CopyDone
`,
	},
}

// The message of an error of Emacs Lisp has the parentheses of its data, and a text has no quotes.
func TestMessagesOfEmacsLisp(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`wrong-type-argument stringp ("clang-5.0")`: `wrong-type-argument: stringp ("clang-5.0")`, // emacs-helm/helm-system-packages#15
		`error "No file"`:         "error: No file",
		`file-error "a" "b"`:      `file-error: "a" "b"`,
		`void-function undefined`: "void-function: undefined",
	} {
		r, err := Read(strings.NewReader("Debugger entered--Lisp error: (" + data + ")\n  f(1)\n"))
		if err != nil || r.Stacks[0].Title != want {
			t.Errorf("%s: %v, %v", data, r, err)
		}
	}
}

// A frame of Tcl has the first line of the command that its procedure executed. A file has the number of the line.
func TestCommandsOfTcl(t *testing.T) {
	t.Parallel()
	r, err := Read(strings.NewReader("no\n    while executing\n\"dict get $x {\n  a\n}\"\n    (\"eval\" body line 2)\n    invoked from within\n\"eval $x $y...\"\n" +
		"    (procedure \"f\" line 3)\n    invoked from within\n\"f 1\"\n    (file \"a.tcl\" line 2)\n"))
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Stacks[0].Frames; len(f) != 2 || f[0].Quote != "eval $x $y" || f[1].Quote != "" || r.Problems[0].Message != "no" {
		t.Errorf("%+v", r)
	}
}

// A block of JSON in the text of an issue has the members that a file of JSON has; the rest of the text still tells the version.
func TestFencedJSON(t *testing.T) {
	t.Parallel()
	json := `{
  "release": "1.2.0", "exception": {"values": [{"type": "TypeError", "value": "no", "stacktrace": {"frames": [
    {"filename": "src/main.js", "function": "main", "lineno": 3},
    {"filename": "src/index.js", "function": "run", "lineno": 12}]}}]}
}`
	frames := "! TypeError\njavascript crash of 0\n  run src/index.js:12\n  main src/main.js:3\n"
	for _, test := range []struct{ name, text, want string }{
		{"a block", "It fails with 1.1.0, see\n\n```json\n" + json + "\n```\n\nIt is of Sentry.\n", "build 1.2.0\n" + frames},
		{"a block without a language", "It fails.\n``` \r\n" + json + "\r\n```\r\n", "build 1.2.0\n" + frames},
		{"another block first", "```json\n{\"a\": [1]}\n```\ntext\n```json\n" + json + "\n```", "build 1.2.0\n" + frames},
		{"what is no JSON", "```json\n{\"frames\": [{\n```\n", ""},
		{"a block of another language", "```python\n" + json + "\n```\n", ""},
		{
			"a stack beside it", "```\nTypeError: no\n    at g (src/g.js:1:2)\n```\n```json\n" + json + "\n```\n",
			"! TypeError\njavascript crash of 0\n  g src/g.js:1\n",
		},
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
	r, err := Read(strings.NewReader("See\n```json\n" + json + "\n```\n"))
	if err != nil || r.Stacks[0].Frames[0].ReportLine != 3 || r.Problems[0].Line != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}
