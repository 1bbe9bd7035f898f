package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/agent/crash"
	crashengine "git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/agent/fix"
	"git-agent/agent/fix/engine"
	"git-agent/agent/fix/testcmd"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/prompts"
)

// locateParams are the parameters of the tool fix_locate. The tool takes the texts of reports and
// outputs instead of file names: a client must not read the machine's files through the tool.
type locateParams struct {
	Report string `json:"report" arg:"nul,bytes=200000"`
	Output string `json:"output" arg:"nul,bytes=800000"`
	Crash  string `json:"crash" arg:"nul,bytes=800000"`
	At     string `json:"at"`
	Max    int    `json:"max" arg:"min=1,max=20"`
}

// dossierParams are the parameters of the tool fix_history.
type dossierParams struct {
	At      string `json:"at" arg:"required"`
	History string `json:"history"`
	Max     int    `json:"max" arg:"min=1,max=10"`
}

const (
	locateMax     = 5  // default number of functions in an answer
	locateFailing = 20 // number of failing tests in an answer
	locateLines   = 50 // number of suspected lines of one commit in an answer
	dossierMax    = 3  // default number of commits in an answer
	dossierTokens = 6000
	mostPlaces    = 20 // most locations in one call
)

// fixTools serves the parts of fix that run no command: the search for suspected functions, and
// the history of their lines. Like szz, it never asks a model.
type fixTools struct {
	server      *Server
	locateText  prompts.Tool
	locateArgs  agent.Args[locateParams]
	dossierText prompts.Tool
	dossierArgs agent.Args[dossierParams]
}

func newFixTools(s *Server) (*fixTools, error) {
	locate, err1 := prompts.Get("mcp/fix_locate")
	dossier, err2 := prompts.Get("mcp/fix_history")
	t := &fixTools{server: s, locateText: locate.Tool(), dossierText: dossier.Tool()}
	var err3, err4 error
	t.locateArgs, err3 = agent.NewArgs[locateParams](t.locateText.Params)
	t.dossierArgs, err4 = agent.NewArgs[dossierParams](t.dossierText.Params)
	return t, errors.Join(err1, err2, err3, err4)
}

func (t *fixTools) tools() []Tool {
	return []Tool{{
		Spec:  agent.Spec{Name: "fix_locate", Description: t.locateText.Description, Parameters: t.locateArgs.Schema},
		Title: "Functions that may hold a bug", Call: t.locate, Structured: true,
	}, {
		Spec:  agent.Spec{Name: "fix_history", Description: t.dossierText.Description, Parameters: t.dossierArgs.Schema},
		Title: "History of faulty lines", Call: t.dossier,
	}}
}

// locate answers one call of fix_locate: it suspects functions from texts.
func (t *fixTools) locate(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := locateParams{Max: locateMax}
	if err := t.locateArgs.Decode("fix_locate", args, &p); err != nil {
		return agent.Result{}, err
	}
	if strings.TrimSpace(p.Report+p.Output+p.Crash+p.At) == "" {
		return agent.Result{}, errors.New("nothing is known about the bug; give at least one of report, output, crash and at")
	}
	problem, err := t.problem(ctx, p.At)
	if err != nil {
		return agent.Result{}, err
	}
	problem.Report = p.Report
	notes, err := t.addUncommitted(ctx, &problem)
	if err != nil {
		return agent.Result{}, err
	}
	if err := t.addCrash(ctx, &problem, p.Crash); err != nil {
		return agent.Result{}, err
	}
	e := &engine.Engine{Repo: t.server.Repo}
	ans, err := e.Suspect(ctx, problem, []byte(p.Output), func(event agent.Event) {
		if step, ok := event.(agent.Progress); ok {
			progress(ctx, step.Text)
		}
	})
	if err != nil {
		return agent.Result{}, err
	}
	ans.Notes = append(ans.Notes, notes...)
	shortenAnswer(ans, p.Max)
	return t.located(problem.Tree.Commit, ans)
}

// located renders the suspected functions.
func (t *fixTools) located(commit gitext.OID, ans *fix.Answer) (agent.Result, error) {
	var text strings.Builder
	human := render.FixHuman{W: &text, Width: clientWidth, All: true, Locate: true, Ranges: true, Place: func(path string) string { return path }}
	if err := human.Fix(commit, ans); err != nil {
		return agent.Result{}, err
	}
	value := render.FixAnswerOf(commit, ans)
	value.Notes = clientNotes(value.Notes)
	return agent.Result{Text: clientText(text.String()), Value: value}, nil
}

// shortenAnswer bounds the size of an answer.
func shortenAnswer(ans *fix.Answer, most int) {
	ans.Localization.Locations = ans.Localization.Locations[:min(len(ans.Localization.Locations), most)]
	failing := &ans.Reproduction.Failing
	*failing = (*failing)[:min(len(*failing), locateFailing)]
	if ans.History == nil {
		return
	}
	ans.History.Blamed = slices.DeleteFunc(ans.History.Blamed, func(b fix.Blamed) bool { return b.Location >= most })
	for i := range ans.History.Blamed {
		b := &ans.History.Blamed[i]
		b.Lines = b.Lines[:min(len(b.Lines), locateLines)]
	}
}

// dossier answers one call of fix_history: it shows the changes of commits to given lines.
func (t *fixTools) dossier(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := dossierParams{History: string(fix.FlDiff), Max: dossierMax}
	if err := t.dossierArgs.Decode("fix_history", args, &p); err != nil {
		return agent.Result{}, err
	}
	kinds, auto, err := fix.ParseHistory(p.History)
	if err != nil || auto {
		return agent.Result{}, fmt.Errorf(
			"%q is no kind of history: give none, or some of fn_all, fn_pair and fl_diff, separated by commas",
			p.History,
		)
	}
	problem, err := t.problem(ctx, p.At)
	if err != nil {
		return agent.Result{}, err
	}
	e := &engine.Engine{Repo: t.server.Repo}
	d, err := e.Dossier(ctx, problem, engine.DossierOptions{Heuristics: kinds, Commits: p.Max, Tokens: dossierTokens})
	if err != nil {
		return agent.Result{}, err
	}
	return agent.Result{Text: agent.Clean(dossierText(problem.Tree.Commit, d))}, nil
}

// dossierText writes the history of locations at a commit.
func dossierText(commit gitext.OID, d *engine.Dossier) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The commits that wrote these places at %s, the most relevant first:\n", commit.Short())
	for i, l := range d.Locations {
		if i == mostPlaces {
			fmt.Fprintf(&b, "and %s\n", agent.Plural(len(d.Locations)-i, "more function"))
			break
		}
		fmt.Fprintf(&b, "- %s:%d-%d %s\n", agent.CleanLine(l.Path), l.Lines.Start, l.Lines.End, agent.CleanLine(l.Function))
	}
	if len(d.History.Blamed) == 0 {
		b.WriteString("\nNo commit was found.")
	}
	b.WriteString("\n" + d.Text + "\n")
	for _, cut := range d.Cut {
		b.WriteString("Left out, " + agent.CleanLine(cut) + "\n")
	}
	return b.String()
}

// problem returns a problem of the commit that the tools may see, with locations.
func (t *fixTools) problem(ctx context.Context, at string) (fix.Problem, error) {
	scope, err := t.server.Scope(ctx)
	if err != nil {
		return fix.Problem{}, err
	}
	given, err := placesIn(t.server.Repo, at)
	return fix.Problem{Tree: fix.Tree{Commit: scope.Tip}, Given: given}, err
}

// addUncommitted adds the changes of the work tree to the problem, and returns notes for the reader: the failing test is
// seldom committed when a client asks. A server that hides what came later hides them, too.
func (t *fixTools) addUncommitted(ctx context.Context, p *fix.Problem) ([]string, error) {
	if t.server.Fix != "" || t.server.Tip != "" || t.server.Repo.WorkTree() == "" {
		return nil, nil
	}
	tree, left, err := testcmd.WithUncommitted(ctx, t.server.Repo, p.Tree)
	if errors.Is(err, testcmd.ErrNotCheckedOut) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.Tree = tree
	var notes []string
	if n := len(tree.Over); n > 0 {
		notes = append(notes, "read with the uncommitted changes of "+agent.Plural(n, "file"))
	}
	if n := len(left); n > 0 {
		notes = append(notes, fmt.Sprintf("the uncommitted changes of %s are left out, the first is %q", agent.Plural(n, "file"), left[0]))
	}
	return notes, nil
}

// addCrash reads the text of a crash report and ranks the files behind it.
func (t *fixTools) addCrash(ctx context.Context, p *fix.Problem, text string) error {
	if text == "" {
		return nil
	}
	report, err := format.Read(strings.NewReader(text))
	if errors.Is(err, format.ErrUnknown) {
		return fmt.Errorf("%w in crash; %s; give other texts as output or report", err, format.Known)
	}
	if err != nil {
		return err
	}
	ranking, err := (&crashengine.Engine{Repo: t.server.Repo}).Rank(ctx, crash.Question{
		Report: report, Commit: p.Tree.Commit, AsReported: len(p.Tree.Over) > 0,
	})
	if err == nil {
		p.Crash, p.Files = report, ranking.Files
	}
	return err
}

var (
	// lineOfFile matches a line or a range of lines in a file, as printed by tools, perhaps with
	// a column.
	lineOfFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.+?):(\d{1,9})(?:-(\d{1,9})|:\d+)?$`)
	})
	// functionOfFile matches a function, perhaps with a qualified name, in a file.
	functionOfFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.*?[^:]):([^:/\s].*?)(?:\(\))?$`)
	})
)

// placesIn reads locations, one on a line: <file>, <file>:<line>, <file>:<line>-<line> or
// <file>:<function>. Paths are relative to the top of the repository; those of files in
// the work tree may be absolute.
func placesIn(repo *gitext.Repo, text string) ([]fix.GivenLocation, error) {
	var list []fix.GivenLocation
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		g, err := placeIn(line)
		if err != nil {
			return nil, err
		}
		file := filepath.ToSlash(g.Path)
		if top := filepath.ToSlash(repo.WorkTree()); top != "" {
			file = strings.TrimPrefix(file, top+"/")
		}
		g.Path = path.Clean(file)
		if list = append(list, g); len(list) > mostPlaces {
			return nil, fmt.Errorf("at has more than %d locations", mostPlaces)
		}
	}
	return list, nil
}

// placeIn reads one location.
func placeIn(text string) (fix.GivenLocation, error) {
	if m := lineOfFile().FindStringSubmatch(text); m != nil {
		start, _ := strconv.Atoi(m[2]) // nine digits
		end := start
		if m[3] != "" {
			end, _ = strconv.Atoi(m[3])
		}
		if start < 1 || end < start {
			return fix.GivenLocation{}, fmt.Errorf("%q: lines count from 1, and a range ends after it begins", text)
		}
		return fix.GivenLocation{Path: m[1], Lines: gitext.LineRange{Start: start, End: end}}, nil
	}
	if m := functionOfFile().FindStringSubmatch(text); m != nil {
		return fix.GivenLocation{Path: m[1], Function: m[2]}, nil
	}
	return fix.GivenLocation{Path: text}, nil
}
