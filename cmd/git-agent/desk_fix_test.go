package main

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/cmd/git-agent/app"
)

// A fixedAnswer is the part of fix's JSON answer that depends on the talk.
type fixedAnswer struct {
	Engine   string
	Repaired bool
	Patches  []struct{ Verdict, Commit, Patch, Why string }
	Agent    *struct {
		Fallback string
		Turns    int
		Calls    int
	}
}

// tallyPatch is the patch from the talk tally.
const tallyPatch = "-\twhile read -r account amount; do\n+\twhile read -r account amount || [ -n \"$account\" ]; do\n"

// The talk tally is about a script that sums ledgers. A commit rewrote a loop and lost the guard
// that an earlier commit had put there. The recorded replies lead to the same requests again: the
// first message with the failing test, the suspected function and the history of its line, the
// tools, and what each call answers, one of which is an edit whose old text is not in the file.
// The resulting patch is that of the talk.
func TestScriptDeskFix(t *testing.T) {
	t.Parallel()
	b, c := newDeskBenchOf(t, "tally"), readTalk(t, "tally")
	d := b.serve(t, c, nil)
	out, errs := b.run(t, app.ExitFound, d.URL, d.command("--json")...)
	asked, requests := d.seen()
	if *update {
		c.write(t, requests)
	}
	var ans fixedAnswer
	if err := json.Unmarshal([]byte(b.recorded.Replace(out)), &ans); err != nil {
		t.Fatal(err)
	}
	if ans.Engine != "agent" || !ans.Repaired || len(ans.Patches) != 1 || ans.Agent == nil || ans.Agent.Fallback != "" || ans.Agent.Turns != len(c.Turns) || len(asked) != len(c.Turns) {
		t.Fatalf("the answer is not that of the talk: %s\n%s", out, errs)
	}
	got := ans.Patches[0]
	if got.Verdict != "plausible" || !strings.HasPrefix(got.Commit, c.Culprit) || !strings.Contains(got.Patch, tallyPatch) || strings.Count(got.Patch, "\n@@") != 1 {
		t.Errorf("the patch is not that of the talk:\n%+v", got)
	}
	said, _ := b.run(t, app.ExitFound, d.URL, "trace", "show")
	for _, want := range []string{"git_log_search", "edit", "the text is not in tally.sh", "the test command passes", "finished: success"} {
		if !strings.Contains(said, want) {
			t.Errorf("trace show has no %q:\n%s", want, said)
		}
	}
}
