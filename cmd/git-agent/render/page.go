package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/agent/htmlpage"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

//go:embed page.html
var pageHTML string

// Page writes answers as one HTML page, which needs nothing beside it, for a ticket or a mail. It
// shows everything that the text shows with -v, but bounds long texts. Paths and commands are those
// of the top directory of the repository.
type Page struct {
	W       io.Writer
	Verb    string // szz, crash, fix or bisect
	Version string // of the program
	Max     int    // most files of a crash
	Locate  bool   // of fix, only the suspected functions are wanted

	tmpl    *template.Template
	started bool
}

// These bound texts on a page.
const (
	maxPageLine = 300      // characters of a line of code, a command or a name
	maxPageText = 20 << 10 // bytes of an output
)

// Answer adds the answer of szz to the page.
func (p *Page) Answer(ans Answer) error {
	v := AnswerJSONOf(ans)
	for i, s := range v.Suspects {
		v.Suspects[i] = commandsOnce(s)
	}
	for _, s := range []*SuspectJSON{v.Owner, v.Opinion} {
		if s != nil {
			*s = commandsOnce(*s)
		}
	}
	title := "the " + sourceTitle(ans.Source)
	if v.Subject != "" {
		title = v.Subject
	}
	runs := []string(nil)
	for _, id := range ans.Runs {
		runs = append(runs, string(id))
	}
	return p.add("szz", title, struct {
		AnswerJSON
		Title, None string
		Hidden      int
		Work        *pageWork
	}{v, title, noSuspect(v.Incomplete), ans.hidden, workOf(v.Agent != nil, func() (string, modelWork) {
		return ans.Answer.Agent.Model, modelWorkOf(ans.Answer.Agent.RunReports())
	}, runs)})
}

// Crash adds the answer about a report to the page.
func (p *Page) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	v := CrashAnswerOf(name, report, ranking, p.Max)
	title, problems := "crash", problemTexts(report)
	if len(problems) > 0 {
		title, problems = problems[0], problems[1:]
	}
	var suspected []SuspectJSON
	for _, s := range ranking.Suspects {
		suspected = append(suspected, commandsOnce(suspectJSONOf(szz.Suspect{Suspect: s})))
	}
	var runs []string
	if ranking.Agent != nil {
		for _, r := range ranking.Agent.Runs {
			runs = append(runs, r.Trace)
		}
	}
	return p.add("crash", title, struct {
		CrashAnswerJSON
		Suspected                    []SuspectJSON
		Title, Stack, Stacks, Search string
		Problems                     []string
		OtherVersion                 bool
		Places                       func(f crash.File) []string
		Work                         *pageWork
	}{
		v, suspected, title, stackText(report, ranking, false), stackText(report, ranking, true),
		searchCommand(ranking), problems, ranking.Fit.Other(),
		func(f crash.File) []string { return plainCrash(false).places(report, f) },
		workOf(v.Agent != nil, func() (string, modelWork) { return ranking.Agent.Model, modelWorkOf(ranking.Agent.RunReports()) }, runs),
	})
}

// Fix adds the answer about a bug to the page.
func (p *Page) Fix(commit gitext.OID, ans *fix.Answer) error {
	v := FixAnswerOf(commit, ans)
	title := v.Test.Command
	if title == "" {
		title = "repair of " + commit.Short()
	}
	outcome := outcomeText(ans, true)
	if p.Locate {
		outcome = ""
	}
	patches := v.Patches
	if len(patches) == 0 {
		patches = v.OwnTested
	}
	return p.add("fix", title, struct {
		FixAnswerJSON
		Title, Outcome string
		Offered        []fixPatchJSON
		Work           *pageWork
		Fates          []pageFate
	}{v, title, outcome, patches, workOf(v.Agent != nil, func() (string, modelWork) {
		return ans.Agent.Model, modelWorkOf(ans.Agent.RunReports())
	}, nil), fatesOf(ans.Agent)})
}

// Bisect adds the end of a search to the page.
func (p *Page) Bisect(found *engine.Result) error {
	v := BisectJSONOf(found)
	if v.First != nil {
		*v.First = commandsOnce(*v.First)
	}
	command := ""
	if found.Status == bisect.Proved && found.GitAgrees() {
		command = gitBisect(found, "")
	}
	return p.add("bisect", v.Command, struct {
		BisectJSON
		Title, Role, Same, Took string
		Subject                 func(gitext.OID) string
	}{v, v.Command, culpritTitle(found), command, runsText(found), found.Subject})
}

// pageWork is the amount of a model's work.
type pageWork struct {
	Model, Text string
	Runs        []string // names of recorded runs
}

func workOf(asked bool, of func() (string, modelWork), runs []string) *pageWork {
	if !asked {
		return nil
	}
	name, done := of()
	text := []string{agent.Plural(done.Turns, "turn"), agent.Plural(done.Calls, "tool call"), UsageText(done.Usage)}
	w := &pageWork{Model: name, Text: strings.Join(text, ", ")}
	for _, id := range runs {
		if id != "" {
			w.Runs = append(w.Runs, id)
		}
	}
	return w
}

// pageFate is the end of a trajectory of fix.
type pageFate struct{ Trace, History, Fate, Explanation, Cause string }

func fatesOf(report *fix.AgentReport) []pageFate {
	if report == nil {
		return nil
	}
	var list []pageFate
	for _, r := range report.Runs {
		list = append(list, pageFate{r.Trace, fix.Name(r.History), fateOf(r), r.Claim.Explanation, r.Claim.RootCause})
	}
	return list
}

// plainCrash returns a renderer of crashes without colours.
func plainCrash(all bool) *CrashHuman {
	return &CrashHuman{Width: 200, All: all, NoFlags: true, Place: func(path string) string { return path }}
}

// searchCommand returns the command of git bisect for a crash whose good commit is known.
func searchCommand(ranking *crash.Answer) string {
	if ranking.Since == "" {
		return ""
	}
	return fmt.Sprintf("git bisect start %s %s && git bisect run <command>", ranking.Commit.Short(), ranking.Since.Short())
}

// add writes the template of an answer, and before the first one the head of the page.
func (p *Page) add(name, title string, data any) error {
	if err := p.start(title); err != nil {
		return err
	}
	return htmlpage.Write(p.W, p.tmpl.Lookup(name), data)
}

// start writes the head of the page once. Its title names the first answer.
func (p *Page) start(title string) (err error) {
	if p.started {
		return nil
	}
	p.tmpl, err = htmlpage.Parse("answers", pageHTML, template.FuncMap{
		"percent": func(f float64) string { return strings.TrimSpace(percent(f)) }, "signed": func(f float64) string { return fmt.Sprintf("%+.2f", f) },
		"short": shortID, "day": func(date string) string { return date[:min(len(date), len(time.DateOnly))] },
		"rank": func(i int) int { return i + 1 },
		"how":  typeTitle, "capital": capital, "slot": confirmationClass, "outcome": outcomeWord, "plural": agent.Plural,
		"clip": clipLine, "clipped": clipText,
	})
	if err != nil {
		return err
	}
	p.started = true
	return htmlpage.Write(p.W, p.tmpl.Lookup("top"), struct{ Verb, Title string }{p.Verb, title})
}

// Started reports whether the page has an answer.
func (p *Page) Started() bool { return p.started }

// Close writes the end of the page.
func (p *Page) Close() error {
	if err := p.start("no answer"); err != nil {
		return err
	}
	return htmlpage.Write(p.W, p.tmpl.Lookup("bottom"), p.Version)
}

// shortID shortens the id of a commit.
func shortID(id any) string { return gitext.OID(fmt.Sprint(id)).Short() }

// stackText draws the main stack of a report, or all of its stacks.
func stackText(report *crash.Report, ranking *crash.Answer, all bool) string {
	var b bytes.Buffer
	plainCrash(all).stacks(&b, report, ranking)
	return strings.Trim(b.String(), "\n")
}

// commandsOnce sorts evidence by its commands, and leaves each command only at its last piece.
func commandsOnce(s SuspectJSON) SuspectJSON {
	var list []suspect.Evidence
	for _, e := range s.Evidence {
		list = append(list, suspect.Evidence(e))
	}
	list = byCommand(list)
	s.Evidence = nil
	for i, e := range list {
		if i+1 < len(list) && list[i+1].Command == e.Command {
			e.Command = ""
		}
		s.Evidence = append(s.Evidence, EvidenceJSON(e))
	}
	return s
}

// capital begins a sentence.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

// confirmationClass returns the class of a confirmation in the style sheet.
func confirmationClass(status string) string {
	return map[string]string{"ok": "good", "error": "bad"}[confirmationSlot(status)]
}

// outcomeWord returns the outcome of a run of a bisection in the terms of git bisect.
func outcomeWord(o bisect.Outcome, fixed bool) string {
	switch {
	case o == bisect.Unknown:
		return "skipped"
	case fixed:
		return map[bisect.Outcome]string{bisect.New: "fixed", bisect.Old: "broken"}[o]
	}
	return map[bisect.Outcome]string{bisect.New: "bad", bisect.Old: "good"}[o]
}

// clipLine returns the beginning of a long line.
func clipLine(s string) string { return ui.Clip(ui.OneLine(s), maxPageLine) }

// clipText returns the end of a long text, where tests say what failed.
func clipText(s string) string {
	if len(s) <= maxPageText {
		return s
	}
	at := len(s) - maxPageText
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return fmt.Sprintf("(%d bytes are not shown)\n%s", at, s[at:])
}
