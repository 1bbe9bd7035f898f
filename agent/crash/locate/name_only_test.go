package locate

import (
	"cmp"
	"fmt"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// Valgrind prints no folders. The report is of nvme-cli, where fabrics.c is at the top, too, and does not define
// the function.
func TestNameWithoutFolder(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"fabrics.c":                  "static bool cb_parser_init(void)\n{\n\treturn true;\n}\n",
		"libnvme/src/nvme/fabrics.c": "int nvmf_discovery_config_file(struct libnvme_global_ctx *ctx)\n{\n\treturn 0;\n}\n",
		"plugin.c":                   "int handle_plugin(void)\n{\n\treturn 1;\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackAlloc, Format: "valgrind", Frames: []crash.Frame{
		{Function: "cb_parser_init", File: "fabrics.c", Line: 3},
		{Function: "nvmf_discovery_config_file", File: "fabrics.c", Line: 3},
		{Function: "unknown_function", File: "fabrics.c", Line: 3},
		{Function: "handle_plugin", File: "plugin.c", Line: 3},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"fabrics.c", "libnvme/src/nvme/fabrics.c", "fabrics.c", "plugin.c"} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.Function, f.Path, want)
		}
	}
}

// The program of somebody who uses a library has a main.c, too, as in cesanta/mongoose#762: its functions are in none of the examples. A usual
// name of a function tells nothing.
func TestNameOfCaller(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"examples/a/main.c": "int main(void)\n{\n\treturn 0;\n}\n",
		"examples/b/main.c": "int main(void)\n{\n\treturn 1;\n}\n",
		"examples/c/main.c": "int main(void)\n{\n\treturn 2;\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "valgrind", Frames: []crash.Frame{
		{Function: "event_routine", File: "main.c", Line: 101},
		{Function: "main", File: "main.c", Line: 3},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	if frames := report.Stacks[0].Frames; frames[0].Path != "" || frames[1].Path == "" {
		t.Errorf("%q and %q", frames[0].Path, frames[1].Path)
	}
}

// A frame of R names the package of its function. Only packages with a DESCRIPTION are in the tree.
func TestFunctionsOfR(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"pkg/DESCRIPTION": "Title: T\nPackage: own.pkg\n", "pkg/R/fit.R": "print.fit <- function(x) {\n  x\n}\nmutate <- function(x) x\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "r", Frames: []crash.Frame{
		{Function: "mutate", Module: "dplyr"},
		{Function: "mutate", Module: "own.pkg"},
		{Function: "print.fit"},
		{Function: "fit"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 4, 1, 0} {
		if f := report.Stacks[0].Frames[i]; f.DefinedAt != want || (f.Path == "") != (want == 0) {
			t.Errorf("%s: %q line %d, want line %d", f.Function, f.Path, f.DefinedAt, want)
		}
	}
}

// A frame of Emacs Lisp has the name of a function, and its place is where that calls the next one. Names have dashes, and the
// functions are in files of Emacs Lisp.
func TestFunctionsOfEmacsLisp(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	text := "(defun flycheck-compile-all ()\n  (flycheck-compile 1))\n\n(defun flycheck-compile (checker)\n  \"Run.\"\n" +
		"  (flycheck-checker-executable-p checker) ; (flycheck-checker-executable)\n  (let ((command\n         (flycheck-checker-executable checker)))\n    command))\n\n" +
		"(defun flycheck-checker-executable (checker)\n  checker)\n\n(defun my/all (list)\n  (mapcar 'flycheck-compile list))\n"
	h.Commit("one", gittest.Files{"flycheck.el": text, "a.c": "int\nexpand(int n)\n{\n}\n"})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "elisp", Frames: []crash.Frame{
		{Function: "expand"},
		{Function: "flycheck-checker-executable"},
		{Function: "flycheck-compile"},
		{Function: "my/all"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	sites := Sites(report, "flycheck.el", splitText(text))
	for i, want := range []struct{ defined, at int }{{0, 0}, {11, 0}, {4, 8}, {14, 15}} {
		f, at := report.Stacks[0].Frames[i], sites[crash.FrameRef{Frame: i}].At
		if f.DefinedAt != want.defined || at != want.at {
			t.Errorf("%s: %q line %d at %d, want %d at %d", f.Function, f.Path, f.DefinedAt, at, want.defined, want.at)
		}
	}
}

// A frame of Tcl has the name of a procedure and the command that it executed.
func TestProceduresOfTcl(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	text := "proc ::critcl::cproc {name args} {\n    # ArgsInprocess $adefs\n    foreach a $args {\n\tset db [ArgsInprocess $adefs $aoffset]\n    }\n}\n\n" +
		"proc ::critcl::ArgsInprocess {adefs skip} {\n    foreach t $adefs {\n\tif {![dict exists has $t]} {\n\t}\n    }\n}\n"
	h.Commit("one", gittest.Files{"lib/critcl.tcl": text, "a.py": "def cproc(x):\n    pass\n"})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "tcl", Frames: []crash.Frame{
		{Function: "ArgsInprocess", Quote: "dict exists has $t"},
		{Function: "critcl::cproc", Quote: "ArgsInprocess $adefs $aoffset"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	sites := Sites(report, "lib/critcl.tcl", splitText(text))
	for i, want := range []struct{ defined, at int }{{8, 10}, {1, 4}} {
		f, at := report.Stacks[0].Frames[i], sites[crash.FrameRef{Frame: i}].At
		if f.DefinedAt != want.defined || at != want.at {
			t.Errorf("%s: %q line %d at %d, want %d at %d", f.Function, f.Path, f.DefinedAt, at, want.defined, want.at)
		}
	}
}

// Dart names a file by its package, whose folder has a pubspec.yaml, and the path in its folder lib.
func TestPackagesOfDart(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"packages/app/pubspec.yaml": "# words\nname: app\n", "packages/app/lib/src/framework.dart": "void f() {}\n", "packages/app/lib/zone.dart": "void g() {}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "dart", Frames: []crash.Frame{
		{Function: "f", File: "package:app/src/framework.dart", Line: 1}, {Function: "f", File: "package:flutter/src/framework.dart", Line: 1},
		{Function: "g", File: "dart:async/zone.dart", Line: 1}, {Function: "g", File: "package:app/gone.dart", Line: 1},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"packages/app/lib/src/framework.dart", "", "", ""} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.File, f.Path, want)
		}
	}
}

// Visual Studio prints the line of a frame, and not its file: the line counts where the function is defined above it.
func TestLineWithoutAFile(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"src/parser.cpp": "// words\n// words\nint Parser::Next(const char *s)\n{\n\treturn *s;\n}\n"})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "windows", Frames: []crash.Frame{
		{Function: "Parser::Next", Line: 5}, {Function: "Parser::Next", Line: 1}, {Function: "Parser::Next"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"src/parser.cpp:5", "src/parser.cpp:3", "src/parser.cpp:3"} {
		f := report.Stacks[0].Frames[i]
		if got := fmt.Sprintf("%s:%d", f.Path, cmp.Or(f.DefinedAt, f.Line)); got != want || f.Moved != (i == 1) {
			t.Errorf("%d: %s, moved %v, want %s", i, got, f.Moved, want)
		}
	}
}

// A frame of .NET names the class that declares the method. The report is of GodotModules' client, which no
// longer had the class of the second frame.
func TestMethodWithoutItsClass(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"Scripts/HandlePacketLogin.cs": "namespace KRU\n{\n\tpublic class HandlePacketLogin\n\t{\n\t\tpublic void Handle(Event netEvent)\n\t\t{\n\t\t}\n\t}\n}\n",
		"Scripts/UIUsers.List.cs":      "namespace KRU\n{\n\tpublic partial class UIUsers\n\t{\n\t\tpublic void RemoveUser(uint id)\n\t\t{\n\t\t}\n\t}\n}\n",
		"Start.cs":                     "void Run(string[] args)\n{\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "dotnet", Frames: []crash.Frame{
		{Function: "KRU.UIUsers.RemoveUser"},
		{Function: "KRU.HandlePacketPlayerJoinLeave.Handle"},
		{Function: "KRU.HandlePacketLogin.Handle"},
		{Function: "Program.Run"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Scripts/UIUsers.List.cs", "", "Scripts/HandlePacketLogin.cs", "Start.cs"} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.Function, f.Path, want)
		}
	}
}

// A position in minified code is in no source with the name of its file. The report is of vscode-vlang, whose own
// files webpack named.
func TestMinifiedBundle(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"src/extension.ts": "activate();\n", "src/utils.ts": "export function getCwd() {\n}\n", "dist/vendor.js": "x\n"})
	const root = "/media/don/DEV/.cache/.vscode/extensions/vlang-vscode.vscode-vlang-0.1.5/"
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "javascript", Frames: []crash.Frame{
		{Function: "s", File: root + "src/utils.ts", Line: 1, Column: 47},
		{Function: "Object.c", File: root + "out/extension.js", Line: 1, Column: 79360},
		{Function: "Object.c", File: root + "src/extension.ts", Line: 1, Column: 12},
		{Function: "Object.c", File: root + "dist/vendor.js", Line: 1, Column: 79360},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"src/utils.ts", "", "src/extension.ts", "dist/vendor.js"} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.File, f.Path, want)
		}
	}
}

// A method of a system's library is no other method of the name. The report is landstalker_editor's issue 51. A library
// of the project may be installed there.
func TestMethodOfSystemLibrary(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"src/EntityViewerFrame.cpp": "void EntityViewerFrame::Update()\n{\n\tm_entityViewer->Refresh();\n}\n",
		"src/own.cpp":               "void Own::update()\n{\n}\n\nint own_start()\n{\n\treturn 1;\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "gdb", Frames: []crash.Frame{
		{Function: "wxAuiManager::Update", Module: "/lib/x86_64-linux-gnu/libwx_gtk3u_aui-3.2.so.0"},
		{Function: "EntityViewerFrame::Update", Module: "/usr/bin/landstalker_gfx"},
		{Function: "Own::update", Module: "/usr/lib/libown.so.1"},
		{Function: "own_start", Module: "/usr/lib64/libown.so"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "src/EntityViewerFrame.cpp", "src/own.cpp", "src/own.cpp"} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s: %q, want %q", f.Function, f.Path, want)
		}
	}
}

// A method of PHP without a place is in the file of its class, as in zikula-modules/Formicula's issue 75, and not in another one that
// has a method of the name.
func TestMethodOfPHP(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"Controller/UserController.php":  "<?php\nclass UserController\n{\n    public function indexAction(Request $request)\n    {\n    }\n}\n",
		"Controller/AdminController.php": "<?php\nclass AdminController\n{\n    public function indexAction(Request $request)\n    {\n    }\n\n    public function handle()\n    {\n    }\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "php", Frames: []crash.Frame{
		{Function: `Zikula\Controller\UserController->indexAction`},
		{Function: `Symfony\Component\HttpKernel\HttpKernel->handle`},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Controller/UserController.php", ""} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s is in %q, want %q", f.Function, f.Path, want)
		}
	}
}

// A method of .NET with a usual name is in the file that is named like its class, and in none if no file is. The first frame is of
// jellyfin/jellyfin#4559.
func TestUsualMethodOfDotNet(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{"Api/DashboardService.cs": "public class DashboardService\n{\n    public object Get(GetDashboardResource request)\n    {\n    }\n}\n"}
	for i := range 60 {
		files[fmt.Sprintf("Services/Service%d.cs", i)] = "public class Service\n{\n    public object Get(GetSwaggerSpec request)\n    {\n    }\n}\n"
	}
	h.Commit("one", files)
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "dotnet", Frames: []crash.Frame{
		{Function: "MediaBrowser.WebDashboard.Api.DashboardService.Get"},
		{Function: "Microsoft.Extensions.Options.OptionsManager.Get"},
	}}}}
	if _, err := Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Api/DashboardService.cs", ""} {
		if f := report.Stacks[0].Frames[i]; f.Path != want {
			t.Errorf("%s is in %q, want %q", f.Function, f.Path, want)
		}
	}
}
