package offline

import (
	"context"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext/gittest"
)

// A commit that quotes the failure as what it mends is no suspect, unless the user or the report says which commit crashed. The
// report and the subjects are those of issue 71 of caseproof/members.
func TestRepairIsNoSuspect(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file, repairing = "admin/functions-admin.php", "Fixes #71 - Uncaught TypeError: in_array()"
	page := func(condition string) gittest.Files {
		return gittest.Files{file: "<?php\nfunction members_is_admin_page() {\n\t$screen = get_current_screen();\n\treturn " + condition + ";\n}\n"}
	}
	h.Commit("Notifications and updates", page("in_array( $screen->id, $pages )"))
	repair := h.Commit(repairing, page("! empty( $pages ) && in_array( $screen->id, $pages )"))
	h.Git("tag", "v1.2.0")
	for given, want := range map[string]string{"": "Notifications and updates", "commit": repairing, "Version: v1.2.0\n": repairing} {
		report, err := format.Read(strings.NewReader(`PHP Fatal error Uncaught TypeError: in_array(): Argument #2 ($haystack) must be of type array, null given in /wp-content/plugins/members/admin/functions-admin.php:4
Stack trace:
#0 /wp-content/plugins/members/admin/functions-admin.php(4): in_array()
#1 /wp-content/plugins/members/admin/class-notifications.php(372): members_is_admin_page()
#2 {main}
thrown in /wp-content/plugins/members/admin/functions-admin.php on line 4
` + strings.TrimPrefix(given, "commit")))
		if err != nil {
			t.Fatal(err)
		}
		q := crash.Question{Report: report, Suspects: 2}
		if given == "commit" {
			q.Commit = repair
		}
		answer, err := Rank(context.Background(), h.Open(), q)
		if err != nil || len(answer.Suspects) == 0 {
			t.Fatal(answer, err)
		}
		if got := answer.Suspects[0].Commit.Subject(); got != want {
			t.Errorf("given %q: the first suspect is %q", given, got)
		}
		if said := strings.Contains(strings.Join(answer.Notes, "\n"), repair.Short()+" is no suspect"); said == (given != "") {
			t.Errorf("given %q: notes %q", given, answer.Notes)
		}
	}
}

// A subject must quote the message as far as it goes: failures of one kind often begin with the same word.
func TestQuotesOfFailures(t *testing.T) {
	t.Parallel()
	const read = "Cannot read properties of undefined (reading 'red')"
	for subject, want := range map[string]bool{
		"Prevent TypeError: Cannot set properties of undefined in colors":     false,
		"Fix TypeError: Cannot read properties of undefined (reading 'blue')": false,
		"Fix TypeError: Cannot":                                                        true,
		"Fix TypeError: Cannot happen":                                                 false,
		"Fix TypeError: Cannot read properties of undefined in colors":                 true,
		"Fix TypeError: Cannot read properties of undefined (reading 'red') (#12)":     true,
		"Fix `TypeError: Cannot read properties of undefined` crash":                   true,
		"Fix TypeError: Cannot read prope...":                                          true,
		"Fix RangeError: Cannot read properties of undefined (reading 'red') in color": false,
	} {
		if got := quotes(subject, crash.Problem{Kind: "TypeError", Message: read}); got != want {
			t.Errorf("%q: %v", subject, got)
		}
	}
}
