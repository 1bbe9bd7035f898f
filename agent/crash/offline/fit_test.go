package offline

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A version in the text of a report counts without the program's name if the code of its tag fits,
// and the newest such version counts.
func TestVersionThatFits(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tagged := map[string]gitext.OID{}
	for i, v := range []string{"v0.14.1", "v0.14.2", "v0.14.3", "v0.15.0"} {
		text := loader
		if v == "v0.15.0" {
			text = strings.ReplaceAll(loader, "=", ":")
		}
		tagged[v] = h.Commit(v, gittest.Files{"load.py": strings.Repeat("# "+v+"\n", min(i, 1)*3) + text, "version": v})
		h.Git("tag", v)
	}
	head := h.Commit("two", gittest.Files{"setup.cfg": "name = settings\n", "load.py": "import io\n\n\n" + strings.ReplaceAll(loader, "line", "entry") + "\n# end\n"})
	repo := h.Open()
	for text, want := range map[string]gitext.OID{
		"# 0.14.3 crashes at the start":           tagged["v0.14.3"],
		"0.14.2 is broken, and so is 0.14.3":      tagged["v0.14.3"],
		"since 0.14.3; 0.14.1 worked":             tagged["v0.14.3"],
		"with my-fork-of-it-0.14.2+ubuntu1":       tagged["v0.14.2"],
		"0.15.0 and 0.99.9 and 3.12.1 of python":  head,              // their code does not fit, or they are no tags
		"and no version at all, only 0.5 seconds": head,              // no release has all lines
		"settings 0.15.0, was fine in 0.14.2":     tagged["v0.15.0"], // the program's own name counts, whatever fits
		"settings 0.14.3, then settings 0.15.0":   tagged["v0.14.3"], // unless it has several versions
	} {
		trace := strings.NewReplacer("line 10, in parse", "line 10, in parse", "line 14, in top", "line 40, in top").Replace(loaderTrace)
		report, err := format.Read(strings.NewReader(text + "\n" + trace))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != want || want != head && want != tagged["v0.15.0"] && (got.Fit.Other() || !strings.Contains(strings.Join(got.Notes, "\n"), "the code of ")) {
			t.Errorf("%s: at %s from %q, want %s; fit %+v, notes %q", text, got.Commit.Short(), got.CommitFrom, want.Short(), got.Fit, got.Notes)
		}
	}
}

// A commit that the text calls the cause is the first suspect, if the history has it.
func TestAccusedCommit(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	other := h.Commit("Add g (#12)", gittest.Files{"b.c": "int g;\n"})
	h.Commit("one", gittest.Files{"a.c": "int f(int *p)\n{\n\treturn *p;\n}\n"})
	repo := h.Open()
	const stack = "\n==7==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    #0 0x4 in f a.c:3\n"
	id := string(other)
	for text, want := range map[string]bool{
		id + " is the first bad commit":                                    true,
		"It appears the bug was introduced in " + id[:12] + ".":            true,
		"Introduced by https://github.com/x/y/commit/" + id + ", I think":  true,
		"bisected to `" + id[:10] + "`":                                    true,
		"A regression from PR #12":                                         true,
		"A regression from PR #1":                                          false,
		"This is caused by https://github.com/x/another/pull/12":           false,
		"I looked at " + id[:12] + ". It was introduced later":             false,
		"deadbeefdeadbeefdeadbeefdeadbeefdeadbeef is the first bad commit": false,
	} {
		report, err := format.Read(strings.NewReader(text + stack))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report, Suspects: 2})
		if err != nil {
			t.Fatal(err)
		}
		first := got.Suspects[0]
		if accused := first.Commit.OID == other; accused != want || accused && (first.Reason != accusation || len(got.Suspects) != 2) {
			t.Errorf("%s: %+v", text, got.Suspects)
		}
	}
}

// The letter of a release of tmux or OpenSSL counts as a number behind the others.
func TestNewestVersion(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"3.3a", "3.3"}, {"3.4", "3.3a"}, {"v1.0.2k", "v1.0.2"}, {"v1.0.2k", "v1.0.2b"}, {"v1.0.10", "v1.0.9"}} {
		if newestVersion(gitext.Tag{Name: pair[0]}, gitext.Tag{Name: pair[1]}) >= 0 {
			t.Errorf("%s is not newer than %s", pair[0], pair[1])
		}
	}
}
