package execute

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A culprit that another data set names is a case if the tests begin to fail at it.
func TestNamedCulprit(t *testing.T) {
	h := gittest.New(t)
	var commits []gitext.OID
	for i, word := range []string{"good", "good", "bad", "bad"} {
		commits = append(commits, h.Commit("c", gittest.Files{"app.sh": fmt.Sprintf("# version %d\necho %s\n", i, word)}))
	}
	fixed := h.Commit("print the word", gittest.Files{"app.sh": "echo good\n", "t/run.sh": shellTest})
	repo := h.Open()
	space, err := trial.Open(t.Context(), repo, trial.Options{Timeout: time.Minute})
	if err != nil {
		t.Skip(err) // no sandbox works here
	}
	t.Cleanup(space.Close)
	for culprit, why := range map[gitext.OID]string{
		commits[2]: "",
		commits[1]: "not each time",
		commits[3]: "not each time",
		fixed:      "not in the history",
	} {
		name := filepath.Join(t.TempDir(), "named.jsonl")
		line := fmt.Sprintf(`{"repo":"o/r","fix":%q,"bics":[%q],"label_source":"a data set"}`, fixed, culprit)
		if err := os.WriteFile(name, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		named, err := readNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		m := &miner{name: "o/r", repo: repo, space: space, bounds: bounds{runs: 60, named: named}}
		fixes, err := m.fixes(t.Context())
		if err != nil || len(fixes) != 1 {
			t.Fatalf("%+v, %v", fixes, err)
		}
		f := fixes[0]
		s := &trialOfFix{miner: m, candidateFix: f, suite: suite{repo: repo, fix: f, language: "Shell", command: "sh t/run.sh", laid: overlaysOf(f)}}
		c, err := s.search(t.Context())
		if why != "" {
			if !errors.As(err, new(*noCase)) || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %+v, %v; want %q", culprit.Short(), c, err, why)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if p := c.Proof; c.BICs[0] != culprit || p.Kind != kindRegression || p.NamedBy != "a data set" || p.LastGood != commits[1] {
			t.Errorf("%+v", c)
		}
	}
}

// A line without a culprit is refused with its number.
func TestNamedCulpritsAreRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "named.jsonl")
	if err := os.WriteFile(name, []byte(`{"repo":"o/r","fix":"aaaa","bics":["bbbb"]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readNamed(name); err == nil || !strings.Contains(err.Error(), "named.jsonl:1: give") {
		t.Error(err)
	}
}

// A commit that splits off or imports the code did not write the bug.
func TestNeverWorkedBeforeASplit(t *testing.T) {
	lines := "a=1\nb=2\nc=3\n# the word that is printed at the end of the program\nword=bad\necho $word\n"
	rest := strings.Repeat("echo this file keeps most of its lines\n", 20)
	big := gittest.Files{"app.sh": lines}
	for i := range 40 {
		big[fmt.Sprintf("lib/f%d.sh", i)] = "echo\n"
	}
	for name, versions := range map[string][]gittest.Files{
		"older than the first commit": {{"all.sh": rest + lines}, {"all.sh": rest, "app.sh": lines}, {"README": "1"}},
		"adds 41 source files":        {{"README": "0"}, big, {"README": "1"}},
	} {
		h := gittest.New(t)
		for _, files := range versions {
			h.Commit("c", files)
		}
		h.Commit("fix the word", gittest.Files{"app.sh": strings.Replace(lines, "bad", "good", 1), "t/run.sh": shellTest})
		repo := h.Open()
		space, err := trial.Open(t.Context(), repo, trial.Options{Timeout: time.Minute})
		if err != nil {
			t.Skip(err)
		}
		fixes, err := fixesWithTests(t.Context(), repo, "")
		if err != nil || len(fixes) != 1 {
			t.Fatalf("%+v, %v", fixes, err)
		}
		f := fixes[0]
		s := &trialOfFix{
			miner: &miner{name: "o/r", repo: repo, space: space, bounds: bounds{runs: 60}}, candidateFix: f,
			suite: suite{repo: repo, fix: f, language: "Shell", command: "sh t/run.sh", laid: overlaysOf(f)},
		}
		c, err := s.search(t.Context())
		if !errors.As(err, new(*noCase)) || !strings.Contains(err.Error(), name) {
			t.Errorf("%+v, %v; want %q", c, err, name)
		}
		space.Close()
	}
}
