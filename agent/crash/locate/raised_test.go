package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
)

// The line of a failure has the name that the message has of it, or the report is of another version. The
// reports are stevenarella 505, whose line HEAD has repaired, diss 16 and shirasagi 478.
func TestPlaceOfPanic(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		report, path, text string
		moved              bool
	}{
		{
			"# thread panicked at 'called `Option::unwrap()` on a `None` value', protocol/src/format.rs:2:45\n", "protocol/src/format.rs",
			"fn build(obj: &Value) {\n    if let Some(text) = obj.get(\"text\") {\n        text.as_str().unwrap_or_default()\n    }\n}\n", true,
		},
		{
			"thread 'main' panicked at /build/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/diss-0.3.2/src/lib.rs:2:51:\ncalled `Option::unwrap()` on a `None` value\n",
			"src/lib.rs", "fn run(command: &[String]) {\n    let command_name = command.get(0).unwrap();\n}\n", false,
		},
		{
			"/srv/shirasagi/app/models/fs/initializer.rb:3:in `<class:Initializer>': undefined method `config' for SS:Module (NoMethodError)\n",
			"app/models/fs/initializer.rb", "module Fs\n  class Initializer\n  end\nend\n", true,
		},
		{
			"/srv/shirasagi/app/models/fs/initializer.rb:3:in `<class:Initializer>': undefined method `config' for SS:Module (NoMethodError)\n",
			"app/models/fs/initializer.rb", "module Fs\n  class Initializer\n    if SS.config.env.storage == \"grid_fs\"\n    end\n  end\nend\n", false,
		},
	} {
		report, err := format.Read(strings.NewReader(test.report))
		if err != nil || len(report.Stacks) != 1 {
			t.Fatal(report, err)
		}
		f := &report.Stacks[0].Frames[0]
		f.Path = test.path
		for ref, s := range Sites(report, test.path, splitText(test.text)) {
			if s.Moved != test.moved || s.sure == test.moved {
				t.Errorf("%s: %v: %+v", test.path, ref, s)
			}
		}
	}
}

// The line of a failed conversion of Go converts a value, and does not ask whether it can. The reports are
// smartthings-influx 2 and go-whatsapp 407, whose lines HEAD has repaired.
func TestPlaceOfConversion(t *testing.T) {
	t.Parallel()
	for line, moved := range map[string]bool{
		"\tstr := inner[\"timestamp\"].(string)":               false,
		"\tstr, ok := inner[\"timestamp\"].(string)":           true,
		"\tref := resp[\"ref\"].(string)":                      false,
		"\tvar ref string":                                     true,
		"\tif rref, found := resp[\"ref\"].(string); found {":  true,
		"\ta, b := resp[\"a\"].(string), resp[\"b\"].(string)": false,
	} {
		report := &crash.Report{
			Problems: []crash.Problem{{Kind: "panic", Message: "interface conversion: interface {} is nil, not string"}},
			Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "go", Frames: []crash.Frame{
				{Function: "panic", File: "/usr/local/go/src/runtime/panic.go", Line: 500},
				{Function: "github.com/Rhymen/go-whatsapp.(*Conn).Login", Path: "session.go", File: "session.go", Line: 4},
			}}},
		}
		lines := splitText("package whatsapp\n\nfunc (wac *Conn) Login() {\n" + line + "\n}\n")
		if s := Sites(report, "session.go", lines)[crash.FrameRef{Frame: 1}]; s.Moved != moved || s.sure == moved || s.Function.Start != 3 {
			t.Errorf("%s: %+v", line, s)
		}
	}
}

// A line that calls what an expression gives need not have the name of the function, as in issue 67 of
// browserstack-runner.
func TestCallOfValue(t *testing.T) {
	t.Parallel()
	lines := splitText("function progressHandler(uri) {\n  return uri.worker;\n}\n\nrequest.on('end', function() {\n  (handlers[method] || handlers._default)(uri);\n});\n\nvar all = { progress: progressHandler };\n")
	report := &crash.Report{Stacks: []crash.Stack{{Format: "javascript", Frames: []crash.Frame{
		{Function: "progressHandler", File: "server.js", Path: "lib/server.js", Line: 2},
		{Function: "IncomingMessage.<anonymous>", File: "server.js", Path: "lib/server.js", Line: 6},
	}}}}
	if s := Sites(report, "lib/server.js", lines)[crash.FrameRef{Frame: 1}]; s.At != 6 || s.Moved {
		t.Errorf("%+v", s)
	}
}

// Of what npm installed, a file is the project's if its package is.
func TestInstalledByNpm(t *testing.T) {
	t.Parallel()
	files := NewFiles([]string{"package.json", "lib/restructure/6-restructBlock.js", "src/index.ts", "src/compiler.ts"})
	for _, test := range []struct{ name, file, want string }{
		// csso-cli 35
		{"csso", "/opt/node/lib/node_modules/csso-cli/node_modules/csso/cjs/restructure/6-restructBlock.cjs", "lib/restructure/6-restructBlock.js"},
		{"csso", "/opt/node/lib/node_modules/csso-cli/node_modules/css-tree/cjs/walker/compiler.cjs", ""},
		// ts-node-dev 16
		{"ts-node-dev", `C:\Projects\graphql-server-example\node_modules\ts-node-dev\node_modules\ts-node\src\index.ts`, ""},
		{"ts-node-dev", `C:\Projects\graphql-server-example\node_modules\ts-node-dev\lib\compiler.js`, "src/compiler.ts"},
		{"@nodesecure/cli", "file:///opt/node/lib/node_modules/@nodesecure/cli/src/index.ts", "src/index.ts"},
		{"@nodesecure/cli", "file:///opt/node/lib/node_modules/@nodesecure/cli/node_modules/sade/src/index.ts", ""},
	} {
		files.npm.Name = test.name
		found, _ := files.Find(test.file)
		if strings.Join(found, " ") != test.want {
			t.Errorf("%s of %s: %q, want %q", test.file, test.name, found, test.want)
		}
	}
}

// The line of a null pointer names the method or the field that the message of Java or of Android names. The first report is
// AntennaPod/AntennaPod#6129, whose line was that of another statement after the repair.
func TestPlaceOfNull(t *testing.T) {
	t.Parallel()
	const android = "Attempt to invoke virtual method 'long de.danoeh.antennapod.model.feed.FeedItem.getFeedId()' on a null object reference"
	for _, test := range []struct {
		message, file, line string
		sure, moved         bool
	}{
		{android, "ItemFragment.java", "Fragment f = newInstance(item.getFeedId());", true, false},
		{android, "ItemFragment.java", "if (item == null) {", false, true},
		{android, "ItemFragment.java", "Fragment f = newInstance(\n            item.getFeedId());", true, false},
		{android, "ItemFragment.java", "long id = item\n        .getFeedId();", true, false},
		{android, "ItemFragment.kt", "val id = item.feedId", true, false},
		{`Cannot invoke "a.b.SSAVar.setCodeVar(a.b.CodeVar)" because "svar" is null`, "ItemFragment.java", "svar.setCodeVar(var);", true, false},
		{`Cannot read field "next" because "node" is null`, "ItemFragment.java", "node = other;", false, false}, // a loop names no next
		{`Cannot read field "parent" because "node" is null`, "ItemFragment.java", "node = other;", false, true},
	} {
		report, err := format.Read(strings.NewReader("java.lang.NullPointerException: " + test.message + "\n\tat a.ItemFragment.openPodcast(" + test.file + ":3)\n"))
		if err != nil || len(report.Stacks) != 1 {
			t.Fatal(report, err)
		}
		f := &report.Stacks[0].Frames[0]
		f.Path = f.File
		text := "class ItemFragment {\n    void openPodcast() {\n        " + test.line + "\n        }\n    }\n}\n"
		if strings.HasSuffix(test.file, ".kt") {
			text = strings.Replace(text, "void", "fun", 1)
		}
		for _, s := range Sites(report, f.Path, splitText(text)) {
			if s.sure != test.sure || s.Moved != test.moved {
				t.Errorf("%s of %s: %+v", test.line, test.message, s)
			}
		}
	}
}
