package fixeval

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const rest = "\n# other\nid() {\n\techo \"$1\"\n}\n"

// The fix of the developers is plausible and equal to itself.
func TestDevelopers(t *testing.T) {
	p := newBug(t).answer("developers")
	if len(p.Patches) != 1 {
		t.Fatalf("%+v", p)
	}
	if j := p.Patches[0]; j.Verdict != fix.Plausible || !j.Exact || !j.SameFiles || !j.SameFunctions || j.EditsTests || !strings.Contains(j.Diff, "+\techo $(($1 + $2))") {
		t.Errorf("%+v", j)
	}
}

// The judge runs the commands itself, because an engine's plausible patch may be wrong. Each
// patch is judged in a clean copy.
func TestJudge(t *testing.T) {
	p := newBug(t).answer("agent",
		gittest.Files{"lib.sh": fixedAdd + "\n# another comment\nid() {\n\techo  \"$1\"\n}\n"}, // the fix in other words
		gittest.Files{"lib.sh": brokenAdd + rest, "README": "other\n"},                         // repairs nothing
		gittest.Files{"lib.sh": "add() {\n\techo 5\n}\n\n# other\nid() {\n\techo 8\n}\n"},      // breaks another test
		gittest.Files{"test/add.sh": "exit 0\n", "test/old.sh": "exit 0\n"},                    // edits the tests only
		gittest.Files{"lib.sh": "add() {\n\techo 5\n}\n" + rest, "test/old.sh": "false\n"})     // hard-codes the result
	want := []Judged{
		{Verdict: fix.Plausible, Exact: true, SameFiles: true, SameFunctions: true},
		{Verdict: fix.Fails},
		{Verdict: fix.Regresses},
		{Verdict: fix.Refused, EditsTests: true},
		{Verdict: fix.Plausible, EditsTests: true, SameFiles: true, SameFunctions: true},
	}
	if len(p.Patches) != len(want) {
		t.Fatalf("%+v", p.Patches)
	}
	for i, w := range want {
		j := p.Patches[i]
		if j.Verdict != w.Verdict || j.EditsTests != w.EditsTests || w.Verdict == fix.Plausible && (j.Exact != w.Exact || j.SameFiles != w.SameFiles || j.SameFunctions != w.SameFunctions) {
			t.Errorf("patch %d: %+v", i+1, j)
		}
	}
	if p.Claimed != 5 || p.Judging <= 0 {
		t.Errorf("%d claimed, %v s", p.Claimed, p.Judging)
	}
}

// A hard-coded result fails if the wider tests ask for another one.
func TestHardCoded(t *testing.T) {
	b := newBug(t)
	b.c.TestFiles = append(b.c.TestFiles, "test/more.sh")
	b.Git("checkout", "-q", string(b.c.Fix))
	b.c.Fix = b.Commit("another test", gittest.Files{"test/more.sh": ". ./lib.sh\n[ \"$(add 1 1)\" = 2 ] || exit 1\n"})
	p := b.answer("agent", gittest.Files{"lib.sh": "add() {\n\techo 5\n}\n" + rest})
	if got := p.Patches[0]; got.Verdict == fix.Plausible || got.Exact {
		t.Errorf("%+v", got)
	}
}

// A patch that adds or deletes tests leaves the tests of the fix in place. A patch in the form of
// file ids is read.
func TestRestoredTests(t *testing.T) {
	b := newBug(t)
	gone := gittest.Files{"test/add.sh": gittest.Gone, "test/old.sh": gittest.Gone, "lib.sh": brokenAdd + rest + "# x\n"}
	if p := b.answer("agent", gone); p.Patches[0].Verdict != fix.Fails || !p.Patches[0].EditsTests {
		t.Errorf("without its tests: %+v", p.Patches[0])
	}
	oid := gitext.OID(b.Git("rev-parse", string(b.c.Base)+"~:lib.sh"))
	p := newBug(t).answerWith("agent", &fix.Answer{Plausible: []fix.Trial{{Patch: fix.Patch{Files: []gitext.Overlay{{Path: "lib.sh", Mode: 0o100644, OID: oid}}}}}})
	if j := p.Patches[0]; j.Verdict != fix.Plausible || !j.Exact {
		t.Errorf("by id: %+v", j)
	}
}

// A test that passes without a patch, and a command that is not found, cannot judge a patch: they
// are errors of the case.
func TestNoReproduction(t *testing.T) {
	for command, want := range map[string]string{"true": "passes without a patch", "no-such-command-here": "found no program"} {
		b := newBug(t)
		b.c.TestCmd = command
		_, ask := b.begin(Options{Trial: local})
		if _, err := ask(t.Context(), "developers"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", command, err)
		}
	}
}

// A base whose tests do not build reproduces no bug: the developers' fix, with which they may not build
// either, as with a newer compiler, gets no verdict.
func TestBaseDoesNotBuild(t *testing.T) {
	b := newBug(t)
	b.c.TestCmd = "echo 'error[E0425]: cannot find value `x` in this scope'; echo 'error: could not compile `add` (lib) due to 1 previous error'; exit 101"
	_, ask := b.begin(Options{Trial: local})
	if _, err := ask(t.Context(), "developers"); err == nil || !strings.Contains(err.Error(), "not reproduced: the test command does not build (exit 101)") {
		t.Errorf("%v", err)
	}
}

// Only the first patches are judged, and long texts are cut.
func TestBounded(t *testing.T) {
	long := strings.Repeat("# a long line of comment that is the same again and again\n", 400)
	var patches []gittest.Files
	for range mostPatches + 3 {
		patches = append(patches, gittest.Files{"lib.sh": fixedAdd + rest + long})
	}
	p := newBug(t).answer("offline", patches...)
	if len(p.Patches) != mostPatches || p.Claimed != mostPatches+3 {
		t.Fatalf("%d judged, %d claimed", len(p.Patches), p.Claimed)
	}
	if j := p.Patches[0]; len(j.Diff) != maxDiff || j.Cut < 10<<10 || !j.Exact {
		t.Errorf("%d bytes kept, %d cut, exact %v", len(j.Diff), j.Cut, j.Exact)
	}
}

// The suspected functions have the positions of the first function that the fix changes, and of
// its file.
func TestLocate(t *testing.T) {
	at := func(path string, start, end int) fix.Location {
		return fix.Location{Path: path, Lines: gitext.LineRange{Start: start, End: end}, Function: "f"}
	}
	ans := &fix.Answer{Localization: fix.Localization{Locations: []fix.Location{at("a.sh", 1, 9), at("lib.sh", 6, 8), at("a.sh", 20, 30), at("lib.sh", 1, 3)}},
		Plausible: []fix.Trial{{}}}
	p := newBug(t).answerWith("locate", ans)
	if p.FunctionRank != 4 || p.FileRank != 2 || p.Located != 4 || p.Patches != nil || p.Claimed != 0 {
		t.Errorf("%+v", p)
	}
}

// A patch that passes only a test by its model counts by the judge's verdict: the model's test is
// not judged, and is not a trajectory.
func TestPatchesOfAModelsOwnTest(t *testing.T) {
	for text, want := range map[string]fix.Verdict{
		fixedAdd + "\n# other\nid() {\n\techo \"$1\"\n}\n":     fix.Plausible,
		"add() {\n\techo 5.0\n}\n\nid() {\n\techo \"$1\"\n}\n": fix.Fails,
	} {
		b := newBug(t)
		own := &fix.OwnTest{File: patchOf(gittest.Files{"test/own.sh": "exit 1\n"}).Files[0], Command: "sh test/own.sh"}
		tried := fix.Trial{Verdict: fix.OwnTested, Origin: "trajectory 1", Patch: patchOf(gittest.Files{"lib.sh": text})}
		p := b.answerWith("agent-none", &fix.Answer{OwnTest: own, OwnTested: []fix.Trial{tried}, Tried: 1, Agent: &fix.AgentReport{Runs: []fix.Run{
			{Phase: fix.PhaseTest}, {Verdict: fix.OwnTested, Tried: &tried}}}})
		if len(p.Patches) != 1 || p.Patches[0].Verdict != want || p.Claimed != 1 {
			t.Errorf("%s: %+v", want, p)
		}
		if len(p.Trajectories) != 1 || p.Trajectories[0].Said != fix.OwnTested || p.Trajectories[0].Verdict != want {
			t.Errorf("%s: %+v", want, p.Trajectories)
		}
		if s := (Task{}).Score(b.c, p); s.Right != (want == fix.Plausible) || s.Empty {
			t.Errorf("%s: %+v", want, s)
		}
	}
}
