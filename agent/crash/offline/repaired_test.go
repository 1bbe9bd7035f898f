package offline

import (
	"context"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/suspect"
	"git-agent/gitext"
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
		if said := strings.Contains(strings.Join(answer.Notes, "\n"), "it is read before "+repair.Short()); said == (given != "") {
			t.Errorf("given %q: notes %q", given, answer.Notes)
		}
	}
}

// A commit that wrote code of the function and names a failure of its kind came after the crash, if nothing tells the
// version; if the report is younger, it may have made this one. The report and the subjects are those of issue 42 of Xposed-GodMode.
func TestRepairThatNamesTheKind(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file, repairing, other = "app/com/kaisar/xposed/godmode/NotificationService.java", "Fix: null exception when NotificationService is restarted.", "Fix check module enable state"
	service := func(lines ...string) gittest.Files {
		return gittest.Files{file: "public class NotificationService {\n\tpublic int onStartCommand(Intent intent) {\n\t\t" + strings.Join(lines, "\n\t\t") + "\n\t}\n}\n"}
	}
	h.Commit("Upgrade dependences", service("check();", "return intent.getAction().length();"))
	older := h.Commit(other, service("checkAll();", "return intent.getAction().length();"))
	h.Time += 100 * 24 * 3600
	repair := h.Commit(repairing, service("checkAll();", "return intent == null ? 0 : intent.getAction().length();"))
	repo := h.Open()
	const posted = "Clorasun opened this issue on Mar 16, 2025\n"
	for given, want := range map[string]struct {
		commit  gitext.OID
		noted   string
		without string
	}{
		"":     {older, "it is read before " + repair.Short(), repairing},
		posted: {repair, "", ""},
	} {
		report, err := format.Read(strings.NewReader(given + `java.lang.NullPointerException: Attempt to invoke virtual method 'java.lang.String android.content.Intent.getAction()' on a null object reference
	at com.kaisar.xposed.godmode.NotificationService.onStartCommand(NotificationService.java:4)
	at android.app.ActivityThread.handleServiceArgs(ActivityThread.java:4390)
`))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := Rank(context.Background(), repo, crash.Question{Report: report, Suspects: 3})
		if err != nil || len(answer.Suspects) == 0 {
			t.Fatal(answer, err)
		}
		notes := strings.Join(answer.Notes, "\n")
		named := slices.ContainsFunc(answer.Suspects, func(s suspect.Suspect) bool { return s.Commit.Subject() == want.without })
		if answer.Commit != want.commit || !strings.Contains(notes, want.noted) || named {
			t.Errorf("given %q: at %s (%s), want %s; suspects %v, notes %q", given, answer.Commit.Short(), answer.CommitFrom, want.commit.Short(), answer.Suspects, notes)
		}
	}
}

// The subjects are those of the repairs of public reports, and of other commits of their projects.
func TestMends(t *testing.T) {
	t.Parallel()
	null := crash.Problem{Kind: "java.lang.NullPointerException"}
	for subject, test := range map[string]struct {
		of   crash.Problem
		want bool
	}{
		"Address NPE in getNotScannedBuilds()":                  {null, true},
		"Address multiline \"Match Text\" failure*":             {null, false},
		"Scan/Rescan all the builds of null":                    {null, false},
		"fix potential nil exception":                           {crash.Problem{Kind: "panic", Message: "runtime error: invalid memory address or nil pointer dereference"}, true},
		"fix: nil map entry when watch namespace is enabled":    {crash.Problem{Kind: "panic", Message: "assignment to entry in nil map"}, true},
		"Fix slice panic":                                       {crash.Problem{Kind: "panic", Message: "runtime error: slice bounds out of range"}, true},
		"fix null check":                                        {crash.Problem{Kind: "panic", Message: "runtime error: slice bounds out of range"}, false},
		"Fix data race of loadWorkers() <-> processing()":       {crash.Problem{Kind: "data race"}, true},
		"electrumx: improve closing and fix close panic (#192)": {crash.Problem{Kind: "panic", Message: "close of closed channel"}, true},
		"fix: fix ConcurrentModificationException":              {crash.Problem{Kind: "java.util.ConcurrentModificationException"}, true},
		"Bugfix: SwingShell would not load GUI closures":        {crash.Problem{Kind: "java.util.ConcurrentModificationException"}, false},
		"Fix index page layout":                                 {crash.Problem{Kind: "KeyError"}, false},
		"Fix price range slider":                                {crash.Problem{Kind: "IndexError"}, false},
		"Handle none option of the theme":                       {crash.Problem{Kind: "java.lang.NullPointerException"}, false},
		"Resolve race results table":                            {crash.Problem{Kind: "data race"}, false},
		"Close the panic room":                                  {crash.Problem{Kind: "data race"}, false},
		"Fix data race in the pool":                             {crash.Problem{Kind: "data race"}, true},
		"Fix index out of range in the parser":                  {crash.Problem{Kind: "panic", Message: "runtime error: index out of range [3]"}, true},
	} {
		if got := mends(subject, []crash.Problem{test.of}); got != test.want {
			t.Errorf("%q of %s: %v", subject, test.of.Kind, got)
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
