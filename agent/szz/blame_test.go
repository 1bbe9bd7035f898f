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

// A sentence blames the commit that it names as the cause of the bug. These phrasings
// come from the histories of some fifty projects, in different words.
func TestBlame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"This was a bug introduced in commit HASH.",
		"This is an old issue (introduced in HASH), caught by the new assertions.",
		"HASH accidentally removed the check that was added in OTHER.",
		"Commit HASH broke the order that OTHER introduced.",
		"This bug arrived with the following commit:\n\n    HASH net: rework",
		"The regression was introduced in:\n- HASH (\"net: rework\")",
		"Reported by a user: that case was forgotten in HASH, as was spotted in the list.",
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
		"The bug was introduced in tools-7.0 via commit HASH.",
		"The crash was probably revealed by commit HASH.",
		"This should have been part of HASH.",
		"HASH improved the cache, but introduced a crash.",
		"Since HASH the test fails.",
		"The sizes are wrong. This reverts the change of HASH.",
		"Reverts HASH. It caused two crashes.",
	} {
		if got := proseNames("net: fix it\n\n" + text); !got[hash] {
			t.Errorf("%q is not taken for blame", text)
		}
	}
}

// A sentence that mentions a commit for another reason does not blame it, even with words
// such as "introduced" and "since".
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
		"Fix the leak differently; also revert HASH.",
		"The fix for this crash was already made in HASH.",
		"The missing call was restored in HASH.",
		"This reinstates commit HASH, which was accidentally lost in OTHER.",
		"This is how it worked before HASH, so adjust the list.",
		"OTHER fixed a crash that was caused by HASH.",
		"A workaround was added in HASH, but it does not help against the crash.",
		"This limit was removed by commit HASH.",
		"A mismerge of the commit HASH caused the crash.",
		"A warning for names that are too long has been introduced in HASH.",
		"HASH introduced preprocessor warnings to deny old libraries.",
		"This doesn't seem to be necessary: the errors are gone since HASH.",
		"The roles were introduced in HASH by mistake. However, they were lost in 1234567.",
		"The zoom was wrong since HASH. To address that issue, commit 1234567 changed it.",
		"HASH made this possible. This breaks some tests.",
		"This was made possible after HASH.",
		"The previous fix (HASH) worked at first, but does not any more.",
		"Another solution to fixing the crash; effectively reverts HASH.",
		"HASH fixed a problem that caused wrong sizes.",
		"This should have been done as part of HASH, which broke the function out from the switch.",
		"The bug was introduced in HASH because clipping caused errors; it is no longer needed nowadays.",
		"While HASH fixed the crash, such an accident may happen again.",
		"The call was removed in HASH, though it is unclear if that broke the list.",
		"The filter, introduced in HASH, did not handle sizes yet.",
		"HASH changed the layout and caused a new order, so the check isn't needed any more.",
		"Loading fails by default since HASH because we consider it weak.",
		"HASH caused usage() to be called by help only. So remove the now dead code.",
		"HASH caused a regression in the lookup. However, that code was reverted to another method.",
		"This was originally in HASH, but was changed and does not work.",
		"Broken by OTHER, which came from HASH.",
		"The board is broken until the issue introduced in HASH is resolved.",
		"The function was added in HASH just in case, but doesn't seem to help.",
		"HASH removed the line, because it was set but never used.",
		"HASH caused Coverity to begin complaining; the bug is older.",
		"HASH intended to fix it, but did it wrong.",
		"Fix up HASH to fit our coding style.",
		"HASH added options, but never actually tested them.",
		"HASH added a warning about a wrong value, which will become an error.",
		"HASH added a filter to prevent accidental scrolling.",
		"It was not installed and was previously disabled with commit HASH.",
		"The code originates from commit HASH, which accidentally had no licence.",
		"The original crash, addressed by the reverted patch HASH.",
		"HASH repaired the broken option for the other family.",
		"HASH disabled the message, but keeps the wrong code. This has been fixed by OTHER.",
		"Was added in HASH to fix an issue caused by the linker.",
		"Since HASH the leak has been fixed, so the failures are gone.",
		"To see the failure, git revert HASH.",
		"A second try, which avoids the problems with HASH, where cases were missed, breaking the build.",
		"As outlined in commit HASH, the macros are incorrectly defined to be empty.",
		"All features come from a `git blame` output, which shows that HASH introduced most bugs.",
		"Even after HASH, the build fails on some machines.",
		"This follows up on HASH, which changed the names but did not change the page.",
		"The minimized state was reported, but HASH already broke it anyway.",
		"This was added in HASH and later removed inadvertently in commit OTHER.",
		"Originally added in HASH, and removed by mistake when the list was rewritten.",
		"This removes an argument that was added by mistake in HASH but obsoleted (but not removed) in OTHER.",
		"The checks were introduced in HASH to deal with a bug of our own.",
		"We tried once with HASH and ended up reverting because of regressions.",
		"After HASH there is no sense in failing with an error.",
		"HASH caused the sizes to be given by the caller, which does not change behavior, nor any bug.",
		"The option was introduced in HASH and specifically is a workaround for broken files.",
		"The new code, introduced by commit HASH, calculates the size correctly, with no error.",
		"In HASH the limit was accidentally modified. It remained unnoticed for some time and then fixed.",
		"HASH introduced an accidental feature. This was nice, but commit 1234567 accidentally removed it.",
		"This also allows us to revert HASH.",
		"Reverting the original commit (HASH) reproduces the failure.",
		"I verified that the test still fails when I re-introduce the bug by reverting HASH.",
		"Before the recent reverts of HASH the notification failed.",
		"Revert commit HASH, which is no more required, after the crash.",
		"Revert HASH after the failures. It has been resolved in the image.",
		"Incomplete revert in OTHER following HASH, after a crash.",
		"Revert \"Temporarily revert HASH\" after the failures were gone.",
		"HASH claimed to correct the crash but did not do it properly.",
		"This makes the output match the regression test added by commit HASH.",
		"This was originally introduced in HASH but I missed that in the conversion in commit OTHER.",
		"Re-introduces the changes from HASH which were inadvertently removed in OTHER.",
		"This already works since commit HASH, but half-accidentally.",
		"The error handling, which was originally added in commit HASH, has been preserved.",
		"Inlining it in HASH does not seem to have caused any problems, so do the same here.",
		"Revert HASH. The issue requiring these failing tests to be disabled should be resolved.",
		"Commit HASH narrowed the race, but did not prevent it.",
		"HASH caught this issue in one variant but failed to fix the other one.",
		"Since HASH the job has been failing. That commit is not the cause, so something else has changed.",
		"The problem was masked as a side-effect of commit HASH.",
		"This is the regression that was fixed many years ago in HASH, which was missed this time.",
		"Merged:\n\n1234567 Build again\nHASH Wrong name of the system broke it\n",
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

// The excerpt is the sentence around the name, with ellipses at cuts, and never half a
// character.
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

// The number of a report after a hash is not the commit's title.
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

// A revert in prose blames the reverted commit if the message tells of a defect. A title
// without a defect makes other sentences weaker, and a title about a new test removes the
// blame.
func TestBlameByTitle(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"net: fix a crash\n\nThis partially reverts HASH.":                                              true,
		"Revert \"Fix a test that HASH broke\"\n\nThis reverts commit OTHER.":                           false,
		"Fix wrong names\n\nThe move of\n1234567 (\"net: move\") and\nHASH (\"net: rework\") broke it.": true,
		"net: use poll again\n\nThis partially reverts HASH.":                                           false,
		"net: use poll again\n\nReverts HASH.":                                                          false,
		"net: use poll again\n\nReverts HASH. It fails on small machines.":                              true,
		"net: use poll\n\nReverts HASH, which is no longer needed for the broken case.":                 false,
		"Revert \"net: fix a crash\"\n\nThis undoes HASH.":                                              false,
		"Undo HASH. The queue had a race.":                                                              true,
		"net: drop the work\n\nIt is no longer needed. This reverts HASH, as the list is wrong.":        false,
		"net: fix the flag\n\nThe flag was known, but was removed in HASH.":                             true,
		"net: new login\n\nThere was a button, but it was removed in HASH.":                             false,
		"net: fix the leak\n\nThis was lost in HASH..1234567.":                                          false,
		"net: fix the leak\n\nThis was lost in HASH.":                                                   true,
		"Basic tests for the queue\n\nThis dies since HASH.":                                            false,
		"list: skip the slow test for now\n\nIt hangs since HASH.":                                      false,
		"net: revert HASH\n\nRevert the fix in favour of a better one.":                                 false,
		"Merge branch 'x'\n\n* x: fix a leak\n  Revert part of HASH":                                    false,
		"net: tidy up\n\nSince HASH the flag is lost when the call fails.":                              false,
		"net: fix the flag\n\nSince HASH the flag is lost and the call fails.":                          true,
		"tests: demonstrate a crash\n\nIt was introduced in HASH.":                                      false,
		"net: add a test for the crash\n\nThe crash was introduced in HASH.":                            false,
		"Add a bunch of parser test-cases\n\nThey find the bug introduced in HASH.":                     false,
		"tests: fix the test of sizes\n\nIt was broken by HASH.":                                        true,
		"net: add test and fix the crash\n\nThe crash was introduced in HASH.":                          true,
		"Development again\n\nThe version was changed in HASH by mistake.":                              false,
		"net: coding style\n\nFixes HASH.":                                                              false,
	} {
		if got := proseNames(message)[hash]; got != want {
			t.Errorf("%q: blamed %t, want %t", message, got, want)
		}
	}
}
