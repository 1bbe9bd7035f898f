package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/model/modeltest"
)

// These are a user's report about the broken script, and a model's tests for it.
const (
	complaint  = "size.sh prints 2 for a file with two lines of two words each. I expected 4.\n"
	ownText    = "got=$(sh size.sh)\ntest \"$got\" -eq 4 || { echo \"tests/new_test.sh:2: got $got words, want 4\"; exit 1; }\n"
	testPassed = `{"status":"success","explanation":"The second line is not counted."}`
)

// writes returns a call that writes a test.
func writes(path, text string) modeltest.Reply {
	args, err := json.Marshal(map[string]string{"path": path, "text": text})
	if err != nil {
		panic(err) // strings have a JSON form
	}
	return modeltest.Call("write_test", string(args))
}

// writing reports whether a request belongs to the conversation that writes the test.
func writing(req modeltest.Request) bool { return slices.Contains(req.Tools, "write_test") }

// newReportBench returns a bench with only a report of the bug, and a passing suite.
func newReportBench(t *testing.T, answer func(modeltest.Request) modeltest.Reply) *bench {
	t.Helper()
	b := newBench(t, answer)
	b.question.Problem = fix.Problem{Tree: b.question.Problem.Tree, Report: complaint, Suite: "grep -q one text && echo 'suite: one line'", WriteTest: true}
	return b
}

// obeys answers with the calls of the conversation that writes a test, then with those of a
// repair.
func obeys(write, repair []modeltest.Reply) func(modeltest.Request) modeltest.Reply {
	return func(req modeltest.Request) modeltest.Reply {
		list := repair
		if writing(req) {
			list = write
		}
		return list[min(req.Turn(), len(list)-1)]
	}
}

// Only a report is known: the model writes the test, and then the patch. The patch passes the
// model's own test and is not called plausible.
func TestRepairFromAReport(t *testing.T) {
	t.Parallel()
	b := newReportBench(t, obeys(
		[]modeltest.Reply{writes("tests/new_test.sh", ownText), modeltest.Call("finish", testPassed)},
		[]modeltest.Reply{modeltest.Call("edit", `{"path":"tests/new_test.sh","old":"-eq 4","new":"-eq 2"}`), repairs, modeltest.Call("finish", finishes)}))
	ans := b.answer()
	if ans.Declined != "" || len(ans.Plausible) != 0 || len(ans.OwnTested) != 1 || ans.OwnTested[0].Verdict != fix.OwnTested {
		t.Fatalf("%+v", ans.Answer)
	}
	own := ans.OwnTest
	if own == nil || own.File.Path != "tests/new_test.sh" || own.Command != "sh tests/new_test.sh" || own.Why != "The second line is not counted." {
		t.Errorf("%+v", own)
	}
	if ans.Reproduction.State != fix.Failing || !strings.Contains(string(ans.Reproduction.Output), "got 2 words, want 4") {
		t.Errorf("%+v", ans.Reproduction)
	}
	if diff := string(ans.OwnTested[0].Patch.Diff); strings.Contains(diff, "new_test.sh") || !strings.Contains(diff, "+\tcat") {
		t.Errorf("the patch is\n%s", diff)
	}
	offered := ans.Offered()[0].Patch
	if len(offered.Files) != 2 || !strings.Contains(string(offered.Diff), "+++ b/tests/new_test.sh") {
		t.Errorf("offered is\n%s", offered.Diff)
	}
	if runs := ans.Agent.Runs; len(runs) != 2 || runs[0].Phase != fix.PhaseTest || runs[0].Trace == "" || runs[1].Verdict != fix.OwnTested || runs[1].Trace == "" {
		t.Errorf("%+v", ans.Agent.Runs)
	}
	b.checkRequests(t)
}

// checkRequests checks the requests of the two conversations of a repair from a report.
func (b *bench) checkRequests(t *testing.T) {
	t.Helper()
	sent := b.server.Requests()
	first, second := sent[0], sent[slices.IndexFunc(sent, func(r modeltest.Request) bool { return !writing(r) })]
	for _, want := range []string{"# The report\n\nsize.sh prints 2", "# How all tests are run\n\n$ grep -q one text", "Write a test that fails because of this bug"} {
		if !strings.Contains(first.Messages[1].Text, want) {
			t.Errorf("no %q in\n%s", want, first.Messages[1].Text)
		}
	}
	if slices.Contains(first.Tools, "edit") || slices.Contains(first.Tools, "bash") || !slices.Contains(first.Tools, "cat") {
		t.Errorf("the test is written with %v", first.Tools)
	}
	answer := sent[1].Last().Text
	if !strings.HasPrefix(answer, saidFailsFirst) || !strings.Contains(answer, "$ sh tests/new_test.sh\n") || !strings.Contains(answer, "got 2 words, want 4") {
		t.Errorf("write_test answers\n%s", answer)
	}
	if text := second.Messages[1].Text; !strings.Contains(text, "$ sh tests/new_test.sh") || !strings.Contains(text, "got 2 words, want 4") || !strings.Contains(text, "size.sh prints 2") {
		t.Errorf("the repair starts from\n%s", text)
	}
	if refused := sent[3].Last().Text; !strings.Contains(refused, "belongs to the tests") {
		t.Errorf("the repair may change the test: %s", refused)
	}
}

const saidFailsFirst = "the new test fails, as it must before the repair\n"

// A test that does not show the bug begins no repair.
func TestTestsThatShowNothing(t *testing.T) {
	t.Parallel()
	success := modeltest.Call("finish", testPassed)
	failure := modeltest.Call("finish", `{"status":"failure","explanation":"The report names no input."}`)
	for name, c := range map[string]struct {
		calls []modeltest.Reply
		suite string
		want  string
	}{
		"it passes, and the model says it fails": {[]modeltest.Reply{writes("tests/new_test.sh", "sh size.sh\n"), success}, "", "the model wrote no test that fails because of the bug"},
		"the model gives up":                     {[]modeltest.Reply{writes("tests/new_test.sh", ownText), failure}, "", "The report names no input."},
		"no test":                                {[]modeltest.Reply{failure}, "", "The report names no input."},
		"it is flaky":                            {[]modeltest.Reply{writes("tests/new_test.sh", "test -e seen && exit 0\n: >seen\necho 'x.sh:1: no'\nexit 1\n"), success}, "", "flaky"},
		"it fails without the file too":          {[]modeltest.Reply{writes("tests/new_test.c", "int main(void) { return 1; }\n"), success}, "echo 'all.sh:1: broken'; exit 1", "its command fails in the same way without it"},
	} {
		b := newReportBench(t, obeys(c.calls, []modeltest.Reply{modeltest.Call("finish", gives)}))
		if c.suite != "" {
			b.question.Problem.Suite = c.suite
		}
		ans := b.answer()
		if !strings.Contains(ans.Declined, c.want) || ans.Tried != 0 || ans.OwnTest != nil {
			t.Errorf("%s: declined %q, %+v", name, ans.Declined, ans.Answer)
		}
		if ans.Agent == nil || len(ans.Agent.Runs) != 1 || ans.Agent.Runs[0].Phase != fix.PhaseTest {
			t.Errorf("%s: %+v", name, ans.Agent)
		}
		if slices.ContainsFunc(b.server.Requests(), func(r modeltest.Request) bool { return !writing(r) }) {
			t.Errorf("%s: a repair was begun", name)
		}
	}
}

// An existing file, a file that programs obey, and a file without a test's name are refused,
// and the model is told why.
func TestRefusedTestFiles(t *testing.T) {
	t.Parallel()
	refused := []struct{ path, why string }{
		{"check_test.sh", "is there already"}, {"size.sh/new_test.sh", "is there already"}, {"tests/conftest.py", "programs obey"}, {"../new_test.sh", "leads out"},
		{".git/new_test.sh", "belongs to git"}, {"src/fresh.sh", "not called like a test"}, {"tests/new_test.go", "does not parse"},
	}
	var calls []modeltest.Reply
	for _, r := range refused {
		calls = append(calls, writes(r.path, ownText))
	}
	b := newReportBench(t, obeys(append(calls, modeltest.Call("finish", `{"status":"failure"}`)), []modeltest.Reply{modeltest.Call("finish", gives)}))
	b.answer()
	sent := b.server.Requests()
	if len(sent) != len(refused)+1 {
		t.Fatalf("%d requests", len(sent))
	}
	for i, r := range refused {
		if text := sent[i+1].Last().Text; !strings.Contains(text, r.why) {
			t.Errorf("%s: %s", r.path, text)
		}
	}
}

// A patch that the wider tests reject does not pass, even if the model's own test passes.
func TestOwnTestAndTheSuite(t *testing.T) {
	t.Parallel()
	b := newReportBench(t, obeys(
		[]modeltest.Reply{writes("tests/new_test.sh", ownText), modeltest.Call("finish", testPassed)},
		[]modeltest.Reply{repairs, modeltest.Call("finish", finishes)}))
	b.question.Problem.Suite = "grep -q 'head -n 1' size.sh || { echo 'suite.sh:1: head is gone'; exit 1; }"
	ans := b.answer()
	if len(ans.Plausible)+len(ans.OwnTested) != 0 || len(ans.Others) != 1 || ans.Others[0].Verdict != fix.Regresses {
		t.Errorf("%+v", ans.Answer)
	}
}

// A guessed command that passes becomes the wider tests; one that fails is the bug, and no
// test is written.
func TestGuessedCommandOfAReport(t *testing.T) {
	t.Parallel()
	for test, written := range map[string]bool{"test -e text": true, "sh check_test.sh": false} {
		b := newReportBench(t, obeys(
			[]modeltest.Reply{writes("tests/new_test.sh", ownText), modeltest.Call("finish", testPassed)},
			[]modeltest.Reply{repairs, modeltest.Call("finish", finishes)}))
		b.question.Problem.Test, b.question.Problem.Suite = test, ""
		ans := b.answer()
		if (ans.OwnTest != nil) != written || written && len(ans.OwnTested) != 1 || !written && len(ans.Plausible) != 1 {
			t.Errorf("%s: %+v", test, ans.Answer)
		}
		if written && !strings.Contains(b.server.Requests()[0].Messages[1].Text, "$ test -e text") {
			t.Errorf("%s is not the suite", test)
		}
	}
}

// Without a model nobody can write a test.
func TestReportWithoutAModel(t *testing.T) {
	t.Parallel()
	b := newReportBench(t, nil)
	if ans := b.answer(); ans.Declined != needsModel {
		t.Errorf("%q", ans.Declined)
	}
	b.question.Problem.Test = "test -e text"
	if ans := b.answer(); !strings.Contains(ans.Declined, "only a model can write one from the report") {
		t.Errorf("%q", ans.Declined)
	}
}

// Work that ended after the test was written goes on with that test, and a recorded repair
// from a report can be taken up again by itself.
func TestReportIsTakenUpAgain(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	interrupted, wrote := false, 0
	b := newReportBench(t, func(req modeltest.Request) modeltest.Reply {
		if writing(req) {
			wrote++
			return []modeltest.Reply{writes("tests/new_test.sh", ownText), modeltest.Call("finish", testPassed)}[req.Turn()]
		}
		if !interrupted {
			interrupted = true
			cancel()
		}
		return []modeltest.Reply{repairs, modeltest.Call("finish", finishes)}[req.Turn()]
	})
	if _, err := b.Answer(ctx, b.question, nil); err == nil {
		t.Fatal("the work was not interrupted")
	}
	b.open()
	ans := b.answer()
	if wrote != 2 || len(ans.OwnTested) != 1 {
		t.Errorf("the test was asked for in %d requests, %+v", wrote, ans.Answer)
	}
	for _, run := range b.recorded() {
		spec, err := SpecOf(run)
		if err != nil {
			t.Fatal(err)
		}
		again, err := b.again(t.Context(), spec, nil)
		if strings.HasPrefix(spec.Title, "a test of: size.sh prints 2") {
			if err == nil || !strings.Contains(err.Error(), "wrote the test") {
				t.Errorf("%s: %v", spec.Title, err)
			}
			continue
		}
		if err != nil || again.problem.OwnTest == nil {
			t.Fatalf("%s: %v", spec.Title, err)
		}
		again.proof.Close()
		again.close()
	}
}
