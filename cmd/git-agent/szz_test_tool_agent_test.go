package main

import (
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// A model may run the user's command at commits, if the user gave one that shows the bug.
func TestSzzModelRunsTheTest(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	var told string
	server := b.serve(func(req modeltest.Request) modeltest.Reply {
		switch req.Turn() {
		case 0:
			return modeltest.Call("test", `{"commit":"`+b.innocent+`"}`).And("test", `{"commit":"`+b.bug+`"}`)
		case 1:
			for _, m := range req.Messages {
				told += m.Text
			}
		}
		return reports(b.bug)
	})
	out, _ := b.run(app.ExitFound, "szz", "--sandbox=none", "--verify-cmd=grep -q 'a = 1' a.c")
	for _, has := range []string{
		"fails at its parent " + b.bug[:12] + ", too: the bug is older. So it did not introduce the failure.",
		"passes at its parent ", "So it introduced the failure.",
	} {
		if !strings.Contains(told, has) {
			t.Errorf("the model did not read %q:\n%s", has, told)
		}
	}
	// The runs of the model are those of the verification.
	if !strings.Contains(out, "the command was run 4 times") || !strings.Contains(out, "confirmed") {
		t.Errorf("answer:\n%s", out)
	}
	if !strings.Contains(tools(server.Requests()[0]), "test") {
		t.Error("the model has no tool that runs the test")
	}
	if again, _ := b.run(app.ExitFound, "trace", "replay"); !strings.Contains(again, "equal: ") {
		t.Errorf("the run is not replayed:\n%s", again)
	}

	// A command that does not show the bug gives the model no tool, nor does none.
	for _, option := range []string{"--verify-cmd=true", "--no-cache"} {
		asked := len(server.Requests())
		b.run(app.ExitFound, "szz", "--sandbox=none", option)
		if strings.Contains(tools(server.Requests()[asked]), "test") {
			t.Errorf("%s: the model can run a test", option)
		}
	}

	// Nor are more runs made than the user allows.
	told = ""
	out, _ = b.run(app.ExitFound, "szz", "--sandbox=none", "--runs-at-most=3", "--verify-cmd=grep -q 'a = 1' a.c")
	if !strings.Contains(told, "no more runs are allowed") || !strings.Contains(out, "3 runs, the most that were allowed") {
		t.Errorf("more runs:\n%s\n%s", told, out)
	}
}

// tools returns the names of a request's tools, each in a line.
func tools(req modeltest.Request) string { return strings.Join(req.Tools, "\n") + "\n" }
