package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/pagetest"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() { scriptCommands["looks"] = cmdLooks }

// cmdLooks opens pages in a browser, if there is one, and fails if a reader would see anything
// wrong with them:
//
//	looks <file>...
func cmdLooks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: looks <file>...")
	}
	for i, name := range args {
		args[i] = ts.MkAbs(name)
	}
	wrong, err := pagetest.CheckAll(args...)
	if errors.Is(err, pagetest.ErrNoBrowser) {
		ts.Logf("%v", err)
		return
	}
	ts.Check(err)
	if len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}

// pageOf reads a page, which must have all of these texts.
func pageOf(t *testing.T, file string, wants ...string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q", filepath.Base(file), want)
		}
	}
	return string(text)
}

// The page of a crash run has files, commits and the explanation as its verdict.
func TestPageOfACrashRun(t *testing.T) {
	t.Parallel()
	b, report := newCrashBench(t)
	b.serve(looksFirst)
	b.run(app.ExitFound, "crash", "--runs=1", report)
	page := filepath.Join(b.home, "trace-crash.html")
	b.run(app.ExitFound, "trace", "show", "--html="+page)
	text := pageOf(t, page, "It passes a null pointer.", "<code>main.c</code>", "It calls count with 0.", "<code>"+b.git("rev-parse", "HEAD")[:12])
	verdict, _, _ := strings.Cut(text[strings.Index(text, "<h2>Verdict"):], "</details>")
	if strings.Contains(verdict, "accepted") || strings.Contains(verdict, "0%") {
		t.Errorf("the verdict is\n%s", verdict)
	}
	pagetest.Test(t, page)
}

// The page of a fix run has its patch and the proof, as the text and the JSON have.
func TestPageOfAFixRun(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.scriptBug()
	b.serve(func(req modeltest.Request) modeltest.Reply {
		if req.Turn() == 0 {
			return modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"cat"}`)
		}
		return modeltest.Call("finish", `{"status":"success","explanation":"It counts all lines.","root_cause":"<b>head</b> cuts the file."}`)
	})
	b.run(app.ExitFound, "fix", "--engine=agent", "--history=none", "--sandbox=none", "--no-coverage", "--test=sh check_test.sh", "--at=size.sh")
	page := filepath.Join(b.home, "trace-fix.html")
	b.run(app.ExitFound, "trace", "show", "--html="+page)
	pageOf(t, page, "<b>plausible</b>", "It counts all lines.", "&lt;b&gt;head&lt;/b&gt; cuts the file.", "<code>$ sh check_test.sh</code>", "<h3>Proof</h3>",
		`<span class="minus">-	head -n 1 &#34;$1&#34; | wc -w</span>`, `<span class="plus">`)
	shown, _ := b.run(app.ExitFound, "trace", "show")
	for _, want := range []string{"patch  (plausible)\n", "    $ sh check_test.sh  it passes", "    +\tcat \"$1\" | wc -w\n", "    It counts all lines.\n"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if list, _ := b.run(app.ExitFound, "trace", "show", "--json"); !strings.Contains(list, `"patch":{"verdict":"plausible"`) {
		t.Errorf("--json: %s", list)
	}
	pagetest.Test(t, page)
}
