package szzcmd

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/gitext/gittest"
)

func TestNoCommandNamesATest(t *testing.T) {
	// The first file that a command might run is named, and not the data beside it: inih 498f34b changes thirteen baselines.
	t.Parallel()
	for files, want := range map[string]string{
		"tests/baseline.txt tests/unittest.c": "no command is known that runs tests/unittest.c;",
		"tests/data/a.toml tests/data/b.toml": "the fix changes only data, such as tests/data/a.toml;",
	} {
		if got := noCommand(strings.Fields(files)).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", files, got)
		}
	}
}

func TestCureNamesNoOptionOfFix(t *testing.T) {
	// szz has no --build, which yargs-parser was told to give.
	t.Parallel()
	h := gittest.New(t)
	at := h.Commit("c", gittest.Files{"package.json": `{"name":"p"}`})
	e := testrun.Ending{State: fix.Broken, How: "needs a part of the project that is not built"}
	e.Report.Lacks, e.Report.Missing = fix.LackBuilt, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'build/lib/index.js' imported from test/a.mjs"
	got, err := cureAt(t.Context(), h.Open(), at, "node test/a.mjs", e)
	if want := "--verify-cmd=<command> takes a command that also builds the project"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
