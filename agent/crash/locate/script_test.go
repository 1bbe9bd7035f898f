package locate

import (
	"strings"
	"testing"

	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// The frames of mr-guard/dayz-server-manager#111: the lines of a script are not those of the TypeScript that it was made of, so
// they say nothing about its version. Functions of the engine are not those of the project with their names.
func TestLinesOfScripts(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const events = `export class Events {

    public async start(): Promise<void> {
        for (const event of this.config.events) {
            this.runTask(event);
        }
    }

    private runTask(event: Event): void {
        void task();
    }

}
`
	tip := h.Commit("one", gittest.Files{
		"package.json":           `{"name": "dayz-server-manager"}`,
		"src/services/events.ts": events,
		"src/types/list.ts":      "function snapshot(...args: SnapshotArg[]): Promise<SnapshotItem[]>;\nexport function Promise(): void {\n}\n",
	})
	report, err := format.Read(strings.NewReader(`Unhandled Rejection: TypeError: Cannot read properties of undefined (reading '0')
    at C:\snapshot\dayz-server-manager\dist\services\events.js:77:81
    at Generator.next (<anonymous>)
    at new Promise (<anonymous>)
    at Events.runTask (C:\snapshot\dayz-server-manager\dist\services\events.js:3:43)
`))
	if err != nil {
		t.Fatal(err)
	}
	repo := h.Open()
	if _, err := Locate(t.Context(), repo, tip, report); err != nil {
		t.Fatal(err)
	}
	fit, err := Compare(t.Context(), repo, tip, report)
	if err != nil || fit.Moved+fit.Same != 0 {
		t.Errorf("%+v, %v", fit, err)
	}
	frames := report.Stacks[0].Frames
	for i, want := range []string{"src/services/events.ts", "", "", "src/services/events.ts"} {
		if line, _ := frames[i].Place(); frames[i].Path != want || line != map[int]int{3: 9}[i] {
			t.Errorf("frame %d: %q at line %d", i, frames[i].Path, line)
		}
	}
	if of := MadeLines(report); !strings.HasPrefix(of, "scripts") {
		t.Errorf("lines of %q", of)
	}
}

// The frames of emansih/FireflyMobile#81, of a program whose packages R8 shortened; its lines are not those of the files.
func TestShortenedPackages(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const folder = "app/src/main/java/xyz/hisname/fireflyiii/"
	tip := h.Commit("one", gittest.Files{
		folder + "repository/TransactionsViewModel.kt": "package xyz.hisname.fireflyiii.repository\n",
		folder + "util/network/CallbackUtil.kt":        "package xyz.hisname.fireflyiii.util.network\n",
		folder + "ui/List.kt":                          "package xyz.hisname.fireflyiii.ui\n",
		folder + "ui/Box.kt":                           "package xyz.hisname.fireflyiii.ui\n",
		folder + "repository/Box.kt":                   "package xyz.hisname.fireflyiii.repository\n",
	})
	report, err := format.Read(strings.NewReader(`java.lang.NullPointerException: no
	at xyz.hisname.fireflyiii.d.q.b$a.a(TransactionsViewModel.kt:5)
	at xyz.hisname.fireflyiii.util.s.a$a.a(CallbackUtil.kt:1)
	at d.q.b$a.E(TransactionsViewModel.kt:1)
	at l.i$b$a.d(DefaultCallAdapterFactory.java:3)
	at a.b.c(List.kt:4)
	at xyz.hisname.fireflyiii.d.q(Box.kt:4)
	at org.other.fireflyiii.d.q.c(CallbackUtil.kt:4)
`))
	if err != nil {
		t.Fatal(err)
	}
	repo := h.Open()
	if _, err := Locate(t.Context(), repo, tip, report); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"repository/TransactionsViewModel.kt", "util/network/CallbackUtil.kt", "repository/TransactionsViewModel.kt", "", "", "", ""} {
		f := report.Stacks[0].Frames[i]
		if strings.TrimPrefix(f.Path, folder) != want || f.Moved != (want != "") {
			t.Errorf("frame %d: %q by %q, its line elsewhere: %v", i, f.Path, f.Rule, f.Moved)
		}
	}
	if fit, err := Compare(t.Context(), repo, tip, report); err != nil || fit.Moved+fit.Same != 0 {
		t.Errorf("%+v, %v", fit, err)
	}
}

// The frames of prettier/prettier#10277 and #9735: a bundler made index.js of all files, and the page of the project loads another bundle.
// The file of the first name has none of these lines. The function of a usual name, one of two files and one of a library stay without a file.
func TestBundles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("one", gittest.Files{
		"package.json":            `{"name": "prettier"}`,
		"index.js":                "module.exports = require('./src/printer');\n",
		"src/printer.js":          "function printPath(path) {\n  return path.x;\n}\nfunction genericPrint(path) {\n  return printPath(path);\n}\n",
		"src/css/printer.js":      "function genericPrint(path) {\n  return path;\n}\n",
		"src/main/comments.js":    "function printComments(path) {\n  return path;\n}\nfunction call(path) {\n  return path;\n}\n",
		"tests/bundle/bundle.js":  "function callPlugin(path) {\n  return path;\n}\n",
		"src/ast/CallNode.ts":     "export class CallNode {\n  render(code: string): void {\n  }\n}\n",
		"src/ast/IfNode.ts":       "export class IfNode {\n  render(code: string): void {\n  }\n}\n",
		"src/Module.js":           "export class Module {\n  runMain() {\n  }\n}\n",
		"src/main/ast-to-doc.mjs": "function printDoc(path) {\n  return path;\n}\n",
	})
	for stack, want := range map[string][]string{
		`TypeError: Cannot read property 'length' of undefined
    at printPath (/srv/u/lib/node_modules/prettier/index.js:45673:137)
    at Object.genericPrint [as print] (/srv/u/lib/node_modules/prettier/index.js:45428:30)
    at Object.printComments (/srv/u/lib/node_modules/prettier/index.js:14305:19)
    at callPlugin (/srv/u/lib/node_modules/prettier/index.js:14441:20)
    at printDoc (/srv/u/lib/node_modules/prettier/dist/chunk-1.js:7:20)
    at IfNode.render (/srv/u/lib/node_modules/prettier/dist/chunk-1.js:700:20)
    at Object.render (/srv/u/lib/node_modules/prettier/dist/chunk-1.js:7:20)
    at Module.runMain (module.js:606:11)
    at printDoc (/srv/u/lib/node_modules/other/dist/chunk-1.js:7:20)
`: {"src/printer.js", "", "src/main/comments.js", "", "src/main/ast-to-doc.mjs", "src/ast/IfNode.ts", "", "", ""},
		`ec@https://prettier.io/lib/standalone.js:15:153287
call@https://prettier.io/lib/standalone.js:15:242269
printComments@https://prettier.io/lib/standalone.js:15:111559
`: {"", "", "src/main/comments.js"},
	} {
		report, err := format.Read(strings.NewReader(stack))
		if err != nil {
			t.Fatal(err)
		}
		repo := h.Open()
		if _, err := Locate(t.Context(), repo, tip, report); err != nil {
			t.Fatal(err)
		}
		for i, path := range want {
			if f := report.Stacks[0].Frames[i]; f.Path != path || f.Moved != (path != "") {
				t.Errorf("%s: frame %d: %q by %q, its line elsewhere: %v", stack, i, f.Path, f.Rule, f.Moved)
			}
		}
		if fit, err := Compare(t.Context(), repo, tip, report); err != nil || fit.Moved+fit.Same != 0 {
			t.Errorf("%+v, %v", fit, err)
		}
	}
}
