package render

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/release"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// COLUMNS applies to all text except commands to copy: subjects, reasons and notes are wrapped,
// and a command stays on its line.
func TestSzzHumanInNarrowColumns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a word of many ", 8)
	culprit := gitext.Commit{OID: gitext.OID(strings.Repeat("a", 40)), Message: long}
	culprit.Author = gitext.Person{Name: "A U Thor", Time: time.Unix(0, 0).UTC()}
	command := "git blame -w -L 1,1 " + strings.Repeat("b", 40) + " -- a/path"
	ans := Answer{Result: engine.Result{Fix: gitext.Commit{Message: long}, Answer: &szz.Answer{
		Fix: gitext.OID(strings.Repeat("f", 40)), Algorithm: "rank", Engine: "offline", Notes: []string{long},
		Suspects: []szz.Suspect{{Suspect: suspect.Suspect{
			Commit: culprit, Probability: 0.5, Reason: long,
			Evidence: []suspect.Evidence{{Path: "a/path", Line: 1, Text: long, Command: command}},
			Signals:  []suspect.Signal{{Name: "a signal with a long name", Weight: 1}, {Name: "another one with a long name", Weight: 1}},
		}}},
	}}}
	var out bytes.Buffer
	if err := NewHuman(&out, ui.Palette{}, 60, false, nil).Answer(ans); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSuffix(line, "\n")
		if copied := strings.TrimSpace(line) == command; len(line) > 60 && !copied || strings.TrimRight(line, " ") != line {
			t.Errorf("%d columns: %q", len(line), line)
		}
	}
	if !strings.Contains(out.String(), command+"\n") {
		t.Errorf("the command is not on a line of its own:\n%s", &out)
	}
}

// Uncertain results do not look certain.
func TestPercent(t *testing.T) {
	for p, want := range map[float64]string{1: "100%", 0.9999: " 99%", 0.5: " 50%", 0.004: "  0%"} {
		if got := percent(p); got != want {
			t.Errorf("%v reads %q, want %q", p, got, want)
		}
	}
}

// Evidence without a file is only its command, without an empty line above.
func TestSzzHumanEvidenceWithoutPath(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := NewHuman(&out, ui.Palette{}, 100, false, nil)
	r.evidence(&out, []suspect.Evidence{{Command: "git show abc"}})
	if got, want := out.String(), "        git show abc\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A command for several lines is printed once, below the lines in their order, and a name with
// hidden characters is visibly quoted.
func TestSzzHumanEvidenceTogether(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := NewHuman(&out, ui.Palette{}, 100, false, nil)
	r.evidence(&out, []suspect.Evidence{
		{Path: "a.c", Line: 9, Removed: true, Text: "nine", Command: "git blame -L 8,9 x -- a.c"},
		{Path: "a\nb.c", Line: 4, Removed: true, Text: "four", Command: "git blame -L 4,4 x"},
		{Path: "a.c", Line: 8, Text: "eight", Command: "git blame -L 8,9 x -- a.c"},
	})
	want := `      a.c:8  eight
      a.c:9  - nine
        git blame -L 8,9 x -- a.c
      "a\nb.c":4  - four
        git blame -L 4,4 x
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// An improbable owner of lines is a note, and is shown in full only on request.
func TestSzzHumanImprobableOwner(t *testing.T) {
	t.Parallel()
	owner := &szz.Suspect{Suspect: suspect.Suspect{
		Commit:   gitext.Commit{OID: gitext.OID(strings.Repeat("c", 40)), Message: "owner of lines"},
		Evidence: []suspect.Evidence{{Text: "a line", Command: "git show"}},
	}}
	for _, c := range []struct {
		p     float64
		all   bool
		whole bool
		how   string
	}{{0.02, false, false, "hardly the origin (2%)"}, {0.02, true, true, ""}, {0.0997, false, false, "probably not the origin (10%)"}, {0.3, false, true, ""}} {
		owner.Probability = c.p
		ans := Answer{Result: engine.Result{Fix: gitext.Commit{Message: "fix"}, Answer: &szz.Answer{
			Fix: gitext.OID(strings.Repeat("f", 40)), Algorithm: "rank", Engine: "offline", Owner: owner,
		}}}
		var out bytes.Buffer
		if err := NewHuman(&out, ui.Palette{}, 100, c.all, nil).Answer(ans); err != nil {
			t.Fatal(err)
		}
		note := "note: cccccccccccc wrote most of the code that the fix removes, and is " + c.how
		if whole := strings.Contains(out.String(), "owner of lines"); whole != c.whole || strings.Contains(strings.Join(strings.Fields(out.String()), " "), note) == c.whole {
			t.Errorf("%.0f%%, all %v: the owner is listed: %v\n%s", 100*c.p, c.all, whole, &out)
		}
	}
}

// A reader who cannot give options, such as a client of MCP, is told how much is left out and of no option.
func TestWithoutFlags(t *testing.T) {
	t.Parallel()
	var szzText, tags, crashText bytes.Buffer
	NewHuman(nil, ui.Palette{}, 100, false, nil).WithoutFlags().evidence(&szzText, make([]suspect.Evidence, shownEvidence+2))
	(&Affected{NoFlags: true}).ranges(&tags, &release.Answer{Others: make([]string, shownPicks+2)})
	report := &crash.Report{Problems: make([]crash.Problem, 9), Stacks: []crash.Stack{{Frames: make([]crash.Frame, stackFrames+2)}}}
	for i := range report.Problems {
		report.Problems[i].Kind = "panic " + strconv.Itoa(i)
	}
	for i := range report.Stacks[0].Frames {
		report.Stacks[0].Frames[i].Path = "a.go"
	}
	r := &CrashHuman{Width: 100, NoFlags: true, Place: func(p string) string { return p }}
	r.heading(&crashText, "-", report, &crash.Answer{})
	r.stacks(&crashText, report, &crash.Answer{})
	for text, want := range map[string]string{
		szzText.String(): "and 2 more\n", tags.String(): "2 more tags\n", crashText.String(): "problems more\n", crashText.String() + " ": "2 more frames\n",
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "-v") {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}
