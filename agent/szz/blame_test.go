package szz

import (
	"strings"
	"testing"
)

// hash and other stand for commits in the sentences below.
const (
	hash  = "0a1b2c3d4e5f"
	other = "9f8e7d6c5b4a"
)

// A sentence blames the commit that it says brought the bug. These are phrasings from
// the histories of some fifty projects, in words of our own.
func TestBlame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"This was a bug introduced in commit HASH.",
		"The build is broken since HASH.",
		"Fix the parser's leak after HASH",
		"Since commit HASH (\"net: rework\"), the test fails on small machines.",
		"Commit HASH (\"net: rework.\") introduced a build error.",
		"HASH moved the call but forgot to update the header.",
		"The lock was accidentally dropped in HASH.",
		"Fixup for HASH.",
		"Fixes a regression introduced in 6.1.0 with https://example.org/o/r/commit/HASH",
		"fix typos by reverting OTHER and HASH",
		"Commit HASH moved to another mux. But that broke the old handlers.",
		"HASH fixed the detach but caused asserts on attach.",
		"It worked until HASH.",
		"The flag was known, but was removed in HASH.",
		"Diameter is buggy since OTHER, while the other code since HASH.",
	} {
		if got := proseNames("net: fix it\n\n" + text); !got[hash] {
			t.Errorf("%q is not taken for blame", text)
		}
	}
}

// A sentence that mentions a commit for another reason blames nobody, even though it
// has words such as "introduced" and "since".
func TestBlameNobody(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"The bug pre-dates HASH, which only moved it.",
		"The check relies on the function introduced by HASH.",
		"The same crash as in HASH, which is a fix of its own.",
		"The leak has since been fixed by HASH.",
		"The race is partially mitigated by HASH.",
		"A proper fix for HASH.",
		"The call is no longer needed since HASH.",
		"Since HASH we can drop the error path.",
		"The problem was fixed upstream in HASH.",
		"The problem was correctly fixed later, in HASH.",
		"Noticed while reviewing HASH, a crash.",
		"A follow-up to the crash of HASH.",
		"Add the error message introduced in HASH.",
		"The helper was added in HASH, and OTHER forgot to remove it.",
		"Libraries released between OTHER and HASH will crash.",
		"This reverts commit OTHER, reversing changes made to HASH.",
		"Due to the changes in HASH, we no longer need the old protocol.",
		"HASH introduced a test to show the failure.",
		"The merge dropped the entry that was introduced by HASH.",
		"Libraries released after HASH will crash.",
		"Apply the changes from commit HASH in places that were overlooked.",
		"For reference: https://host.example/group/project/blame/HASH/api.go",
		"This is a rollforward of OTHER, which was rolled back in HASH.",
		"Consistent with the change in commit HASH (all: add a missing check), which broke nothing.",
		"Use version 4 (more precisely HASH, because sizes were wrong until that commit).",
		"The tests got accidentally reintroduced in OTHER after the class was renamed in HASH.",
		"Since HASH the table is not modified and doesn't need a declaration.",
		"In HASH tests were added to validate the fixes of the errors.",
		"Test for this fix: HASH, a crash introduced long ago.",
		"Note that this reveals the breakage in a test added in HASH.",
		"Callers need not set it, so we can revert changes introduced in HASH.",
		"It reverts two lines introduced in HASH, which was probably a workaround for this error.",
		"HASH may have resolved the underlying cause of the failures.",
		"Sorry, don't know why I reverted HASH.",
		"This did not regress in HASH, because it is checked there.",
		"This commit un-reverts HASH, which had no error.",
		"Accidentally reverts HASH.",
		"Correct it. Revert to commit HASH after the crash.",
		"Commit OTHER (\"x: y\") reverted changes introduced by commit HASH, so the error is back.",
		"That logic is now unnecessary due to HASH.",
		"The entry was initially introduced in HASH but accidentally removed in OTHER.",
		"The command was disabled by HASH, because it introduced some tricky bugs.",
		"It reverts OTHER as its prerequisite commit HASH is about to be reverted.",
		"We forced one thread in the master's poll loop with commit HASH.",
		"Conflicts: a.c (changed by HASH; the crash is gone)",
		"A second try, which avoids the problems with HASH, where cases were missed, breaking the build.",
	} {
		if got := proseNames("net: fix it\n\n" + text); got[hash] {
			t.Errorf("%q is taken for blame", text)
		}
	}
}

// A message that names many commits is a list of changes and blames none of them.
func TestBlameInAList(t *testing.T) {
	t.Parallel()
	body := "Release 2\n\n"
	for range mostNamed {
		body += "- broken since " + other + "\n"
	}
	if got := proseNames(body + "- broken since " + hash); len(got) > 0 {
		t.Errorf("blamed %v", got)
	}
}

// The excerpt is the sentence around the name, with ellipses where it is cut, and
// never half a character.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wört ", 60)
	for body, want := range map[string]string{
		"Title.\n\nOne thing. Broken\nsince HASH. More.":         "Broken since HASH.",
		"- one\n- broken by HASH, e.g. here\n- two":              "broken by HASH, e.g. here",
		long + "HASH (\"a title. of two\") broke it. More of it": "... " + long[len(long)-108:] + "HASH (\"a title. of two\") broke it.",
	} {
		body, want = strings.ReplaceAll(body, "HASH", hash), strings.ReplaceAll(want, "HASH", hash)
		at := strings.Index(body, hash)
		if got := sentenceAround(body, at, at+len(hash)).excerpt(); got != want {
			t.Errorf("%q: got\n%q, want\n%q", body, got, want)
		}
	}
}

// proseNames returns the commits that the prose of a message blames.
func proseNames(body string) map[string]bool {
	body = strings.NewReplacer("HASH", hash, "OTHER", other).Replace(body)
	names := map[string]bool{}
	for _, a := range proseAnnotations(body) {
		names[string(a.Commit)] = true
	}
	return names
}

// The number of a report behind a hash is not the commit's title.
func TestNumberBehindHashIsNoTitle(t *testing.T) {
	t.Parallel()
	found := proseAnnotations("net: fix a leak\n\nFix the leak introduced in 0123456789ab (#1100).")
	if len(found) != 1 || found[0].Subject != "" {
		t.Errorf("got %+v", found)
	}
	found = proseAnnotations("net: fix a leak\n\nFix the leak introduced in 0123456789ab (\"net: add it\").")
	if len(found) != 1 || found[0].Subject != "net: add it" {
		t.Errorf("got %+v", found)
	}
}
