package render

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/bisect"
	bisectengine "git-agent/agent/bisect/engine"
	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/cmd/git-agent/pagetest"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// nasty is a text that would be a script, that a terminal would obey, and that has no place to break.
var nasty = "</title></pre><script>alert(1)</script>\" onclick=x \x1b[31m\u202e\u200b\xff" + strings.Repeat("long", 500)

func nastySuspect() suspect.Suspect {
	who := gitext.Person{Name: nasty, Email: nasty, Time: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)}
	s := suspect.Suspect{
		Commit:      gitext.Commit{OID: gitext.OID(strings.Repeat("a", 40)), Message: nasty + "\n\nbody", Author: who, Committer: who},
		Probability: 0.4, Reason: nasty, Signals: []suspect.Signal{{Name: nasty, Weight: -0.5}},
		Confirmation: &suspect.Confirmation{Status: "refuted", Detail: nasty},
	}
	for i := range 30 {
		s.Evidence = append(s.Evidence, suspect.Evidence{Path: nasty, Line: i, Text: nasty, Command: "git show " + nasty, Removed: i%2 == 0})
	}
	return s
}

// hostilePages writes a page of each verb, whose texts are all nasty.
func hostilePages(t *testing.T, dir string) (files []string) {
	t.Helper()
	id := gitext.OID(strings.Repeat("b", 40))
	s := szz.Suspect{Suspect: nastySuspect(), Type: "omission"}
	report, ranking := crashAnswer()
	report.Formats, report.Notes = []string{"sanitizer"}, []string{nasty}
	ranking.Suspects = []suspect.Suspect{nastySuspect()}
	ranking.Agent = &crash.AgentReport{Model: nasty, Explanation: nasty, Runs: []crash.Run{{Trace: "t1", RunReport: agent.RunReport{Turns: 2}}}}
	ranking.Files[0].Vote = &crash.Vote{Explanations: []string{nasty}}
	huge := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,200000 @@\n-" + nasty + "\n" + strings.Repeat("+one of very many lines of a patch of ten megabytes\n", 200_000)
	repair := &fix.Answer{
		Engine: "agent", Tried: 3, Notes: []string{nasty},
		Reproduction: fix.Reproduction{Command: nasty, State: fix.Failing, How: "fails (exit 1)", Runs: 3, Failing: []string{nasty}, Output: []byte(strings.Repeat(nasty+"\n", 100))},
		Plausible: []fix.Trial{
			{Verdict: fix.Plausible, Origin: nasty, Why: nasty, Commit: id, Cautions: []string{nasty}, Checks: []fix.Check{{Command: nasty, How: "passes"}}, Patch: fix.Patch{Diff: []byte(huge)}},
			{Verdict: fix.Plausible, Origin: nasty, Preferred: nasty, Votes: 3, Patch: fix.Patch{Diff: []byte("diff --git a/x b/x\n@@ -1 +1 @@\n-\t" + nasty + "\n+\tshort\n")}},
		},
		Others:       []fix.Trial{{Verdict: fix.Fails, Origin: nasty, Failing: []string{nasty}}},
		Localization: fix.Localization{Locations: []fix.Location{{Path: nasty, Function: nasty, Grounds: []fix.Ground{{Text: nasty}, {Text: "more"}}}}},
		Agent:        &fix.AgentReport{Model: nasty, Runs: []fix.Run{{Trace: "t1", Claim: fix.Claim{Explanation: nasty, RootCause: nasty}, Verdict: fix.Plausible}}},
	}
	culprit := nastySuspect()
	found := &bisectengine.Result{Answer: &bisect.Answer{
		Status: bisect.Proved, First: culprit.Commit.OID, Notes: []string{nasty},
		Runs: []bisect.Run{{Commit: id, Outcome: bisect.New, How: nasty}, {Commit: id, Outcome: bisect.Old, How: "passes", Earlier: true}},
	}, Culprit: &culprit, How: nasty, Failing: []string{nasty}}
	found.Question.Test, found.Question.Tip = nasty, id
	for name, add := range map[string]func(p *Page) error{
		"szz": func(p *Page) error {
			ans := Answer{Result: engine.Result{Fix: gitext.Commit{OID: id, Message: nasty}, Runs: []cache.RunID{"t1", ""}, Answer: &szz.Answer{
				Fix: id, Engine: "agent", Algorithm: "agent", Suspects: []szz.Suspect{s, s}, Owner: &s, Opinion: &s, Notes: []string{nasty}, Agent: &szz.AgentReport{Model: nasty},
			}}}
			if err := p.Answer(ans); err != nil {
				return err
			}
			return p.Answer(Answer{Result: engine.Result{Source: szz.SourceStaged, Answer: &szz.Answer{}}})
		},
		"crash":  func(p *Page) error { return p.Crash("-", report, ranking) },
		"fix":    func(p *Page) error { return p.Fix(id, repair) },
		"bisect": func(p *Page) error { return p.Bisect(found) },
	} {
		file := filepath.Join(dir, "hostile-"+name+".html")
		w, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		p := &Page{W: w, Verb: name, Version: "v1", Max: 5}
		if err := add(p); err != nil {
			t.Fatal(name, err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// A page shows texts of a repository, a report and a model as texts, is never large, and nobody sees
// anything wrong with it.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	files := hostilePages(t, t.TempDir())
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		if m := regexp.MustCompile(`<script|<[^>]*\son[a-z]+=|<[^>]*\s(src|href)=|ZgotmplZ`).FindString(page); m != "" {
			t.Errorf("%s has %q", file, m)
		}
		for _, r := range page {
			if quote.Hidden(r) {
				t.Errorf("%s has %U", file, r)
				break
			}
		}
		if len(page) > 600_000 || !strings.HasSuffix(page, "</html>\n") || !strings.Contains(page, "&lt;script&gt;") {
			t.Errorf("%s has %d bytes, and ends with %q", file, len(page), page[max(0, len(page)-40):])
		}
	}
	fixed, err := os.ReadFile(files[indexOf(files, "fix")])
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Not shown: %d more lines, and the end of 1 long line.", 200_005-2000); !strings.Contains(string(fixed), want) {
		t.Errorf("no %q", want)
	}
	pagetest.Test(t, files...)
}

func indexOf(files []string, verb string) int {
	for i, f := range files {
		if strings.HasSuffix(f, "-"+verb+".html") {
			return i
		}
	}
	return -1
}
