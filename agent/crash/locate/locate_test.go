package locate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

func TestLocateByWhatTheFileDefines(t *testing.T) {
	// A path whose directories the project lacks is the project's if the tracked file of the same
	// name defines the function. The first path is from a report of git/git, whose files are at
	// the top of its tree.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"attr.c":   "static struct attr_stack *read_attr(struct index_state *istate, const char *path)\n{\n}\n",
		"value.go": "package chi\n\nfunc (v *Value) Get() {}\n",
		"mux.go":   "package chi\n\nfunc (mx *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n}\n",
	})
	frames := []struct {
		frame crash.Frame
		path  string
		rule  Rule
		at    int
	}{
		{crash.Frame{Function: "read_attr", File: "git/attr.c", Line: 868}, "attr.c", RuleDefines, 0},
		{crash.Frame{Function: "read_attr", File: "git/attr.c"}, "attr.c", RuleDefines, 1},
		{crash.Frame{Function: "read_attr"}, "attr.c", RuleSymbol, 1},
		{crash.Frame{Function: "github.com/go-chi/chi.(*Mux).ServeHTTP", File: "github.com/go-chi/chi/mux.go", Line: 77}, "mux.go", RuleDefines, 0},
		{crash.Frame{Function: "reader.Value.Call", File: "reader/value.go", Line: 5}, "", "", 0},
		{crash.Frame{Function: "read_attr", File: "git/value.go", Line: 5}, "", "", 0},
		{crash.Frame{Function: "read_attr", File: "/usr/include/attr.c", Line: 5}, "", "", 0},
	}
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash}}}
	for _, f := range frames {
		report.Stacks[0].Frames = append(report.Stacks[0].Frames, f.frame)
	}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range frames {
		if got := report.Stacks[0].Frames[i]; got.Path != want.path || got.Rule != string(want.rule) || got.DefinedAt != want.at {
			t.Errorf("%s of %q: %q by %q at %d, want %q by %q at %d", got.Function, got.File, got.Path, got.Rule, got.DefinedAt, want.path, want.rule, want.at)
		}
	}
}

func TestFunctionOfMachineCode(t *testing.T) {
	// The stack is from a report of git/git, for which the function of the Perl program was
	// chosen because of its shorter path. A stack of a non-native format may mean that function.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"git-svn.perl":      "sub cmd_fetch {\n}\n",
		"git-svn.pl":        "sub cmd_fetch {\n}\n",
		"builtin/fetch.c":   "int cmd_fetch(int argc, const char **argv, const char *prefix)\n{\n}\n",
		"contrib/remote.py": "def only_here(x):\n    pass\n",
		"lib/nif.ex":        "defmodule Nif do\n  def only_there(x) do\n    x\n  end\nend\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{
		{Format: "gdb", Frames: []crash.Frame{{Function: "cmd_fetch"}, {Function: "only_here"}, {Function: "only_there"}}},
		{Format: "clusterfuzz", Frames: []crash.Frame{{Function: "only_here"}, {Function: "only_there"}}},
	}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"builtin/fetch.c", "", ""} {
		if got := report.Stacks[0].Frames[i]; got.Path != want {
			t.Errorf("%s: %q, want %q", got.Function, got.Path, want)
		}
	}
	for i, want := range []string{"contrib/remote.py", "lib/nif.ex"} {
		if got := report.Stacks[1].Frames[i]; got.Path != want {
			t.Errorf("another format: %q, want %q", got.Path, want)
		}
	}
}

// A function of Go's library is not in a file of the project with the same name.
func TestGoPackages(t *testing.T) {
	t.Parallel()
	all := []string{"modules/caddyhttp/server.go", "server.go", "fs/sync/sync.go", "v2/server.go", "cmd/run.go", "src/net/http/server.go"}
	for function, want := range map[string]int{
		"net/http.(*conn).serve.func1":                             1, // minio had it in internal/http/server.go
		"gopkg.in/http.(*conn).serve.func1":                        3, // the root and a major version have any name
		"github.com/caddyserver/caddy/v2/modules/caddyhttp.(*S).f": 3,
		"github.com/x/y/fs/sync.Run":                               3,
		"github.com/x/y/fs/sync_test.TestRun":                      3,
		"github.com/x/y/v2.Run":                                    6,
		"main.main":                                                6,
		"panic":                                                    0, // of the runtime, in _fixtures/panic.go of Delve
		"main":                                                     6,
		"":                                                         6,
		"github.com/urlscan/urlscan-cli/cmd/pro.init.func2.(*HostnameIterator).Iterate": 6,
	} {
		if got := ofGoPackage(function, all); len(got) != want {
			t.Errorf("%s: %v", function, got)
		}
	}
	report := &crash.Report{Stacks: []crash.Stack{{Frames: []crash.Frame{
		{Function: "net/http.serverHandler.ServeHTTP", File: "net/http/server.go", Line: 2807},
		{Function: "github.com/caddyserver/caddy/v2/modules/caddyhttp.(*Server).ServeHTTP", File: "github.com/caddyserver/caddy/v2@v2.0.0/modules/caddyhttp/server.go", Line: 203},
	}}}}
	NewFiles(all[:1]).mapPaths(report)
	if f := report.Stacks[0].Frames; f[0].Path != "" || f[0].Rule != "" || f[1].Path != all[0] {
		t.Errorf("%+v", f)
	}
}

// A writer of a report may replace the beginning of its paths.
func TestRemovedNames(t *testing.T) {
	t.Parallel()
	files := NewFiles([]string{"celery/security/certificate.py", "main.py"})
	for file, want := range map[string]string{
		`<>\site-packages\celery\security\certificate.py`:  "celery/security/certificate.py",
		"<home>/src/celery/celery/security/certificate.py": "celery/security/certificate.py",
		"<stdin>":             "",
		"<frozen importlib>":  "",
		"<string>/../main.py": "main.py",
	} {
		got, _ := files.Find(file)
		if len(got) == 0 && want == "" || len(got) == 1 && got[0] == want {
			continue
		}
		t.Errorf("%s: %v, want %q", file, got, want)
	}
}

// A function of Rust is in the file that is named like its module, also where the tree has other
// functions of its name.
func TestRustModules(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const text = "impl Component for %s {\n    fn handle_event(&mut self) {}\n}\n"
	tip := h.Commit("one", gittest.Files{
		"helix-term/src/ui/menu.rs":    strings.ReplaceAll(text, "%s", "Menu"),
		"helix-term/src/ui/prompt.rs":  strings.ReplaceAll(text, "%s", "Prompt"),
		"helix-term/src/compositor.rs": "pub fn handle_event() {}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{
		{Function: "<helix_term::ui::prompt::Prompt as helix_term::compositor::Component>::handle_event"},
		{Function: "helix_term::compositor::Compositor::handle_event"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"helix-term/src/ui/prompt.rs", "helix-term/src/compositor.rs"} {
		if got := report.Stacks[0].Frames[i].Path; got != want {
			t.Errorf("%s: in %q, want %q", report.Stacks[0].Frames[i].Function, got, want)
		}
	}
}

// ClusterFuzz writes NUMBER in place of digits. The report is from util-linux.
func TestNumbersOfClusterFuzz(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{
		"iso.c": "static int\nprobe_iso9660(void)\n{\n\treturn sum_32(1);\n}\n",
		"all.c": "int all(void)\n{\n\treturn probe_iso9660() + sum_32(1) + sum_64(1);\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Format: "clusterfuzz", Frames: []crash.Frame{{Function: "probe_isoNUMBER"}, {Function: "sum_NUMBER"}, {Function: "all"}}}}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"probe_iso9660 (probe_isoNUMBER) in iso.c", "sum_NUMBER () in ", "all () in all.c"} {
		f := report.Stacks[0].Frames[i]
		if got := fmt.Sprintf("%s (%s) in %s", f.Function, f.Symbol, f.Path); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A function of several programs is that of the program that crashed, and not of an example; code
// of another system is the last choice. The report is from DPDK, whose testpmd is in app/test-pmd.
func TestProgramThatCrashed(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const prompt, panics = "void\nprompt(void)\n{\n}\n", "void\n__rte_panic(void)\n{\n}\n"
	tip := h.Commit("one", gittest.Files{
		"examples/bond/main.c":    prompt,
		"app/test-pmd/cmdline.c":  prompt,
		"lib/bsdapp/eal_debug.c":  panics,
		"lib/linuxapp/el_debug.c": panics,
		"examples/vm/halt.c":      "void\nhalt_all(void)\n{\n}\n",
		"src/power/control/off.c": "void\nhalt_all(void)\n{\n}\n",
	})
	lib := crash.Frame{Function: "raise", File: "/lib64/libc.so.6"}
	for _, test := range []struct {
		message string
		frames  []crash.Frame
		want    []string
	}{
		{`Thread 1 "testpmd" received signal SIGABRT, Aborted.`, []crash.Frame{lib, {Function: "__rte_panic"}, {Function: "prompt"}},
			[]string{"", "lib/linuxapp/el_debug.c", "app/test-pmd/cmdline.c"}},
		{"", []crash.Frame{{Function: "prompt"}, {Function: "halt_all"}}, []string{"examples/bond/main.c", "src/power/control/off.c"}},
		{"", []crash.Frame{{Function: "prompt", Module: "/opt/bin/test_pmd", Offset: "0x10"}}, []string{"app/test-pmd/cmdline.c"}},
	} {
		report := &crash.Report{Problems: []crash.Problem{{Kind: "SIGABRT", Message: test.message}}, Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "gdb", Frames: test.frames}}}
		if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if got := report.Stacks[0].Frames[i].Path; got != want {
				t.Errorf("%q: %s: in %q, want %q", test.message, test.frames[i].Function, got, want)
			}
		}
	}
}

func TestClassesOfJava(t *testing.T) {
	// The frames without a line are from reports of jenkinsci/jenkins and apache/kafka, for which
	// a file of the project was chosen that defines a function of the name.
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"core/src/hudson/scheduler/CronTab.java": "package hudson.scheduler;\nclass CronTab {\n  static String valueOf(int x) {\n  }\n}\n",
		"war/scripts/prototype.js":               "function invoke(x) {\n}\n",
		"core/src/hudson/model/Run.java":         "package hudson.model;\nclass Run {\n  public String getName() {\n  }\n}\n",
		"core/src/hudson/model/Names.kt":         "package hudson.model\nfun plainName(x: Int) {\n}\n",
	})
	frames := []struct{ function, path string }{
		{"java.lang.String.valueOf", ""},
		{"sun.reflect.NativeMethodAccessorImpl.invoke", ""},
		{"java.base/java.lang.Thread.invoke", ""},
		{"hudson.model.Run.getName", "core/src/hudson/model/Run.java"},
		{"hudson.model.Run$1.getName", "core/src/hudson/model/Run.java"},
		{"hudson.model.Helper.getName", "core/src/hudson/model/Run.java"}, // a second class of the file
		{"other.Run.getName", "core/src/hudson/model/Run.java"},
		{"hudson.model.NamesKt.plainName", "core/src/hudson/model/Names.kt"},
	}
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "java"}}}
	for _, f := range frames {
		report.Stacks[0].Frames = append(report.Stacks[0].Frames, crash.Frame{Function: f.function})
	}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range frames {
		if got := report.Stacks[0].Frames[i].Path; got != want.path {
			t.Errorf("%s: in %q, want %q", want.function, got, want.path)
		}
	}
}

// Of several files with the name in a report, the one that defines the functions of the stack is the
// program's. The stack is of opensvc/multipath-tools, b9f81d8ec964, for which multipath/main.c was taken.
func TestFileOfTheNameThatDefinesTheFunction(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"multipath/main.c":        "int\nmain (int argc, char *argv[])\n{\n}\n",
		"multipathd/main.c":       "static int\nreconfigure (struct vectors * vecs)\n{\n}\n\nint\nmain (int argc, char *argv[])\n{\n}\n",
		"kpartx/main.c":           "static int\nother (void)\n{\n\treturn reconfigure(0);\n}\n",
		"libmultipath/memory.c":   "void *\nzalloc(size_t n)\n{\n}\n",
		"libmpathpersist/other.c": "int x;\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "valgrind", Frames: []crash.Frame{
		{Function: "reconfigure", File: "main.c", Line: 2014}, {Function: "lost", File: "main.c", Line: 2371}, {Function: "main", File: "main.c", Line: 2609},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Stacks[0].Frames {
		if f.Function != "lost" && (f.Path != "multipathd/main.c" || f.DefinedAt != 0) {
			t.Errorf("%s: %s by %q, defined at %d", f.Function, f.Path, f.Rule, f.DefinedAt)
		}
	}
}

// A place in a header of the system, whose code was inlined, is in the function that the frame names. The
// stack is of opensvc/multipath-tools, e1d69df0cdd1.
func TestFunctionWithInlinedCodeOfTheSystem(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"libmultipath/log.c":         "int x;\n\nint log_enqueue (int prio, const char * fmt, va_list ap)\n{\n\tstrcpy(msg, fmt);\n}\n",
		"libmultipath/log_pthread.c": "void log_safe (int prio, const char * fmt, va_list ap)\n{\n\tlog_enqueue(prio, fmt, ap);\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "valgrind", Frames: []crash.Frame{
		{Function: "log_enqueue", File: "string3.h", Line: 107}, {Function: "log_safe", File: "log_pthread.c", Line: 3}, {Function: "other", File: "string3.h", Line: 7},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), h.Open(), tip, report); err != nil {
		t.Fatal(err)
	}
	f := report.Stacks[0].Frames
	if line, _ := f[0].Place(); f[0].Path != "libmultipath/log.c" || line != 3 || f[1].Path != "libmultipath/log_pthread.c" || f[1].Moved || f[2].Path != "" {
		t.Errorf("%+v", f)
	}
}
